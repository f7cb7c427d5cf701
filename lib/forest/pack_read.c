#include "forest/pack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "forest/forest_header.h"
#include "forest/pack_parallel.h"
#include "forest/pack_table.h"
#include "forest/tree.h"

#define FAIL(...) rf_error_set(err, RF_EDATA, __VA_ARGS__)

struct loader {
	struct rf_pack_table table;
	struct rf_forest *forest;
	int64_t n_nodes;
	int32_t most_nodes;   /* of one tree */
	struct rf_pool *pool; /* NULL: one thread */
	int n_threads;
};

/* The section, or NULL where there is none. */
static void *
section_data(const struct loader *loader, enum rf_pack_type type)
{
	const struct rf_pack_section *section = &loader->table.sections[type];

	if (section->type == 0)
		return NULL;
	return (char *)loader->forest->buffer + section->offset;
}

static enum rf_status
check_section(const struct loader *loader, enum rf_pack_type type, bool wanted,
    int64_t size, struct rf_error *err)
{
	const struct rf_pack_section *section = &loader->table.sections[type];

	if (wanted != (section->type != 0) ||
	    (wanted && section->size != (uint64_t)size))
		return FAIL("section of type %d has %" PRIu64 " bytes where "
			    "the header wants %" PRId64,
		    (int)type, section->size, wanted ? size : 0);
	return RF_OK;
}

/* Numbers ascending, from the header's first; nodes summed up. */
static enum rf_status
load_tree_table(struct loader *loader, struct rf_error *err)
{
	struct rf_forest *forest = loader->forest;
	const int64_t *entries = section_data(loader, RF_PACK_TREES);
	int64_t n = forest->header.n_trees;

	RF_TRY(check_section(loader, RF_PACK_TREES, true, n * 16, err));
	forest->trees = rf_alloc_zero((size_t)n, sizeof(*forest->trees));
	if (forest->trees == NULL)
		return rf_error_memory(
		    err, (size_t)n * sizeof(*forest->trees), "the trees");
	forest->n_trees = n;
	for (int64_t i = 0; i < n; i++) {
		int64_t n_nodes = entries[2 * i + 1];

		if (n_nodes < 1 || n_nodes >= INT32_MAX ||
		    (i == 0 ? entries[0] != forest->header.first_tree
			    : entries[2 * i] <= entries[2 * i - 2]))
			return FAIL("tree %" PRId64 " of %" PRId64 " nodes is "
				    "out of order",
			    entries[2 * i], n_nodes);
		forest->trees[i].tree = entries[2 * i];
		forest->trees[i].n_nodes = (int32_t)n_nodes;
		loader->n_nodes += n_nodes;
		if (n_nodes > loader->most_nodes)
			loader->most_nodes = (int32_t)n_nodes;
	}
	return RF_OK;
}

static enum rf_status
check_sizes(const struct loader *loader, struct rf_error *err)
{
	const struct rf_forest *forest = loader->forest;
	const struct rf_pack_section *sections = loader->table.sections;
	int64_t n = loader->n_nodes, n_first = 8 * (n + forest->n_trees);
	bool has_int64 = rf_forest_has_int64(&forest->header);
	bool has_cats = rf_forest_has_categories(&forest->header);
	bool has_stats = sections[RF_PACK_GAIN].type != 0;

	RF_TRY(check_section(loader, RF_PACK_FEATURE, true, 4 * n, err));
	RF_TRY(check_section(loader, RF_PACK_THRESHOLD, true, 8 * n, err));
	RF_TRY(check_section(
	    loader, RF_PACK_THRESHOLD_INT, has_int64, 8 * n, err));
	RF_TRY(check_section(loader, RF_PACK_LEFT, true, 4 * n, err));
	RF_TRY(check_section(loader, RF_PACK_MISSING_LEFT, true, n, err));
	RF_TRY(
	    check_section(loader, RF_PACK_CATS_FIRST, has_cats, n_first, err));
	RF_TRY(check_section(loader, RF_PACK_CATS, has_cats,
	    (int64_t)sections[RF_PACK_CATS].size, err));
	RF_TRY(check_section(loader, RF_PACK_LEAF_FIRST, true, n_first, err));
	RF_TRY(check_section(loader, RF_PACK_LEAF_CLASS, true,
	    (int64_t)(sections[RF_PACK_LEAF_VALUE].size / 2), err));
	RF_TRY(check_section(loader, RF_PACK_LEAF_VALUE, true,
	    (int64_t)(sections[RF_PACK_LEAF_CLASS].size * 2), err));
	RF_TRY(check_section(loader, RF_PACK_GAIN, has_stats, 4 * n, err));
	return check_section(loader, RF_PACK_COVER, has_stats, 8 * n, err);
}

