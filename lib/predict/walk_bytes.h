/*
 * The inner loop where rank and column are bytes and the offset two: most
 * forests.
 */
#ifndef RF_PREDICT_WALK_BYTES_H
#define RF_PREDICT_WALK_BYTES_H

#include "predict/walk_kernel.h"

/* As struct rf_walk_kernel's walk. */
void rf_walk_bytes(const struct rf_walk_tree *tree, int n_rows, uint64_t *lanes,
    uint32_t *ends);

#endif
