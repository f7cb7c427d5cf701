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

/* The whole check, node by node: says what is wrong, and where. */
static enum rf_status
check_nodes(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, int32_t *scratch, struct rf_error *err)
{
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

/* --- The same without branches --------------------------------------------- */

/*
 * Which nodes are leaves is nothing that a processor can foresee: with a branch
 * on it a node takes 17 ns, without one 3.  These loops find a tree good, or in
 * doubt; only then is it gone through node by node.
 */
static bool
good_nodes(
    const struct rf_forest_header *header, const struct rf_forest_tree *tree)
{
	uint64_t most = header->task == RF_TASK_REGRESSION ? 1 : INT64_MAX;
	int32_t n = tree->n_nodes, n_features = header->n_features;
	int bad = tree->leaf_first[0] != 0;

	for (int32_t i = 0; i < n; i++) {
		int32_t feature = tree->feature[i], left = tree->left[i];
		int is_inner = feature >= 0;

		bad |= (feature < -1) | (feature >= n_features);
		bad |= is_inner & ((left <= i) | (left >= n - 1));
	}
	for (int32_t i = 0; i < n; i++)
		bad |= tree->missing_left[i] > 1;
	for (int32_t i = 0; i < n; i++)
		bad |= isnan(tree->threshold[i]) != 0;
	for (int32_t i = 0; i < n; i++) {
		int64_t first = tree->leaf_first[i];
		int64_t end = tree->leaf_first[i + 1];
		uint64_t size = (uint64_t)end - (uint64_t)first;
		int is_leaf = tree->feature[i] < 0;

		bad |= (end < first) | (size < (uint64_t)is_leaf) |
		    (size > (is_leaf ? most : 0));
	}
	return bad == 0;
}

/* Few nodes have sets. */
static bool
good_cats(
    const struct rf_forest_header *header, const struct rf_forest_tree *tree)
{
	if (tree->cats_first == NULL)
		return true;
	if (tree->cats_first[0] != 0)
		return false;
	for (int32_t i = 0; i < tree->n_nodes; i++) {
		if (tree->cats_first[i + 1] == tree->cats_first[i])
			continue;
		if (tree->cats_first[i + 1] < tree->cats_first[i] ||
		    tree->feature[i] < 0 ||
		    check_cats(&header->features[tree->feature[i]], tree, i,
			NULL) != RF_OK)
			return false;
	}
	return true;
}

/* Classes that do not ascend must be those with which leaves begin. */
static bool
good_classes(
    const struct rf_forest_header *header, const struct rf_forest_tree *tree)
{
	int64_t n = tree->leaf_first[tree->n_nodes];
	int64_t n_falls = 0, n_begin = 0;
	int bad = 0;

	for (int64_t i = 0; i < n; i++)
		bad |= (tree->leaf_class[i] < 0) |
		    (tree->leaf_class[i] >= header->n_classes);
	for (int64_t i = 0; i < n; i++)
		bad |= !(tree->leaf_value[i] > 0) |
		    !(tree->leaf_value[i] <= 0x1p900);
	for (int64_t i = 1; i < n; i++)
		n_falls += tree->leaf_class[i] <= tree->leaf_class[i - 1];
	for (int32_t i = 1; i < tree->n_nodes; i++) {
		int64_t at = tree->leaf_first[i];
		int is_first = (tree->feature[i] < 0) & (at > 0);

		at = is_first ? at : 1;
		at = at < n ? at : n - 1;
		n_begin += is_first &
		    (tree->leaf_class[at] <= tree->leaf_class[at - (at > 0)]);
	}
	return bad == 0 && n_falls == n_begin;
}

static bool
good_values(
    const struct rf_forest_header *header, const struct rf_forest_tree *tree)
{
	int64_t n = tree->leaf_first[tree->n_nodes];
	double limit = rf_scale((double)RF_SHARE_ONE, header->unit_exponent);
	int bad = !(limit > 0x1p-900 && limit < 0x1p900);

	for (int64_t i = 0; i < n; i++)
		bad |= (tree->leaf_class[i] != 0) |
		    !(fabs(tree->leaf_value[i]) <= limit);
	return bad == 0;
}

/* A leaf takes the last node for its children, which is a leaf too.  By masks,
 * since compilers make branches of conditions here. */
static int32_t
left_or_last(const struct rf_forest_tree *tree, int32_t node, int32_t is_inner)
{
	int32_t last = tree->n_nodes - 1;

	return (tree->left[node] & -is_inner) | (last & (is_inner - 1));
}

/* As count_inner and check_numbering. */
static bool
good_numbering(const struct rf_forest_tree *tree, int32_t *n_inner)
{
	int32_t n = tree->n_nodes;
	int bad;

	n_inner[n - 1] = 0;
	for (int32_t i = n - 2; i >= 0; i--) {
		int32_t is_inner = tree->feature[i] >= 0;
		int32_t left = left_or_last(tree, i, is_inner);
		int64_t sum = INT64_C(1) + n_inner[left];

		sum += n_inner[left + is_inner];
		sum = sum < n ? sum : n;
		n_inner[i] = (int32_t)sum & -is_inner;
	}
	bad = (INT64_C(2) * n_inner[0] + 1 != n) |
	    ((n_inner[0] > 0) & (tree->left[0] != 1));
	for (int32_t i = 0; i < n; i++) {
		int32_t is_inner = tree->feature[i] >= 0;
		int32_t left = left_or_last(tree, i, is_inner);
		int32_t right = left + is_inner;
		int64_t next = INT64_C(2) + left;

		bad |= (n_inner[left] > 0) & (tree->left[left] != next);
		next += INT64_C(2) * n_inner[left];
		bad |= (n_inner[right] > 0) & (tree->left[right] != next);
	}
	return bad == 0;
}

enum rf_status
rf_tree_check(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, int32_t *scratch, struct rf_error *err)
{
	if (tree->n_nodes < 1 || tree->tree < 0 || tree->tree > INT32_MAX)
		return FAIL(
		    "tree %" PRId64 " of %d nodes", tree->tree, tree->n_nodes);
	if (good_nodes(header, tree) && good_cats(header, tree) &&
	    (header->task == RF_TASK_REGRESSION ? good_values(header, tree)
						: good_classes(header, tree)) &&
	    good_numbering(tree, scratch))
		return RF_OK;
	return check_nodes(header, tree, scratch, err);
}
