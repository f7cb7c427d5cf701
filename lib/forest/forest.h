/*
 * A forest in memory: what a forest stream and a packed file both say.
 *
 * The model's header (features, vocabularies, classes, parameters) and its
 * trees, each an array of nodes in canonical numbering.  A struct rf_forest
 * owns all that it points to.  rf-forest(5), rf-stream(5) 3.2.
 */
#ifndef RF_FOREST_FOREST_H
#define RF_FOREST_FOREST_H

#include <stdbool.h>
#include <stdint.h>

#include "arith/arith.h"
#include "stream/convert.h"

enum rf_task { RF_TASK_CLASSIFICATION, RF_TASK_REGRESSION };

/* How labels came: prediction gives them back so. */
enum rf_label_type {
	RF_LABEL_TEXT,
	RF_LABEL_INT,
	RF_LABEL_BOOL,
	RF_LABEL_FLOAT
};

struct rf_forest_feature {
	char *name;
	enum rf_feature_kind kind;
	bool is_ordinal; /* numeric codes of the sorted texts in levels */
	enum rf_precision precision;
	/* Timestamps and dates: Arrow's name of the type and unit, such as
	 * "timestamp[us]" or "date32"; else NULL. */
	char *origin;
	/* Categorical and ordinal: texts by code, sorted by bytes. */
	char **levels;
	int32_t n_levels;
};

struct rf_forest_header {
	enum rf_task task;
	struct rf_forest_feature *features;
	int32_t n_features;
	char *label; /* name of the label column */
	enum rf_label_type label_type;
	char **classes; /* texts by class; NULL for regression */
	int32_t n_classes;
	int unit_exponent; /* regression tallies are in 2^unit_exponent */
	int64_t first_tree, n_trees; /* held here: first_tree .. */
	int64_t total_trees;	     /* planned whole; 0: unknown */
	int64_t n_rows;		     /* training rows kept */
	/*
	 * Further schema metadata, in order: rf.criterion, rf.gain,
	 * rf.max_features, rf.seed, rf.sampling, rf.leaf, rf.aggregate,
	 * rf.data.hash, rf.params.hash, rf.na ..
	 */
	struct rf_metadata metadata;
};

/*
 * Nodes of a tree, all arrays of n_nodes but the last five.  Values that do
 * not apply to a node (a leaf's threshold, left ..) are arbitrary when trees
 * are written, 0 when they were read.
 */
struct rf_forest_tree {
	int64_t tree;
	int32_t n_nodes;
	int32_t *feature;	/* -1: leaf */
	double *threshold;	/* float features: x <= threshold goes left;
				 +inf: every present value does */
	int64_t *threshold_int; /* int64 features; present values all left:
				   INT64_MAX */
	int32_t *left;
	uint8_t *missing_left;
	float *gain;   /* NULL: no statistics */
	double *cover; /* NULL: no statistics */
	/* Set of an inner categorical node: cats[cats_first[i] ..
	 * cats_first[i + 1] - 1], a bit a level, bit set = left. */
	int64_t *cats_first; /* n_nodes + 1; NULL: no categorical node */
	uint8_t *cats;
	/* Leaf entries of node i: leaf_first[i] .. leaf_first[i + 1] - 1. */
	int64_t *leaf_first; /* n_nodes + 1 */
	int32_t *leaf_class; /* ascending in a leaf; regression: 0 */
	double *leaf_value;  /* weighted counts; regression: the mean */
};

struct rf_forest {
	struct rf_forest_header header;
	struct rf_forest_tree *trees;
	int64_t n_trees;
	/*
	 * Of a loaded model, the memory that the trees' arrays lie in: then
	 * these are not freed one by one.  NULL where each array is its own.
	 */
	void *buffer, *statistics;
	/* XXH3-128 over the trees' hashes and the schema hash, in hex */
	char fingerprint[33];
};

/* Frees the arrays of a tree that owns each of them. */
void rf_forest_tree_release(struct rf_forest_tree *tree);
void rf_forest_header_release(struct rf_forest_header *header);
void rf_forest_release(struct rf_forest *forest);

/* Trees of the planned whole: as the header says, else up to the last one. */
int64_t rf_forest_total(const struct rf_forest *forest);

/* Whether trees have threshold_int, and sets of categories. */
bool rf_forest_has_int64(const struct rf_forest_header *header);
bool rf_forest_has_categories(const struct rf_forest_header *header);

#endif
