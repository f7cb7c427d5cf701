/*
 * Inner loops of fast growing, one set for each instruction set.
 *
 * Rows of a node lie as byte columns: codes, and how often each row is in the
 * bag.  For classification the rows are sorted by class, up or down: a node is
 * one run of rows a class.  No loop decides anything in floating point that
 * the rule decides otherwise: floats only dismiss candidates that lie below
 * the best by more than their error.
 *
 * Columns may be read up to RF_SLOP bytes past the rows of a node.
 */
#ifndef RF_TRAIN_KERNELS_H
#define RF_TRAIN_KERNELS_H

#include "train/number.h"

#define RF_SLOP		64
#define RF_SMALL	32 /* rows of a subtree that is grown in masks */
#define RF_FAST_CLASSES 32
/* Relative error of a float score: 2^-24 for each of some 2 x 36 roundings,
 * and as much again to spare. */
#define RF_FLOAT_MARGIN 1e-5F

struct rf_class_run {
	uint32_t end; /* one past its last row, from the node's first */
	int32_t class;
};

struct rf_fast_node {
	uint32_t n; /* distinct rows */
	uint64_t weight;
	/* Classification: runs of the classes present, in row order. */
	int32_t n_runs;
	struct rf_class_run runs[RF_FAST_CLASSES];
	uint32_t totals[RF_FAST_CLASSES]; /* in-bag weight by run */
	uint64_t squares;
	/* Regression. */
	int64_t sum, mean;
};

struct rf_fast_best {
	bool is_found;
	bool is_pure;	 /* both sides are: nothing can beat it */
	bool is_general; /* found by fast_general.h, which has the rest */
	struct rf_score score;
	float least;	      /* what a float score must reach to matter */
	double least_squared; /* the same for regression, in double */
	int32_t column;
	/* The code that the cut follows; the last present one: all present
	 * rows go left. */
	int32_t lo;
	bool missing_left;
	/* Classification: sums of squares and weights of the sides. */
	uint64_t squares_left, weight_left, squares_right, weight_right;
};

/* A node's columns and their scratch. */
struct rf_fast_search {
	const struct rf_fast_node *node;
	const uint8_t *weights;	 /* of the node's rows */
	const int64_t *products; /* regression: weight * target */
	uint32_t min_leaf;	 /* distinct rows of a side */
	struct rf_fast_best best;
	uint32_t *counts; /* (RF_FAST_CLASSES + 1) x 256, the last of rows */
	int64_t *sums;	  /* regression: 256 */
};

/* How the rows of a node move to its children: controls of byte shuffles for
 * 16 rows each, the first block being the short one. */
struct rf_move {
	uint8_t *controls;
	uint8_t *n_left; /* by block */
	uint32_t n_rows, n_blocks;
};

/* A subtree of at most RF_SMALL rows. */
struct rf_small {
	const struct rf_problem *problem;
	const struct rf_rules *rules;
	struct rf_tree_builder *builder;
	uint64_t root_weight;	/* of the tree */
	const uint8_t *columns; /* of the active features, first row */
	size_t stride;
	const uint8_t *weights;
	const int64_t *products;   /* regression */
	const uint64_t *constants; /* bit set: column is constant */
	const struct rf_fast_node *node;
	uint64_t key;
	int32_t index, depth;
};

struct rf_kernels {
	const char *name;
	bool (*is_constant)(const uint8_t *codes, uint32_t n);
	/* Bits of the rows whose code is at most cut. */
	void (*mark)(
	    const uint8_t *codes, uint32_t n, int32_t cut, uint64_t *bits);
	uint64_t (*sum)(const uint8_t *weights, uint32_t n);
	void (*plan)(const uint64_t *bits, uint32_t n, struct rf_move *move);
	/* Left rows to the front, right rows behind them in reverse; n > 32 */
	void (*move)(
	    const struct rf_move *move, const uint8_t *from, uint8_t *to);
	/* Best cut of a column that is not constant, into search->best. */
	void (*gini)(struct rf_fast_search *search, const uint8_t *codes,
	    int32_t column, const struct rf_coded_feature *feature);
	void (*squared)(struct rf_fast_search *search, const uint8_t *codes,
	    int32_t column, const struct rf_coded_feature *feature);
	/* Grows the subtree to its leaves. */
	enum rf_status (*small)(
	    const struct rf_small *small, struct rf_error *err);
	/* Elements first .. first + 31 of one pass of a node's permutation. */
	void (*draws)(
	    uint32_t draw_key, uint32_t first, int bits, uint32_t *out);
};

extern const struct rf_kernels rf_kernels_plain;
#ifdef __x86_64__
extern const struct rf_kernels rf_kernels_avx2;
#endif

/* Those of this processor. */
const struct rf_kernels *rf_kernels(void);

/* A candidate: the cut after code lo, and where missing rows go. */
struct rf_fast_cut {
	int32_t column, lo;
	bool missing_left;
};

/* Whether a comes before b, of the same column, in the order of candidates. */
static inline bool
rf_fast_before(const struct rf_fast_cut *a, const struct rf_fast_best *b)
{
	return 2 * a->lo + a->missing_left < 2 * b->lo + b->missing_left;
}

static inline void
rf_fast_keep(struct rf_fast_best *best, const struct rf_fast_cut *cut,
    struct rf_score score)
{
	best->is_found = true;
	best->is_general = false;
	best->score = score;
	best->column = cut->column;
	best->lo = cut->lo;
	best->missing_left = cut->missing_left;
}

/* The exact rule for a candidate; keeps it where it is the best.  Those of one
 * column may come in any order. */
static inline void
rf_fast_try(struct rf_fast_best *best, struct rf_fast_cut cut,
    uint64_t squares_left, uint64_t weight_left, uint64_t squares_right,
    uint64_t weight_right)
{
	struct rf_score score = rf_gini_score(
	    squares_left, weight_left, squares_right, weight_right);

	if (best->is_found && !rf_score_better(score, best->score) &&
	    (cut.column != best->column || !rf_fast_before(&cut, best) ||
		rf_score_better(best->score, score)))
		return;
	rf_fast_keep(best, &cut, score);
	best->is_pure = squares_left == weight_left * weight_left &&
	    squares_right == weight_right * weight_right;
	best->least = (float)((double)squares_left / (double)weight_left +
			  (double)squares_right / (double)weight_right) *
	    (1 - RF_FLOAT_MARGIN);
	best->squares_left = squares_left;
	best->weight_left = weight_left;
	best->squares_right = squares_right;
	best->weight_right = weight_right;
}

#endif
