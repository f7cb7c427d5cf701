/*
 * Grown trees against brute force, node by node, on random problems.
 */
#include "train/grow.h"

#include "train/bootstrap.h"
#include "train/clear.h"
#include "train/fast.h"

#include "grow_problem.h"
#include "grow_reference.h"
#include "unit.h"

/* Trees as one run of bytes, to compare runs of growing. */
struct kept {
	char *bytes;
	size_t size, room;
};

static void
keep(struct kept *kept, const void *bytes, size_t size)
{
	if (kept->size + size > kept->room) {
		kept->room = 2 * (kept->size + size);
		kept->bytes = realloc(kept->bytes, kept->room);
	}
	if (size > 0)
		memcpy(kept->bytes + kept->size, bytes, size);
	kept->size += size;
}

static enum rf_status
keep_tree(void *context, const struct rf_grown *tree, struct rf_error *err)
{
	struct kept *kept = context;

	(void)err;
	keep(kept, &tree->tree, sizeof(tree->tree));
	keep(kept, tree->nodes, (size_t)tree->n_nodes * sizeof(*tree->nodes));
	keep(kept, tree->leaf_class,
	    (size_t)tree->n_leaf_entries * sizeof(*tree->leaf_class));
	keep(kept, tree->leaf_weight,
	    (size_t)tree->n_leaf_entries * sizeof(*tree->leaf_weight));
	keep(kept, tree->cats, (size_t)tree->n_words * sizeof(*tree->cats));
	return RF_OK;
}

static bool
leaf_is_right(const struct reference *ref, const struct rf_grown *tree,
    int64_t i, int64_t *entry)
{
	size_t n_classes = (size_t)ref->problem->n_classes;

	if (n_classes == 0)
		return tree->nodes[i].payload == ref->nodes[i].payload;
	if (tree->nodes[i].payload != *entry)
		return false;
	for (size_t c = 0; c < n_classes; c++) {
		int64_t sum = ref->node_sums[(size_t)i * n_classes + c];

		if (sum == 0)
			continue;
		if (*entry >= tree->n_leaf_entries ||
		    tree->leaf_class[*entry] != (int32_t)c ||
		    tree->leaf_weight[*entry] != (uint64_t)sum)
			return false;
		(*entry)++;
	}
	return true;
}

static bool
set_is_right(const struct reference *ref, const struct rf_grown *tree,
    int64_t i, int64_t *word)
{
	const struct rf_grown_node *node = &tree->nodes[i];
	int32_t n_values = ref->problem->features[node->feature].n_values;
	int32_t n_words = (n_values + 63) / 64;

	if (!ref->problem->features[node->feature].is_categorical)
		return node->payload == 0;
	if (node->payload != *word || *word + n_words > tree->n_words)
		return false;
	for (int32_t code = 0; code < n_words * 64; code++) {
		uint64_t bits = tree->cats[*word + code / 64];
		int wanted =
		    code < n_values && ref->left_sets[i * 65536 + code] != 0;

		if ((int)(bits >> code % 64 & 1) != wanted)
			return false;
	}
	*word += n_words;
	return true;
}

static bool
tree_is_right(const struct reference *ref, const struct rf_grown *tree)
{
	int64_t entry = 0, word = 0;

	if (tree->n_nodes != ref->n_nodes)
		return false;
	for (int64_t i = 0; i < tree->n_nodes; i++) {
		const struct rf_grown_node *a = &tree->nodes[i];
		const struct rf_grown_node *b = &ref->nodes[i];

		if (a->feature != b->feature || a->cut != b->cut ||
		    a->left != b->left || a->missing_left != b->missing_left ||
		    a->cover != b->cover ||
		    rf_double_bits(a->gain) != rf_double_bits(b->gain))
			return false;
		if (a->feature < 0 ? !leaf_is_right(ref, tree, i, &entry)
				   : !set_is_right(ref, tree, i, &word))
			return false;
	}
	return entry == tree->n_leaf_entries && word == tree->n_words;
}

struct comparison {
	const struct made_problem *made;
	bool is_right;
};

