#include "predict/walk_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "train/radix.h"

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
is_categorical(const struct rf_walk_build *build, int32_t feature)
{
	return build->header->features[feature].kind == RF_FEATURE_CATEGORICAL;
}

static int64_t
n_words_of(const struct rf_walk_build *build, const struct rf_forest_tree *tree)
{
	int64_t n = 0;

	for (int32_t i = 0; i < tree->n_nodes; i++)
		if (tree->feature[i] >= 0 &&
		    is_categorical(build, tree->feature[i]))
			n += words_of(
			    &build->header->features[tree->feature[i]]);
	return n;
}

void
rf_walk_count(struct rf_walk_build *build)
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

int64_t
rf_leaf_heaviest(const struct rf_forest_tree *tree, int32_t node)
{
	int64_t best = tree->leaf_first[node];

	for (int64_t i = best + 1; i < tree->leaf_first[node + 1]; i++)
		if (tree->leaf_value[i] > tree->leaf_value[best])
			best = i;
	return best;
}

/* Writes the votes of a leaf, the number-th of the forest. */
static void
put_votes(const struct rf_walk_build *build, const struct rf_walk_part *part,
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
		/* Its output is 0 already. */
		*amount = rf_value_to_units(
		    tree->leaf_value[first], build->header->unit_exponent);
		n = 1;
	} else if (build->vote == RF_VOTE_HARD) {
		*output = tree->leaf_class[rf_leaf_heaviest(tree, node)];
		*amount = 1;
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
add_threshold(struct rf_walk_part *part,
    const struct rf_forest_feature *feature, const struct rf_forest_tree *tree,
    int32_t node)
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
void
rf_walk_put_tree(
    const struct rf_walk_build *build, struct rf_walk_part *part, int64_t t)
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
		part->is_used[f] = true;
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
void
rf_walk_rank_trees(
    const struct rf_walk_build *build, const struct rf_walk_part *part)
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
rank_feature(const struct rf_walk_build *build, int32_t f,
    const struct rf_key_set *all, struct rf_error *err)
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

enum rf_status
rf_walk_merge_feature(
    const struct rf_walk_build *build, int32_t f, struct rf_error *err)
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
