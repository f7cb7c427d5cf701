/*
 * From nodes as they were allocated on the device to trees in canonical
 * numbering: rf-forest(5), Numbering.
 */
#ifndef RF_CUDA_NUMBER_CUH
#define RF_CUDA_NUMBER_CUH

#include "train/problem.h"

/* A batch as it came from the device; leaves have their entries' number in
 * `cut`, inner nodes the allocation number of their left child in `left`. */
struct rf_raw_batch {
	int64_t first_tree, n_trees; /* roots are nodes 0..n_trees-1 */
	const struct rf_grown_node *nodes;
	const int32_t *leaf_class;
	const uint64_t *leaf_weight;
	const uint64_t *cats;
	const struct rf_coded_feature *features;
	bool is_regression;
};

/* Gives the trees to the sink in order; n_threads number them. */
enum rf_status rf_number_batch(const struct rf_raw_batch *batch, int n_threads,
    const struct rf_tree_sink *sink, struct rf_error *err);

#endif
