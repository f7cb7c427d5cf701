#include "predict/walk_forest.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "base/pool.h"
#include "predict/walk_build.h"

/* Nodes that are worth a thread. */
#define PART_NODES 50000

/* Cuts the trees into parts of about equal numbers of nodes. */
static void
cut_parts(const struct rf_walk_build *build)
{
	const int64_t *first = build->out->tree_first;
	int64_t tree = 0, n_nodes = first[build->n_trees];

	for (int p = 0; p < build->n_parts; p++) {
		build->parts[p].first = tree;
		while (tree < build->n_trees &&
		    (p == build->n_parts - 1 ||
			first[tree] < n_nodes / build->n_parts * (p + 1)))
			tree++;
		build->parts[p].end = tree;
	}
}

/* A thread has to have something to do. */
static void
choose_parts(struct rf_walk_build *build)
{
	int64_t n_nodes = build->out->tree_first[build->n_trees];

	if (build->n_parts > n_nodes / PART_NODES + 1)
		build->n_parts = (int)(n_nodes / PART_NODES + 1);
}

static enum rf_status
make_parts(struct rf_walk_build *build, struct rf_error *err)
{
	size_t n_features = (size_t)build->header->n_features;
	size_t n_classes = (size_t)build->header->n_classes + 1;

	build->parts =
	    rf_alloc_zero((size_t)build->n_parts, sizeof(*build->parts));
	for (int p = 0; build->parts != NULL && p < build->n_parts; p++) {
		struct rf_walk_part *part = &build->parts[p];

		part->sets = rf_alloc_zero(n_features, sizeof(*part->sets));
		part->is_used = rf_alloc_zero(n_features, sizeof(bool));
		part->remainders = rf_alloc(n_classes, sizeof(double));
		part->shares = rf_alloc(n_classes, sizeof(int64_t));
		if (part->sets == NULL || part->is_used == NULL ||
		    part->remainders == NULL || part->shares == NULL)
			return rf_error_memory(err,
			    n_features * sizeof(*part->sets), "thresholds");
	}
	if (build->parts == NULL)
		return rf_error_memory(
		    err, sizeof(struct rf_walk_part), "threads");
	cut_parts(build);
	return RF_OK;
}

static void
free_parts(struct rf_walk_build *build)
{
	for (int p = 0; build->parts != NULL && p < build->n_parts; p++) {
		struct rf_walk_part *part = &build->parts[p];

		for (int32_t f = 0;
		     part->sets != NULL && f < build->header->n_features; f++)
			rf_key_set_release(&part->sets[f]);
		free(part->sets);
		free(part->is_used);
		free(part->remainders);
		free(part->shares);
	}
	free(build->parts);
}

static void
put_part(void *context, int64_t item, int thread)
{
	const struct rf_walk_build *build = context;
	struct rf_walk_part *part = &build->parts[item];

	(void)thread;
	for (int64_t t = part->first; t < part->end; t++)
		rf_walk_put_tree(build, part, t);
}

static void
rank_part(void *context, int64_t item, int thread)
{
	const struct rf_walk_build *build = context;

	(void)thread;
	rf_walk_rank_trees(build, &build->parts[item]);
}

static void
mark_used(const struct rf_walk_build *build)
{
	for (int p = 0; p < build->n_parts; p++)
		for (int32_t f = 0; f < build->header->n_features; f++)
			if (build->parts[p].is_used[f])
				build->out->features[f].is_used = true;
}

static enum rf_status
fill(struct rf_walk_build *build, struct rf_pool *pool, struct rf_error *err)
{
	bool is_out_of_memory = false;

	rf_pool_run(pool, build->n_parts, put_part, build);
	for (int p = 0; p < build->n_parts; p++)
		is_out_of_memory |= build->parts[p].is_out_of_memory;
	if (is_out_of_memory)
		return rf_error_memory(err, 0, "thresholds");
	for (int32_t f = 0; f < build->header->n_features; f++)
		RF_TRY(rf_walk_merge_feature(build, f, err));
	rf_pool_run(pool, build->n_parts, rank_part, build);
	mark_used(build);
	return RF_OK;
}

static enum rf_status
allocate(struct rf_walk_build *build, struct rf_error *err)
{
	struct rf_walk_forest *out = build->out;
	int64_t n_nodes = out->tree_first[build->n_trees];
	int64_t n_leaves = build->leaves[build->n_trees];
	int64_t n_votes = build->votes[build->n_trees];
	int64_t n_words = build->words[build->n_trees];

	if (n_leaves > INT32_MAX || n_words > INT32_MAX)
		return rf_error_set(err, RF_EDATA,
		    "the forest is too large to be walked at once: more than "
		    "2^31 leaves or words of categories; --trees takes a part");
	out->nodes = rf_alloc_large((size_t)n_nodes * sizeof(*out->nodes));
	out->cats = rf_alloc((size_t)n_words, sizeof(*out->cats));
	if (out->nodes == NULL || out->cats == NULL)
		return rf_error_memory(
		    err, (size_t)n_nodes * sizeof(*out->nodes), "nodes");
	if (build->vote == RF_VOTE_LEAF)
		return RF_OK;
	out->leaf_first =
	    rf_alloc_large(((size_t)n_leaves + 1) * sizeof(*out->leaf_first));
	/* Regression has output 0 alone: pages that nobody touches. */
	out->leaf_output = build->vote == RF_VOTE_VALUE
	    ? rf_alloc_zero((size_t)n_votes, sizeof(int32_t))
	    : rf_alloc((size_t)n_votes, sizeof(int32_t));
	out->leaf_amount = rf_alloc_large((size_t)n_votes * sizeof(int64_t));
	if (out->leaf_first == NULL || out->leaf_output == NULL ||
	    out->leaf_amount == NULL)
		return rf_error_memory(err, 12 * (size_t)n_votes, "leaves");
	out->leaf_first[n_leaves] = n_votes;
	return RF_OK;
}

