#include "predict/walk_forest.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "predict/key_set.h"
#include "predict/pool.h"
#include "train/radix.h"

/* Nodes that are worth a thread. */
#define PART_NODES 50000

/* The trees of one thread. */
struct part {
	int64_t first, end;
	struct rf_key_set *sets; /* thresholds of each feature */
	/* scratch for the classes of a leaf */
	double *remainders;
	int64_t *shares;
	bool is_out_of_memory;
};

struct build {
	struct rf_walk_forest *out;
	const struct rf_forest_header *header;
	const struct rf_forest_tree *trees;
	int64_t n_trees;
	enum rf_vote vote;
	struct part *parts;
	int n_parts;
	/* n_trees + 1 offsets: leaves, votes, words of sets before a tree */
	int64_t *leaves, *votes, *words;
};

static int64_t
n_leaves_of(const struct rf_forest_tree *tree)
{
	return ((int64_t)tree->n_nodes + 1) / 2;
}

static int64_t
words_of(const struct rf_forest_feature *feature)
{
	return ((int64_t)feature->n_levels + 63) / 64;
}

static bool
is_categorical(const struct build *build, int32_t feature)
{
	return build->header->features[feature].kind == RF_FEATURE_CATEGORICAL;
}

static int64_t
n_words_of(const struct build *build, const struct rf_forest_tree *tree)
{
	int64_t n = 0;

	for (int32_t i = 0; i < tree->n_nodes; i++)
		if (tree->feature[i] >= 0 &&
		    is_categorical(build, tree->feature[i]))
			n += words_of(
			    &build->header->features[tree->feature[i]]);
	return n;
}

static void
count(struct build *build)
{
	bool has_sets = rf_forest_has_categories(build->header);

	for (int64_t t = 0; t < build->n_trees; t++) {
		const struct rf_forest_tree *tree = &build->trees[t];
		int64_t n_leaves = n_leaves_of(tree);

		build->out->tree_first[t + 1] =
		    build->out->tree_first[t] + tree->n_nodes;
		build->leaves[t + 1] = build->leaves[t] + n_leaves;
		build->votes[t + 1] = build->votes[t] +
		    (build->vote == RF_VOTE_SOFT
			    ? tree->leaf_first[tree->n_nodes]
			    : n_leaves);
		build->words[t + 1] =
		    build->words[t] + (has_sets ? n_words_of(build, tree) : 0);
	}
}

/* The bytes of a set as words; those that it lacks are 0: right. */
static void
copy_set(const struct rf_forest_tree *tree, int32_t node, int64_t n_words,
    uint64_t *words)
{
	int64_t first = tree->cats_first[node];
	int64_t n = tree->cats_first[node + 1] - first;

	memset(words, 0, (size_t)n_words * sizeof(*words));
	for (int64_t i = 0; i < n && i < n_words * 8; i++)
		words[i >> 3] |= (uint64_t)tree->cats[first + i] << 8 * (i & 7);
}

static void
put_heaviest(const struct rf_forest_tree *tree, int32_t node, int32_t *output,
    int64_t *amount)
{
	int64_t best = tree->leaf_first[node];

	for (int64_t i = best + 1; i < tree->leaf_first[node + 1]; i++)
		if (tree->leaf_value[i] > tree->leaf_value[best])
			best = i;
	*output = tree->leaf_class[best];
	*amount = 1;
}

/* Writes the votes of a leaf, the number-th of the forest. */
static void
put_votes(const struct build *build, const struct part *part,
    const struct rf_forest_tree *tree, int32_t node, int64_t number,
    int64_t *vote)
{
	struct rf_walk_forest *out = build->out;
	int64_t first = tree->leaf_first[node];
	int32_t n = (int32_t)(tree->leaf_first[node + 1] - first);
	int32_t *output = out->leaf_output + *vote;
	int64_t *amount = out->leaf_amount + *vote;

	out->leaf_first[number] = *vote;
	if (build->vote == RF_VOTE_VALUE) {
		*output = 0;
		*amount = rf_value_to_units(
		    tree->leaf_value[first], build->header->unit_exponent);
		n = 1;
	} else if (build->vote == RF_VOTE_HARD) {
		put_heaviest(tree, node, output, amount);
		n = 1;
	} else if (n == 1) {
		*output = tree->leaf_class[first];
		*amount = RF_SHARE_ONE;
	} else {
		rf_leaf_shares(tree->leaf_value + first, n, part->remainders,
		    part->shares);
		memcpy(output, tree->leaf_class + first,
		    (size_t)n * sizeof(*output));
		memcpy(amount, part->shares, (size_t)n * sizeof(*amount));
	}
	*vote += n;
}

/* The number of the node's threshold in the part's set; -1 where every present
 * value goes left, -2 without memory. */
