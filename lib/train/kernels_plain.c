#include "train/kernels.h"

#include "train/kernels_body.h"

const struct rf_kernels rf_kernels_plain = {
    .name = "plain",
    .is_constant = is_constant,
    .mark = mark,
    .sum = sum,
    .plan = plan,
    .move = move_column,
    .gini = gini,
    .squared = squared,
    .small = small,
    .draws = draws,
};
