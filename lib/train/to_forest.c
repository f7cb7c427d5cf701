#include "train/to_forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"

void
rf_to_forest_init(struct rf_to_forest *maker, const struct rf_coded *coded,
    const struct rf_problem *problem, bool with_stats)
{
	*maker = (struct rf_to_forest){
	    .coded = coded, .problem = problem, .with_stats = with_stats};
	for (int32_t f = 0; f < coded->n_features; f++) {
		const struct rf_coding *coding = &coded->codings[f];

		if (coding->kind == RF_FEATURE_CATEGORICAL)
			maker->has_categories = true;
		else if (coding->precision == RF_PRECISION_INT64)
			maker->has_int64 = true;
	}
}

void
rf_to_forest_release(struct rf_to_forest *maker)
{
	rf_forest_tree_release(&maker->tree);
	*maker = (struct rf_to_forest){0};
}

/* --- Room ---------------------------------------------------------------- */

#define RESIZE(array, n) resize(&(array), (n), sizeof(*(array)))

/* `array` points to a pointer of any type. */
static bool
resize(void *array, size_t n, size_t size)
{
	void *old, *more;

	memcpy(&old, array, sizeof(old));
	more = rf_realloc(old, n, size);
	if (more != NULL)
		memcpy(array, &more, sizeof(more));
	return more != NULL;
}

static bool
reserve_nodes(struct rf_to_forest *maker, size_t n)
{
	struct rf_forest_tree *tree = &maker->tree;

	if (n <= maker->node_capacity)
		return true;
	n += n / 4;
	if (!RESIZE(tree->feature, n) || !RESIZE(tree->threshold, n) ||
	    !RESIZE(tree->left, n) || !RESIZE(tree->missing_left, n) ||
	    !RESIZE(tree->leaf_first, n + 1))
		return false;
	if (maker->has_int64 && !RESIZE(tree->threshold_int, n))
		return false;
	if (maker->has_categories && !RESIZE(tree->cats_first, n + 1))
		return false;
	if (maker->with_stats &&
	    (!RESIZE(tree->gain, n) || !RESIZE(tree->cover, n)))
		return false;
	maker->node_capacity = n;
	return true;
}

static bool
reserve_entries(struct rf_to_forest *maker, size_t n)
{
	struct rf_forest_tree *tree = &maker->tree;

	if (n <= maker->entry_capacity)
		return true;
	n += n / 4;
	if (!RESIZE(tree->leaf_class, n) || !RESIZE(tree->leaf_value, n))
		return false;
	maker->entry_capacity = n;
	return true;
}

static bool
reserve_cats(struct rf_to_forest *maker, size_t n)
{
	if (n <= maker->cats_capacity)
		return true;
	n += n / 4;
	if (!RESIZE(maker->tree.cats, n))
		return false;
	maker->cats_capacity = n;
	return true;
}

/* --- Nodes --------------------------------------------------------------- */

static size_t
bytes_of_set(const struct rf_to_forest *maker, int32_t feature)
{
	return ((size_t)maker->coded->codings[feature].n_levels + 7) / 8;
}

static bool
is_categorical(const struct rf_to_forest *maker, int32_t feature)
{
	return maker->coded->codings[feature].kind == RF_FEATURE_CATEGORICAL;
}

/* Words of 64 bits hold their bytes in the order of the file. */
static int64_t
put_set(struct rf_to_forest *maker, const struct rf_grown *grown,
    const struct rf_grown_node *node, int64_t at)
{
	size_t size = bytes_of_set(maker, node->feature);

	memcpy(maker->tree.cats + at, grown->cats + node->payload, size);
	return at + (int64_t)size;
}

static void
put_cut(struct rf_to_forest *maker, const struct rf_grown_node *node, int64_t i)
{
	const struct rf_coding *coding = &maker->coded->codings[node->feature];
	struct rf_forest_tree *tree = &maker->tree;

	if (coding->precision == RF_PRECISION_INT64)
		tree->threshold_int[i] = node->cut == RF_CUT_PRESENT
		    ? INT64_MAX
		    : ((const int64_t *)coding->bins.edges)[node->cut];
	else
		tree->threshold[i] = node->cut == RF_CUT_PRESENT
		    ? (double)INFINITY
		    : ((const double *)coding->bins.edges)[node->cut];
}