static enum rf_status
compare_tree(void *context, const struct rf_grown *tree, struct rf_error *err)
{
	struct comparison *comparison = context;
	const struct rf_problem *problem = &comparison->made->problem;
	uint32_t *counts = calloc((size_t)problem->n_rows, sizeof(*counts));
	uint32_t blocks[4];
	struct reference ref;

	(void)err;
	rf_bootstrap(&comparison->made->rules, problem->n_rows, tree->tree,
	    blocks, counts);
	reference_grow(
	    &ref, problem, &comparison->made->rules, counts, tree->tree);
	if (!tree_is_right(&ref, tree))
		comparison->is_right = false;
	reference_free(&ref);
	free(counts);
	return RF_OK;
}

/* n random problems of a kind: what rf_grow_cpu makes is what the rules say. */
static void
against_brute_force(
    const struct problem_kind *kind, uint64_t seed, int n, const char *name)
{
	int n_wrong = 0;

	for (int i = 0; i < n; i++) {
		struct made_problem made;
		struct comparison comparison = {&made, true};
		struct rf_tree_sink sink = {&comparison, compare_tree};
		struct rf_error err = {0};

		make_problem(&made, kind, seed + (uint64_t)i);
		if (rf_grow_cpu(&made.problem, &made.rules, 5, 7, 1, &sink,
			&err) != RF_OK ||
		    !comparison.is_right) {
			n_wrong++;
			printf("# wrong: %s, seed %llu\n", name,
			    (unsigned long long)seed + (unsigned long long)i);
		}
		free_problem(&made);
	}
	check_int(n_wrong, 0, name);
}

static struct kept
grow_kept(
    const struct made_problem *made, int64_t first, int64_t end, int n_threads)
{
	struct kept kept = {0};
	struct rf_tree_sink sink = {&kept, keep_tree};

	if (rf_grow_cpu(&made->problem, &made->rules, first, end, n_threads,
		&sink, NULL) != RF_OK)
		check(false, "trees grow");
	return kept;
}

/* One way of growing by itself: the plain one, or the fast one with the
 * kernels of every processor. */
struct way {
	struct rf_clear *clear;
	struct rf_fast *fast;
};

static enum rf_status
way_open(struct way *way, const struct made_problem *made, bool is_fast)
{
	if (!is_fast)
		return rf_clear_new(
		    &way->clear, &made->problem, &made->rules, NULL);
	return rf_fast_new(&way->fast, &made->problem, &made->rules,
	    &rf_kernels_plain, 1, NULL);
}

static enum rf_status
way_tree(
    const struct way *way, uint32_t *counts, struct rf_tree_builder *builder)
{
	bool is_taken;

	if (way->fast == NULL)
		return rf_clear_tree(way->clear, counts, builder, NULL);
	return rf_fast_tree(way->fast, counts, builder, &is_taken, NULL);
}

static struct kept
grow_way(
    const struct made_problem *made, bool is_fast, int64_t first, int64_t end)
{
	struct kept kept = {0};
	struct rf_tree_builder builder = {0};
	struct way way = {0};
	size_t n = (size_t)made->problem.n_rows;
	uint32_t *counts = calloc(n, sizeof(*counts));
	uint32_t *blocks = calloc(n / RF_BAG_BLOCK + 1, sizeof(*blocks));
	enum rf_status status = way_open(&way, made, is_fast);

	for (int64_t tree = first; tree < end && status == RF_OK; tree++) {
		struct rf_grown grown;

		rf_bootstrap(
		    &made->rules, made->problem.n_rows, tree, blocks, counts);
		status = rf_tree_start(&builder, tree, NULL);
		if (status == RF_OK)
			status = way_tree(&way, counts, &builder);
		if (status == RF_OK)
			status = rf_tree_finish(
			    &builder, &made->problem, &grown, NULL);
		if (status == RF_OK)
			status = keep_tree(&kept, &grown, NULL);
	}
	if (status != RF_OK)
		check_int(status, RF_OK, "trees grow");
	rf_clear_free(way.clear);
	rf_fast_free(way.fast);
	rf_tree_release(&builder);
	free(counts);
	free(blocks);
	return kept;
}

