#include "train/to_forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"

/* Some 4 MB: trees of usual size are made once and stay in a cache. */
#define SLICE_NODES 65536

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
	rf_forest_tree_release(&maker->slice);
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
	struct rf_forest_tree *tree = &maker->slice;

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
	struct rf_forest_tree *tree = &maker->slice;

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
	if (!RESIZE(maker->slice.cats, n))
		return false;
	maker->cats_capacity = n;
	return true;
}

/* --- Splits -------------------------------------------------------------- */

static size_t
bytes_of_set(const struct rf_to_forest *maker, int32_t feature)
{
	return ((size_t)maker->coded->codings[feature].n_levels + 7) / 8;
}

static bool
has_set(const struct rf_to_forest *maker, const struct rf_grown_node *node)
{
	return node->feature >= 0 &&
	    maker->coded->codings[node->feature].kind == RF_FEATURE_CATEGORICAL;
}

static void
put_cut(struct rf_to_forest *maker, const struct rf_grown_node *node, int32_t i)
{
	const struct rf_coding *coding = &maker->coded->codings[node->feature];
	struct rf_forest_tree *slice = &maker->slice;

	if (coding->precision == RF_PRECISION_INT64)
		slice->threshold_int[i] = node->cut == RF_CUT_PRESENT
		    ? INT64_MAX
		    : ((const int64_t *)coding->bins.edges)[node->cut];
	else
		slice->threshold[i] = node->cut == RF_CUT_PRESENT
		    ? (double)INFINITY
		    : ((const double *)coding->bins.edges)[node->cut];
}

static void
put_splits(
    struct rf_to_forest *maker, const struct rf_grown_node *nodes, int32_t n)
{
	struct rf_forest_tree *slice = &maker->slice;

	for (int32_t i = 0; i < n; i++) {
		slice->left[i] = nodes[i].left;
		slice->missing_left[i] = (uint8_t)nodes[i].missing_left;
		slice->threshold[i] = 0;
		if (slice->threshold_int != NULL)
			slice->threshold_int[i] = 0;
		if (nodes[i].feature >= 0 && !has_set(maker, &nodes[i]))
			put_cut(maker, &nodes[i], i);
	}
}

/* Words of 64 bits hold their bytes in the order of the file. */
static bool
put_sets(
    struct rf_to_forest *maker, const struct rf_grown_node *nodes, int32_t n)
{
	struct rf_forest_tree *slice = &maker->slice;
	int64_t from = maker->sets_end, at = from;

	for (int32_t i = 0; i < n; i++) {
		slice->cats_first[i] = at;
		if (has_set(maker, &nodes[i]))
			at += (int64_t)bytes_of_set(maker, nodes[i].feature);
	}
	slice->cats_first[n] = maker->sets_end = at;
	if (!reserve_cats(maker, (size_t)(at - from)))
		return false;
	for (int32_t i = 0; i < n; i++)
		if (has_set(maker, &nodes[i]))
			memcpy(slice->cats + slice->cats_first[i] - from,
			    maker->grown->cats + nodes[i].payload,
			    bytes_of_set(maker, nodes[i].feature));
	return true;
}

/* Gains are of integer units: weights, and targets squared in regression. */
static void
put_stats(
    struct rf_to_forest *maker, const struct rf_grown_node *nodes, int32_t n)
{
	const struct rf_problem *problem = maker->problem;
	int of_cover = problem->weight_shift, of_gain = of_cover;

	if (problem->n_classes == 0)
		of_gain += 2 * problem->target_shift;
	for (int32_t i = 0; i < n; i++) {
		maker->slice.cover[i] =
		    rf_scale((double)nodes[i].cover, -of_cover);
		maker->slice.gain[i] = (float)rf_scale(nodes[i].gain, -of_gain);
	}
}

/* --- Leaves -------------------------------------------------------------- */

/* A leaf's entries end where the next leaf's begin. */
static int64_t
end_of_entries(const struct rf_grown *grown, int64_t node)
{
	while (node < grown->n_nodes && grown->nodes[node].feature >= 0)
		node++;
	return node < grown->n_nodes ? grown->nodes[node].payload
				     : grown->n_leaf_entries;
}

