/*
 * A forest made ready to walk, and the batches that walk it.
 *
 * Nodes compare ranks: rank(x) = number of the feature's distinct thresholds
 * in this forest that lie below x, so that x <= t iff rank(x) <= rank(t), for
 * every type of column.  rf-forest(5), Prediction.
 */
#ifndef RF_PREDICT_MODEL_H
#define RF_PREDICT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/convert.h"

#ifdef __cplusplus
extern "C" {
#endif

enum rf_vote {
	RF_VOTE_SOFT,  /* shares of leaves, RF_SHARE_ONE a tree */
	RF_VOTE_HARD,  /* 1 for the heaviest class of the leaf */
	RF_VOTE_VALUE, /* regression: leaf values in units */
	RF_VOTE_LEAF,  /* node number of the leaf in each tree */
};

struct rf_walk_feature {
	bool is_used; /* some node asks for it */
	bool is_categorical;
	enum rf_precision precision;
	int32_t n_thresholds;	/* distinct, ascending; 0 for categories */
	const void *thresholds; /* double, or int64_t for int64 */
	int32_t n_levels;	/* categories: codes 0..n_levels-1 */
};

struct rf_walk_node {
	int32_t feature; /* -1: leaf */
	/* Numeric: goes left iff the row's rank <= rank; n_thresholds: every
	 * present value goes left.  Categorical: first word of its set in
	 * cats.  Leaf: its number among the leaves of the forest, counted over
	 * the trees of the model. */
	int32_t rank;
	int32_t left; /* relative to the tree's first node */
	uint8_t missing_left;
};

struct rf_walk_model {
	int32_t n_features;
	const struct rf_walk_feature *features;
	int64_t n_trees;	   /* those that are to be walked */
	const int64_t *tree_first; /* n_trees + 1 offsets into nodes */
	const struct rf_walk_node *nodes;
	const uint64_t *cats; /* bit set = left, (n_levels + 63) / 64 words */
	int64_t n_cats_words;
	enum rf_vote vote;
	int32_t n_outputs; /* classes, 1 for regression, trees for leaves */
	/*
	 * Votes of leaf i: entries leaf_first[i] .. leaf_first[i + 1] - 1 of
	 * output and amount, outputs ascending.  NULL under RF_VOTE_LEAF.
	 */
	int64_t n_leaves;
	const int64_t *leaf_first;
	const int32_t *leaf_output;
	const int64_t *leaf_amount;
};

struct rf_walk_column {
	/* float, double, int64_t by the feature's precision, NaN missing;
	 * categories: int32_t codes, -1 missing.  NULL where not is_used. */
	const void *values;
	const uint8_t *is_missing; /* int64: a byte a row; NULL: none */
};

struct rf_walk_batch {
	int64_t n_rows;
	const struct rf_walk_column *columns; /* n_features */
	/* n_rows x n_outputs, outputs fastest; overwritten.  RF_VOTE_LEAF:
	 * int32_t leaves instead. */
	int64_t *tallies;
	int32_t *leaves;
};

#ifdef __cplusplus
}
#endif
#endif