static bool
is_equal(const struct kept *a, const struct kept *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Larger problems: every way of growing gives the bytes of the plain one. */
static void
against_plain_way(
    const struct problem_kind *kind, uint64_t seed, int n, const char *name)
{
	int n_wrong = 0;

	for (int i = 0; i < n; i++) {
		struct made_problem made;
		struct kept fast, clear, portable = {0};
		bool has_fast;

		make_problem(&made, kind, seed + (uint64_t)i);
		fast = grow_kept(&made, 3, 6, 1);
		clear = grow_way(&made, false, 3, 6);
		has_fast = rf_fast_takes(&made.problem, &made.rules, 1);
		if (has_fast)
			portable = grow_way(&made, true, 3, 6);
		if (!is_equal(&fast, &clear) ||
		    (has_fast && !is_equal(&portable, &clear))) {
			n_wrong++;
			printf("# wrong: %s, seed %llu\n", name,
			    (unsigned long long)seed + (unsigned long long)i);
		}
		free(fast.bytes);
		free(clear.bytes);
		free(portable.bytes);
		free_problem(&made);
	}
	check_int(n_wrong, 0, name);
}

static void
test_threads(void)
{
	struct problem_kind kind = {2000, 8, 200, 6, false, true, true, true};
	struct made_problem made;
	struct kept one, three, first, rest;

	make_problem(&made, &kind, 4242);
	one = grow_kept(&made, 0, 11, 1);
	three = grow_kept(&made, 0, 11, 3);
	check(is_equal(&one, &three), "trees do not depend on threads");
	first = grow_kept(&made, 0, 4, 2);
	rest = grow_kept(&made, 4, 11, 2);
	keep(&first, rest.bytes, rest.size);
	check(is_equal(&one, &first), "ranges of trees add up");
	free(one.bytes);
	free(three.bytes);
	free(first.bytes);
	free(rest.bytes);
	free_problem(&made);
}

static enum rf_status
refuse(void *context, const struct rf_grown *tree, struct rf_error *err)
{
	int *n_calls = context;

	(void)tree;
	(*n_calls)++;
	return rf_error_set(err, RF_EIO, "the disk is full");
}

static void
test_failing_sink(void)
{
	struct problem_kind kind = {300, 4, 20, 3, false, false, false, false};
	struct made_problem made;
	int n_calls = 0;
	struct rf_tree_sink sink = {&n_calls, refuse};
	struct rf_error err = {0};

	make_problem(&made, &kind, 9);
	check_int(
	    rf_grow_cpu(&made.problem, &made.rules, 0, 20, 2, &sink, &err),
	    RF_EIO, "a failing sink ends the growing");
	check_int(n_calls, 1, "and is not called again");
	check_text(err.message, "the disk is full", "its message is kept");
	free_problem(&made);
}

/* One feature, labels that alternate: a chain as deep as there are rows. */
static void
test_depth(void)
{
	enum { N = 6000 };
	struct made_problem made = {0};
	struct rf_coded_feature feature = {.n_values = N};
	int32_t active = 0;
	struct kept kept;

	made.codes = calloc(1, 2 * N + 128);
	made.classes = calloc(N, sizeof(*made.classes));
	made.problem = (struct rf_problem){.n_rows = N,
	    .n_features = 1,
	    .code_bytes = 2,
	    .codes = made.codes,
	    .stride_bytes = 2 * N + 128,
	    .features = &feature,
	    .active = &active,
	    .n_active = 1,
	    .n_classes = 2,
	    .classes = made.classes};
	for (int64_t row = 0; row < N; row++) {
		put_code(&made, 0, row, (uint32_t)row);
		made.classes[row] = row & 1;
	}
	made.rules = (struct rf_rules){.criterion = RF_CRITERION_GINI,
	    .max_features = 1,
	    .max_depth = INT32_MAX,
	    .min_samples_split = 2,
	    .min_samples_leaf = 1,
	    .n_draws = N};
	kept = grow_kept(&made, 0, 1, 1);
	check(kept.size > 6000 * sizeof(struct rf_grown_node),
	    "a chain of splits grows deep");
	free(kept.bytes);
	free(made.codes);
	free(made.classes);
}

/* What problems of this many rows and columns take is within the rule: 32
 * bytes a row and thread, what codes leave of 3 a cell, and 48 MiB, which
 * leaves 16 of 64 for all else. */
static bool
is_within_rule(int64_t n_rows, int32_t n_features, int n_threads)
{
	static const int32_t n_classes[] = {0, 1, 2, 7, 32, 33, 100};
	struct rf_coded_feature *features =
	    calloc((size_t)n_features, sizeof(*features));
	int32_t *active = calloc((size_t)n_features, sizeof(*active));
	bool is_within = true;

	for (int kind = 0; kind < 7 * 16; kind++) {
		bool is_wide = kind >> 0 & 1;
		struct rf_problem problem = {.n_rows = n_rows,
		    .n_features = n_features,
		    .code_bytes = is_wide ? 2 : 1,
		    .features = features,
		    .active = active,
		    .n_active = n_features,
		    .n_classes = n_classes[kind / 16]};
		struct rf_rules rules = {.max_features = n_features,
		    .max_depth = INT32_MAX,
		    .min_samples_split = 2,
		    .min_samples_leaf = 1,
		    .bootstrap = kind >> 1 & 1,
		    .n_draws = n_rows};
		size_t most = (size_t)n_rows *
			((size_t)n_threads * 32 +
			    (size_t)n_features * (is_wide ? 1 : 2)) +
		    ((size_t)48 << 20);

		rules.criterion = problem.n_classes == 0
		    ? RF_CRITERION_SQUARED_ERROR
		    : kind >> 2 & 1 ? RF_CRITERION_ENTROPY
				    : RF_CRITERION_GINI;
		for (int32_t f = 0; f < n_features; f++)
			features[f] = (struct rf_coded_feature){
			    .n_values = is_wide ? 1000 : 254,
			    .is_categorical = kind >> 3 & 1};
		is_within &=
		    rf_grow_memory(&problem, &rules, n_threads) <= most;
	}
	free(features);
	free(active);
	return is_within;
}

static void
test_memory(void)
{
	static const int64_t n_rows[] = {20, 1000, 40000, 1000000, 100000000};
	static const int32_t n_features[] = {1, 10, 54, 1000, 5000};
	static const int n_threads[] = {1, 2, 8, 32, 128};

	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 25; j++) {
			char name[99];

			snprintf(name, sizeof(name),
			    "memory of %lld rows, %d columns, %d threads",
			    (long long)n_rows[i], n_features[j / 5],
			    n_threads[j % 5]);
			check(is_within_rule(n_rows[i], n_features[j / 5],
				  n_threads[j % 5]),
			    name);
		}
}

