/*
 * A tree while it grows, in canonical numbering from the start.
 *
 * Growth visits nodes in pre-order (left before right), so that the k-th split
 * gives its node the children 2k + 1 and 2k + 2.  Leaves and category sets are
 * kept as they come, and put into the order of the nodes at the end; a leaf may
 * therefore be made at any time.  rf-forest(5), Numbering.
 *
 *	rf_tree_start(&builder, tree);
 *	rf_tree_split(&builder, 0, &choice, &left, err);
 *	rf_tree_leaf_sum(&builder, left, cover, sum) ..
 *	rf_tree_finish(&builder, problem, &grown, err);
 */
#ifndef RF_TRAIN_NUMBER_H
#define RF_TRAIN_NUMBER_H

#include "train/problem.h"

/* Nodes are counted in 32 bits, two at most for each distinct row. */
#define RF_GROW_ROWS_MAX (INT64_C(1) << 30)

struct rf_tree_builder {
	int64_t tree;
	int64_t n_inner;
	/* Of a leaf, until the end: cut is the number of its entries. */
	struct rf_grown_node *nodes;
	int32_t *leaf_class;
	uint64_t *leaf_weight, *cats;
	size_t n_nodes, n_entries, n_words;
	size_t nodes_room, class_room, weight_room, words_room;
	/* The same in the order of the nodes. */
	int32_t *class_out;
	uint64_t *weight_out, *cats_out;
	size_t class_out_room, weight_out_room, cats_out_room;
};

/* What a node was split by. */
struct rf_choice {
	int32_t feature;
	int32_t cut;
	bool missing_left;
	double gain;	     /* in integer units */
	uint64_t cover;	     /* in-bag weight of the node */
	const uint64_t *set; /* categorical: n_set_words words; else NULL */
	size_t n_set_words;
};

void rf_tree_release(struct rf_tree_builder *builder);

/* Empties the builder and makes the root. */
enum rf_status rf_tree_start(struct rf_tree_builder *builder, int64_t tree,
    struct rf_error *err) RF_MUST_USE;
/* Splits node `index`; nodes must be split in pre-order. */
enum rf_status rf_tree_split(struct rf_tree_builder *builder, int32_t index,
    const struct rf_choice *choice, int32_t *left,
    struct rf_error *err) RF_MUST_USE;
/* Classes ascending; n may be 1 (a pure leaf). */
enum rf_status rf_tree_leaf_classes(struct rf_tree_builder *builder,
    int32_t index, uint64_t cover, const int32_t *classes,
    const uint64_t *weights, int32_t n, struct rf_error *err) RF_MUST_USE;
void rf_tree_leaf_sum(struct rf_tree_builder *builder, int32_t index,
    uint64_t cover, int64_t sum);

/* The tree; its arrays live until the next start or the release. */
enum rf_status rf_tree_finish(struct rf_tree_builder *builder,
    const struct rf_problem *problem, struct rf_grown *out,
    struct rf_error *err) RF_MUST_USE;

#endif
