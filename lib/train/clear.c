#include "train/clear.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "arith/fixed.h"
#include "train/draw.h"
#include "train/search.h"

/* A node that waits to be grown. */
struct job {
	uint64_t key;
	uint32_t first, n; /* rows[first .. first + n - 1] */
	int32_t index, depth;
};

struct rf_clear {
	const struct rf_problem *problem;
	const struct rf_rules *rules;
	const uint32_t *counts;
	uint32_t room;	 /* in-bag rows that there is room for */
	uint32_t *rows;	 /* in-bag rows in node order */
	uint32_t *order; /* scratch */
	uint64_t *weights;
	int32_t *classes;
	int64_t *products;
	double logs[RF_TERMS_KEPT];
	uint64_t root_weight;
	/* Classes of the node: how much of each there is, by class and by
	 * local class; which local class a class is. */
	uint64_t *class_sums, *class_set;
	int32_t *present, *local;
	uint64_t *sums;
	struct rf_node_sums node;
	struct rf_search search;
	/* Nodes to grow, each with the features known to be constant in it:
	 * what is constant in a node is so in its children. */
	struct job *jobs;
	uint64_t *sets, *constants;
	size_t n_words; /* of a set of features */
	size_t n_jobs, jobs_room, sets_room;
	struct rf_tree_builder *builder;
};

static uint32_t
most_rows(const struct rf_problem *problem, const struct rf_rules *rules)
{
	if (rules->bootstrap && rules->n_draws < problem->n_rows)
		return (uint32_t)rules->n_draws;
	return (uint32_t)problem->n_rows;
}

static bool
is_regression(const struct rf_problem *problem)
{
	return problem->n_classes == 0;
}

size_t
rf_clear_bytes(const struct rf_problem *problem, const struct rf_rules *rules)
{
	size_t n = most_rows(problem, rules),
	       n_classes = (size_t)problem->n_classes;

	return sizeof(struct rf_clear) +
	    n * (is_regression(problem) ? 24 : 20) + n_classes * 25 +
	    rf_search_bytes(problem, (uint32_t)n);
}

enum rf_status
rf_clear_new(struct rf_clear **out, const struct rf_problem *problem,
    const struct rf_rules *rules, struct rf_error *err)
{
	size_t n = most_rows(problem, rules),
	       n_classes = (size_t)problem->n_classes;
	struct rf_clear *clear = rf_alloc_zero(1, sizeof(*clear));

	*out = clear;
	if (clear == NULL)
		return rf_error_memory(err, sizeof(*clear), "growing trees");
	clear->problem = problem;
	clear->rules = rules;
	clear->room = (uint32_t)n;
	rf_entropy_logs(clear->logs);
	clear->rows = rf_alloc(n, sizeof(*clear->rows));
	clear->order = rf_alloc(n, sizeof(*clear->order));
	clear->weights = rf_alloc(n, sizeof(*clear->weights));
	if (is_regression(problem))
		clear->products = rf_alloc(n, sizeof(*clear->products));
	else
		clear->classes = rf_alloc(n, sizeof(*clear->classes));
	clear->class_sums = rf_alloc_zero(n_classes, sizeof(uint64_t));
	clear->class_set = rf_alloc_zero(n_classes / 64 + 1, sizeof(uint64_t));
	clear->present = rf_alloc(n_classes, sizeof(*clear->present));
	clear->local = rf_alloc(n_classes, sizeof(*clear->local));
	clear->sums = rf_alloc(n_classes, sizeof(*clear->sums));
	clear->n_words = ((size_t)problem->n_features + 63) / 64 + 1;
	clear->constants = rf_alloc_zero(clear->n_words, sizeof(uint64_t));
	if (clear->rows == NULL || clear->order == NULL ||
	    clear->weights == NULL ||
	    (clear->products == NULL && clear->classes == NULL) ||
	    clear->class_sums == NULL || clear->class_set == NULL ||
	    clear->present == NULL || clear->local == NULL ||
	    clear->sums == NULL || clear->constants == NULL)
		return rf_error_memory(
		    err, rf_clear_bytes(problem, rules), "growing trees");
	return rf_search_init(&clear->search, problem, rules, (uint32_t)n, err);
}

