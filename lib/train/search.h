/*
 * The best candidate of a node, feature by feature, in the plain way: rows are
 * sorted by code and every candidate is scored.  rf-forest(5), Candidates.
 *
 * Takes any criterion, code width, weight and number of classes; the faster
 * ways of growing must find the same.
 */
#ifndef RF_TRAIN_SEARCH_H
#define RF_TRAIN_SEARCH_H

#include "train/split.h"

/* Rows of one code: positions order[first .. end - 1]. */
struct rf_group {
	uint32_t code, first, end;
};

struct rf_best {
	bool is_found, is_final; /* final: nothing can be better */
	struct rf_score score;
	double gain;
	int32_t feature, cut;
	bool missing_left;
	uint64_t *set; /* categorical features: levels that go left */
};

/*
 * A node's rows by position 0..n-1, and scratch for as many.  Whoever calls
 * sets order, fills rows, n, classes (local) or products, weights, node; sets best.is_found
 * and is_final to false before the node's first feature, and asks for no other
 * once the best is final.
 */
struct rf_search {
	const struct rf_problem *problem;
	const struct rf_rules *rules;
	const struct rf_node_sums *node;
	const uint32_t *rows;
	uint32_t n;
	const int32_t *classes;
	const uint64_t *weights;
	const int64_t *products; /* weight * target */

	uint32_t *order; /* scratch, the caller's */
	uint16_t *codes;
	struct rf_group *groups; /* those of present codes, ascending */
	int32_t n_groups;
	struct rf_group missing; /* empty: no missing row */
	struct rf_level *levels;
	uint64_t *seen; /* room for a set of levels */
	struct rf_side right_missing, left_missing; /* left sides, by where
						       missing rows go */
	struct rf_best best;
};

/* Scratch for at most n rows; rf_search_release after failure too. */
enum rf_status rf_search_init(struct rf_search *search,
    const struct rf_problem *problem, const struct rf_rules *rules, uint32_t n,
    struct rf_error *err) RF_MUST_USE;
void rf_search_release(struct rf_search *search);
/* Bytes that rf_search_init takes. */
size_t rf_search_bytes(const struct rf_problem *problem, uint32_t n);

/* Updates best with the feature's candidates; false: it is constant. */
bool rf_search_feature(struct rf_search *search, int32_t feature);
/* The same where codes holds the codes of the rows, which are not all equal;
 * rows is not used. */
void rf_search_codes(struct rf_search *search, int32_t feature);

/*
 * Orders of the levels in groups, which rf_search_feature walks: the classes
 * (local) that have one, ascending; at most 16.  Regression: one, {0}.
 */
int32_t rf_search_orders(const struct rf_search *search, int32_t classes[16]);
/* Sorts search->levels by the order of that class. */
void rf_search_sort_levels(struct rf_search *search, int32_t class);

struct rf_level {
	uint64_t sum, weight; /* shifted */
	int64_t products;
	int32_t group;
};

#endif
