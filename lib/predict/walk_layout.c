#include "predict/walk_layout.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"

/* Columns of each feature by the direction of missing; -1: not used so. */
struct feature_use {
	bool is_used[2]; /* missing right, missing left */
	int32_t column[2];
};

struct pack {
	struct rf_walk_layout *layout;
	const struct rf_walk_model *model;
	const struct feature_use *uses;
	struct rf_pool *pool;
	int n_threads; /* of the pool */
};

static void
find_uses(const struct rf_walk_model *model, struct feature_use *uses)
{
	int64_t n_nodes = model->tree_first[model->n_trees];

	for (int64_t i = 0; i < n_nodes; i++) {
		const struct rf_walk_node *node = &model->nodes[i];

		if (node->feature >= 0)
			uses[node->feature].is_used[node->missing_left] = true;
	}
}

static void
add_column(struct rf_walk_layout *layout, int32_t feature,
    uint32_t missing_code, int32_t *column)
{
	*column = layout->n_columns;
	layout->columns[layout->n_columns].feature = feature;
	layout->columns[layout->n_columns++].missing_code = missing_code;
}

/* The columns, and the largest code that they can hold. */
static uint32_t
make_columns(struct rf_walk_layout *layout, const struct rf_walk_model *model,
    struct feature_use *uses)
{
	uint32_t largest = 1;
	int32_t unused;

	for (int32_t f = 0; f < model->n_features; f++) {
		uint32_t code = (uint32_t)model->features[f].n_levels;

		if (!model->features[f].is_categorical ||
		    !(uses[f].is_used[0] || uses[f].is_used[1]))
			continue;
		add_column(layout, f, code, &uses[f].column[0]);
		uses[f].column[1] = uses[f].column[0];
		largest = code > largest ? code : largest;
	}
	layout->n_categorical = layout->n_columns;
	for (int32_t f = 0; f < model->n_features; f++) {
		uint32_t code = (uint32_t)model->features[f].n_thresholds + 1;

		if (model->features[f].is_categorical)
			continue;
		if (uses[f].is_used[0])
			add_column(layout, f, code, &uses[f].column[0]);
		if (uses[f].is_used[1])
			add_column(layout, f, 0, &uses[f].column[1]);
		if (uses[f].is_used[0] || uses[f].is_used[1])
			largest = code > largest ? code : largest;
	}
	/* Leaves look at the last column, which must hold ranks. */
	if (layout->n_columns == layout->n_categorical)
		add_column(layout, -1, 0, &unused);
	return largest;
}

/* Words of the set of a categorical feature, with a bit for missing. */
static int64_t
set_words(const struct rf_walk_feature *feature)
{
	return feature->n_levels / 32 + 1;
}

static int64_t
count_set_words(struct rf_walk_layout *layout,
    const struct rf_walk_model *model, int64_t *most)
{
	int64_t n_words = 0;

	*most = 0;
	for (int64_t tree = 0; tree < model->n_trees; tree++) {
		layout->set_first[tree] = n_words;
		for (int64_t i = model->tree_first[tree];
		     layout->n_categorical > 0 &&
		     i < model->tree_first[tree + 1];
		     i++) {
			int32_t f = model->nodes[i].feature;

			if (f >= 0 && model->features[f].is_categorical)
				n_words += set_words(&model->features[f]);
		}
		if (n_words - layout->set_first[tree] > *most)
			*most = n_words - layout->set_first[tree];
	}
	return n_words;
}

static int
bits_for(int64_t largest)
{
	return rf_bit_length((uint64_t)largest);
}

/*
 * Fields of 4-byte words: byte, byte, two bytes where that does, for these
 * come out of a register without shifts; else no wider than needed, so that
 * the offset gets the rest.
 */
static bool
choose_fields(struct rf_walk_layout *layout, const struct rf_walk_model *model,
    int node_bytes, int64_t max_rank)
{
	int rank_bits = bits_for(max_rank);
	int column_bits = bits_for(layout->n_columns - 1);
	bool is_vote =
	    model->vote == RF_VOTE_SOFT || model->vote == RF_VOTE_HARD;

	layout->node_bytes = node_bytes;
	layout->has_outputs = false;
	if (node_bytes == 4 && layout->code_bytes == 1 && rank_bits <= 8 &&
	    column_bits <= 8) {
		rank_bits = column_bits = 8;
		layout->has_outputs = is_vote && layout->n_categorical == 0 &&
		    model->n_outputs <= RF_LEAF_MIXED;
	}
	layout->column_shift = rank_bits;
	layout->offset_shift = rank_bits + column_bits;
	return layout->offset_shift < 8 * node_bytes;
}

