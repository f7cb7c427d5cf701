/*
 * Walking a forest on the CPU.
 *
 *	RF_TRY(rf_walk_cpu_load(&model, 0, &walker, err));
 *	RF_TRY(rf_walk_cpu_run(walker, &batch, err));
 *	rf_walk_cpu_free(walker);
 *
 * Results do not depend on threads or batches: rf-forest(5), Prediction.
 */
#ifndef RF_PREDICT_WALK_H
#define RF_PREDICT_WALK_H

#include "base/error.h"
#include "predict/model.h"

struct rf_walk_cpu;

/* For n_threads threads (0: all processors); the model must outlive the
 * walker. */
enum rf_status rf_walk_cpu_load(const struct rf_walk_model *model,
    int n_threads, struct rf_walk_cpu **out, struct rf_error *err) RF_MUST_USE;

/* Walks a batch; allocates nothing.  One call at a time for a walker. */
enum rf_status rf_walk_cpu_run(struct rf_walk_cpu *walker,
    const struct rf_walk_batch *batch, struct rf_error *err) RF_MUST_USE;

void rf_walk_cpu_free(struct rf_walk_cpu *walker); /* NULL allowed */

#endif
