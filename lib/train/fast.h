/*
 * Growing one tree fast: columns of one-byte codes, rows of weight 1, at most
 * 32 classes.  Numeric columns have kernels for Gini and squared error, the
 * rest goes through search.h.  The same trees as clear.h grows, bit by bit.
 *
 * A large node is a list of row numbers, and the columns that it looks at are
 * gathered.  A node that fits gets a copy of its rows as byte columns, which
 * every split moves apart, so that all later reading is sequential; what is
 * constant in a child is known from its copy.  At 32 rows nothing moves any
 * more: kernels.h.
 */
#ifndef RF_TRAIN_FAST_H
#define RF_TRAIN_FAST_H

#include "train/kernels.h"

struct rf_fast;

/* Whether this way takes the problem, for one of n_threads threads. */
bool rf_fast_takes(const struct rf_problem *problem,
    const struct rf_rules *rules, int n_threads);

/* Scratch for one tree at a time, of a problem that rf_fast_takes; what it
 * points to must outlive it. */
enum rf_status rf_fast_new(struct rf_fast **out,
    const struct rf_problem *problem, const struct rf_rules *rules,
    const struct rf_kernels *kernels, int n_threads,
    struct rf_error *err) RF_MUST_USE;
void rf_fast_free(struct rf_fast *fast);
size_t rf_fast_bytes(const struct rf_problem *problem,
    const struct rf_rules *rules, int n_threads);

/*
 * As rf_clear_tree; counts are scratch afterwards.  A row that was drawn more
 * than 255 times is not for this way: *is_taken is then false, and nothing has
 * been done.
 */
enum rf_status rf_fast_tree(struct rf_fast *fast, uint32_t *counts,
    struct rf_tree_builder *builder, bool *is_taken,
    struct rf_error *err) RF_MUST_USE;

#endif
