/*
 * Grown trees, which speak of codes, as trees of a forest, which speak of
 * values.
 */
#ifndef RF_TRAIN_TO_FOREST_H
#define RF_TRAIN_TO_FOREST_H

#include "forest/forest.h"
#include "train/coded.h"

struct rf_to_forest {
	const struct rf_coded *coded;
	const struct rf_problem *problem;
	bool with_stats;
	struct rf_forest_tree tree; /* the last one */
	size_t node_capacity, entry_capacity, cats_capacity;
	bool has_categories, has_int64;
};

/* Takes no memory yet; coded and problem must outlive the maker. */
void rf_to_forest_init(struct rf_to_forest *maker, const struct rf_coded *coded,
    const struct rf_problem *problem, bool with_stats);

/* Makes maker->tree of a grown one; it lives until the next call. */
enum rf_status rf_to_forest_make(struct rf_to_forest *maker,
    const struct rf_grown *grown, struct rf_error *err) RF_MUST_USE;

void rf_to_forest_release(struct rf_to_forest *maker);

#endif
