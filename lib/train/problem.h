/*
 * What the trainers see: coded columns, labels, weights and the rules.
 *
 * N rows, F features, C classes.  Rows of weight 0 and, by option, without a
 * label are gone already; the rest are numbered 0..N-1 in the order of the
 * input.  Everything is read only while trees grow.  rf-forest(5), Training.
 */
#ifndef RF_TRAIN_PROBLEM_H
#define RF_TRAIN_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arith/arith.h"
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rf_coded_feature {
	int32_t n_values; /* bins or kept levels: codes 0..n_values-1 */
	bool has_missing; /* then code n_values is that of missing */
	bool is_categorical;
	int32_t heavy_code; /* the most frequent code (lowest on ties) */
	int64_t heavy_rows; /* its rows */
};

struct rf_problem {
	int64_t n_rows;	     /* N >= 1 */
	int32_t n_features;  /* F >= 0 */
	int32_t code_bytes;  /* 1 or 2 */
	const void *codes;   /* feature f's column begins at f * stride_bytes */
	size_t stride_bytes; /* multiple of 64, >= N * code_bytes + 64; the tail
				is zero */
	const struct rf_coded_feature *features;
	/* Features that are drawn, ascending: those of more than one code over
	 * all rows, or all where constant features count. */
	const int32_t *active;
	int32_t n_active;

	int32_t n_classes;	/* C; 0: regression */
	const int32_t *classes; /* N, or NULL for regression */
	const int64_t *targets; /* N fixed-point targets, or NULL */
	double midrange;	/* y = midrange + target 2^-target_shift */
	int target_shift;
	/* N integer weights >= 1 (class weights multiplied in); NULL: all 1.
	 * weight = integer 2^-weight_shift. */
	const uint64_t *weights;
	int weight_shift;
};

struct rf_rules {
	enum rf_criterion criterion;
	uint64_t seed;
	int32_t max_features;	   /* >= 1 */
	int32_t max_depth;	   /* INT32_MAX: no limit; root has depth 0 */
	int64_t min_samples_split; /* distinct in-bag rows, >= 2 */
	int64_t min_samples_leaf;  /* distinct in-bag rows, >= 1 */
	double min_impurity_decrease; /* of in-bag weight, >= 0 */
	bool count_constant;
	bool bootstrap;
	int64_t n_draws; /* of the bootstrap; N without one */
};

/* Cut of a node that sends every present value left, missing right. */
#define RF_CUT_PRESENT INT32_MAX

struct rf_grown_node {
	int32_t feature; /* index into features; -1: leaf */
	/* Numeric: codes <= cut go left, or RF_CUT_PRESENT.  Categorical: 0,
	 * the set is in `cats`. */
	int32_t cut;
	int32_t left; /* left child; the right one is left + 1; leaf: 0 */
	uint32_t missing_left; /* 0 or 1 */
	/* Decrease of weighted impurity (rf_*_gain) in integer units; leaf 0 */
	double gain;
	uint64_t cover; /* in-bag integer weight */
	/*
	 * Classification leaf: first of its entries in leaf_class, leaf_weight
	 * (they end where the next leaf's, in node order, begin).
	 * Regression leaf: integer sum of weighted targets.
	 * Categorical inner node: first word in cats.
	 */
	int64_t payload;
};

/*
 * One tree in canonical numbering: root 0, left(v) = 2k + 1 with k the rank of
 * v among the inner nodes in pre-order.
 */
struct rf_grown {
	int64_t tree; /* global number */
	int64_t n_nodes;
	const struct rf_grown_node *nodes;
	/* Classes present in each leaf, ascending, with their in-bag weight. */
	int64_t n_leaf_entries;
	const int32_t *leaf_class;
	const uint64_t *leaf_weight;
	/* Bit sets of the categorical nodes, (n_values + 63) / 64 words each,
	 * bit set = left; levels absent from the node follow missing. */
	int64_t n_words;
	const uint64_t *cats;
};

/* Receives trees in ascending order, one call at a time; the arrays live for
 * the call.  Another status than RF_OK ends the growing. */
struct rf_tree_sink {
	void *context;
	enum rf_status (*put)(
	    void *context, const struct rf_grown *tree, struct rf_error *err);
};

/* Code of a row, for the slow paths. */
static inline uint32_t
rf_problem_code(const struct rf_problem *problem, int32_t feature, int64_t row)
{
	const void *column = (const char *)problem->codes +
	    (size_t)feature * problem->stride_bytes;

	return problem->code_bytes == 1 ? ((const uint8_t *)column)[row]
					: ((const uint16_t *)column)[row];
}

#ifdef __cplusplus
}
#endif
#endif
