#include "train/kernels.h"

#ifdef __AVX2__
# include "train/kernels_body.h"

const struct rf_kernels rf_kernels_avx2 = {
    .name = "avx2",
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
#endif