void
rf_clear_free(struct rf_clear *clear)
{
	if (clear == NULL)
		return;
	free(clear->rows);
	free(clear->order);
	free(clear->weights);
	free(clear->classes);
	free(clear->products);
	free(clear->class_sums);
	free(clear->class_set);
	free(clear->present);
	free(clear->local);
	free(clear->sums);
	free(clear->jobs);
	free(clear->sets);
	free(clear->constants);
	rf_search_release(&clear->search);
	free(clear);
}

static enum rf_status
push(struct rf_clear *clear, struct job job, struct rf_error *err)
{
	size_t n = clear->n_jobs + 1, n_words = clear->n_words;

	if (rf_grow((void **)(void *)&clear->jobs, &clear->jobs_room, n,
		sizeof(job)) != 0 ||
	    rf_grow((void **)(void *)&clear->sets, &clear->sets_room,
		n * n_words, sizeof(*clear->sets)) != 0)
		return rf_error_memory(
		    err, n * sizeof(job), "nodes to be grown");
	clear->jobs[n - 1] = job;
	memcpy(clear->sets + (n - 1) * n_words, clear->constants,
	    n_words * sizeof(*clear->sets));
	clear->n_jobs = n;
	return RF_OK;
}

static void
pop(struct rf_clear *clear, struct job *job)
{
	size_t n = --clear->n_jobs;

	*job = clear->jobs[n];
	memcpy(clear->constants, clear->sets + n * clear->n_words,
	    clear->n_words * sizeof(*clear->constants));
}

