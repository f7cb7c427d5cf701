#include "forest/tree.h"

#include <inttypes.h>
#include <math.h>

#include "arith/fixed.h"

#define FAIL(...) rf_error_set(err, RF_EDATA, __VA_ARGS__)

static enum rf_status
check_cats(const struct rf_forest_feature *feature,
    const struct rf_forest_tree *tree, int32_t node, struct rf_error *err)
{
	int64_t size = 0, most = ((int64_t)feature->n_levels + 7) / 8;
	int spare = (int)(most * 8 - feature->n_levels);

	if (tree->cats_first != NULL)
		size = tree->cats_first[node + 1] - tree->cats_first[node];
	if (feature->kind != RF_FEATURE_CATEGORICAL)
		most = 0;
	if (size > most)
		return FAIL("tree %" PRId64 ", node %d: a set of %" PRId64
			    " bytes where %" PRId64 " are the most",
		    tree->tree, node, size, most);
	if (size > 0 && size == most &&
	    tree->cats[tree->cats_first[node + 1] - 1] >> (8 - spare) != 0)
		return FAIL("tree %" PRId64 ", node %d: a set with categories "
			    "that feature '%s' lacks",
		    tree->tree, node, feature->name);
	return RF_OK;
}

static enum rf_status
check_inner(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, int32_t node, struct rf_error *err)
{
	const struct rf_forest_feature *feature;

	if (tree->feature[node] < 0 ||
	    tree->feature[node] >= header->n_features)
		return FAIL("tree %" PRId64 ", node %d: feature %d of %d",
		    tree->tree, node, tree->feature[node], header->n_features);
	if (tree->left[node] <= node || tree->left[node] >= tree->n_nodes - 1)
		return FAIL("tree %" PRId64 ", node %d: child %d of %d nodes",
		    tree->tree, node, tree->left[node], tree->n_nodes);
	if (tree->missing_left[node] > 1)
		return FAIL("tree %" PRId64 ", node %d: missing_left %d",
		    tree->tree, node, tree->missing_left[node]);
	feature = &header->features[tree->feature[node]];
	if (rf_split_kind(feature) == RF_SPLIT_FLOAT &&
	    isnan(tree->threshold[node]))
		return FAIL("tree %" PRId64 ", node %d: threshold is not a "
			    "number",
		    tree->tree, node);
	if (tree->leaf_first[node + 1] != tree->leaf_first[node])
		return FAIL("tree %" PRId64 ", node %d: an inner node with "
			    "leaf values",
		    tree->tree, node);
	return check_cats(feature, tree, node, err);
}

/* Classes ascending and known, weights not negative, not all 0. */
static enum rf_status
check_classes(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, int32_t node, struct rf_error *err)
{
	int64_t end = tree->leaf_first[node + 1];
	int32_t before = -1;
	double sum = 0;

	for (int64_t i = tree->leaf_first[node]; i < end; i++) {
		if (tree->leaf_class[i] <= before ||
		    tree->leaf_class[i] >= header->n_classes)
			return FAIL("tree %" PRId64 ", leaf %d: class %d "
				    "after class %d, of %d",
			    tree->tree, node, tree->leaf_class[i], before,
			    header->n_classes);
		before = tree->leaf_class[i];
		if (!(tree->leaf_value[i] >= 0))
			sum = -HUGE_VAL;
		sum += tree->leaf_value[i];
	}
	if (!(sum > 0 && sum <= 0x1p1000))
		return FAIL("tree %" PRId64 ", leaf %d: weights of classes "
			    "that are not at least 0 and finite, with one "
			    "above 0",
		    tree->tree, node);
	return RF_OK;
}

/* A tally of as many trees as there may be has to hold the value. */
static enum rf_status
check_value(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, int32_t node, struct rf_error *err)
{
	int64_t first = tree->leaf_first[node];
	double units;

	if (tree->leaf_first[node + 1] - first != 1 ||
	    tree->leaf_class[first] != 0)
		return FAIL("tree %" PRId64 ", leaf %d: not one value",
		    tree->tree, node);
	units = rf_scale(tree->leaf_value[first], -header->unit_exponent);
	if (!(fabs(units) <= (double)RF_SHARE_ONE))
		return FAIL("tree %" PRId64 ", leaf %d: value %g is beyond "
			    "2^40 times rf.unit",
		    tree->tree, node, tree->leaf_value[first]);
	return RF_OK;
}

