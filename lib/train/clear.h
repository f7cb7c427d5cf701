/*
 * Growing one tree in the plain way: any problem that the rules allow.
 *
 * Memory: rf_clear_bytes, up to 26 bytes a row.  No recursion, so that depth
 * is no matter.
 */
#ifndef RF_TRAIN_CLEAR_H
#define RF_TRAIN_CLEAR_H

#include "train/number.h"

struct rf_clear;

/* Scratch for one tree at a time; problem and rules must outlive it. */
enum rf_status rf_clear_new(struct rf_clear **out,
    const struct rf_problem *problem, const struct rf_rules *rules,
    struct rf_error *err) RF_MUST_USE;
void rf_clear_free(struct rf_clear *clear);
size_t rf_clear_bytes(
    const struct rf_problem *problem, const struct rf_rules *rules);

/*
 * Grows a tree into the builder (rf_tree_start was called, finish was not).
 * counts  N, how often each row is in the bag; NULL: each once
 */
enum rf_status rf_clear_tree(struct rf_clear *clear, const uint32_t *counts,
    struct rf_tree_builder *builder, struct rf_error *err) RF_MUST_USE;

#endif