/* Gain and cover of all nodes, unpacked. */
static enum rf_status
load_stats(struct loader *loader, struct rf_error *err)
{
	struct rf_forest *forest = loader->forest;
	int64_t n = loader->n_nodes, at = 0;
	double *cover;
	float *gain;

	if (loader->table.sections[RF_PACK_GAIN].type == 0)
		return RF_OK;
	forest->statistics = rf_alloc((size_t)n, 12);
	if (forest->statistics == NULL)
		return rf_error_memory(err, (size_t)n * 12, "statistics");
	cover = forest->statistics;
	gain = (float *)(void *)(cover + n);
	RF_TRY(rf_pack_table_inflate(
	    &loader->table, RF_PACK_COVER, (uint8_t *)cover, err));
	RF_TRY(rf_pack_table_inflate(
	    &loader->table, RF_PACK_GAIN, (uint8_t *)gain, err));
	for (int64_t i = 0; i < forest->n_trees; i++) {
		forest->trees[i].cover = cover + at;
		forest->trees[i].gain = gain + at;
		at += forest->trees[i].n_nodes;
	}
	return RF_OK;
}

/*
 * How many elements a tree's offsets say that it has of the `left` that are
 * left; tree_check makes sure that the offsets between do not fall.
 */
static enum rf_status
take(const struct rf_forest_tree *tree, const int64_t *firsts, int64_t *at,
    int64_t n_all, struct rf_error *err)
{
	int64_t n = firsts[tree->n_nodes];

	if (n < 0 || n > n_all - *at)
		return FAIL("tree %" PRId64 ": %" PRId64 " leaf entries or "
			    "set bytes of %" PRId64 " left",
		    tree->tree, n, n_all - *at);
	*at += n;
	return RF_OK;
}

static enum rf_status
place_cats(struct loader *loader, struct rf_error *err)
{
	struct rf_forest *forest = loader->forest;
	int64_t *firsts = section_data(loader, RF_PACK_CATS_FIRST);
	uint8_t *cats = section_data(loader, RF_PACK_CATS);
	int64_t n_cats = (int64_t)loader->table.sections[RF_PACK_CATS].size,
		at = 0;

	if (firsts == NULL)
		return RF_OK;
	for (int64_t i = 0; i < forest->n_trees; i++) {
		struct rf_forest_tree *tree = &forest->trees[i];

		tree->cats_first = firsts;
		tree->cats = cats + at;
		firsts += tree->n_nodes + 1;
		RF_TRY(take(tree, tree->cats_first, &at, n_cats, err));
	}
	return at == n_cats ? RF_OK : FAIL("bytes of sets are left over");
}

static enum rf_status
place_leaves(struct loader *loader, struct rf_error *err)
{
	struct rf_forest *forest = loader->forest;
	int64_t *firsts = section_data(loader, RF_PACK_LEAF_FIRST);
	int32_t *classes = section_data(loader, RF_PACK_LEAF_CLASS);
	double *values = section_data(loader, RF_PACK_LEAF_VALUE);
	int64_t n_entries =
	    (int64_t)loader->table.sections[RF_PACK_LEAF_CLASS].size / 4;
	int64_t at = 0;

	for (int64_t i = 0; i < forest->n_trees; i++) {
		struct rf_forest_tree *tree = &forest->trees[i];

		tree->leaf_first = firsts;
		tree->leaf_class = classes + at;
		tree->leaf_value = values + at;
		firsts += tree->n_nodes + 1;
		RF_TRY(take(tree, tree->leaf_first, &at, n_entries, err));
	}
	return at == n_entries ? RF_OK : FAIL("leaf entries are left over");
}