/* Gains are of integer units: weights, and targets squared in regression. */
static void
put_stats(
    struct rf_to_forest *maker, const struct rf_grown_node *node, int64_t i)
{
	const struct rf_problem *problem = maker->problem;
	int shift = problem->weight_shift;

	maker->tree.cover[i] = rf_scale((double)node->cover, -shift);
	if (problem->n_classes == 0)
		shift += 2 * problem->target_shift;
	maker->tree.gain[i] = (float)rf_scale(node->gain, -shift);
}

static void
put_node(struct rf_to_forest *maker, const struct rf_grown *grown, int64_t i,
    int64_t *n_cats)
{
	const struct rf_grown_node *node = &grown->nodes[i];
	struct rf_forest_tree *tree = &maker->tree;

	tree->feature[i] = node->feature;
	tree->left[i] = node->left;
	tree->missing_left[i] = (uint8_t)node->missing_left;
	tree->threshold[i] = 0;
	if (tree->threshold_int != NULL)
		tree->threshold_int[i] = 0;
	if (maker->with_stats)
		put_stats(maker, node, i);
	if (node->feature < 0)
		return;
	if (is_categorical(maker, node->feature))
		*n_cats = put_set(maker, grown, node, *n_cats);
	else
		put_cut(maker, node, i);
}

/* --- Leaves -------------------------------------------------------------- */

static void
put_value(
    struct rf_to_forest *maker, const struct rf_grown_node *node, int64_t at)
{
	const struct rf_problem *problem = maker->problem;

	maker->tree.leaf_class[at] = 0;
	maker->tree.leaf_value[at] = rf_leaf_mean(problem->midrange,
	    node->payload, (int64_t)node->cover, problem->target_shift);
}

static void
put_classes(struct rf_to_forest *maker, const struct rf_grown *grown)
{
	int shift = maker->problem->weight_shift;

	for (int64_t i = 0; i < grown->n_leaf_entries; i++) {
		maker->tree.leaf_class[i] = grown->leaf_class[i];
		maker->tree.leaf_value[i] =
		    rf_scale((double)grown->leaf_weight[i], -shift);
	}
}

/* A leaf's entries end where the next leaf's begin. */
static void
put_leaves(struct rf_to_forest *maker, const struct rf_grown *grown)
{
	int64_t *first = maker->tree.leaf_first, next = 0;

	if (maker->problem->n_classes > 0) {
		put_classes(maker, grown);
		next = grown->n_leaf_entries;
		first[grown->n_nodes] = next;
		for (int64_t i = grown->n_nodes - 1; i >= 0; i--) {
			if (grown->nodes[i].feature < 0)
				next = grown->nodes[i].payload;
			first[i] = next;
		}
		return;
	}
	for (int64_t i = 0; i < grown->n_nodes; i++) {
		first[i] = next;
		if (grown->nodes[i].feature < 0)
			put_value(maker, &grown->nodes[i], next++);
	}
	first[grown->n_nodes] = next;
}

static size_t
bytes_of_sets(const struct rf_to_forest *maker, const struct rf_grown *grown)
{
	size_t n = 0;

	for (int64_t i = 0; i < grown->n_nodes; i++)
		if (grown->nodes[i].feature >= 0 &&
		    is_categorical(maker, grown->nodes[i].feature))
			n += bytes_of_set(maker, grown->nodes[i].feature);
	return n;
}

enum rf_status
rf_to_forest_make(struct rf_to_forest *maker, const struct rf_grown *grown,
    struct rf_error *err)
{
	struct rf_forest_tree *tree = &maker->tree;
	size_t n = (size_t)grown->n_nodes, n_entries, n_cats = 0;
	int64_t at = 0;

	n_entries =
	    maker->problem->n_classes > 0 ? (size_t)grown->n_leaf_entries : n;
	if (maker->has_categories)
		n_cats = bytes_of_sets(maker, grown);
	if (!reserve_nodes(maker, n) || !reserve_entries(maker, n_entries) ||
	    !reserve_cats(maker, n_cats))
		return rf_error_memory(err, n * 64, "a tree");
	tree->tree = grown->tree;
	tree->n_nodes = (int32_t)grown->n_nodes;
	for (int64_t i = 0; i < grown->n_nodes; i++) {
		if (maker->has_categories)
			tree->cats_first[i] = at;
		put_node(maker, grown, i, &at);
	}
	if (maker->has_categories)
		tree->cats_first[n] = at;
	put_leaves(maker, grown);
	return RF_OK;
}
