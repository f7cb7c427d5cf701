#include "train/oob.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "train/bootstrap.h"

/* Rows that a thread takes at once. */
#define PART_ROWS 2048

int64_t
rf_oob_bytes(int64_t n_rows, int32_t n_classes)
{
	int64_t n_outputs = n_classes > 0 ? n_classes : 1;

	if (n_outputs > INT64_MAX / 16 / n_rows)
		return INT64_MAX / 2;
	return n_rows * (n_outputs * 8 + 8);
}

enum rf_status
rf_oob_init(struct rf_oob *oob, const struct rf_problem *problem,
    const struct rf_rules *rules, const double *values, int unit_exponent,
    struct rf_error *err)
{
	size_t n = (size_t)problem->n_rows;

	*oob = (struct rf_oob){
	    .problem = problem,
	    .rules = rules,
	    .values = values,
	    .unit_exponent = unit_exponent,
	    .n_outputs = problem->n_classes > 0 ? problem->n_classes : 1,
	};
	oob->tallies =
	    rf_alloc_zero(n, (size_t)oob->n_outputs * sizeof(*oob->tallies));
	oob->n_trees = rf_alloc_zero(n, sizeof(*oob->n_trees));
	oob->counts = rf_alloc(n, sizeof(*oob->counts));
	oob->blocks = rf_alloc(n / RF_BAG_BLOCK + 1, sizeof(*oob->blocks));
	if (oob->tallies != NULL && oob->n_trees != NULL &&
	    oob->counts != NULL && oob->blocks != NULL)
		return RF_OK;
	rf_oob_release(oob);
	return rf_error_memory(err,
	    (size_t)rf_oob_bytes(problem->n_rows, problem->n_classes),
	    "out-of-bag tallies");
}

void
rf_oob_release(struct rf_oob *oob)
{
	free(oob->tallies);
	free(oob->n_trees);
	free(oob->counts);
	free(oob->blocks);
	free(oob->remainders);
	free(oob->shares);
	*oob = (struct rf_oob){0};
}

/* --- A tree's votes ------------------------------------------------------ */

static enum rf_status
reserve(struct rf_oob *oob, size_t n, struct rf_error *err)
{
	if (n <= oob->capacity)
		return RF_OK;
	n += n / 4;
	free(oob->remainders);
	free(oob->shares);
	oob->capacity = 0;
	oob->remainders = rf_alloc(n, sizeof(*oob->remainders));
	oob->shares = rf_alloc(n, sizeof(*oob->shares));
	if (oob->remainders == NULL || oob->shares == NULL)
		return rf_error_memory(
		    err, n * sizeof(*oob->shares), "votes of leaves");
	oob->capacity = n;
	return RF_OK;
}

/* What a row in the leaf gets for each of its entries. */
static void
make_votes(struct rf_oob *oob, const struct rf_forest_tree *tree, int32_t node)
{
	int64_t first = tree->leaf_first[node];
	int32_t n = (int32_t)(tree->leaf_first[node + 1] - first);

	if (n == 0)
		return;
	if (oob->problem->n_classes == 0)
		oob->shares[first] = rf_value_to_units(
		    tree->leaf_value[first], oob->unit_exponent);
	else
		rf_leaf_shares(tree->leaf_value + first, n,
		    oob->remainders + first, oob->shares + first);
}

static bool
goes_left(const struct rf_problem *problem, const struct rf_grown *grown,
    const struct rf_grown_node *node, int64_t row)
{
	const struct rf_coded_feature *feature =
	    &problem->features[node->feature];
	uint32_t code = rf_problem_code(problem, node->feature, row);

	if (code == (uint32_t)feature->n_values)
		return node->missing_left != 0;
	if (feature->is_categorical)
		return grown->cats[node->payload + (code >> 6)] >> (code & 63) &
		    1;
	return (int32_t)code <= node->cut;
}

static void
add_row(struct rf_oob *oob, const struct rf_grown *grown,
    const struct rf_forest_tree *tree, int64_t row)
{
	int64_t *tallies = oob->tallies + row * oob->n_outputs;
	int64_t node = 0;

	while (grown->nodes[node].feature >= 0) {
		const struct rf_grown_node *inner = &grown->nodes[node];

		node =
		    inner->left + !goes_left(oob->problem, grown, inner, row);
	}
	for (int64_t i = tree->leaf_first[node]; i < tree->leaf_first[node + 1];
	     i++)
		tallies[tree->leaf_class[i]] += oob->shares[i];
	oob->n_trees[row]++;
}

struct job {
	struct rf_oob *oob;
	const struct rf_grown *grown;
	const struct rf_forest_tree *tree;
};

static void
add_part(void *context, int64_t item, int thread)
{
	const struct job *job = context;
	int64_t row = item * PART_ROWS, end = row + PART_ROWS;

	(void)thread;
	if (end > job->oob->problem->n_rows)
		end = job->oob->problem->n_rows;
	for (; row < end; row++)
		if (job->oob->counts[row] == 0)
			add_row(job->oob, job->grown, job->tree, row);
}

enum rf_status
rf_oob_add(struct rf_oob *oob, const struct rf_grown *grown,
    const struct rf_forest_tree *tree, struct rf_pool *pool,
    struct rf_error *err)
{
	struct job job = {oob, grown, tree};
	int64_t n_rows = oob->problem->n_rows;

	RF_TRY(reserve(oob, (size_t)tree->leaf_first[tree->n_nodes], err));
	for (int32_t node = 0; node < tree->n_nodes; node++)
		make_votes(oob, tree, node);
	rf_bootstrap(oob->rules, n_rows, grown->tree, oob->blocks, oob->counts);
	rf_pool_run(pool, (n_rows + PART_ROWS - 1) / PART_ROWS, add_part, &job);
	return RF_OK;
}

/* --- Score --------------------------------------------------------------- */

static int32_t
winner(const struct rf_oob *oob, int64_t row)
{
	const int64_t *tallies = oob->tallies + row * oob->n_outputs;
	int32_t best = 0;

	for (int32_t c = 1; c < oob->n_outputs; c++)
		if (tallies[c] > tallies[best])
			best = c;
	return best;
}

static double
r2_of(const struct rf_oob *oob, int64_t n)
{
	double mean = 0, rest = 0, total = 0;

	for (int64_t row = 0; row < oob->problem->n_rows; row++)
		if (oob->n_trees[row] > 0)
			mean += oob->values[row] / (double)n;
	for (int64_t row = 0; row < oob->problem->n_rows; row++) {
		double y = oob->values[row], e;

		if (oob->n_trees[row] == 0)
			continue;
		e = y -
		    rf_scale((double)oob->tallies[row], oob->unit_exponent) /
			(double)oob->n_trees[row];
		rest += e * e;
		total += (y - mean) * (y - mean);
	}
	return total > 0 ? 1 - rest / total : (double)NAN;
}

void
rf_oob_score(const struct rf_oob *oob, struct rf_oob_score *score)
{
	int64_t n = 0, n_right = 0;
	bool is_regression = oob->problem->n_classes == 0;

	for (int64_t row = 0; row < oob->problem->n_rows; row++) {
		if (oob->n_trees[row] == 0)
			continue;
		n++;
		if (!is_regression &&
		    winner(oob, row) == oob->problem->classes[row])
			n_right++;
	}
	score->n_rows = n;
	score->name = is_regression ? "R2" : "accuracy";
	score->value = (double)NAN;
	if (n > 0)
		score->value =
		    is_regression ? r2_of(oob, n) : (double)n_right / (double)n;
}
