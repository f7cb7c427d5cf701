/*
 * Out-of-bag votes: each row is judged by the trees that did not draw it.
 *
 *	RF_TRY(rf_oob_init(&oob, &problem, &rules, values, unit_exponent, err));
 *	RF_TRY(rf_oob_add(&oob, grown, slices, pool, err));	for each tree
 *	rf_oob_score(&oob, &score);
 *	RF_TRY(rf_oob_write(&oob, ..));
 *	rf_oob_release(&oob);
 *
 * Tallies are the integers of rf-forest(5), Prediction, so they add up over
 * runs that hold other trees.
 */
#ifndef RF_TRAIN_OOB_H
#define RF_TRAIN_OOB_H

#include "base/pool.h"
#include "forest/tree_slices.h"
#include "train/problem.h"

struct rf_oob {
	const struct rf_problem *problem;
	const struct rf_rules *rules;
	const double *values; /* regression: labels of the rows */
	int unit_exponent;    /* regression */
	int32_t n_outputs;    /* classes, or 1 */
	int64_t *tallies;     /* N x n_outputs, outputs fastest */
	int32_t *n_trees;     /* of each row */
	uint32_t *counts, *blocks;
	/* Of the tree at hand: where each node's entries begin, and what a row
	 * there gets of each. */
	int64_t *first_entry, *shares;
	double *remainders; /* of a leaf's shares, in the making */
	size_t node_capacity, entry_capacity, leaf_capacity;
};

struct rf_oob_score {
	int64_t n_rows; /* that some tree judged */
	double value;	/* accuracy or R2; NaN where not defined */
	const char *name;
};

/* values: N labels of a regression, else NULL */
enum rf_status rf_oob_init(struct rf_oob *oob, const struct rf_problem *problem,
    const struct rf_rules *rules, const double *values, int unit_exponent,
    struct rf_error *err) RF_MUST_USE;

/* The same tree twice: as grown, and with the values of its leaves. */
enum rf_status rf_oob_add(struct rf_oob *oob, const struct rf_grown *grown,
    const struct rf_tree_slices *slices, struct rf_pool *pool,
    struct rf_error *err) RF_MUST_USE;

/* Accuracy, ties to the lowest class, or R2; rows count alike. */
void rf_oob_score(const struct rf_oob *oob, struct rf_oob_score *score);

/* Bytes that rf_oob_init will take. */
int64_t rf_oob_bytes(int64_t n_rows, int32_t n_classes);

void rf_oob_release(struct rf_oob *oob);

#endif