static int32_t
add_threshold(struct part *part, const struct rf_forest_feature *feature,
    const struct rf_forest_tree *tree, int32_t node)
{
	struct rf_key_set *set = &part->sets[tree->feature[node]];
	bool is_int = feature->precision == RF_PRECISION_INT64;
	int32_t number;

	if (is_int ? tree->threshold_int[node] == INT64_MAX
		   : tree->threshold[node] >= (double)INFINITY)
		return -1;
	number = rf_key_set_add(set,
	    is_int ? rf_key_of_int(tree->threshold_int[node])
		   : rf_key_of_double(tree->threshold[node]));
	return number < 0 ? -2 : number;
}

/* Everything of a tree but that ranks are numbers in the part's sets. */
static void
put_tree(const struct build *build, struct part *part, int64_t t)
{
	const struct rf_forest_tree *tree = &build->trees[t];
	struct rf_walk_node *nodes =
	    build->out->nodes + build->out->tree_first[t];
	int64_t number = build->leaves[t], vote = build->votes[t];
	int64_t word = build->words[t];

	for (int32_t i = 0; i < tree->n_nodes; i++) {
		int32_t f = tree->feature[i];
		struct rf_walk_node *node = &nodes[i];

		*node = (struct rf_walk_node){.feature = f};
		if (f < 0) {
			node->rank = (int32_t)number;
			if (build->vote != RF_VOTE_LEAF)
				put_votes(build, part, tree, i, number, &vote);
			number++;
			continue;
		}
		node->left = tree->left[i];
		node->missing_left = tree->missing_left[i];
		if (is_categorical(build, f)) {
			int64_t n = words_of(&build->header->features[f]);

			node->rank = (int32_t)word;
			copy_set(tree, i, n, build->out->cats + word);
			word += n;
		} else {
			node->rank = add_threshold(
			    part, &build->header->features[f], tree, i);
			part->is_out_of_memory |= node->rank == -2;
		}
	}
}

/* Numbers in the part's sets to ranks. */
static void
rank_trees(const struct build *build, const struct part *part)
{
	const struct rf_walk_forest *out = build->out;

	for (int64_t i = out->tree_first[part->first];
	     i < out->tree_first[part->end]; i++) {
		struct rf_walk_node *node = &out->nodes[i];
		int32_t f = node->feature;

		if (f < 0 || is_categorical(build, f))
			continue;
		node->rank = node->rank < 0
		    ? out->features[f].n_thresholds
		    : (int32_t)part->sets[f].keys[node->rank];
	}
}

static void
store_thresholds(struct rf_walk_feature *feature, const uint64_t *keys,
    int32_t n, void *thresholds)
{
	for (int32_t i = 0; i < n; i++)
		if (feature->precision == RF_PRECISION_INT64)
			((int64_t *)thresholds)[i] = rf_key_to_int(keys[i]);
		else
			((double *)thresholds)[i] = rf_key_to_double(keys[i]);
	feature->n_thresholds = n;
	feature->thresholds = thresholds;
}

/* Sorts the union of a feature's thresholds; the keys of the parts' sets become
 * their ranks in it. */
static enum rf_status
rank_feature(const struct build *build, int32_t f, const struct rf_key_set *all,
    struct rf_error *err)
{
	size_t n = all->n;
	uint64_t *keys = rf_alloc(2 * n, sizeof(*keys)), *sorted;
	uint32_t *ranks = rf_alloc(n, sizeof(*ranks));
	void *thresholds = rf_alloc(n, sizeof(double));
	enum rf_status status = RF_OK;

	build->out->features[f].thresholds = thresholds;
	if (keys == NULL || ranks == NULL || thresholds == NULL) {
		status = rf_error_memory(err, 28 * n, "thresholds");
		goto out;
	}
	memcpy(keys, all->keys, n * sizeof(*keys));
	sorted = rf_sort_keys(keys, keys + n, (int64_t)n);
	store_thresholds(
	    &build->out->features[f], sorted, (int32_t)n, thresholds);
	for (uint32_t i = 0; i < n; i++)
		ranks[rf_key_set_find(all, sorted[i])] = i;
	for (int p = 0; p < build->n_parts; p++) {
		struct rf_key_set *set = &build->parts[p].sets[f];

		for (uint32_t i = 0; i < set->n; i++)
			set->keys[i] =
			    ranks[rf_key_set_find(all, set->keys[i])];
	}
out:
	free(keys);
	free(ranks);
	return status;
}

static enum rf_status
merge_feature(const struct build *build, int32_t f, struct rf_error *err)
{
	struct rf_key_set all = {0};
	enum rf_status status = RF_OK;

	for (int p = 0; p < build->n_parts; p++) {
		const struct rf_key_set *set = &build->parts[p].sets[f];

		for (uint32_t i = 0; i < set->n; i++)
			if (rf_key_set_add(&all, set->keys[i]) < 0) {
				status = rf_error_memory(
				    err, 16 * (size_t)all.n, "thresholds");
				goto out;
			}
	}
	if (all.n > 0)
		status = rank_feature(build, f, &all, err);
out:
	rf_key_set_release(&all);
	return status;
}

