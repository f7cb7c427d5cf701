/*
 * The bag of a tree: how often each row was drawn.
 *
 * A function of (seed, tree, N, n_draws): rf-forest(5), Bag.
 */
#ifndef RF_TRAIN_BOOTSTRAP_H
#define RF_TRAIN_BOOTSTRAP_H

#include "train/problem.h"

/*
 * counts   N results, number of draws of each row (all 1 without bootstrap)
 * blocks   scratch of (N + RF_BAG_BLOCK - 1) / RF_BAG_BLOCK
 */
void rf_bootstrap(const struct rf_rules *rules, int64_t n_rows, int64_t tree,
    uint32_t *blocks, uint32_t *counts);

#endif
