/*
 * Scores of candidate splits of one node, kept up row by row.
 *
 * Classes are local to the node: 0..K-1 stand for the K classes present in it,
 * ascending.  For every criterion, weight and number of classes; the rules are
 * those of rf-forest(5), Score.  The expressions stand in arith/arith.h.
 */
#ifndef RF_TRAIN_SPLIT_H
#define RF_TRAIN_SPLIT_H

#include "train/problem.h"

/* Terms of small numbers, since a logarithm costs more than a look-up. */
#define RF_TERMS_KEPT 4096

/* What the rows of a node sum up to. */
struct rf_node_sums {
	enum rf_criterion criterion;
	int64_t n_rows;	 /* distinct in-bag rows */
	uint64_t weight; /* in-bag */
	bool is_pure;	 /* one class, or one target */
	/* Classification. */
	int32_t n_present;
	const int32_t *present; /* classes, ascending */
	const uint64_t *sums;	/* in-bag weight of each, by local class */
	int shift;
	uint64_t shifted;      /* sum of the shifted class sums */
	uint64_t squares;      /* of the shifted class sums */
	struct rf_score limit; /* Gini: no candidate is better */
	int bits;	       /* of entropy terms */
	int64_t f_node, terms;
	const double *logs; /* n log2 n of n < RF_TERMS_KEPT */
	/* Regression. */
	int64_t sum, mean;
};

/* One side of a candidate, usually the left one; the other is the rest. */
struct rf_side {
	uint64_t *sums; /* in-bag weight by local class */
	int64_t n_rows;
	uint64_t weight;		/* shifted for classes */
	uint64_t squares, squares_rest; /* Gini */
	int64_t terms, terms_rest;	/* entropy */
	int64_t sum;			/* of weighted targets */
};

/*
 * Fills what follows from n_present, sums, sum, weight and criterion.
 * logs  RF_TERMS_KEPT values by rf_entropy_logs
 */
void rf_node_sums_finish(struct rf_node_sums *node, const double *logs);
void rf_entropy_logs(double *logs);

/* The empty side; its sums must be all zero already. */
void rf_side_start(struct rf_side *side, const struct rf_node_sums *node);
/* Adds a row of this local class (or weighted target). */
void rf_side_add(struct rf_side *side, const struct rf_node_sums *node,
    int32_t class, uint64_t weight, int64_t weighted_target);
struct rf_score rf_side_score(
    const struct rf_side *side, const struct rf_node_sums *node);
/* Decrease of weighted impurity in integer units, given the score. */
double rf_side_gain(const struct rf_side *side, const struct rf_node_sums *node,
    struct rf_score score);

#endif
