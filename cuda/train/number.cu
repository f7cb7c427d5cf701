#include "train/number.cuh"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* A tree on its way to the sink; the arrays are its own. */
struct tree {
	struct rf_grown_node *nodes;
	int32_t *leaf_class;
	uint64_t *leaf_weight;
	uint64_t *cats;
	int64_t n_nodes, n_entries, n_words;
	size_t nodes_size, class_size, weight_size, words_size;
	int64_t *stack; /* pairs: allocation number, canonical number */
	size_t stack_size;
};

static void
tree_release(struct tree *tree)
{
	free(tree->nodes);
	free(tree->leaf_class);
	free(tree->leaf_weight);
	free(tree->cats);
	free(tree->stack);
}

static bool
grow(void *array, size_t *capacity, int64_t needed, size_t size)
{
	return rf_grow((void **)array, capacity, (size_t)needed, size) == 0;
}

/* Pre-order; the stack holds one right child a level. */
static bool
number_nodes(const struct rf_raw_batch *batch, int64_t root, struct tree *tree)
{
	int64_t n_stacked = 2, n_inner = 0;

	if (!grow(&tree->stack, &tree->stack_size, 2, sizeof(int64_t)))
		return false;
	tree->stack[0] = root;
	tree->stack[1] = 0;
	tree->n_nodes = 1;
	while (n_stacked > 0) {
		int64_t to = tree->stack[--n_stacked];
		int64_t from = tree->stack[--n_stacked];
		struct rf_grown_node node = batch->nodes[from];

		if (node.feature >= 0) {
			int64_t child = node.left, left = 2 * n_inner++ + 1;

			tree->n_nodes += 2;
			node.left = (int32_t)left;
			if (!grow(&tree->stack, &tree->stack_size,
				n_stacked + 4, sizeof(int64_t)))
				return false;
			tree->stack[n_stacked++] = child + 1;
			tree->stack[n_stacked++] = left + 1;
			tree->stack[n_stacked++] = child;
			tree->stack[n_stacked++] = left;
		}
		if (!grow(&tree->nodes, &tree->nodes_size, tree->n_nodes,
			sizeof(*tree->nodes)))
			return false;
		tree->nodes[to] = node;
	}
	return true;
}

static bool
add_leaf(const struct rf_raw_batch *batch, struct rf_grown_node *leaf,
    struct tree *tree)
{
	int64_t n = leaf->cut, from = leaf->payload, to = tree->n_entries;

	leaf->cut = 0;
	if (batch->is_regression)
		return true;
	if (!grow(&tree->leaf_class, &tree->class_size, to + n, 4) ||
	    !grow(&tree->leaf_weight, &tree->weight_size, to + n, 8))
		return false;
	memcpy(tree->leaf_class + to, batch->leaf_class + from, (size_t)n * 4);
	memcpy(
	    tree->leaf_weight + to, batch->leaf_weight + from, (size_t)n * 8);
	leaf->payload = to;
	tree->n_entries += n;
	return true;
}

/* Payloads in the order of the nodes. */
static bool
add_payloads(const struct rf_raw_batch *batch, struct tree *tree)
{
	for (int64_t i = 0; i < tree->n_nodes; i++) {
		struct rf_grown_node *node = &tree->nodes[i];
		int64_t n_words;

		if (node->feature < 0) {
			if (!add_leaf(batch, node, tree))
				return false;
			continue;
		}
		if (!batch->features[node->feature].is_categorical)
			continue;
		n_words = (batch->features[node->feature].n_values + 63) / 64;
		if (!grow(&tree->cats, &tree->words_size,
			tree->n_words + n_words, 8))
			return false;
		memcpy(tree->cats + tree->n_words, batch->cats + node->payload,
		    (size_t)n_words * 8);
		node->payload = tree->n_words;
		tree->n_words += n_words;
	}
	return true;
}

static enum rf_status
put(const struct tree *tree, int64_t number, const struct rf_tree_sink *sink,
    struct rf_error *err)
{
	struct rf_grown grown;

	grown.tree = number;
	grown.n_nodes = tree->n_nodes;
	grown.nodes = tree->nodes;
	grown.n_leaf_entries = tree->n_entries;
	grown.leaf_class = tree->leaf_class;
	grown.leaf_weight = tree->leaf_weight;
	grown.n_words = tree->n_words;
	grown.cats = tree->cats;
	return sink->put(sink->context, &grown, err);
}

static bool
number_tree(const struct rf_raw_batch *batch, int64_t i, struct tree *tree)
{
	tree->n_entries = tree->n_words = 0;
	return number_nodes(batch, i, tree) && add_payloads(batch, tree);
}

/* Trees are numbered side by side, and given away in order meanwhile. */
static enum rf_status
number_trees(const struct rf_raw_batch *batch, int n_threads,
    struct tree *trees, const struct rf_tree_sink *sink, struct rf_error *err)
{
	enum rf_status status = RF_OK;

#pragma omp parallel for ordered num_threads(n_threads) schedule(dynamic, 1)
	for (int64_t i = 0; i < batch->n_trees; i++) {
		struct tree *tree = &trees[omp_get_thread_num()];
		bool is_done = number_tree(batch, i, tree);

#pragma omp ordered
		if (status == RF_OK)
			status = is_done
			    ? put(tree, batch->first_tree + i, sink, err)
			    : rf_error_memory(
				  err, sizeof(*tree), "numbering the nodes");
	}
	return status;
}

enum rf_status
rf_number_batch(const struct rf_raw_batch *batch, int n_threads,
    const struct rf_tree_sink *sink, struct rf_error *err)
{
	struct tree *trees;
	enum rf_status status;

	if (n_threads > batch->n_trees)
		n_threads = (int)batch->n_trees;
	trees = (struct tree *)rf_alloc_zero((size_t)n_threads, sizeof(*trees));
	if (trees == NULL)
		return rf_error_memory(err, sizeof(*trees), "trees");
	status = number_trees(batch, n_threads, trees, sink, err);
	for (int i = 0; i < n_threads; i++)
		tree_release(&trees[i]);
	free(trees);
	return status;
}