/* Cuts the trees into parts of about equal numbers of nodes. */
static void
cut_parts(const struct build *build)
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
choose_parts(struct build *build)
{
	int64_t n_nodes = build->out->tree_first[build->n_trees];

	if (build->n_parts > n_nodes / PART_NODES + 1)
		build->n_parts = (int)(n_nodes / PART_NODES + 1);
}

static enum rf_status
make_parts(struct build *build, struct rf_error *err)
{
	size_t n_features = (size_t)build->header->n_features;
	size_t n_classes = (size_t)build->header->n_classes + 1;

	build->parts =
	    rf_alloc_zero((size_t)build->n_parts, sizeof(*build->parts));
	for (int p = 0; build->parts != NULL && p < build->n_parts; p++) {
		struct part *part = &build->parts[p];

		part->sets = rf_alloc_zero(n_features, sizeof(*part->sets));
		part->remainders = rf_alloc(n_classes, sizeof(double));
		part->shares = rf_alloc(n_classes, sizeof(int64_t));
		if (part->sets == NULL || part->remainders == NULL ||
		    part->shares == NULL)
			return rf_error_memory(err,
			    n_features * sizeof(*part->sets), "thresholds");
	}
	if (build->parts == NULL)
		return rf_error_memory(err, sizeof(struct part), "threads");
	cut_parts(build);
	return RF_OK;
}

static void
free_parts(struct build *build)
{
	for (int p = 0; build->parts != NULL && p < build->n_parts; p++) {
		struct part *part = &build->parts[p];

		for (int32_t f = 0;
		     part->sets != NULL && f < build->header->n_features; f++)
			rf_key_set_release(&part->sets[f]);
		free(part->sets);
		free(part->remainders);
		free(part->shares);
	}
	free(build->parts);
}

static void
put_part(void *context, int64_t item, int thread)
{
	const struct build *build = context;
	struct part *part = &build->parts[item];

	(void)thread;
	for (int64_t t = part->first; t < part->end; t++)
		put_tree(build, part, t);
}

static void
rank_part(void *context, int64_t item, int thread)
{
	const struct build *build = context;

	(void)thread;
	rank_trees(build, &build->parts[item]);
}

static enum rf_status
fill(struct build *build, struct rf_pool *pool, struct rf_error *err)
{
	bool is_out_of_memory = false;

	rf_pool_run(pool, build->n_parts, put_part, build);
	for (int p = 0; p < build->n_parts; p++)
		is_out_of_memory |= build->parts[p].is_out_of_memory;
	if (is_out_of_memory)
		return rf_error_memory(err, 0, "thresholds");
	for (int32_t f = 0; f < build->header->n_features; f++)
		RF_TRY(merge_feature(build, f, err));
	rf_pool_run(pool, build->n_parts, rank_part, build);
	return RF_OK;
}

static enum rf_status
allocate(struct build *build, struct rf_error *err)
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
	out->nodes = rf_alloc((size_t)n_nodes, sizeof(*out->nodes));
	out->cats = rf_alloc((size_t)n_words, sizeof(*out->cats));
	if (out->nodes == NULL || out->cats == NULL)
		return rf_error_memory(
		    err, (size_t)n_nodes * sizeof(*out->nodes), "nodes");
	if (build->vote == RF_VOTE_LEAF)
		return RF_OK;
	out->leaf_first =
	    rf_alloc((size_t)n_leaves + 1, sizeof(*out->leaf_first));
	out->leaf_output = rf_alloc((size_t)n_votes, sizeof(int32_t));
	out->leaf_amount = rf_alloc((size_t)n_votes, sizeof(int64_t));
	if (out->leaf_first == NULL || out->leaf_output == NULL ||
	    out->leaf_amount == NULL)
		return rf_error_memory(err, 12 * (size_t)n_votes, "leaves");
	out->leaf_first[n_leaves] = n_votes;
	return RF_OK;
}

static enum rf_status
build_nodes(struct build *build, struct rf_error *err)
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
	count(build);
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

/* Features by the header; which are used, the nodes say. */
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
mark_used(struct rf_walk_forest *out, int64_t n_trees)
{
	for (int64_t i = 0; i < out->tree_first[n_trees]; i++)
		if (out->nodes[i].feature >= 0)
			out->features[out->nodes[i].feature].is_used = true;
}

static void
fill_model(struct rf_walk_forest *out, const struct build *build, bool for_sums)
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
	struct build build = {
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
	mark_used(out, build.n_trees);
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
	free(walk->nodes);
	free(walk->cats);
	free(walk->leaf_first);
	free(walk->leaf_output);
	free(walk->leaf_amount);
	memset(walk, 0, sizeof(*walk));
}