int
main(void)
{
	static const struct problem_kind plain = {
	    150, 6, 40, 5, false, false, false, false};
	static const struct problem_kind regression = {
	    120, 6, 40, 0, false, true, true, true};
	static const struct problem_kind missing = {
	    150, 6, 40, 5, false, false, true, false};
	static const struct problem_kind missing_regression = {
	    150, 6, 40, 0, false, false, true, false};
	static const struct problem_kind categories = {
	    120, 5, 70, 7, false, false, true, true};
	static const struct problem_kind weighted = {
	    120, 6, 254, 30, false, true, true, true};
	static const struct problem_kind wide = {
	    90, 4, 1000, 4, true, true, true, true};
	static const struct problem_kind large = {
	    20000, 20, 254, 8, false, false, false, false};
	static const struct problem_kind large_regression = {
	    20000, 12, 254, 0, false, false, false, false};
	static const struct problem_kind large_missing = {
	    9000, 20, 254, 8, false, false, true, false};
	static const struct problem_kind large_missing_regression = {
	    9000, 12, 254, 0, false, false, true, false};
	static const struct problem_kind large_any = {
	    5000, 20, 254, 20, false, true, true, true};

	against_brute_force(&plain, 1000, 120, "numeric columns");
	against_brute_force(&regression, 2000, 60, "regression of any kind");
	against_brute_force(&missing, 3000, 80, "missing values");
	against_brute_force(
	    &missing_regression, 3500, 50, "missing values in regression");
	against_brute_force(&categories, 4000, 60, "categories");
	against_brute_force(&weighted, 5000, 50, "weights");
	against_brute_force(&wide, 6000, 30, "codes of two bytes");
	against_plain_way(&large, 100, 8, "fast is plain: classes");
	against_plain_way(
	    &large_regression, 200, 5, "fast is plain: regression");
	against_plain_way(
	    &large_missing, 400, 10, "fast is plain: missing values");
	against_plain_way(&large_missing_regression, 500, 8,
	    "fast is plain: missing values in regression");
	against_plain_way(&large_any, 300, 10, "fast is plain: anything");
	test_threads();
	test_failing_sink();
	test_depth();
	test_memory();
	return unit_end();
}
