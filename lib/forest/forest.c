#include "forest/forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "forest/forest_json.h"

void
rf_forest_tree_release(struct rf_forest_tree *tree)
{
	free(tree->feature);
	free(tree->threshold);
	free(tree->threshold_int);
	free(tree->left);
	free(tree->missing_left);
	free(tree->gain);
	free(tree->cover);
	free(tree->cats_first);
	free(tree->cats);
	free(tree->leaf_first);
	free(tree->leaf_class);
	free(tree->leaf_value);
	memset(tree, 0, sizeof(*tree));
}

void
rf_forest_header_release(struct rf_forest_header *header)
{
	for (int32_t i = 0; i < header->n_features; i++) {
		struct rf_forest_feature *feature = &header->features[i];

		free(feature->name);
		free(feature->origin);
		rf_forest_texts_free(feature->levels, feature->n_levels);
	}
	free(header->features);
	free(header->label);
	rf_forest_texts_free(header->classes, header->n_classes);
	rf_metadata_release(&header->metadata);
	memset(header, 0, sizeof(*header));
}

void
rf_forest_release(struct rf_forest *forest)
{
	if (forest->buffer == NULL)
		for (int64_t i = 0; i < forest->n_trees; i++)
			rf_forest_tree_release(&forest->trees[i]);
	free(forest->trees);
	rf_free_aligned(forest->buffer);
	rf_free_aligned(forest->statistics);
	rf_forest_header_release(&forest->header);
	memset(forest, 0, sizeof(*forest));
}

int64_t
rf_forest_total(const struct rf_forest *forest)
{
	if (forest->header.total_trees > 0 || forest->n_trees == 0)
		return forest->header.total_trees;
	return forest->trees[forest->n_trees - 1].tree + 1;
}

bool
rf_forest_has_int64(const struct rf_forest_header *header)
{
	for (int32_t i = 0; i < header->n_features; i++)
		if (header->features[i].kind == RF_FEATURE_NUMERIC &&
		    header->features[i].precision == RF_PRECISION_INT64)
			return true;
	return false;
}

bool
rf_forest_has_categories(const struct rf_forest_header *header)
{
	for (int32_t i = 0; i < header->n_features; i++)
		if (header->features[i].kind == RF_FEATURE_CATEGORICAL)
			return true;
	return false;
}
