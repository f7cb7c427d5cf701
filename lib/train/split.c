#include "train/split.h"

void
rf_entropy_logs(double *logs)
{
	for (uint64_t n = 0; n < RF_TERMS_KEPT; n++)
		logs[n] = rf_entropy_product(n);
}

static int64_t
term(const struct rf_node_sums *node, uint64_t n)
{
	if (n < RF_TERMS_KEPT)
		return rf_entropy_scaled(node->logs[n], node->bits);
	return rf_entropy_term(n, node->bits);
}

/*
 * A side's sum of squares is at most its weight times its heaviest class, so
 * its term is at most that class; both terms, the two heaviest of the node.
 * Quotients and sums are rounded in step, so this holds in double as well.
 */
static void
find_limit(struct rf_node_sums *node)
{
	uint64_t first = 0, second = 0;

	for (int32_t i = 0; i < node->n_present; i++) {
		uint64_t sum = node->sums[i] >> node->shift;

		if (sum > first) {
			second = first;
			first = sum;
		} else if (sum > second) {
			second = sum;
		}
	}
	node->limit.num = node->shifted < RF_FRACTION_BELOW
	    ? first + second
	    : rf_double_bits((double)(first + second));
	node->limit.den = 1;
}

void
rf_node_sums_finish(struct rf_node_sums *node, const double *logs)
{
	node->logs = logs;
	if (node->criterion == RF_CRITERION_SQUARED_ERROR) {
		node->mean = rf_floor_div(node->sum, (int64_t)node->weight);
		return;
	}
	node->is_pure = node->n_present == 1;
	node->shift = rf_shift(node->weight);
	node->shifted = 0;
	node->squares = 0;
	node->terms = 0;
	for (int32_t i = 0; i < node->n_present; i++) {
		uint64_t sum = node->sums[i] >> node->shift;

		node->shifted += sum;
		node->squares += sum * sum;
	}
	if (node->criterion == RF_CRITERION_GINI) {
		find_limit(node);
		return;
	}
	node->bits = rf_entropy_bits(node->shifted);
	node->f_node = term(node, node->shifted);
	for (int32_t i = 0; i < node->n_present; i++)
		node->terms += term(node, node->sums[i] >> node->shift);
}

void
rf_side_start(struct rf_side *side, const struct rf_node_sums *node)
{
	side->n_rows = 0;
	side->weight = 0;
	side->squares = 0;
	side->squares_rest = node->squares;
	side->terms = 0;
	side->terms_rest = node->terms;
	side->sum = 0;
}

void
rf_side_add(struct rf_side *side, const struct rf_node_sums *node,
    int32_t class, uint64_t weight, int64_t weighted_target)
{
	uint64_t all, before, after;

	side->n_rows++;
	if (node->criterion == RF_CRITERION_SQUARED_ERROR) {
		side->weight += weight;
		side->sum += weighted_target;
		return;
	}
	all = node->sums[class] >> node->shift;
	before = side->sums[class] >> node->shift;
	side->sums[class] += weight;
	after = side->sums[class] >> node->shift;
	side->weight += after - before;
	if (node->criterion == RF_CRITERION_GINI) {
		side->squares += after * after - before * before;
		before = all - before;
		after = all - after;
		side->squares_rest += after * after - before * before;
	} else {
		side->terms += term(node, after) - term(node, before);
		side->terms_rest +=
		    term(node, all - after) - term(node, all - before);
	}
}

struct rf_score
rf_side_score(const struct rf_side *side, const struct rf_node_sums *node)
{
	uint64_t rest = node->shifted - side->weight;

	switch (node->criterion) {
	case RF_CRITERION_GINI:
		return rf_gini_score(
		    side->squares, side->weight, side->squares_rest, rest);
	case RF_CRITERION_ENTROPY:
		return rf_entropy_score(node->f_node, term(node, side->weight),
		    side->terms, term(node, rest), side->terms_rest);
	case RF_CRITERION_SQUARED_ERROR:
		break;
	}
	return rf_squared_score(node->mean, side->sum, (int64_t)side->weight,
	    node->sum - side->sum, (int64_t)(node->weight - side->weight));
}

double
rf_side_gain(const struct rf_side *side, const struct rf_node_sums *node,
    struct rf_score score)
{
	double unit = (double)(UINT64_C(1) << node->shift);

	switch (node->criterion) {
	case RF_CRITERION_GINI:
		return rf_gini_gain(side->squares, side->weight,
			   side->squares_rest, node->shifted - side->weight,
			   node->squares) *
		    unit;
	case RF_CRITERION_ENTROPY:
		return rf_entropy_gain(score, node->terms, node->bits) * unit;
	case RF_CRITERION_SQUARED_ERROR:
		break;
	}
	return rf_squared_gain(
	    score, node->mean, node->sum, (int64_t)node->weight);
}
