/*
 * Where batches are walked: on the device that was asked for, or under "auto"
 * on the CPU until the work has proved to be worth a card's start.
 *
 * A few rows are walked by the trees as they are, without a model: for one row
 * that would take most of the time.  Bytes are equal wherever a batch is walked, so the change between two
 * batches does not show; nor does the way back, where a card fails.
 */
#ifndef RF_PREDICT_ENGINE_H
#define RF_PREDICT_ENGINE_H

#include "backend.h"
#include "forest/forest.h"
#include "predict/model.h"

struct rf_engine;

struct rf_engine_options {
	int64_t first, end; /* places of the trees in the forest */
	enum rf_vote vote;
	bool for_sums;	    /* walk_forest.h */
	const char *device; /* as --device */
	struct rf_backend_options backend;
};

/* The forest must outlive the engine. */
enum rf_status rf_engine_open(struct rf_engine **out,
    const struct rf_forest *forest, const struct rf_engine_options *options,
    struct rf_error *err) RF_MUST_USE;
/* Of the forest's features: which of them are used, at least. */
const struct rf_walk_feature *rf_engine_features(
    const struct rf_engine *engine);
/* NULL while there is none; for sums there is one. */
const struct rf_walk_model *rf_engine_model(const struct rf_engine *engine);
enum rf_status rf_engine_walk(struct rf_engine *engine,
    const struct rf_walk_batch *batch, struct rf_error *err) RF_MUST_USE;
/* "cpu" or "cuda": where the last batch was walked. */
const char *rf_engine_name(const struct rf_engine *engine);
void rf_engine_close(struct rf_engine *engine); /* NULL allowed */

#endif
