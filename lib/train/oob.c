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
	free(oob->first_entry);
	free(oob->shares);
	free(oob->remainders);
	*oob = (struct rf_oob){0};
}

/* --- A tree's votes ------------------------------------------------------ */

/* Room for n elements in an array of any type. */
#define ROOM(array, capacity, n)                                               \
 room_for((void **)(void *)&(array), &(capacity), (size_t)(n),                 \
     sizeof(*(array)), err)

static enum rf_status
room_for(
    void **array, size_t *capacity, size_t n, size_t size, struct rf_error *err)
{
	if (rf_grow(array, capacity, n, size) != 0)
		return rf_error_memory(err, n * size, "votes of leaves");
	return RF_OK;
}

/* What a row in the leaf gets for each of its entries. */
static enum rf_status
make_votes(struct rf_oob *oob, const struct rf_forest_tree *slice, int32_t i,
    struct rf_error *err)
{
	int64_t first = slice->leaf_first[i];
	const double *values = slice->leaf_value + first - slice->leaf_first[0];
	int32_t n = (int32_t)(slice->leaf_first[i + 1] - first);

	if (n == 0)
		return RF_OK;
	if (oob->problem->n_classes == 0) {
		oob->shares[first] =
		    rf_value_to_units(values[0], oob->unit_exponent);
		return RF_OK;
	}
	RF_TRY(ROOM(oob->remainders, oob->leaf_capacity, n));
	rf_leaf_shares(values, n, oob->remainders, oob->shares + first);
	return RF_OK;
}

/* Of the leaves in a slice that begins at node `node`. */
static enum rf_status
add_votes(struct rf_oob *oob, const struct rf_forest_tree *slice, int32_t node,
    struct rf_error *err)
{
	int32_t n = slice->n_nodes;

	RF_TRY(ROOM(oob->first_entry, oob->node_capacity, node + n + 1));
	RF_TRY(ROOM(oob->shares, oob->entry_capacity, slice->leaf_first[n]));
	for (int32_t i = 0; i < n; i++) {
		oob->first_entry[node + i] = slice->leaf_first[i];
		RF_TRY(make_votes(oob, slice, i, err));
	}
	oob->first_entry[node + n] = slice->leaf_first[n];
	return RF_OK;
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
add_row(struct rf_oob *oob, const struct rf_grown *grown, int64_t row)
{
	int32_t n_classes = oob->problem->n_classes;
	int64_t *tallies = oob->tallies + row * oob->n_outputs;
	int64_t node = 0;

	while (grown->nodes[node].feature >= 0) {
		const struct rf_grown_node *inner = &grown->nodes[node];

		node =
		    inner->left + !goes_left(oob->problem, grown, inner, row);
	}
	for (int64_t i = oob->first_entry[node]; i < oob->first_entry[node + 1];
	     i++)
		tallies[n_classes > 0 ? grown->leaf_class[i] : 0] +=
		    oob->shares[i];
	oob->n_trees[row]++;
}

struct job {
	struct rf_oob *oob;
	const struct rf_grown *grown;
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
			add_row(job->oob, job->grown, row);
}

enum rf_status
rf_oob_add(struct rf_oob *oob, const struct rf_grown *grown,
    const struct rf_tree_slices *slices, struct rf_pool *pool,
    struct rf_error *err)
{
	struct job job = {oob, grown};
	int64_t n_rows = oob->problem->n_rows;
	struct rf_forest_tree slice;

	for (int32_t node = 0; node < slices->n_nodes; node += slice.n_nodes) {
		RF_TRY(
		    rf_tree_slice(slices, node, RF_PART_LEAVES, &slice, err));
		RF_TRY(add_votes(oob, &slice, node, err));
	}
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
