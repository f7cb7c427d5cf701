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
		for (int32_t i = 0; i < n; i++)
			if (tree->feature[first + i] < 0)
				chunk[i] = 0;
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

static void
add_cats(XXH3_state_t *state, const struct rf_forest_tree *tree)
{
	int64_t zeros[CHUNK] = {0};
	int64_t left = (int64_t)tree->n_nodes + 1;

	if (tree->cats_first != NULL) {
		XXH3_128bits_update(state, tree->cats_first, 8 * (size_t)left);
		XXH3_128bits_update(
		    state, tree->cats, (size_t)tree->cats_first[tree->n_nodes]);
		return;
	}
	for (int64_t n; left > 0; left -= n) {
		n = left < CHUNK ? left : CHUNK;
		XXH3_128bits_update(state, zeros, 8 * (size_t)n);
	}
}

static void
add_leaves(XXH3_state_t *state, const struct rf_forest_tree *tree)
{
	size_t n_nodes = (size_t)tree->n_nodes;
	size_t n_entries = (size_t)tree->leaf_first[n_nodes];

	XXH3_128bits_update(state, tree->leaf_first, 8 * (n_nodes + 1));
	XXH3_128bits_update(state, tree->leaf_class, 4 * n_entries);
	XXH3_128bits_update(state, tree->leaf_value, 8 * n_entries);
}

void
rf_fingerprint_add(struct rf_fingerprint *fingerprint,
    const struct rf_forest_header *header, const struct rf_forest_tree *tree)
{
	XXH3_state_t *state = fingerprint->of_tree;
	XXH128_canonical_t canonical;
	int64_t numbers[3] = {tree->tree, tree->n_nodes, tree->gain != NULL};
	size_t n_nodes = (size_t)tree->n_nodes;

	XXH3_128bits_reset(state);
	XXH3_128bits_update(state, numbers, sizeof(numbers));
	XXH3_128bits_update(state, tree->feature, 4 * n_nodes);
	add_thresholds(state, header, tree, RF_SPLIT_FLOAT);
	if (fingerprint->has_int64)
		add_thresholds(state, header, tree, RF_SPLIT_INT64);
	add_inner(state, tree, tree->left);
	add_missing_left(state, tree);
	if (fingerprint->has_categories)
		add_cats(state, tree);
	if (tree->gain != NULL) {
		add_inner(state, tree, tree->gain);
		XXH3_128bits_update(state, tree->cover, 8 * n_nodes);
	}
	add_leaves(state, tree);
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
	XXH3_128bits_update(
	    fingerprint->of_forest, &canonical, sizeof(canonical));
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
		rf_fingerprint_add(
		    &fingerprint, &forest->header, &forest->trees[i]);
	if (status == RF_OK)
		status = rf_fingerprint_finish(
		    &fingerprint, &forest->header, out, err);
	rf_fingerprint_release(&fingerprint);
	return status;
}
