/*
 * The walk on the CPU in parts.  Private to walk*.c.
 */
#ifndef RF_PREDICT_WALK_PARTS_H
#define RF_PREDICT_WALK_PARTS_H

#include "base/pool.h"
#include "predict/walk.h"
#include "predict/walk_kernel.h"
#include "predict/walk_layout.h"
#include "predict/walk_top.h"

/* A block's codes, row by row, and for the tops column by column. */
struct rf_walk_codes {
	void *rows;
	int8_t *columns;
};

/* What a thread needs for walking. */
struct rf_walk_scratch {
	uint64_t *lanes;
	uint32_t *starts, *ends;
	int64_t *tallies; /* of the thread's trees alone */
	/* Leaves of one vote met since the last flush, n_outputs a row, and
	 * trees since then. */
	uint16_t *counts;
	int n_counted;
	bool is_used; /* tallies and counts are of this block */
};

struct rf_walk_cpu {
	const struct rf_walk_feature *features;
	enum rf_vote vote;
	int32_t n_outputs;
	const int64_t *leaf_first;
	const int32_t *leaf_output;
	const int64_t *leaf_amount;
	struct rf_walk_layout layout;
	struct rf_walk_kernel kernel;
	int n_threads;
	struct rf_pool *pool;
	int block_rows;
	size_t stride; /* codes from row to row */
	/* of the trees; NULL: rows begin at the root */
	struct rf_walk_top *tops;
	bool by_trees; /* threads share a block's rows and take its trees */
	struct rf_walk_codes *codes; /* of each thread; [0] of all by trees */
	struct rf_walk_scratch *scratch; /* of each thread */
};

struct rf_walk_block {
	const struct rf_walk_batch *batch;
	int64_t first;
	int n_rows;
};

/*
 * Codes of RF_RANK_BLOCK rows of the block from row `first` on, all columns: a
 * row's codes lie together, so they are written while they are in the first
 * cache.
 */
void rf_walk_code_rows(const struct rf_walk_cpu *walker,
    const struct rf_walk_block *block, const struct rf_walk_codes *codes,
    int first);

/* Zeroes n_rows tallies, unless leaves are asked for. */
void rf_walk_clear(
    const struct rf_walk_cpu *walker, int n_rows, int64_t *tallies);
/* Walks the block's rows through a tree and adds what their leaves say, in
 * part to the counts. */
void rf_walk_tree(const struct rf_walk_cpu *walker,
    const struct rf_walk_block *block, const struct rf_walk_codes *codes,
    int64_t number, struct rf_walk_scratch *scratch, int64_t *tallies);
/* Adds the counts and empties them. */
void rf_walk_flush(const struct rf_walk_cpu *walker,
    struct rf_walk_scratch *scratch, int n_rows, int64_t *tallies);

#endif
