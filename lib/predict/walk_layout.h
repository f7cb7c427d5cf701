/*
 * A forest's nodes packed for the walk on the CPU.
 *
 * A node is one word of 4 or 8 bytes: rank in the low bits, column above,
 * offset on top.  The trees lie breadth first, children side by side, so
 *
 *	at += offset + (code[column] > rank)
 *
 * is a step.  A leaf has offset 0 and a rank that no code passes: it stays,
 * and needs no test.  Breadth first keeps the largest offset at the width of a
 * level, so most forests fit 4 bytes.
 *
 * A column is a feature's ranks with missing as the lowest or as the highest
 * code; a feature whose nodes use both directions has two.  Columns of
 * categories come first.  Their nodes hold in place of the rank where their
 * set begins among the tree's set words: bit set = right, one more bit than
 * there are levels, for missing.
 */
#ifndef RF_PREDICT_WALK_LAYOUT_H
#define RF_PREDICT_WALK_LAYOUT_H

#include "base/error.h"
#include "predict/model.h"
#include "base/pool.h"

struct rf_layout_column {
	int32_t feature; /* -1: codes are 0; for leaves where sets are used */
	uint32_t missing_code;
};

/* refs of leaves with one vote: the output, and this bit. */
#define RF_REF_PURE (UINT32_C(1) << 31)

struct rf_walk_layout {
	int code_bytes; /* 1, 2 or 4 */
	int node_bytes; /* 4 or 8 */
	int column_shift, offset_shift;
	int32_t n_columns, n_categorical;
	uint32_t largest_code;
	struct rf_layout_column *columns;
	int64_t n_trees;
	int64_t *tree_first; /* n_trees + 1 offsets into nodes and refs */
	void *nodes;
	/* A leaf's word has in place of the column the output that refs names,
	 * or RF_LEAF_MIXED; so rows must be readable 256 codes far. */
	bool has_outputs;
	/*
	 * What a leaf counts for.  RF_VOTE_LEAF: its node number in the tree.
	 * RF_VOTE_VALUE: its number.  Votes: its number, or RF_REF_PURE with
	 * the output where it has one entry of pure_amount.
	 */
	uint32_t *refs;
	int64_t pure_amount;
	int64_t *set_first; /* n_trees offsets into sets */
	uint32_t *sets;
};

#define RF_LEAF_MIXED 255

/* By the threads of the pool, of which there are n_threads.  Released by
 * rf_walk_layout_release, also after an error. */
enum rf_status rf_walk_layout_init(struct rf_walk_layout *layout,
    const struct rf_walk_model *model, struct rf_pool *pool, int n_threads,
    struct rf_error *err) RF_MUST_USE;
void rf_walk_layout_release(struct rf_walk_layout *layout);

#endif
