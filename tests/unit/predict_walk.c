/*
 * Random forests, walked by the library and, row by row and by values instead
 * of ranks, by the plain walker below.
 */
#include "predict/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "arith/rng.h"
#include "unit.h"

#define N_ROWS 1111

struct made {
	struct rf_walk_model model;
	struct rf_walk_feature *features;
	int64_t *tree_first;
	struct rf_walk_node *nodes;
	uint64_t *cats;
	int64_t *leaf_first;
	int32_t *leaf_output;
	int64_t *leaf_amount;
	struct rf_walk_column *columns;
};

struct wish {
	int32_t n_features, n_thresholds, n_levels; /* n_levels 0: numeric */
	int64_t n_trees;
	int32_t n_inner; /* of a tree */
	int32_t n_outputs;
	enum rf_vote vote;
	bool is_chain; /* as deep as can be */
};

static uint64_t state;

static int64_t
draw(int64_t n)
{
	return (int64_t)rf_below(rf_mix(7, state++), (uint64_t)n);
}

static void *
make(int64_t n, size_t size)
{
	void *memory = calloc((size_t)n + 1, size);

	if (memory == NULL)
		abort();
	return memory;
}

static void
make_thresholds(struct rf_walk_feature *feature, int32_t n)
{
	double *t = make(n, sizeof(*t));
	int64_t *whole = make(n, sizeof(*whole));

	for (int32_t i = 0; i < n; i++) {
		t[i] = i + 0.5;
		whole[i] = i;
	}
	feature->n_thresholds = n;
	if (feature->precision == RF_PRECISION_INT64) {
		feature->thresholds = whole;
		free(t);
	} else {
		feature->thresholds = t;
		free(whole);
	}
}

static void
make_features(struct made *made, const struct wish *wish)
{
	made->features = make(wish->n_features, sizeof(*made->features));
	for (int32_t f = 0; f < wish->n_features; f++) {
		struct rf_walk_feature *feature = &made->features[f];

		feature->is_used = true;
		feature->is_categorical = wish->n_levels > 0 && f % 3 == 1;
		feature->precision = (enum rf_precision)(f % 3);
		if (feature->is_categorical)
			feature->n_levels = wish->n_levels;
		else
			make_thresholds(
			    feature, f == 0 ? wish->n_thresholds : 1 + f);
	}
}

/* Inner nodes get children one by one, at random leaves or at the last. */
static void
make_tree(struct made *made, const struct wish *wish, int64_t tree,
    int32_t *n_leaves, int64_t *n_words)
{
	struct rf_walk_node *nodes = made->nodes + made->tree_first[tree];
	int32_t n = 1;

	nodes[0].feature = -1;
	for (int32_t k = 0; k < wish->n_inner; k++) {
		int32_t at = n - 1, f = (int32_t)draw(wish->n_features);
		const struct rf_walk_feature *feature = &made->features[f];

		while (!wish->is_chain &&
		    nodes[at = (int32_t)draw(n)].feature >= 0)
			;
		nodes[at].feature = f;
		nodes[at].left = n;
		nodes[at].missing_left = draw(2) == 0;
		nodes[at].rank = feature->is_categorical
		    ? (int32_t)*n_words
		    : (int32_t)draw(feature->n_thresholds + 1);
		for (int32_t w = 0; w < (feature->n_levels + 63) / 64; w++)
			made->cats[(*n_words)++] = rf_mix(9, state++);
		nodes[n].feature = nodes[n + 1].feature = -1;
		n += 2;
	}
	for (int32_t i = 0; i < n; i++)
		if (nodes[i].feature < 0)
			nodes[i].rank = (*n_leaves)++;
}

static void
make_leaves(struct made *made, const struct wish *wish, int32_t n_leaves)
{
	int64_t n = 0;

	made->leaf_first = make(n_leaves + 1, sizeof(int64_t));
	made->leaf_output =
	    make((int64_t)n_leaves * wish->n_outputs, sizeof(int32_t));
	made->leaf_amount =
	    make((int64_t)n_leaves * wish->n_outputs, sizeof(int64_t));
	for (int32_t leaf = 0; leaf < n_leaves; leaf++) {
		bool is_pure = draw(2) == 0 || wish->vote != RF_VOTE_SOFT;
		int32_t one = (int32_t)draw(wish->n_outputs);

		for (int32_t k = 0; k < wish->n_outputs; k++) {
			if (is_pure ? k != one : draw(2) == 0)
				continue;
			made->leaf_output[n] = k;
			made->leaf_amount[n++] = wish->vote == RF_VOTE_HARD ? 1
			    : is_pure && wish->vote == RF_VOTE_SOFT
			    ? RF_SHARE_ONE
			    : draw(1000) - 500;
		}
		made->leaf_first[leaf + 1] = n;
	}
}

