#include "forest/tree_slices.h"

enum rf_status
rf_tree_slice(const struct rf_tree_slices *slices, int32_t first,
    unsigned parts, struct rf_forest_tree *out, struct rf_error *err)
{
	int32_t end = slices->n_nodes;

	if (slices->whole != NULL) {
		*out = *slices->whole;
		return RF_OK;
	}
	if (end - first > slices->slice_nodes)
		end = first + slices->slice_nodes;
	return slices->make(slices->context, first, end, parts, out, err);
}

struct rf_tree_slices
rf_tree_slices_of(const struct rf_forest_tree *tree)
{
	return (struct rf_tree_slices){
	    .tree = tree->tree,
	    .n_nodes = tree->n_nodes,
	    .slice_nodes = tree->n_nodes,
	    .with_stats = tree->gain != NULL,
	    .whole = tree,
	};
}
