#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "forest/forest_write.h"
#include "forest/tree.h"

#define CHUNK 1024

enum rf_status
rf_fingerprint_init(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, struct rf_error *err)
{
	memset(fingerprint, 0, sizeof(*fingerprint));
	fingerprint->of_tree = XXH3_createState();
	fingerprint->of_forest = XXH3_createState();
	if (fingerprint->of_tree == NULL || fingerprint->of_forest == NULL)
		return rf_error_memory(err, 0, "a fingerprint");
	XXH3_128bits_reset(fingerprint->of_forest);
	fingerprint->has_int64 = rf_forest_has_int64(header);
	fingerprint->has_categories = rf_forest_has_categories(header);
	return RF_OK;
}

void
rf_fingerprint_release(struct rf_fingerprint *fingerprint)
{
	XXH3_freeState(fingerprint->of_tree);
	XXH3_freeState(fingerprint->of_forest);
	memset(fingerprint, 0, sizeof(*fingerprint));
}

static void
add_thresholds(XXH3_state_t *state, const struct rf_forest_header *header,
    const struct rf_forest_tree *tree, enum rf_split_kind kind)
{
	int64_t chunk[CHUNK];
	const void *values = tree->threshold;
	int32_t n;

	if (kind == RF_SPLIT_INT64)
		values = tree->threshold_int;
	for (int32_t first = 0; first < tree->n_nodes; first += n) {
		n = tree->n_nodes - first < CHUNK ? tree->n_nodes - first
						  : CHUNK;
		memcpy(chunk, (const char *)values + 8 * (int64_t)first,
		    8 * (size_t)n);
		for (int32_t i = 0; i < n; i++) {
			int32_t feature = tree->feature[first + i];

			if (feature < 0 ||
			    rf_split_kind(&header->features[feature]) != kind)
				chunk[i] = 0;
		}
		XXH3_128bits_update(state, chunk, 8 * (size_t)n);
	}
}

/* Values of 32 bits, 0 at leaves. */
static void
add_inner(
    XXH3_state_t *state, const struct rf_forest_tree *tree, const void *values)
{
	uint32_t chunk[CHUNK];
	int32_t n;

	for (int32_t first = 0; first < tree->n_nodes; first += n) {
		n = tree->n_nodes - first < CHUNK ? tree->n_nodes - first
						  : CHUNK;
		memcpy(chunk, (const char *)values + 4 * (int64_t)first,
		    4 * (size_t)n);
		/* Without a branch, since leaves come as they like. */
		for (int32_t i = 0; i < n; i++)
			chunk[i] &=
			    0 - (uint32_t)(tree->feature[first + i] >= 0);
		XXH3_128bits_update(state, chunk, 4 * (size_t)n);
	}
}

static void
add_missing_left(XXH3_state_t *state, const struct rf_forest_tree *tree)
{
	uint8_t chunk[CHUNK];
	int32_t n;

	for (int32_t first = 0; first < tree->n_nodes; first += n) {
		n = tree->n_nodes - first < CHUNK ? tree->n_nodes - first
						  : CHUNK;
		for (int32_t i = 0; i < n; i++)
			chunk[i] = tree->feature[first + i] >= 0 &&
			    tree->missing_left[first + i] != 0;
		XXH3_128bits_update(state, chunk, (size_t)n);
	}
}

/* Offsets of a slice; those of the tree end with one more. */
static void
add_offsets(
    XXH3_state_t *state, const int64_t *offsets, int32_t n_nodes, bool is_last)
{
	int64_t zeros[CHUNK] = {0};
	int64_t left = (int64_t)n_nodes + is_last;

	if (offsets != NULL) {
		XXH3_128bits_update(state, offsets, 8 * (size_t)left);
		return;
	}
	for (int64_t n; left > 0; left -= n) {
		n = left < CHUNK ? left : CHUNK;
		XXH3_128bits_update(state, zeros, 8 * (size_t)n);
	}
}

/* What is hashed of all nodes before the next one is. */
enum column {
	FEATURES,
	FLOATS,
	INTEGERS,
	LEFTS,
	MISSING_LEFTS,
	SET_OFFSETS,
	SETS,
	GAINS,
	COVERS,
	LEAF_OFFSETS,
	CLASSES,
	VALUES,
	N_COLUMNS
};

static const uint8_t part_of[N_COLUMNS] = {
    [FEATURES] = RF_PART_FEATURES,
    [FLOATS] = RF_PART_SPLITS,
    [INTEGERS] = RF_PART_SPLITS,
    [LEFTS] = RF_PART_SPLITS,
    [MISSING_LEFTS] = RF_PART_SPLITS,
    [SET_OFFSETS] = RF_PART_SETS,
    [SETS] = RF_PART_SETS,
    [GAINS] = RF_PART_STATS,
    [COVERS] = RF_PART_STATS,
    [LEAF_OFFSETS] = RF_PART_LEAVES,
    [CLASSES] = RF_PART_LEAVES,
    [VALUES] = RF_PART_LEAVES,
};