static void
make_forest(struct made *made, const struct wish *wish)
{
	int32_t n_leaves = 0, words = (wish->n_levels + 63) / 64;
	int64_t n_nodes = 2 * wish->n_inner + 1, n_words = 0;

	memset(made, 0, sizeof(*made));
	make_features(made, wish);
	made->tree_first = make(wish->n_trees + 1, sizeof(int64_t));
	made->nodes = make(n_nodes * wish->n_trees, sizeof(*made->nodes));
	made->cats =
	    make(wish->n_trees * wish->n_inner * words, sizeof(uint64_t));
	for (int64_t t = 0; t < wish->n_trees; t++) {
		made->tree_first[t + 1] = (t + 1) * n_nodes;
		make_tree(made, wish, t, &n_leaves, &n_words);
	}
	make_leaves(made, wish, n_leaves);
	made->model = (struct rf_walk_model){
	    .n_features = wish->n_features,
	    .features = made->features,
	    .n_trees = wish->n_trees,
	    .tree_first = made->tree_first,
	    .nodes = made->nodes,
	    .cats = made->cats,
	    .n_cats_words = n_words,
	    .vote = wish->vote,
	    .n_outputs = wish->vote == RF_VOTE_LEAF ? (int32_t)wish->n_trees
						    : wish->n_outputs,
	    .n_leaves = n_leaves,
	    .leaf_first = made->leaf_first,
	    .leaf_output = made->leaf_output,
	    .leaf_amount = made->leaf_amount,
	};
}

static void
make_column(
    struct rf_walk_column *column, const struct rf_walk_feature *feature)
{
	double *x = make(N_ROWS, sizeof(*x));
	float *narrow = make(N_ROWS, sizeof(*narrow));
	int64_t *whole = make(N_ROWS, sizeof(*whole));
	int32_t *codes = make(N_ROWS, sizeof(*codes));
	uint8_t *is_missing = make(N_ROWS, 1);

	for (int row = 0; row < N_ROWS; row++) {
		is_missing[row] = draw(10) == 0;
		whole[row] = draw(feature->n_thresholds + 2) - 1;
		x[row] = is_missing[row] ? (double)NAN : (double)whole[row] / 2;
		narrow[row] = (float)x[row];
		codes[row] =
		    is_missing[row] ? -1 : (int32_t)draw(feature->n_levels + 1);
	}
	column->values = feature->is_categorical	 ? (void *)codes
	    : feature->precision == RF_PRECISION_FLOAT64 ? (void *)x
	    : feature->precision == RF_PRECISION_FLOAT32 ? (void *)narrow
							 : (void *)whole;
	column->is_missing = is_missing;
	if (column->values != x)
		free(x);
	if (column->values != narrow)
		free(narrow);
	if (column->values != whole)
		free(whole);
	if (column->values != codes)
		free(codes);
}

static bool
goes_left(const struct made *made, const struct rf_walk_node *node, int row)
{
	const struct rf_walk_feature *feature = &made->features[node->feature];
	const struct rf_walk_column *column = &made->columns[node->feature];
	int32_t code;
	double x;

	if (feature->is_categorical) {
		code = ((const int32_t *)column->values)[row];
		if (code < 0 || code >= feature->n_levels)
			return node->missing_left;
		return made->cats[node->rank + code / 64] >> code % 64 & 1;
	}
	if (column->is_missing[row])
		return node->missing_left;
	if (node->rank == feature->n_thresholds)
		return true;
	if (feature->precision == RF_PRECISION_INT64)
		return ((const int64_t *)column->values)[row] <=
		    ((const int64_t *)feature->thresholds)[node->rank];
	x = feature->precision == RF_PRECISION_FLOAT64
	    ? ((const double *)column->values)[row]
	    : (double)((const float *)column->values)[row];
	return x <= ((const double *)feature->thresholds)[node->rank];
}

static void
walk_plainly(const struct made *made, int row, int64_t *tally, int32_t *leaves)
{
	const struct rf_walk_model *model = &made->model;

	for (int64_t t = 0; t < model->n_trees; t++) {
		const struct rf_walk_node *nodes =
		    made->nodes + made->tree_first[t];
		int32_t at = 0;

		while (nodes[at].feature >= 0)
			at = nodes[at].left + !goes_left(made, &nodes[at], row);
		leaves[t] = at;
		for (int64_t i = made->leaf_first[nodes[at].rank];
		     i < made->leaf_first[nodes[at].rank + 1]; i++)
			tally[made->leaf_output[i]] += made->leaf_amount[i];
	}
}

