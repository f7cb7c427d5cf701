/*
 * Orders of categorical levels: rf-forest(5), Candidates.
 */
#include <stdlib.h>

#include "train/search.h"

/* The n heaviest of the node's classes, ties to the lower, marked ascending. */
static void
heaviest(const struct rf_node_sums *node, int32_t n, int32_t *classes)
{
	uint64_t limit = UINT64_MAX; /* what was taken is above or .. */
	int32_t last = -1;	     /* .. is as heavy, and not above this */

	for (int32_t i = 0; i < n; i++) {
		int32_t best = -1;

		for (int32_t c = 0; c < node->n_present; c++) {
			uint64_t sum = node->sums[c] >> node->shift;

			if (sum > limit || (sum == limit && c <= last))
				continue;
			if (best < 0 || sum > node->sums[best] >> node->shift)
				best = c;
		}
		classes[i] = last = best;
		limit = node->sums[best] >> node->shift;
	}
}

int32_t
rf_search_orders(const struct rf_search *search, int32_t classes[16])
{
	const struct rf_node_sums *node = search->node;
	int32_t n;

	classes[0] = 0;
	if (search->classes == NULL)
		return 1;
	if (node->n_present == 2) {
		classes[0] = 1;
		return 1;
	}
	n = rf_n_orders(node->n_rows, node->n_present);
	heaviest(node, n, classes);
	for (int32_t i = 1; i < n; i++)
		for (int32_t j = i; j > 0 && classes[j - 1] > classes[j]; j--) {
			int32_t swap = classes[j];

			classes[j] = classes[j - 1];
			classes[j - 1] = swap;
		}
	return n;
}

static int
compare_shares(const void *a, const void *b)
{
	const struct rf_level *x = a, *y = b;

	if (rf_share_less(x->sum, x->weight, y->sum, y->weight))
		return -1;
	if (rf_share_less(y->sum, y->weight, x->sum, x->weight))
		return 1;
	return (x->group > y->group) - (x->group < y->group);
}

static int
compare_means(const void *a, const void *b)
{
	const struct rf_level *x = a, *y = b;
	int64_t x_weight = (int64_t)x->weight, y_weight = (int64_t)y->weight;

	if (rf_mean_less(x->products, x_weight, y->products, y_weight))
		return -1;
	if (rf_mean_less(y->products, y_weight, x->products, x_weight))
		return 1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Class sums of a level, in the sums of a side that is not in use. */
static void
sum_level(struct rf_search *search, int32_t class, struct rf_level *level)
{
	const struct rf_group *group = &search->groups[level->group];
	uint64_t *sums = search->right_missing.sums;
	int shift = search->node->shift;

	for (uint32_t i = group->first; i < group->end; i++)
		sums[search->classes[search->order[i]]] = 0;
	for (uint32_t i = group->first; i < group->end; i++) {
		uint32_t p = search->order[i];

		sums[search->classes[p]] += search->weights[p];
	}
	level->sum = 0;
	level->weight = 0;
	for (uint32_t i = group->first; i < group->end; i++) {
		int32_t c = search->classes[search->order[i]];

		level->weight += sums[c] >> shift;
		if (c == class)
			level->sum += sums[c] >> shift;
		sums[c] = 0;
	}
}

static void
sum_targets(struct rf_search *search, struct rf_level *level)
{
	const struct rf_group *group = &search->groups[level->group];

	level->products = 0;
	level->weight = 0;
	for (uint32_t i = group->first; i < group->end; i++) {
		uint32_t p = search->order[i];

		level->products += search->products[p];
		level->weight += search->weights[p];
	}
}

void
rf_search_sort_levels(struct rf_search *search, int32_t class)
{
	bool is_regression = search->classes == NULL;

	for (int32_t i = 0; i < search->n_groups; i++) {
		search->levels[i].group = i;
		if (is_regression)
			sum_targets(search, &search->levels[i]);
		else
			sum_level(search, class, &search->levels[i]);
	}
	qsort(search->levels, (size_t)search->n_groups, sizeof(*search->levels),
	    is_regression ? compare_means : compare_shares);
}
