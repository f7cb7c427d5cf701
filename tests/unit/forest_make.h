/*
 * Forests made by a small generator, for the tests of lib/forest: features of
 * every kind, missing directions, sets; canonical numbering by recursion.
 */
#ifndef RF_UNIT_FOREST_MAKE_H
#define RF_UNIT_FOREST_MAKE_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "forest/forest.h"

struct make {
	uint64_t state;
	struct rf_forest_header *header;
	struct rf_forest_tree *tree;
	int32_t n_inner;
	bool is_inner[4096];
};

static inline uint32_t
make_draw(struct make *make, uint32_t n)
{
	make->state = make->state * UINT64_C(6364136223846793005) + 1442695;
	return (uint32_t)(make->state >> 33) % n;
}

static inline void
make_feature(struct rf_forest_feature *feature, const char *name,
    enum rf_feature_kind kind, enum rf_precision precision)
{
	feature->name = rf_strdup(name);
	feature->kind = kind;
	feature->precision = precision;
}

static inline char **
make_texts(const char *const *texts, int32_t n)
{
	char **made = rf_alloc((size_t)n, sizeof(*made));

	for (int32_t i = 0; i < n; i++)
		made[i] = rf_strdup(texts[i]);
	return made;
}

static inline void
make_header(struct rf_forest_header *header, enum rf_task task)
{
	static const char *const levels[] = {
	    "a\"b", "b\\", "c\n", "d", "e", "f", "g", "h", "\xc3\xa9"};
	static const char *const classes[] = {"no", "perhaps", "yes"};

	memset(header, 0, sizeof(*header));
	header->task = task;
	header->n_features = 4;
	header->features = rf_alloc_zero(4, sizeof(*header->features));
	make_feature(&header->features[0], "x", RF_FEATURE_NUMERIC,
	    RF_PRECISION_FLOAT64);
	make_feature(&header->features[1], "when", RF_FEATURE_NUMERIC,
	    RF_PRECISION_INT64);
	header->features[1].origin = rf_strdup("timestamp[us]");
	make_feature(&header->features[2], "colour", RF_FEATURE_CATEGORICAL,
	    RF_PRECISION_FLOAT32);
	header->features[2].n_levels = 9;
	header->features[2].levels = make_texts(levels, 9);
	make_feature(&header->features[3], "size", RF_FEATURE_NUMERIC,
	    RF_PRECISION_FLOAT32);
	header->features[3].is_ordinal = true;
	header->features[3].n_levels = 2;
	header->features[3].levels = make_texts(levels + 3, 2);
	header->label = rf_strdup("y");
	header->n_rows = 1000;
	if (task == RF_TASK_CLASSIFICATION) {
		header->n_classes = 3;
		header->classes = make_texts(classes, 3);
	} else {
		header->label_type = RF_LABEL_FLOAT;
		header->unit_exponent = -37;
	}
	if (rf_metadata_set(&header->metadata, "rf.seed", "7", NULL) != 0 ||
	    rf_metadata_set(&header->metadata, "rf.params.hash", "abc", NULL) ||
	    rf_metadata_set(&header->metadata, "rf.data.hash", "def", NULL))
		abort();
}

static inline void
make_leaf(struct make *make, int32_t node)
{
	struct rf_forest_tree *tree = make->tree;
	int64_t at = tree->leaf_first[node];

	if (make->header->task == RF_TASK_REGRESSION) {
		tree->leaf_class[at] = 0;
		tree->leaf_value[at++] = (double)make_draw(make, 99) / 16;
	} else {
		for (int32_t c = 0; c < 3; c++)
			if (c == node % 3 || make_draw(make, 3) == 0) {
				tree->leaf_class[at] = c;
				tree->leaf_value[at++] = 1 + node % 5;
			}
	}
	tree->leaf_first[node + 1] = at;
}

static inline void
make_inner(struct make *make, int32_t node)
{
	struct rf_forest_tree *tree = make->tree;
	int32_t feature =
	    (int32_t)make_draw(make, (uint32_t)make->header->n_features);

	tree->feature[node] = feature;
	tree->missing_left[node] = make_draw(make, 2) == 0;
	tree->threshold[node] = 0.1 * make_draw(make, 1000);
	tree->threshold_int[node] = (int64_t)make_draw(make, 1000) - 500;
	if (make->header->features[feature].kind == RF_FEATURE_CATEGORICAL) {
		tree->cats[tree->cats_first[node]] =
		    (uint8_t)make_draw(make, 256);
		tree->cats_first[node + 1]++;
		if (make_draw(make, 2) == 0)
			tree->cats[tree->cats_first[node + 1]++] = 1;
	}
	tree->gain[node] = (float)make_draw(make, 100) / 3;
	tree->leaf_first[node + 1] = tree->leaf_first[node];
}

/* Gives `node` its children in pre-order, down to max_depth. */
static inline void
make_shape(struct make *make, int32_t node, int depth)
{
	int32_t left;

	if (depth == 0 || (depth < 3 && make_draw(make, 3) == 0))
		return;
	make->is_inner[node] = true;
	left = 2 * make->n_inner++ + 1;
	make->tree->left[node] = left;
	make_shape(make, left, depth - 1);
	make_shape(make, left + 1, depth - 1);
}

static inline void
make_tree(
    struct make *make, struct rf_forest_tree *tree, int64_t number, int depth)
{
	make->tree = tree;
	make->n_inner = 0;
	memset(make->is_inner, 0, sizeof(make->is_inner));
	memset(tree, 0, sizeof(*tree));
	tree->tree = number;
	tree->left = rf_alloc_zero(4096, 4);
	make_shape(make, 0, depth);
	tree->n_nodes = 2 * make->n_inner + 1;
	tree->feature = rf_alloc_zero(4096, 4);
	tree->threshold = rf_alloc_zero(4096, 8);
	tree->threshold_int = rf_alloc_zero(4096, 8);
	tree->missing_left = rf_alloc_zero(4096, 1);
	tree->gain = rf_alloc_zero(4096, 4);
	tree->cover = rf_alloc_zero(4096, 8);
	tree->cats_first = rf_alloc_zero(4097, 8);
	tree->cats = rf_alloc_zero(8192, 1);
	tree->leaf_first = rf_alloc_zero(4097, 8);
	tree->leaf_class = rf_alloc_zero(3 * 4096, 4);
	tree->leaf_value = rf_alloc_zero(3 * 4096, 8);
	for (int32_t node = 0; node < tree->n_nodes; node++) {
		tree->feature[node] = -1;
		tree->threshold[node] = 77; /* of a leaf: arbitrary */
		tree->cover[node] = 1 + node;
		tree->cats_first[node + 1] = tree->cats_first[node];
		if (make->is_inner[node])
			make_inner(make, node);
		else
			make_leaf(make, node);
	}
}

/* Trees first..first+n-1 of the forest of `seed`; tree number decides all. */
static inline void
make_forest(struct rf_forest *forest, enum rf_task task, uint64_t seed,
    int64_t first, int64_t n, int depth)
{
	static struct make make;

	memset(forest, 0, sizeof(*forest));
	make_header(&forest->header, task);
	forest->header.first_tree = first;
	forest->header.n_trees = forest->n_trees = n;
	forest->trees = rf_alloc_zero((size_t)n, sizeof(*forest->trees));
	make.header = &forest->header;
	for (int64_t i = 0; i < n; i++) {
		make.state = seed * 1000 + (uint64_t)(first + i);
		make_tree(&make, &forest->trees[i], first + i, depth);
	}
}

#endif