static enum rf_status
check_leaf(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, int32_t node, struct rf_error *err)
{
	if (tree->cats_first != NULL &&
	    tree->cats_first[node + 1] != tree->cats_first[node])
		return FAIL("tree %" PRId64 ", leaf %d: has a set of "
			    "categories",
		    tree->tree, node);
	if (header->task == RF_TASK_REGRESSION)
		return check_value(header, tree, node, err);
	return check_classes(header, tree, node, err);
}

/* Offsets that never fall, from 0: what they point to lies in bounds. */
static enum rf_status
check_offsets(const struct rf_forest_tree *tree, const int64_t *offsets,
    const char *what, struct rf_error *err)
{
	bool falls = offsets[0] != 0;

	for (int32_t i = 0; i < tree->n_nodes; i++)
		falls |= offsets[i + 1] < offsets[i];
	if (falls)
		return FAIL("tree %" PRId64 ": %s fall", tree->tree, what);
	return RF_OK;
}

/*
 * Numbers of inner nodes below, from the last node to the first; they stick at
 * n_nodes, which no subtree of a tree reaches.
 */
static void
count_inner(const struct rf_forest_tree *tree, int32_t *n_inner)
{
	for (int32_t node = tree->n_nodes - 1; node >= 0; node--) {
		int64_t n = 0;

		if (tree->feature[node] >= 0)
			n = INT64_C(1) + n_inner[tree->left[node]] +
			    n_inner[tree->left[node] + 1];
		n_inner[node] = n < tree->n_nodes ? (int32_t)n : tree->n_nodes;
	}
}

/*
 * Canonical numbering: left = 2k + 1 with k the rank in pre-order.  From the
 * root down it fixes every child, so with as many nodes as the root's subtree
 * has there is one parent to each.
 */
static enum rf_status
check_numbering(
    const struct rf_forest_tree *tree, int32_t *n_inner, struct rf_error *err)
{
	count_inner(tree, n_inner);
	if (INT64_C(2) * n_inner[0] + 1 != tree->n_nodes ||
	    (n_inner[0] > 0 && tree->left[0] != 1))
		return FAIL("tree %" PRId64 ": %d nodes, but not one tree",
		    tree->tree, tree->n_nodes);
	for (int32_t node = 0; node < tree->n_nodes; node++) {
		int32_t left = tree->left[node];
		int64_t next = INT64_C(2) + left;

		if (tree->feature[node] < 0)
			continue;
		if (tree->feature[left] >= 0) {
			if (tree->left[left] != next)
				return FAIL("tree %" PRId64 ", node %d: child "
					    "%d is not in canonical order",
				    tree->tree, left, tree->left[left]);
			next += INT64_C(2) * n_inner[left];
		}
		if (tree->feature[left + 1] >= 0 &&
		    tree->left[left + 1] != next)
			return FAIL("tree %" PRId64 ", node %d: child %d is "
				    "not in canonical order",
			    tree->tree, left + 1, tree->left[left + 1]);
	}
	return RF_OK;
}

enum rf_status
rf_tree_check(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, int32_t *scratch, struct rf_error *err)
{
	if (tree->n_nodes < 1 || tree->tree < 0 || tree->tree > INT32_MAX)
		return FAIL(
		    "tree %" PRId64 " of %d nodes", tree->tree, tree->n_nodes);
	RF_TRY(check_offsets(tree, tree->leaf_first, "leaf entries", err));
	if (tree->cats_first != NULL)
		RF_TRY(check_offsets(tree, tree->cats_first, "sets", err));
	for (int32_t node = 0; node < tree->n_nodes; node++)
		if (tree->feature[node] == -1)
			RF_TRY(check_leaf(header, tree, node, err));
		else
			RF_TRY(check_inner(header, tree, node, err));
	return check_numbering(tree, scratch, err);
}
