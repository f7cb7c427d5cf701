/*
 * Columns and criteria that have no kernel, in fast growing: categories and
 * entropy go through search.h, on the codes that lie in node order.
 */
#ifndef RF_TRAIN_FAST_GENERAL_H
#define RF_TRAIN_FAST_GENERAL_H

#include "train/kernels.h"
#include "train/search.h"

struct rf_general {
	struct rf_search search;
	/* The node at hand, once one of its columns is looked at. */
	bool is_ready;
	struct rf_node_sums sums;
	int32_t present[RF_FAST_CLASSES];
	uint64_t class_sums[RF_FAST_CLASSES];
	int32_t *classes; /* local, by row */
	uint64_t *weights;
	double *logs;
	/* The best candidate, where rf_fast_best says it is from here. */
	double gain;
	int32_t cut;
	uint64_t *set; /* categorical: levels that go left */
};

/* Whether looking at a column takes this way. */
static inline bool
rf_general_takes(
    const struct rf_coded_feature *feature, enum rf_criterion criterion)
{
	return feature->is_categorical || criterion == RF_CRITERION_ENTROPY;
}

/* For nodes of at most n rows; search.order is then the caller's to set.  To be released after failure too. */
enum rf_status rf_general_init(struct rf_general *general,
    const struct rf_problem *problem, const struct rf_rules *rules, uint32_t n,
    struct rf_error *err) RF_MUST_USE;
void rf_general_release(struct rf_general *general);
size_t rf_general_bytes(const struct rf_problem *problem, uint32_t n);

/* Looks at a column that is not constant in the node. */
void rf_general_look(struct rf_general *general, struct rf_fast_search *search,
    const uint8_t *codes, int32_t column);

/* Bits of the present rows that go left by the best candidate. */
void rf_general_mark(const struct rf_general *general, int32_t feature,
    const uint8_t *codes, uint32_t n, uint64_t *bits);
/* Levels absent from the node go where missing goes. */
void rf_general_settle(struct rf_general *general, int32_t feature,
    const uint8_t *codes, uint32_t n, bool missing_left);

#endif
