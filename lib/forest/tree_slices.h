/*
 * A tree that is handed over in slices of its nodes, so that a large one need
 * not be there twice.
 *
 * A slice is an rf_forest_tree of the nodes first .. end - 1: its arrays begin
 * at node `first`, those of sets and of leaf entries at that node's own.
 * leaf_first and cats_first count from the root on, as in the whole tree, and
 * end with one more than the slice has nodes.
 */
#ifndef RF_FOREST_TREE_SLICES_H
#define RF_FOREST_TREE_SLICES_H

#include "forest/forest.h"

/* What of a slice is asked for. */
enum rf_tree_part {
	RF_PART_FEATURES = 1, /* there in any case */
	RF_PART_SPLITS = 2,   /* thresholds, left, missing_left */
	RF_PART_SETS = 4,     /* cats_first, cats */
	RF_PART_STATS = 8,    /* gain, cover */
	RF_PART_LEAVES = 16,  /* leaf_first, leaf_class, leaf_value */
	RF_PART_ALL = 31
};

struct rf_tree_slices {
	int64_t tree;
	int32_t n_nodes;
	int32_t slice_nodes; /* of each slice but the last, >= 1 */
	bool with_stats;
	/* All of it, where it is in memory already; make is then NULL. */
	const struct rf_forest_tree *whole;
	void *context;
	/* The slice lives until the next call.  Slices are asked for in order,
	 * over and over again from the root. */
	enum rf_status (*make)(void *context, int32_t first, int32_t end,
	    unsigned parts, struct rf_forest_tree *out, struct rf_error *err);
};

/* The slice from node `first` on. */
enum rf_status rf_tree_slice(const struct rf_tree_slices *slices, int32_t first,
    unsigned parts, struct rf_forest_tree *out,
    struct rf_error *err) RF_MUST_USE;

/* A tree in memory as one slice; it must outlive the slices. */
struct rf_tree_slices rf_tree_slices_of(const struct rf_forest_tree *tree);

#endif