/* Writes the set of a node; absent bits are those that go left. */
static void
pack_set(const struct rf_walk_model *model, const struct rf_walk_node *node,
    uint32_t *set)
{
	const struct rf_walk_feature *feature = &model->features[node->feature];
	const uint64_t *left = model->cats + node->rank;
	int32_t n = feature->n_levels;

	memset(set, 0, (size_t)set_words(feature) * sizeof(*set));
	for (int32_t level = 0; level < n; level++)
		if ((left[level >> 6] >> (level & 63) & 1) == 0)
			set[level >> 5] |= UINT32_C(1) << (level & 31);
	if (!node->missing_left)
		set[n >> 5] |= UINT32_C(1) << (n & 31);
}

static uint32_t
ref_of_leaf(const struct pack *pack, int32_t leaf, int32_t number)
{
	const struct rf_walk_model *model = pack->model;
	int64_t first;

	if (model->vote == RF_VOTE_LEAF)
		return (uint32_t)number;
	if (model->vote == RF_VOTE_VALUE)
		return (uint32_t)leaf;
	first = model->leaf_first[leaf];
	if (model->leaf_first[leaf + 1] == first + 1 &&
	    model->leaf_amount[first] == pack->layout->pure_amount)
		return (uint32_t)model->leaf_output[first] | RF_REF_PURE;
	return (uint32_t)leaf;
}

/* No code passes its rank. */
static uint64_t
pack_leaf(const struct rf_walk_layout *layout, uint32_t ref)
{
	uint64_t column = (uint64_t)layout->n_columns - 1;

	if (layout->has_outputs)
		column = ref & RF_REF_PURE ? ref & ~RF_REF_PURE : RF_LEAF_MIXED;
	return column << layout->column_shift |
	    ((UINT64_C(1) << layout->column_shift) - 1);
}

static uint64_t
pack_inner(const struct pack *pack, const struct rf_walk_node *node,
    uint32_t *sets, int64_t *set_at)
{
	const struct rf_walk_layout *layout = pack->layout;
	int32_t column = pack->uses[node->feature].column[node->missing_left];
	uint64_t rank = (uint64_t)node->rank;

	if (column < layout->n_categorical) {
		rank = (uint64_t)*set_at;
		pack_set(pack->model, node, sets + *set_at);
		*set_at += set_words(&pack->model->features[node->feature]);
	}
	return rank | (uint64_t)column << layout->column_shift;
}

/* order[i]: the model's number of the node that goes to place i.  false: an
 * offset does not fit. */
static bool
pack_tree(const struct pack *pack, int64_t tree, int32_t *order)
{
	const struct rf_walk_layout *layout = pack->layout;
	int64_t first = layout->tree_first[tree], set_at = 0;
	const struct rf_walk_node *nodes = pack->model->nodes + first;
	int32_t n = (int32_t)(layout->tree_first[tree + 1] - first), tail = 1;
	uint64_t most = (UINT64_C(1) << (8 * layout->node_bytes -
			     layout->offset_shift - 1)) *
		2 -
	    1;

	order[0] = 0;
	for (int32_t i = 0; i < n; i++) {
		const struct rf_walk_node *node = &nodes[order[i]];
		uint64_t word, offset = (uint64_t)(tail - i);

		if (node->feature < 0) {
			layout->refs[first + i] =
			    ref_of_leaf(pack, node->rank, order[i]);
			word = pack_leaf(layout, layout->refs[first + i]);
		} else {
			if (offset > most)
				return false;
			word = pack_inner(pack, node,
			    layout->sets + layout->set_first[tree], &set_at);
			word |= offset << layout->offset_shift;
			layout->refs[first + i] = 0;
			order[tail++] = node->left;
			order[tail++] = node->left + 1;
		}
		if (layout->node_bytes == 4)
			((uint32_t *)layout->nodes)[first + i] = (uint32_t)word;
		else
			((uint64_t *)layout->nodes)[first + i] = word;
	}
	assert(tail == n);
	return true;
}

/* The packing of all trees under way. */
struct job {
	const struct pack *pack;
	int32_t *orders; /* a thread's: room for the largest tree */
	int64_t most_nodes;
	atomic_bool is_full; /* an offset did not fit */
};

static void
pack_item(void *context, int64_t item, int thread)
{
	struct job *job = context;

	if (!atomic_load(&job->is_full) &&
	    !pack_tree(job->pack, item, job->orders + job->most_nodes * thread))
		atomic_store(&job->is_full, true);
}

