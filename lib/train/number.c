#include "train/number.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void
rf_tree_release(struct rf_tree_builder *builder)
{
	free(builder->nodes);
	free(builder->leaf_class);
	free(builder->leaf_weight);
	free(builder->cats);
	free(builder->class_out);
	free(builder->weight_out);
	free(builder->cats_out);
	memset(builder, 0, sizeof(*builder));
}

/* Room for n elements in an array of any type. */
#define ROOM(array, room, n)                                                   \
 room_for((void **)(void *)&(array), &(room), (n), sizeof(*(array)), err)

static enum rf_status
room_for(
    void **array, size_t *room, size_t n, size_t size, struct rf_error *err)
{
	if (rf_grow(array, room, n, size) != 0)
		return rf_error_memory(err, n * size, "the nodes of a tree");
	return RF_OK;
}

enum rf_status
rf_tree_start(
    struct rf_tree_builder *builder, int64_t tree, struct rf_error *err)
{
	builder->tree = tree;
	builder->n_inner = 0;
	builder->n_entries = 0;
	builder->n_words = 0;
	RF_TRY(ROOM(builder->nodes, builder->nodes_room, 1));
	memset(builder->nodes, 0, sizeof(*builder->nodes));
	builder->n_nodes = 1;
	return RF_OK;
}

enum rf_status
rf_tree_split(struct rf_tree_builder *builder, int32_t index,
    const struct rf_choice *choice, int32_t *left, struct rf_error *err)
{
	size_t n = builder->n_nodes, n_words = choice->n_set_words;
	struct rf_grown_node *node;

	RF_TRY(ROOM(builder->nodes, builder->nodes_room, n + 2));
	if (n_words > 0) {
		RF_TRY(ROOM(builder->cats, builder->words_room,
		    builder->n_words + n_words));
		memcpy(builder->cats + builder->n_words, choice->set,
		    n_words * sizeof(*builder->cats));
	}
	memset(builder->nodes + n, 0, 2 * sizeof(*builder->nodes));
	*left = (int32_t)(2 * builder->n_inner + 1);
	node = &builder->nodes[index];
	node->feature = choice->feature;
	node->cut = choice->cut;
	node->left = *left;
	node->missing_left = choice->missing_left;
	node->gain = choice->gain;
	node->cover = choice->cover;
	node->payload = n_words > 0 ? (int64_t)builder->n_words : 0;
	builder->n_nodes += 2;
	builder->n_words += n_words;
	builder->n_inner++;
	return RF_OK;
}

static void
make_leaf(struct rf_grown_node *node, uint64_t cover, int64_t payload,
    int32_t n_entries)
{
	memset(node, 0, sizeof(*node));
	node->feature = -1;
	node->cover = cover;
	node->payload = payload;
	node->cut = n_entries;
}

enum rf_status
rf_tree_leaf_classes(struct rf_tree_builder *builder, int32_t index,
    uint64_t cover, const int32_t *classes, const uint64_t *weights, int32_t n,
    struct rf_error *err)
{
	size_t first = builder->n_entries, end = first + (size_t)n;

	RF_TRY(ROOM(builder->leaf_class, builder->class_room, end));
	RF_TRY(ROOM(builder->leaf_weight, builder->weight_room, end));
	for (int32_t i = 0; i < n; i++) {
		builder->leaf_class[first + (size_t)i] = classes[i];
		builder->leaf_weight[first + (size_t)i] = weights[i];
	}
	make_leaf(&builder->nodes[index], cover, (int64_t)first, n);
	builder->n_entries = end;
	return RF_OK;
}

void
rf_tree_leaf_sum(
    struct rf_tree_builder *builder, int32_t index, uint64_t cover, int64_t sum)
{
	make_leaf(&builder->nodes[index], cover, sum, 0);
}

static void
order_leaves(struct rf_tree_builder *builder)
{
	size_t out = 0;

	for (size_t i = 0; i < builder->n_nodes; i++) {
		struct rf_grown_node *node = &builder->nodes[i];
		size_t first = (size_t)node->payload, n = (size_t)node->cut;

		if (node->feature >= 0)
			continue;
		for (size_t j = 0; j < n; j++) {
			builder->class_out[out + j] =
			    builder->leaf_class[first + j];
			builder->weight_out[out + j] =
			    builder->leaf_weight[first + j];
		}
		node->payload = (int64_t)out;
		node->cut = 0;
		out += n;
	}
}

static void
order_sets(
    struct rf_tree_builder *builder, const struct rf_coded_feature *features)
{
	size_t out = 0;

	for (size_t i = 0; i < builder->n_nodes; i++) {
		struct rf_grown_node *node = &builder->nodes[i];
		size_t n;

		if (node->feature < 0 ||
		    !features[node->feature].is_categorical)
			continue;
		n = ((size_t)features[node->feature].n_values + 63) / 64;
		memcpy(builder->cats_out + out, builder->cats + node->payload,
		    n * sizeof(*builder->cats));
		node->payload = (int64_t)out;
		out += n;
	}
}

enum rf_status
rf_tree_finish(struct rf_tree_builder *builder,
    const struct rf_problem *problem, struct rf_grown *out,
    struct rf_error *err)
{
	size_t n = builder->n_entries, n_words = builder->n_words;

	RF_TRY(ROOM(builder->class_out, builder->class_out_room, n));
	RF_TRY(ROOM(builder->weight_out, builder->weight_out_room, n));
	RF_TRY(ROOM(builder->cats_out, builder->cats_out_room, n_words));
	if (problem->n_classes > 0)
		order_leaves(builder);
	if (n_words > 0)
		order_sets(builder, problem->features);
	out->tree = builder->tree;
	out->n_nodes = (int64_t)builder->n_nodes;
	out->nodes = builder->nodes;
	out->n_leaf_entries = (int64_t)n;
	out->leaf_class = builder->class_out;
	out->leaf_weight = builder->weight_out;
	out->n_words = (int64_t)n_words;
	out->cats = builder->cats_out;
	return RF_OK;
}
