/*
 * Grown trees, which speak of codes, as trees of a forest, which speak of
 * values.
 *
 * A grown tree takes 40 bytes a node; that of the forest, which would take 50
 * to 65 more, is made in slices.
 */
#ifndef RF_TRAIN_TO_FOREST_H
#define RF_TRAIN_TO_FOREST_H

#include "forest/tree_slices.h"
#include "train/coded.h"

struct rf_to_forest {
	const struct rf_coded *coded;
	const struct rf_problem *problem;
	bool with_stats, has_categories, has_int64;
	const struct rf_grown *grown; /* the last one */
	struct rf_forest_tree slice;  /* the last one, from node `first` on */
	int32_t first;
	unsigned parts;		      /* of the slice; 0: none is made */
	int64_t sets_end, leaves_end; /* of the last slice with that part */
	size_t node_capacity, entry_capacity, cats_capacity;
};

/* Takes no memory yet; coded and problem must outlive the maker. */
void rf_to_forest_init(struct rf_to_forest *maker, const struct rf_coded *coded,
    const struct rf_problem *problem, bool with_stats);

/* Slices of a grown tree, for as long as that lives and until the next call. */
void rf_to_forest_slices(struct rf_to_forest *maker,
    const struct rf_grown *grown, struct rf_tree_slices *out);

void rf_to_forest_release(struct rf_to_forest *maker);

#endif
