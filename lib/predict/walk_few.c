#include "predict/walk_few.h"

#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "predict/walk_build.h"

/* A row and tree costs as much as so many nodes of a model do, where the trees
 * come from a far cache; small trees do not, but then all of it is little. */
#define NODES_A_WALK 32
#define ROWS_LEAST   64

enum rf_status
rf_walk_few_init(struct rf_walk_few *few, const struct rf_forest *forest,
    int64_t first, int64_t end, enum rf_vote vote, struct rf_error *err)
{
	size_t n_classes = (size_t)forest->header.n_classes + 1;
	int64_t n_nodes = 0;

	*few = (struct rf_walk_few){forest, first, end, vote, 0, NULL, NULL};
	for (int64_t t = first; t < end; t++)
		n_nodes += forest->trees[t].n_nodes;
	if (end > first)
		few->rows_left = n_nodes / (NODES_A_WALK * (end - first));
	if (few->rows_left < ROWS_LEAST)
		few->rows_left = ROWS_LEAST;
	few->remainders = rf_alloc(n_classes, sizeof(*few->remainders));
	few->shares = rf_alloc(n_classes, sizeof(*few->shares));
	return few->remainders == NULL || few->shares == NULL
	    ? rf_error_memory(err, 16 * n_classes, "classes")
	    : RF_OK;
}

void
rf_walk_few_release(struct rf_walk_few *few)
{
	free(few->remainders);
	free(few->shares);
	memset(few, 0, sizeof(*few));
}

static bool
is_in_set(const struct rf_forest_tree *tree, int32_t node, int32_t code)
{
	int64_t first = tree->cats_first[node];
	int64_t n = tree->cats_first[node + 1] - first;

	return code >> 3 < n &&
	    tree->cats[first + (code >> 3)] >> (code & 7) & 1;
}

static bool
goes_left(const struct rf_forest_feature *feature,
    const struct rf_forest_tree *tree, int32_t node,
    const struct rf_walk_column *column, int64_t row)
{
	double x;

	if (feature->kind == RF_FEATURE_CATEGORICAL) {
		int32_t code = ((const int32_t *)column->values)[row];

		return code < 0 || code >= feature->n_levels
		    ? tree->missing_left[node]
		    : is_in_set(tree, node, code);
	}
	if (feature->precision == RF_PRECISION_INT64) {
		if (column->is_missing != NULL && column->is_missing[row])
			return tree->missing_left[node];
		return ((const int64_t *)column->values)[row] <=
		    tree->threshold_int[node];
	}
	x = feature->precision == RF_PRECISION_FLOAT64
	    ? ((const double *)column->values)[row]
	    : (double)((const float *)column->values)[row];
	return x != x ? tree->missing_left[node] : x <= tree->threshold[node];
}

static int32_t
leaf_of(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, const struct rf_walk_column *columns,
    int64_t row)
{
	int32_t at = 0;

	while (tree->feature[at] >= 0) {
		int32_t f = tree->feature[at];

		at = tree->left[at] +
		    !goes_left(
			&header->features[f], tree, at, &columns[f], row);
	}
	return at;
}

static void
add_leaf(const struct rf_walk_few *few, const struct rf_forest_tree *tree,
    int32_t leaf, int64_t *tally)
{
	int64_t first = tree->leaf_first[leaf];
	int32_t n = (int32_t)(tree->leaf_first[leaf + 1] - first);

	if (few->vote == RF_VOTE_VALUE) {
		tally[0] += rf_value_to_units(
		    tree->leaf_value[first], few->forest->header.unit_exponent);
	} else if (few->vote == RF_VOTE_HARD) {
		tally[tree->leaf_class[rf_leaf_heaviest(tree, leaf)]]++;
	} else if (n == 1) {
		tally[tree->leaf_class[first]] += RF_SHARE_ONE;
	} else {
		rf_leaf_shares(
		    tree->leaf_value + first, n, few->remainders, few->shares);
		for (int32_t i = 0; i < n; i++)
			tally[tree->leaf_class[first + i]] += few->shares[i];
	}
}

bool
rf_walk_few_run(struct rf_walk_few *few, const struct rf_walk_batch *batch)
{
	const struct rf_forest_header *header = &few->forest->header;
	int64_t n_trees = few->end - few->first;
	int64_t n_outputs = few->vote == RF_VOTE_VALUE ? 1 : header->n_classes;

	if (batch->n_rows > few->rows_left)
		return false;
	few->rows_left -= batch->n_rows;
	if (few->vote != RF_VOTE_LEAF)
		memset(batch->tallies, 0,
		    (size_t)(batch->n_rows * n_outputs) *
			sizeof(*batch->tallies));
	for (int64_t t = 0; t < n_trees; t++) {
		const struct rf_forest_tree *tree =
		    &few->forest->trees[few->first + t];

		for (int64_t row = 0; row < batch->n_rows; row++) {
			int32_t leaf =
			    leaf_of(header, tree, batch->columns, row);

			if (few->vote == RF_VOTE_LEAF)
				batch->leaves[row * n_trees + t] = leaf;
			else
				add_leaf(few, tree, leaf,
				    batch->tallies + row * n_outputs);
		}
	}
	return true;
}