static enum rf_status
pack_trees(const struct pack *pack, bool *does_fit, struct rf_error *err)
{
	struct rf_walk_layout *layout = pack->layout;
	struct job job = {.pack = pack, .most_nodes = 1};
	int64_t n_nodes = layout->tree_first[layout->n_trees];
	size_t size = (size_t)n_nodes * (size_t)layout->node_bytes;

	for (int64_t tree = 0; tree < layout->n_trees; tree++)
		if (layout->tree_first[tree + 1] - layout->tree_first[tree] >
		    job.most_nodes)
			job.most_nodes = layout->tree_first[tree + 1] -
			    layout->tree_first[tree];
	layout->nodes = rf_alloc_large(size);
	if (layout->nodes == NULL)
		return rf_error_memory(err, size, "nodes");
	size = (size_t)job.most_nodes * (size_t)pack->n_threads;
	job.orders = rf_alloc(size, sizeof(*job.orders));
	if (job.orders == NULL)
		return rf_error_memory(
		    err, size * sizeof(*job.orders), "nodes");
	rf_pool_run(pack->pool, layout->n_trees, pack_item, &job);
	free(job.orders);
	*does_fit = !atomic_load(&job.is_full);
	return RF_OK;
}

/* Packs into words of 4 bytes, or else of 8. */
static enum rf_status
pack_forest(const struct pack *pack, int64_t max_rank, struct rf_error *err)
{
	struct rf_walk_layout *layout = pack->layout;

	for (int node_bytes = 4; node_bytes <= 8; node_bytes += 4) {
		bool does_fit = false;

		if (choose_fields(layout, pack->model, node_bytes, max_rank))
			RF_TRY(pack_trees(pack, &does_fit, err));
		if (does_fit)
			return RF_OK;
		rf_free_aligned(layout->nodes);
		layout->nodes = NULL;
	}
	return rf_error_set(err, RF_EDATA,
	    "the forest is too large to be walked: its ranks, columns and "
	    "offsets do not fit 64 bits");
}

static enum rf_status
allocate(struct rf_walk_layout *layout, const struct rf_walk_model *model,
    struct feature_use **uses, struct rf_error *err)
{
	size_t n_features = (size_t)model->n_features;
	size_t n_trees = (size_t)model->n_trees;
	size_t n_nodes = (size_t)model->tree_first[n_trees];

	*uses = rf_alloc_zero(n_features, sizeof(**uses));
	layout->columns =
	    rf_alloc_zero(2 * n_features + 1, sizeof(*layout->columns));
	layout->tree_first =
	    rf_alloc_zero(n_trees + 1, sizeof(*layout->tree_first));
	layout->set_first = rf_alloc_zero(n_trees, sizeof(*layout->set_first));
	layout->refs = rf_alloc_large(n_nodes * sizeof(*layout->refs));
	if (*uses == NULL || layout->columns == NULL ||
	    layout->tree_first == NULL || layout->set_first == NULL ||
	    layout->refs == NULL)
		return rf_error_memory(
		    err, n_nodes * sizeof(*layout->refs), "the forest");
	memcpy(layout->tree_first, model->tree_first,
	    (n_trees + 1) * sizeof(*layout->tree_first));
	return RF_OK;
}

static enum rf_status
lay_out(struct rf_walk_layout *layout, const struct rf_walk_model *model,
    struct feature_use *uses, struct rf_pool *pool, int n_threads,
    struct rf_error *err)
{
	struct pack pack = {layout, model, uses, pool, n_threads};
	int64_t n_words, most_words, max_rank;

	find_uses(model, uses);
	max_rank = make_columns(layout, model, uses);
	layout->largest_code = (uint32_t)max_rank;
	layout->code_bytes = max_rank <= UINT8_MAX ? 1
	    : max_rank <= UINT16_MAX		   ? 2
						   : 4;
	n_words = count_set_words(layout, model, &most_words);
	layout->sets = rf_alloc((size_t)n_words + 1, sizeof(*layout->sets));
	if (layout->sets == NULL)
		return rf_error_memory(
		    err, (size_t)n_words * 4, "sets of categories");
	layout->sets[n_words] = 0;
	layout->pure_amount = model->vote == RF_VOTE_SOFT ? RF_SHARE_ONE : 1;
	return pack_forest(
	    &pack, most_words > max_rank ? most_words : max_rank, err);
}

enum rf_status
rf_walk_layout_init(struct rf_walk_layout *layout,
    const struct rf_walk_model *model, struct rf_pool *pool, int n_threads,
    struct rf_error *err)
{
	struct feature_use *uses = NULL;
	enum rf_status status;

	memset(layout, 0, sizeof(*layout));
	layout->n_trees = model->n_trees;
	if (model->n_leaves > INT32_MAX)
		return rf_error_set(err, RF_EDATA,
		    "the forest is too large to be walked: more than 2^31 "
		    "leaves");
	status = allocate(layout, model, &uses, err);
	if (status == RF_OK)
		status = lay_out(layout, model, uses, pool, n_threads, err);
	free(uses);
	return status;
}

void
rf_walk_layout_release(struct rf_walk_layout *layout)
{
	free(layout->columns);
	free(layout->tree_first);
	rf_free_aligned(layout->nodes);
	rf_free_aligned(layout->refs);
	free(layout->set_first);
	free(layout->sets);
	memset(layout, 0, sizeof(*layout));
}