static void
place_nodes(struct loader *loader)
{
	struct rf_forest *forest = loader->forest;
	int32_t *feature = section_data(loader, RF_PACK_FEATURE);
	double *threshold = section_data(loader, RF_PACK_THRESHOLD);
	int64_t *threshold_int = section_data(loader, RF_PACK_THRESHOLD_INT);
	int32_t *left = section_data(loader, RF_PACK_LEFT);
	uint8_t *missing_left = section_data(loader, RF_PACK_MISSING_LEFT);
	int64_t at = 0;

	for (int64_t i = 0; i < forest->n_trees; i++) {
		struct rf_forest_tree *tree = &forest->trees[i];

		tree->feature = feature + at;
		tree->threshold = threshold + at;
		if (threshold_int != NULL)
			tree->threshold_int = threshold_int + at;
		tree->left = left + at;
		tree->missing_left = missing_left + at;
		at += tree->n_nodes;
	}
}

static enum rf_status
check_trees(const struct loader *loader, struct rf_error *err)
{
	const struct rf_forest *forest = loader->forest;
	size_t n = (size_t)loader->most_nodes *
	    (size_t)(loader->pool == NULL ? 1 : loader->n_threads);
	int32_t *scratch = rf_alloc(n, sizeof(*scratch));
	enum rf_status status = RF_OK;

	if (scratch == NULL)
		return rf_error_memory(err, n * 4, "a tree");
	if (loader->pool != NULL &&
	    rf_trees_are_good(
		forest, loader->most_nodes, scratch, loader->pool))
		goto out;
	for (int64_t i = 0; i < forest->n_trees && status == RF_OK; i++)
		status = rf_tree_check(
		    &forest->header, &forest->trees[i], scratch, err);
out:
	free(scratch);
	return status;
}

static enum rf_status
check_fingerprint(const struct rf_forest *forest, struct rf_error *err)
{
	char made[33];

	RF_TRY(rf_fingerprint_of(forest, made, err));
	if (strcmp(made, forest->fingerprint) != 0)
		return FAIL("the trees have fingerprint %s, the header says "
			    "%s",
		    made, forest->fingerprint);
	return RF_OK;
}

static enum rf_status
verify(const struct loader *loader, struct rf_error *err)
{
	if (loader->pool != NULL &&
	    rf_pack_verify_all(&loader->table, loader->pool))
		return RF_OK;
	for (uint32_t i = 0; i < loader->table.n_sections; i++)
		RF_TRY(rf_pack_table_verify(&loader->table, i, err));
	return RF_OK;
}

static enum rf_status
load(struct loader *loader, size_t size, bool want_stats, struct rf_error *err)
{
	struct rf_forest *forest = loader->forest;

	RF_TRY(rf_pack_table_read(
	    &loader->table, forest->buffer, size, size, err));
	RF_TRY(verify(loader, err));
	RF_TRY(rf_pack_table_header(
	    &loader->table, &forest->header, forest->fingerprint, err));
	RF_TRY(load_tree_table(loader, err));
	RF_TRY(check_sizes(loader, err));
	place_nodes(loader);
	RF_TRY(place_leaves(loader, err));
	RF_TRY(place_cats(loader, err));
	if (want_stats)
		RF_TRY(load_stats(loader, err));
	RF_TRY(check_trees(loader, err));
	return want_stats ? check_fingerprint(forest, err) : RF_OK;
}

enum rf_status
rf_pack_load(void *memory, size_t size_bytes, const char *name, bool want_stats,
    struct rf_pool *pool, int n_threads, struct rf_forest *out,
    struct rf_error *err)
{
	struct loader loader = {
	    .forest = out, .pool = pool, .n_threads = n_threads};
	enum rf_status status;

	memset(out, 0, sizeof(*out));
	out->buffer = memory;
	status = load(&loader, size_bytes, want_stats, err);
	if (status == RF_OK)
		return RF_OK;
	rf_forest_release(out);
	return rf_error_prefix(err, status, name);
}

enum rf_status
rf_model_load_memory(void *memory, size_t size_bytes, const char *name,
    bool want_stats, struct rf_forest *out, struct rf_error *err)
{
	return rf_pack_load(
	    memory, size_bytes, name, want_stats, NULL, 1, out, err);
}