static bool
is_hashed(const struct rf_fingerprint *fingerprint, enum column column,
    bool with_stats)
{
	if (part_of[column] == RF_PART_STATS)
		return with_stats;
	if (part_of[column] == RF_PART_SETS)
		return fingerprint->has_categories;
	return column != INTEGERS || fingerprint->has_int64;
}

static void
add_entries(
    XXH3_state_t *state, const struct rf_forest_tree *slice, enum column column)
{
	size_t n =
	    (size_t)(slice->leaf_first[slice->n_nodes] - slice->leaf_first[0]);

	if (column == CLASSES)
		XXH3_128bits_update(state, slice->leaf_class, 4 * n);
	else
		XXH3_128bits_update(state, slice->leaf_value, 8 * n);
}

static void
add_column(XXH3_state_t *state, const struct rf_forest_header *header,
    const struct rf_forest_tree *slice, enum column column, bool is_last)
{
	int32_t n = slice->n_nodes;

	if (column == FEATURES)
		XXH3_128bits_update(state, slice->feature, 4 * (size_t)n);
	else if (column == FLOATS)
		add_thresholds(state, header, slice, RF_SPLIT_FLOAT);
	else if (column == INTEGERS)
		add_thresholds(state, header, slice, RF_SPLIT_INT64);
	else if (column == LEFTS)
		add_inner(state, slice, slice->left);
	else if (column == MISSING_LEFTS)
		add_missing_left(state, slice);
	else if (column == SET_OFFSETS)
		add_offsets(state, slice->cats_first, n, is_last);
	else if (column == SETS && slice->cats_first != NULL)
		XXH3_128bits_update(state, slice->cats,
		    (size_t)(slice->cats_first[n] - slice->cats_first[0]));
	else if (column == GAINS)
		add_inner(state, slice, slice->gain);
	else if (column == COVERS)
		XXH3_128bits_update(state, slice->cover, 8 * (size_t)n);
	else if (column == LEAF_OFFSETS)
		add_offsets(state, slice->leaf_first, n, is_last);
	else if (column == CLASSES || column == VALUES)
		add_entries(state, slice, column);
}

static enum rf_status
add_slices(XXH3_state_t *state, const struct rf_forest_header *header,
    const struct rf_tree_slices *slices, enum column column,
    struct rf_error *err)
{
	struct rf_forest_tree slice;
	unsigned parts = part_of[column];

	/* All of a small tree at once: it will be wanted again. */
	if (slices->n_nodes <= slices->slice_nodes)
		parts = RF_PART_ALL;
	for (int32_t first = 0; first < slices->n_nodes;
	     first += slice.n_nodes) {
		RF_TRY(rf_tree_slice(slices, first, parts, &slice, err));
		add_column(state, header, &slice, column,
		    first + slice.n_nodes == slices->n_nodes);
	}
	return RF_OK;
}

enum rf_status
rf_fingerprint_add_slices(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, const struct rf_tree_slices *slices,
    struct rf_error *err)
{
	XXH3_state_t *state = fingerprint->of_tree;
	XXH128_canonical_t canonical;
	int64_t numbers[3] = {
	    slices->tree, slices->n_nodes, slices->with_stats};

	XXH3_128bits_reset(state);
	XXH3_128bits_update(state, numbers, sizeof(numbers));
	for (int c = 0; c < N_COLUMNS; c++)
		if (is_hashed(fingerprint, (enum column)c, slices->with_stats))
			RF_TRY(add_slices(
			    state, header, slices, (enum column)c, err));
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
	XXH3_128bits_update(
	    fingerprint->of_forest, &canonical, sizeof(canonical));
	return RF_OK;
}

enum rf_status
rf_fingerprint_add(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, const struct rf_forest_tree *tree,
    struct rf_error *err)
{
	struct rf_tree_slices slices = rf_tree_slices_of(tree);

	return rf_fingerprint_add_slices(fingerprint, header, &slices, err);
}

enum rf_status
rf_fingerprint_finish(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, char out[33], struct rf_error *err)
{
	XXH128_canonical_t canonical;
	char hash[33];

	RF_TRY(rf_forest_schema_hash(header, hash, err));
	XXH3_128bits_update(fingerprint->of_forest, hash, 32);
	XXH128_canonicalFromHash(
	    &canonical, XXH3_128bits_digest(fingerprint->of_forest));
	for (int i = 0; i < 16; i++)
		snprintf(out + 2 * i, 3, "%02x", canonical.digest[i]);
	return RF_OK;
}

enum rf_status
rf_fingerprint_of(
    const struct rf_forest *forest, char out[33], struct rf_error *err)
{
	struct rf_fingerprint fingerprint;
	enum rf_status status =
	    rf_fingerprint_init(&fingerprint, &forest->header, err);

	for (int64_t i = 0; i < forest->n_trees && status == RF_OK; i++)
		status = rf_fingerprint_add(
		    &fingerprint, &forest->header, &forest->trees[i], err);
	if (status == RF_OK)
		status = rf_fingerprint_finish(
		    &fingerprint, &forest->header, out, err);
	rf_fingerprint_release(&fingerprint);
	return status;
}
