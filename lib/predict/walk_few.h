/*
 * A few rows by the trees as they were loaded, where to make a model of them
 * (walk_forest.h) would take longer than to walk.
 *
 * Results are those of a model: rf-forest(5), Prediction.
 */
#ifndef RF_PREDICT_WALK_FEW_H
#define RF_PREDICT_WALK_FEW_H

#include "forest/forest.h"
#include "predict/model.h"

struct rf_walk_few {
	const struct rf_forest *forest;
	int64_t first, end; /* places of the trees in the forest */
	enum rf_vote vote;
	int64_t rows_left; /* worth to be walked so */
	/* scratch for the classes of a leaf */
	double *remainders;
	int64_t *shares;
};

/* The forest must outlive few, which is to be released in any case. */
enum rf_status rf_walk_few_init(struct rf_walk_few *few,
    const struct rf_forest *forest, int64_t first, int64_t end,
    enum rf_vote vote, struct rf_error *err) RF_MUST_USE;
void rf_walk_few_release(struct rf_walk_few *few);

/* false: too many rows by now, nothing is done. */
bool rf_walk_few_run(
    struct rf_walk_few *few, const struct rf_walk_batch *batch);

#endif