static int64_t
count_wrong(const struct made *made, int n_threads, int64_t n_rows)
{
	const struct rf_walk_model *model = &made->model;
	int64_t n_outputs = model->n_outputs, n_wrong = 0;
	int64_t *tallies = make(n_rows * n_outputs, sizeof(*tallies));
	int32_t *leaves = make(n_rows * n_outputs, sizeof(*leaves));
	int64_t *tally = make(n_outputs + 1, sizeof(*tally));
	int32_t *ends = make(model->n_trees, sizeof(*ends));
	struct rf_walk_batch batch = {n_rows, made->columns, tallies, leaves};
	struct rf_walk_cpu *walker = NULL;
	bool wants_leaves = model->vote == RF_VOTE_LEAF;

	memset(tallies, 77, (size_t)(n_rows * n_outputs) * sizeof(*tallies));
	if (rf_walk_cpu_load(model, n_threads, &walker, NULL) != RF_OK ||
	    rf_walk_cpu_run(walker, &batch, NULL) != RF_OK)
		return -1;
	for (int row = 0; row < n_rows; row++) {
		memset(tally, 0, (size_t)n_outputs * sizeof(*tally));
		walk_plainly(made, row, tally, ends);
		for (int64_t k = 0; k < n_outputs; k++)
			n_wrong += wants_leaves
			    ? leaves[row * n_outputs + k] != ends[k]
			    : tallies[row * n_outputs + k] != tally[k];
	}
	rf_walk_cpu_free(walker);
	free(tallies);
	free(leaves);
	free(tally);
	free(ends);
	return n_wrong;
}

static void
try_forest(const struct wish *wish, const char *name)
{
	struct made made;

	make_forest(&made, wish);
	made.columns = make(wish->n_features, sizeof(*made.columns));
	for (int32_t f = 0; f < wish->n_features; f++)
		make_column(&made.columns[f], &made.features[f]);
	check_int(count_wrong(&made, 1, N_ROWS) +
		count_wrong(&made, 3, N_ROWS) + count_wrong(&made, 2, 1) +
		count_wrong(&made, 2, 64),
	    0, name);
	for (int32_t f = 0; f < wish->n_features; f++) {
		free((void *)(uintptr_t)made.features[f].thresholds);
		free((void *)(uintptr_t)made.columns[f].values);
		free((void *)(uintptr_t)made.columns[f].is_missing);
	}
	free(made.columns);
	free(made.features);
	free(made.tree_first);
	free(made.nodes);
	free(made.cats);
	free(made.leaf_first);
	free(made.leaf_output);
	free(made.leaf_amount);
}

int
main(void)
{
	static const struct {
		struct wish wish;
		const char *name;
	} cases[] = {
	    {{5, 20, 0, 9, 40, 3, RF_VOTE_SOFT, false}, "soft votes"},
	    {{5, 20, 0, 9, 40, 3, RF_VOTE_HARD, false}, "hard votes"},
	    {{5, 20, 0, 9, 40, 1, RF_VOTE_VALUE, false}, "regression"},
	    {{5, 20, 0, 9, 40, 1, RF_VOTE_LEAF, false}, "leaves"},
	    {{5, 20, 0, 9, 0, 3, RF_VOTE_SOFT, false}, "stumps"},
	    {{5, 20, 0, 3, 2000, 3, RF_VOTE_HARD, true}, "2000 levels"},
	    {{5, 254, 0, 3, 900, 2, RF_VOTE_HARD, false}, "254 thresholds"},
	    {{5, 255, 0, 3, 900, 2, RF_VOTE_HARD, false}, "255 thresholds"},
	    {{5, 65534, 0, 3, 900, 2, RF_VOTE_HARD, false}, "16-bit codes"},
	    {{5, 65535, 0, 3, 900, 2, RF_VOTE_HARD, false}, "32-bit codes"},
	    {{5, 65535, 0, 1, 70000, 2, RF_VOTE_HARD, false},
		"32-bit codes, 8-byte nodes"},
	    {{300, 300, 0, 3, 9000, 2, RF_VOTE_HARD, false},
		"16-bit codes, 300 features"},
	    {{300, 20, 0, 3, 9000, 2, RF_VOTE_HARD, false},
		"8-bit codes of 300 features"},
	    {{9, 20, 3, 9, 100, 3, RF_VOTE_SOFT, false}, "3 categories"},
	    {{9, 20, 64, 9, 100, 3, RF_VOTE_SOFT, false}, "64 categories"},
	    {{9, 20, 255, 9, 900, 3, RF_VOTE_LEAF, false}, "255 categories"},
	    {{9, 20, 256, 9, 900, 3, RF_VOTE_SOFT, false}, "256 categories"},
	    {{9, 70000, 300, 2, 9000, 3, RF_VOTE_SOFT, false},
		"categories beside 32-bit codes"},
	    {{300, 300, 70, 2, 9000, 3, RF_VOTE_SOFT, false},
		"categories beside 16-bit codes"},
	    {{300, 20, 70, 2, 50000, 3, RF_VOTE_HARD, false},
		"categories, 8-byte nodes"},
	    {{5, 20, 0, 3, 40, 7000, RF_VOTE_HARD, false}, "7000 classes"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		try_forest(&cases[i].wish, cases[i].name);
	return unit_end();
}
