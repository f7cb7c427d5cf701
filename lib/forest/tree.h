/*
 * Trees from outside: are they trees, and which.
 *
 * Everything that a walk relies on is checked here, once, whether a tree came
 * by a stream or in a packed file.  rf-stream(5) 3.2; rf-forest(5), Numbering
 * and Fingerprint.
 */
#ifndef RF_FOREST_TREE_H
#define RF_FOREST_TREE_H

#include "forest/tree_slices.h"

/*
 * Checks every value of the tree against the header: canonical numbering (so
 * each node but the root has one parent, and there is no cycle), features,
 * thresholds, sets, leaves.  The arrays must be as long as n_nodes,
 * leaf_first[n_nodes] and cats_first[n_nodes] say.
 * scratch  n_nodes numbers
 * RF_EDATA names tree and node.
 */
enum rf_status rf_tree_check(const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, int32_t *scratch,
    struct rf_error *err) RF_MUST_USE;

/* The fingerprint of a forest, summed up tree by tree. */
struct rf_fingerprint {
	void *of_tree, *of_forest; /* states of XXH3 */
	bool has_int64, has_categories;
};

/* Every call gets the same header; release in any case. */
enum rf_status rf_fingerprint_init(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, struct rf_error *err) RF_MUST_USE;
/* Values that do not apply to a node count as 0, whatever they are. */
enum rf_status rf_fingerprint_add(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, const struct rf_forest_tree *tree,
    struct rf_error *err) RF_MUST_USE;
/* The same; slices are made once for each array of a tree of many. */
enum rf_status rf_fingerprint_add_slices(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, const struct rf_tree_slices *slices,
    struct rf_error *err) RF_MUST_USE;
enum rf_status rf_fingerprint_finish(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, char out[33],
    struct rf_error *err) RF_MUST_USE;
void rf_fingerprint_release(struct rf_fingerprint *fingerprint);
/* All of it at once, of a forest in memory. */
enum rf_status rf_fingerprint_of(const struct rf_forest *forest, char out[33],
    struct rf_error *err) RF_MUST_USE;

/* What an inner node of a feature is split by. */
enum rf_split_kind { RF_SPLIT_FLOAT, RF_SPLIT_INT64, RF_SPLIT_CATEGORIES };

static inline enum rf_split_kind
rf_split_kind(const struct rf_forest_feature *feature)
{
	if (feature->kind == RF_FEATURE_CATEGORICAL)
		return RF_SPLIT_CATEGORIES;
	return feature->precision == RF_PRECISION_INT64 ? RF_SPLIT_INT64
							: RF_SPLIT_FLOAT;
}

#endif