static bool
put_classes(struct rf_to_forest *maker, int32_t node, int32_t n)
{
	const struct rf_grown *grown = maker->grown;
	struct rf_forest_tree *slice = &maker->slice;
	int64_t next = end_of_entries(grown, node + n), from, n_entries;

	slice->leaf_first[n] = next;
	for (int32_t i = n - 1; i >= 0; i--) {
		if (grown->nodes[node + i].feature < 0)
			next = grown->nodes[node + i].payload;
		slice->leaf_first[i] = next;
	}
	from = slice->leaf_first[0];
	n_entries = slice->leaf_first[n] - from;
	if (!reserve_entries(maker, (size_t)n_entries))
		return false;
	memcpy(slice->leaf_class, grown->leaf_class + from,
	    (size_t)n_entries * sizeof(*slice->leaf_class));
	for (int64_t i = 0; i < n_entries; i++)
		slice->leaf_value[i] =
		    rf_scale((double)grown->leaf_weight[from + i],
			-maker->problem->weight_shift);
	return true;
}

static bool
put_means(
    struct rf_to_forest *maker, const struct rf_grown_node *nodes, int32_t n)
{
	const struct rf_problem *problem = maker->problem;
	struct rf_forest_tree *slice = &maker->slice;
	int64_t from = maker->leaves_end, at = 0;

	if (!reserve_entries(maker, (size_t)n))
		return false;
	for (int32_t i = 0; i < n; i++) {
		slice->leaf_first[i] = from + at;
		if (nodes[i].feature >= 0)
			continue;
		slice->leaf_class[at] = 0;
		slice->leaf_value[at++] =
		    rf_leaf_mean(problem->midrange, nodes[i].payload,
			(int64_t)nodes[i].cover, problem->target_shift);
	}
	slice->leaf_first[n] = maker->leaves_end = from + at;
	return true;
}

/* --- Slices -------------------------------------------------------------- */

static bool
put_parts(struct rf_to_forest *maker, int32_t first, int32_t n, unsigned parts)
{
	const struct rf_grown_node *nodes = maker->grown->nodes + first;
	bool is_done = reserve_nodes(maker, (size_t)n);

	for (int32_t i = 0; i < n && is_done; i++)
		maker->slice.feature[i] = nodes[i].feature;
	if (is_done && (parts & RF_PART_SPLITS) != 0)
		put_splits(maker, nodes, n);
	if (is_done && (parts & RF_PART_STATS) != 0 && maker->with_stats)
		put_stats(maker, nodes, n);
	if (is_done && (parts & RF_PART_SETS) != 0 && maker->has_categories)
		is_done = put_sets(maker, nodes, n);
	if (is_done && (parts & RF_PART_LEAVES) != 0)
		is_done = maker->problem->n_classes > 0
		    ? put_classes(maker, first, n)
		    : put_means(maker, nodes, n);
	return is_done;
}

static enum rf_status
make_slice(void *context, int32_t first, int32_t end, unsigned parts,
    struct rf_forest_tree *out, struct rf_error *err)
{
	struct rf_to_forest *maker = context;

	parts |= RF_PART_FEATURES;
	if (first != maker->first || (parts & ~maker->parts) != 0) {
		maker->parts = 0;
		if (first == 0 && (parts & RF_PART_SETS) != 0)
			maker->sets_end = 0;
		if (first == 0 && (parts & RF_PART_LEAVES) != 0)
			maker->leaves_end = 0;
		if (!put_parts(maker, first, end - first, parts))
			return rf_error_memory(
			    err, (size_t)(end - first) * 64, "a tree");
		maker->first = first;
		maker->parts = parts;
		maker->slice.n_nodes = end - first;
	}
	*out = maker->slice;
	return RF_OK;
}

void
rf_to_forest_slices(struct rf_to_forest *maker, const struct rf_grown *grown,
    struct rf_tree_slices *out)
{
	maker->grown = grown;
	maker->parts = 0;
	maker->slice.tree = grown->tree;
	*out = (struct rf_tree_slices){
	    .tree = grown->tree,
	    .n_nodes = (int32_t)grown->n_nodes,
	    .slice_nodes = SLICE_NODES,
	    .with_stats = maker->with_stats,
	    .context = maker,
	    .make = make_slice,
	};
}