static int
compare_classes(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* Ascending; by a set of classes where they are many, in linear time. */
static void
sort_present(struct rf_clear *clear, int32_t n)
{
	int32_t n_words = (clear->problem->n_classes + 63) / 64, at = 0;
	uint64_t *set = clear->class_set;

	if (n < n_words) {
		qsort(clear->present, (size_t)n, sizeof(*clear->present),
		    compare_classes);
		return;
	}
	for (int32_t k = 0; k < n; k++)
		set[clear->present[k] / 64] |= UINT64_C(1)
		    << clear->present[k] % 64;
	for (int32_t word = 0; word < n_words; word++)
		for (; set[word] != 0; set[word] &= set[word] - 1)
			clear->present[at++] =
			    64 * word + __builtin_ctzll(set[word]);
}

/* Weights of the node's rows by position. */
static void
read_weights(struct rf_clear *clear, const struct job *job)
{
	const uint64_t *weights = clear->problem->weights;

	clear->node.weight = 0;
	for (uint32_t i = 0; i < job->n; i++) {
		uint32_t row = clear->rows[job->first + i];

		clear->weights[i] = weights == NULL ? 1 : weights[row];
		if (clear->counts != NULL)
			clear->weights[i] *= clear->counts[row];
		clear->node.weight += clear->weights[i];
	}
}

/* Local classes of the rows, and the classes' sums. */
static void
read_classes(struct rf_clear *clear, const struct job *job)
{
	const int32_t *classes = clear->problem->classes;
	const uint32_t *rows = clear->rows + job->first;
	int32_t n_present = 0;

	for (uint32_t i = 0; i < job->n; i++) {
		int32_t c = classes[rows[i]];

		if (clear->class_sums[c] == 0)
			clear->present[n_present++] = c;
		clear->class_sums[c] += clear->weights[i];
	}
	sort_present(clear, n_present);
	for (int32_t k = 0; k < n_present; k++) {
		clear->local[clear->present[k]] = k;
		clear->sums[k] = clear->class_sums[clear->present[k]];
		clear->class_sums[clear->present[k]] = 0;
	}
	for (uint32_t i = 0; i < job->n; i++)
		clear->classes[i] = clear->local[classes[rows[i]]];
	clear->node.n_present = n_present;
	clear->node.present = clear->present;
	clear->node.sums = clear->sums;
}

static void
read_targets(struct rf_clear *clear, const struct job *job)
{
	const int64_t *targets = clear->problem->targets;
	const uint32_t *rows = clear->rows + job->first;

	clear->node.sum = 0;
	clear->node.is_pure = true;
	for (uint32_t i = 0; i < job->n; i++) {
		clear->products[i] =
		    targets[rows[i]] * (int64_t)clear->weights[i];
		clear->node.sum += clear->products[i];
		if (targets[rows[i]] != targets[rows[0]])
			clear->node.is_pure = false;
	}
}

static void
read_node(struct rf_clear *clear, const struct job *job)
{
	clear->node.criterion = clear->rules->criterion;
	clear->node.n_rows = job->n;
	read_weights(clear, job);
	if (is_regression(clear->problem))
		read_targets(clear, job);
	else
		read_classes(clear, job);
	rf_node_sums_finish(&clear->node, clear->logs);
}

/* Looks at a feature; false: constant in the node. */
static bool
look(struct rf_clear *clear, int32_t feature)
{
	uint64_t *word = &clear->constants[feature / 64];
	uint64_t bit = UINT64_C(1) << feature % 64;

	if ((*word & bit) != 0)
		return false;
	if (rf_search_feature(&clear->search, feature))
		return true;
	*word |= bit;
	return false;
}

/* Looks for the best split of the node; false: it is a leaf. */
static bool
find_split(struct rf_clear *clear, const struct job *job)
{
	const struct rf_rules *rules = clear->rules;
	struct rf_search *search = &clear->search;
	struct rf_feature_draw draw;
	int32_t feature;

	if (job->depth >= rules->max_depth ||
	    job->n < rules->min_samples_split || clear->node.is_pure)
		return false;
	search->node = &clear->node;
	search->order = clear->order;
	search->rows = clear->rows + job->first;
	search->n = job->n;
	search->classes = clear->classes;
	search->weights = clear->weights;
	search->products = clear->products;
	search->best.is_found = search->best.is_final = false;
	rf_feature_draw_start(&draw, clear->problem, rules, job->key);
	while (!search->best.is_final &&
	    (feature = rf_feature_draw_next(&draw)) >= 0)
		rf_feature_draw_saw(&draw, !look(clear, feature));
	return search->best.is_found &&
	    !(rf_decrease(search->best.gain, clear->root_weight,
		  is_regression(clear->problem)
		      ? clear->problem->target_shift
		      : 0) < rules->min_impurity_decrease);
}

/* Whether a present code goes left. */
static bool
goes_left(const struct rf_best *best, bool is_categorical, uint32_t code)
{
	if (is_categorical)
		return best->set[code / 64] >> code % 64 & 1;
	return (int32_t)code <= best->cut;
}

/* Levels absent from the node go where missing goes. */
static void
settle_absent_levels(
    struct rf_clear *clear, const struct job *job, int32_t n_values)
{
	struct rf_best *best = &clear->search.best;
	uint64_t *seen = clear->search.seen;
	size_t n_words = ((size_t)n_values + 63) / 64;

	if (!best->missing_left)
		return;
	memset(seen, 0, n_words * sizeof(*seen));
	for (uint32_t i = 0; i < job->n; i++) {
		uint32_t code = rf_problem_code(
		    clear->problem, best->feature, clear->rows[job->first + i]);

		if (code < (uint32_t)n_values)
			seen[code / 64] |= UINT64_C(1) << code % 64;
	}
	for (size_t word = 0; word < n_words; word++)
		best->set[word] |= ~seen[word];
	if (n_values % 64 != 0)
		best->set[n_words - 1] &= (UINT64_C(1) << n_values % 64) - 1;
}

/*
 * Moves the node's left rows to its front; returns how many.  Settles where
 * missing goes if no row of the node says so.
 */
static uint32_t
partition(struct rf_clear *clear, const struct job *job)
{
	struct rf_best *best = &clear->search.best;
	const struct rf_coded_feature *feature =
	    &clear->problem->features[best->feature];
	uint32_t *rows = clear->rows + job->first;
	uint32_t *right = clear->order;
	uint32_t n_left = 0, n_right = 0, n_missing = 0;

	for (uint32_t i = 0; i < job->n; i++) {
		uint32_t row = rows[i];
		uint32_t code =
		    rf_problem_code(clear->problem, best->feature, row);
		bool is_missing = code == (uint32_t)feature->n_values;

		n_missing += is_missing;
		if (is_missing ? best->missing_left
			       : goes_left(best, feature->is_categorical, code))
			rows[n_left++] = row;
		else
			right[n_right++] = row;
	}
	memcpy(rows + n_left, right, n_right * sizeof(*rows));
	if (n_missing == 0)
		best->missing_left = rf_missing_by_majority(n_left, n_right);
	return n_left;
}

static enum rf_status
make_leaf(struct rf_clear *clear, const struct job *job, struct rf_error *err)
{
	const struct rf_node_sums *node = &clear->node;

	if (!is_regression(clear->problem))
		return rf_tree_leaf_classes(clear->builder, job->index,
		    node->weight, node->present, node->sums, node->n_present,
		    err);
	rf_tree_leaf_sum(clear->builder, job->index, node->weight, node->sum);
	return RF_OK;
}

static enum rf_status
grow_node(struct rf_clear *clear, const struct job *job, struct rf_error *err)
{
	struct rf_best *best = &clear->search.best;
	const struct rf_coded_feature *feature;
	struct rf_choice choice = {0};
	struct job left = *job, right = *job;

	read_node(clear, job);
	if (!find_split(clear, job))
		return make_leaf(clear, job, err);
	left.n = partition(clear, job);
	right.first += left.n;
	right.n -= left.n;
	feature = &clear->problem->features[best->feature];
	if (feature->is_categorical) {
		settle_absent_levels(clear, job, feature->n_values);
		choice.set = best->set;
		choice.n_set_words = ((size_t)feature->n_values + 63) / 64;
	}
	choice.feature = best->feature;
	choice.cut = best->cut;
	choice.missing_left = best->missing_left;
	choice.gain = best->gain;
	choice.cover = clear->node.weight;
	RF_TRY(rf_tree_split(
	    clear->builder, job->index, &choice, &left.index, err));
	right.index = left.index + 1;
	left.depth = right.depth = job->depth + 1;
	left.key = rf_key_child(job->key, 0);
	right.key = rf_key_child(job->key, 1);
	RF_TRY(push(clear, right, err));
	return push(clear, left, err);
}

enum rf_status
rf_clear_tree(struct rf_clear *clear, const uint32_t *counts,
    struct rf_tree_builder *builder, struct rf_error *err)
{
	struct job job = {0};

	clear->counts = counts;
	clear->builder = builder;
	clear->n_jobs = 0;
	memset(clear->constants, 0, clear->n_words * sizeof(*clear->constants));
	for (int64_t row = 0; row < clear->problem->n_rows; row++)
		if ((counts == NULL || counts[row] > 0) && job.n < clear->room)
			clear->rows[job.n++] = (uint32_t)row;
	read_weights(clear, &job);
	clear->root_weight = clear->node.weight;
	job.key = rf_key_tree(clear->rules->seed, builder->tree, RF_USE_NODE);
	RF_TRY(push(clear, job, err));
	while (clear->n_jobs > 0) {
		pop(clear, &job);
		RF_TRY(grow_node(clear, &job, err));
	}
	return RF_OK;
}
