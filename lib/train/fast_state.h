/*
 * What the files of fast growing share: the state of fast.h.
 */
#ifndef RF_TRAIN_FAST_STATE_H
#define RF_TRAIN_FAST_STATE_H

#include "train/fast.h"
#include "train/fast_general.h"

/* Where the rows of a node are. */
enum rf_fast_place { RF_LIST, RF_COPY_0, RF_COPY_1 };

struct rf_fast_job {
	uint64_t key;
	uint32_t first, n;
	int32_t index, depth;
	enum rf_fast_place place;
	int32_t n_runs;
};

struct rf_fast {
	const struct rf_problem *problem;
	const struct rf_rules *rules;
	const struct rf_kernels *kernels;
	bool is_regression;
	uint32_t room;	 /* rows in the bag */
	uint32_t n_copy; /* rows of a node that gets a copy */
	size_t stride;	 /* of a column of the copies */
	size_t n_words;	 /* of a set of columns */
	/* The node at hand, and what is known of it. */
	struct rf_fast_node node;
	struct rf_fast_search search;
	uint64_t root_weight;
	/* Columns and criteria that have no kernel; NULL: all have. */
	struct rf_general *general;
	/* Nodes as lists: rows, and how often each is in the bag. */
	uint32_t *rows;
	uint32_t *spare_rows; /* scratch: the counts that were handed in */
	uint8_t *weights, *spare_weights, *codes;
	int64_t *products;
	/* Nodes as copies: a column each for the active features, and one for
	 * the weights. */
	uint8_t *copies[2];
	int64_t *copied_products[2];
	uint64_t *bits; /* of the rows that go left */
	struct rf_move move;
	/* Nodes to grow, each with its runs and its constant columns. */
	struct rf_fast_job *jobs;
	struct rf_class_run *runs;
	uint64_t *sets, *constants, *child_sets;
	size_t n_jobs, jobs_room, runs_room, sets_room;
	struct rf_tree_builder *builder;
};

/* The node's part of a copied column. */
static inline uint8_t *
rf_fast_copied(
    struct rf_fast *fast, const struct rf_fast_job *job, int32_t column)
{
	return fast->copies[job->place == RF_COPY_1] +
	    (size_t)column * fast->stride + job->first;
}

static inline bool
rf_fast_is_constant(const struct rf_fast *fast, int32_t column)
{
	return fast->constants[column / 64] >> column % 64 & 1;
}

static inline void
rf_fast_note_constant(uint64_t *constants, int32_t column)
{
	constants[column / 64] |= UINT64_C(1) << column % 64;
}

/* Codes of a node that is a list, into codes; returns codes. */
const uint8_t *rf_fast_gather(struct rf_fast *fast,
    const struct rf_fast_job *job, int32_t column, uint8_t *codes);

/* Puts a node on the stack, with its runs and its constant columns. */
enum rf_status rf_fast_push(struct rf_fast *fast, const struct rf_fast_job *job,
    const struct rf_class_run *runs, const uint64_t *constants,
    struct rf_error *err) RF_MUST_USE;

/* Splits the node at hand by the best candidate; its children wait. */
enum rf_status rf_fast_split(struct rf_fast *fast,
    const struct rf_fast_job *job, double gain,
    struct rf_error *err) RF_MUST_USE;

#endif
