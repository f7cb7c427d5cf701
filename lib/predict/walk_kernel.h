/*
 * The inner loop of the walk: many rows through one tree.
 */
#ifndef RF_PREDICT_WALK_KERNEL_H
#define RF_PREDICT_WALK_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "predict/walk_layout.h"

#define RF_WALK_LANES 8

struct rf_walk_tree {
	const void *nodes;
	const uint32_t *sets;
	const uint32_t *starts; /* where each row begins */
	const void *codes;	/* of the block, row by row */
	size_t stride;		/* codes from row to row */
	uint64_t inverse;	/* 2^32 / stride, rounded up */
	int column_shift, offset_shift;
	uint32_t n_categorical;
};

/*
 * Walks rows 0..n_rows-1 to their leaves: ends[row] is the place of the leaf.
 * lanes is scratch for n_rows, rounded up to RF_WALK_LANES.
 */
struct rf_walk_kernel {
	void (*walk)(const struct rf_walk_tree *tree, int n_rows,
	    uint64_t *lanes, uint32_t *ends);
};

struct rf_walk_kernel rf_walk_kernel_for(const struct rf_walk_layout *layout);

#endif
