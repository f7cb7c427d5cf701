/*
 * How walk_forest.c makes a model ready: the trees in parts, a thread each.
 *
 * Parts put their nodes down and gather thresholds; then the thresholds of each
 * feature are merged, and the nodes get their ranks.
 */
#ifndef RF_PREDICT_WALK_BUILD_H
#define RF_PREDICT_WALK_BUILD_H

#include "predict/key_set.h"
#include "predict/walk_forest.h"

/* The trees of one thread. */
struct rf_walk_part {
	int64_t first, end;
	struct rf_key_set *sets; /* thresholds of each feature */
	bool *is_used;		 /* of each feature */
	/* scratch for the classes of a leaf */
	double *remainders;
	int64_t *shares;
	bool is_out_of_memory;
};

struct rf_walk_build {
	struct rf_walk_forest *out;
	const struct rf_forest_header *header;
	const struct rf_forest_tree *trees;
	int64_t n_trees;
	enum rf_vote vote;
	struct rf_walk_part *parts;
	int n_parts;
	/* n_trees + 1 offsets: leaves, votes, words of sets before a tree */
	int64_t *leaves, *votes, *words;
};

/* The entry of a leaf with the largest weight, the first of several. */
int64_t rf_leaf_heaviest(const struct rf_forest_tree *tree, int32_t node);

/* Leaves, votes and words of sets before each tree. */
void rf_walk_count(struct rf_walk_build *build);
/* A tree's nodes and leaves; its thresholds go to the part's sets. */
void rf_walk_put_tree(
    const struct rf_walk_build *build, struct rf_walk_part *part, int64_t t);
/* Ranks in place of the numbers that thresholds have in the part. */
void rf_walk_rank_trees(
    const struct rf_walk_build *build, const struct rf_walk_part *part);
/* The distinct thresholds of a feature over all parts. */
enum rf_status rf_walk_merge_feature(
    const struct rf_walk_build *build, int32_t f, struct rf_error *err);

#endif