static enum rf_status
build_nodes(struct rf_walk_build *build, struct rf_error *err)
{
	size_t n = (size_t)build->n_trees + 1;
	int64_t *offsets = rf_alloc_zero(3 * n, sizeof(*offsets));
	struct rf_pool *pool = NULL;
	enum rf_status status;

	if (offsets == NULL)
		return rf_error_memory(err, 24 * n, "trees");
	build->leaves = offsets;
	build->votes = offsets + n;
	build->words = offsets + 2 * n;
	rf_walk_count(build);
	choose_parts(build);
	status = allocate(build, err);
	if (status == RF_OK)
		status = make_parts(build, err);
	if (status == RF_OK)
		status = rf_pool_open(&pool, build->n_parts, err);
	if (status == RF_OK)
		status = fill(build, pool, err);
	rf_pool_close(pool);
	build->out->model.n_leaves = build->leaves[n - 1];
	build->out->model.n_cats_words = build->words[n - 1];
	free_parts(build);
	free(offsets);
	return status;
}

/* Features by the header; which are used, the parts say. */
static void
fill_features(struct rf_walk_forest *out, const struct rf_forest_header *header)
{
	for (int32_t f = 0; f < header->n_features; f++) {
		out->features[f].is_categorical =
		    header->features[f].kind == RF_FEATURE_CATEGORICAL;
		out->features[f].precision = header->features[f].precision;
		if (out->features[f].is_categorical)
			out->features[f].n_levels =
			    header->features[f].n_levels;
	}
}

static void
fill_model(struct rf_walk_forest *out, const struct rf_walk_build *build,
    bool for_sums)
{
	struct rf_walk_model *model = &out->model;

	model->features = out->features;
	model->n_trees = build->n_trees;
	model->tree_first = out->tree_first;
	model->nodes = out->nodes;
	model->cats = out->cats;
	model->vote = for_sums ? RF_VOTE_LEAF : build->vote;
	model->n_outputs = model->vote == RF_VOTE_LEAF ? (int32_t)build->n_trees
	    : build->vote == RF_VOTE_VALUE	       ? 1
					   : build->header->n_classes;
	model->leaf_first = out->leaf_first;
	model->leaf_output = out->leaf_output;
	model->leaf_amount = out->leaf_amount;
}

enum rf_status
rf_walk_forest_init(struct rf_walk_forest *out, const struct rf_forest *forest,
    int64_t first, int64_t end, enum rf_vote vote, bool for_sums, int n_threads,
    struct rf_error *err)
{
	struct rf_walk_build build = {
	    .out = out,
	    .header = &forest->header,
	    .trees = forest->trees + first,
	    .n_trees = end - first,
	    .vote = vote,
	    .n_parts = n_threads > 0 ? n_threads : omp_get_num_procs(),
	};

	memset(out, 0, sizeof(*out));
	out->model.n_features = forest->header.n_features;
	if (build.n_trees > RF_TREES_MAX)
		return rf_error_set(err, RF_EDATA,
		    "%lld trees: tallies hold at most 2^22; --trees takes "
		    "a part",
		    (long long)build.n_trees);
	if (build.n_parts > build.n_trees)
		build.n_parts = build.n_trees > 0 ? (int)build.n_trees : 1;
	out->features = rf_alloc_zero(
	    (size_t)forest->header.n_features, sizeof(*out->features));
	out->tree_first =
	    rf_alloc_zero((size_t)build.n_trees + 1, sizeof(*out->tree_first));
	if (out->features == NULL || out->tree_first == NULL)
		return rf_error_memory(err,
		    (size_t)build.n_trees * sizeof(*out->tree_first), "trees");
	fill_features(out, &forest->header);
	RF_TRY(build_nodes(&build, err));
	fill_model(out, &build, for_sums);
	return RF_OK;
}

void
rf_walk_forest_release(struct rf_walk_forest *walk)
{
	for (int32_t f = 0;
	     walk->features != NULL && f < walk->model.n_features; f++)
		free((void *)(uintptr_t)walk->features[f].thresholds);
	free(walk->features);
	free(walk->tree_first);
	rf_free_aligned(walk->nodes);
	free(walk->cats);
	rf_free_aligned(walk->leaf_first);
	free(walk->leaf_output);
	rf_free_aligned(walk->leaf_amount);
	memset(walk, 0, sizeof(*walk));
}
