/*
 * A loaded forest as a model to walk: predict/model.h.
 *
 * Thresholds become ranks among the distinct ones of their feature, leaves
 * become votes.
 */
#ifndef RF_PREDICT_WALK_FOREST_H
#define RF_PREDICT_WALK_FOREST_H

#include "forest/forest.h"
#include "predict/model.h"

struct rf_walk_forest {
	struct rf_walk_model model;
	/* What model points to. */
	struct rf_walk_feature *features;
	int64_t *tree_first;
	struct rf_walk_node *nodes;
	uint64_t *cats;
	int64_t *leaf_first;
	int32_t *leaf_output;
	int64_t *leaf_amount;
};

/*
 * Of trees first..end-1 of forest->trees (places, not tree numbers).
 *
 * vote       RF_VOTE_VALUE for regression, soft or hard for classification;
 *            RF_VOTE_LEAF for any, without leaf tables
 * for_sums   model.vote is RF_VOTE_LEAF whatever `vote` is, but the leaf
 *            tables are there: for a caller who adds the votes of each row
 *            himself, as there are too many classes for a tally of each
 *
 * The forest may go afterwards.  out is to be released in any case.
 */
enum rf_status rf_walk_forest_init(struct rf_walk_forest *out,
    const struct rf_forest *forest, int64_t first, int64_t end,
    enum rf_vote vote, bool for_sums, int n_threads,
    struct rf_error *err) RF_MUST_USE;
void rf_walk_forest_release(struct rf_walk_forest *walk);

#endif
