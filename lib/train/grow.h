/*
 * Growing trees on the CPU.
 *
 * Threads take trees one by one; each tree is a function of problem, rules and
 * its number alone.  rf-forest(5), Training.
 *
 *	RF_TRY(rf_grow_cpu(&problem, &rules, 0, 100, 8, &sink, err));
 */
#ifndef RF_TRAIN_GROW_H
#define RF_TRAIN_GROW_H

#include "train/problem.h"

/* Trees first..end-1 go to the sink in order, on some thread at a time. */
enum rf_status rf_grow_cpu(const struct rf_problem *problem,
    const struct rf_rules *rules, int64_t first, int64_t end, int n_threads,
    const struct rf_tree_sink *sink, struct rf_error *err) RF_MUST_USE;

/*
 * Bytes that growing takes beside the problem, nodes not counted: these are at
 * most 64 bytes each for 2 * n_threads + 1 trees.
 */
size_t rf_grow_memory(const struct rf_problem *problem,
    const struct rf_rules *rules, int n_threads);

#endif
