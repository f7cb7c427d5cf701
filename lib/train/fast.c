#include "train/fast.h"

#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "train/fast_state.h"

static struct rf_class_run *
job_runs(struct rf_fast *fast, size_t job)
{
	return fast->runs + job * (size_t)fast->problem->n_classes;
}

enum rf_status
rf_fast_push(struct rf_fast *fast, const struct rf_fast_job *job,
    const struct rf_class_run *runs, const uint64_t *constants,
    struct rf_error *err)
{
	size_t n = fast->n_jobs + 1;
	size_t n_runs = n * (size_t)fast->problem->n_classes;

	if (rf_grow((void **)(void *)&fast->jobs, &fast->jobs_room, n,
		sizeof(*fast->jobs)) != 0 ||
	    rf_grow((void **)(void *)&fast->runs, &fast->runs_room, n_runs + 1,
		sizeof(*fast->runs)) != 0 ||
	    rf_grow((void **)(void *)&fast->sets, &fast->sets_room,
		n * fast->n_words, sizeof(*fast->sets)) != 0)
		return rf_error_memory(
		    err, n * sizeof(*job), "nodes to be grown");
	fast->jobs[n - 1] = *job;
	memcpy(
	    job_runs(fast, n - 1), runs, (size_t)job->n_runs * sizeof(*runs));
	memcpy(fast->sets + (n - 1) * fast->n_words, constants,
	    fast->n_words * sizeof(*constants));
	fast->n_jobs = n;
	return RF_OK;
}

static void
pop(struct rf_fast *fast, struct rf_fast_job *job)
{
	size_t n = --fast->n_jobs;

	*job = fast->jobs[n];
	fast->node.n = job->n;
	fast->node.n_runs = job->n_runs;
	memcpy(fast->node.runs, job_runs(fast, n),
	    (size_t)job->n_runs * sizeof(*fast->node.runs));
	memcpy(fast->constants, fast->sets + n * fast->n_words,
	    fast->n_words * sizeof(*fast->constants));
}

static void
find_rows(struct rf_fast *fast, const struct rf_fast_job *job)
{
	bool is_list = job->place == RF_LIST;
	const int64_t *products = is_list
	    ? fast->products
	    : fast->copied_products[job->place == RF_COPY_1];

	fast->search.weights = is_list
	    ? fast->weights + job->first
	    : rf_fast_copied(fast, job, fast->problem->n_active);
	fast->search.products =
	    fast->is_regression ? products + job->first : NULL;
}

/* Class sums; true: the node is pure. */
static bool
read_classes(struct rf_fast *fast)
{
	struct rf_fast_node *node = &fast->node;
	uint32_t first = 0;

	node->weight = 0;
	node->squares = 0;
	for (int32_t k = 0; k < node->n_runs; k++) {
		uint32_t end = node->runs[k].end;
		uint64_t total = fast->kernels->sum(
		    fast->search.weights + first, end - first);

		node->totals[k] = (uint32_t)total;
		node->weight += total;
		node->squares += total * total;
		first = end;
	}
	return node->n_runs == 1;
}

static bool
read_targets(struct rf_fast *fast)
{
	struct rf_fast_node *node = &fast->node;
	const int64_t *products = fast->search.products;
	const uint8_t *weights = fast->search.weights;
	int64_t first = products[0] / weights[0];
	uint32_t i = 1;

	node->weight = fast->kernels->sum(weights, node->n);
	node->sum = 0;
	for (uint32_t j = 0; j < node->n; j++)
		node->sum += products[j];
	node->mean = rf_floor_div(node->sum, (int64_t)node->weight);
	while (i < node->n && products[i] / weights[i] == first)
		i++;
	return i == node->n;
}

static enum rf_status
make_leaf(
    struct rf_fast *fast, const struct rf_fast_job *job, struct rf_error *err)
{
	const struct rf_fast_node *node = &fast->node;
	int32_t classes[RF_FAST_CLASSES], n = node->n_runs;
	uint64_t weights[RF_FAST_CLASSES];
	bool is_up;

	if (fast->is_regression) {
		rf_tree_leaf_sum(
		    fast->builder, job->index, node->weight, node->sum);
		return RF_OK;
	}
	is_up = node->runs[0].class <= node->runs[n - 1].class;
	for (int32_t i = 0; i < n; i++) {
		int32_t k = is_up ? i : n - 1 - i;

		classes[i] = node->runs[k].class;
		weights[i] = node->totals[k];
	}
	return rf_tree_leaf_classes(
	    fast->builder, job->index, node->weight, classes, weights, n, err);
}

const uint8_t *
rf_fast_gather(struct rf_fast *fast, const struct rf_fast_job *job,
    int32_t column, uint8_t *codes)
{
	const struct rf_problem *problem = fast->problem;
	const uint8_t *from = (const uint8_t *)problem->codes +
	    (size_t)problem->active[column] * problem->stride_bytes;
	const uint32_t *restrict rows = fast->rows + job->first;
	uint8_t *restrict to = codes;
	uint32_t i = 0;

	for (; i + 4 <= job->n; i += 4) {
		to[i] = from[rows[i]];
		to[i + 1] = from[rows[i + 1]];
		to[i + 2] = from[rows[i + 2]];
		to[i + 3] = from[rows[i + 3]];
	}
	for (; i < job->n; i++)
		to[i] = from[rows[i]];
	return codes;
}

/* Looks at a column; false: constant in the node. */
static bool
look(struct rf_fast *fast, const struct rf_fast_job *job, int32_t column)
{
	const uint8_t *codes;
	const struct rf_coded_feature *feature =
	    &fast->problem->features[fast->problem->active[column]];

	if (rf_fast_is_constant(fast, column))
		return false;
	if (job->place != RF_LIST) {
		codes = rf_fast_copied(fast, job, column);
	} else {
		codes = rf_fast_gather(fast, job, column, fast->codes);
		if (fast->kernels->is_constant(codes, job->n)) {
			rf_fast_note_constant(fast->constants, column);
			return false;
		}
	}
	if (rf_general_takes(feature, fast->rules->criterion))
		rf_general_look(fast->general, &fast->search, codes, column);
	else if (fast->is_regression)
		fast->kernels->squared(&fast->search, codes, column, feature);
	else
		fast->kernels->gini(&fast->search, codes, column, feature);
	return true;
}

static void
search(struct rf_fast *fast, const struct rf_fast_job *job)
{
	const struct rf_rules *rules = fast->rules;
	uint32_t n = (uint32_t)fast->problem->n_active;
	uint32_t key = rf_draw_key(job->key);
	uint32_t most = (uint32_t)rules->max_features, n_varying = 0;
	uint32_t ahead[32] = {0};
	int bits = rf_draw_bits(n);

	memset(&fast->search.best, 0, sizeof(fast->search.best));
	if (fast->general != NULL)
		fast->general->is_ready = false;
	for (uint32_t k = 0; k < n && !fast->search.best.is_pure; k++) {
		uint32_t x;

		if (rules->count_constant ? k >= most && n_varying > 0
					  : n_varying >= most)
			return;
		if (k % 32 == 0)
			fast->kernels->draws(key, k, bits, ahead);
		for (x = ahead[k % 32]; x >= n;)
			x = rf_draw_feistel(key, x, bits);
		n_varying += look(fast, job, (int32_t)x);
	}
}

static double
gain_of(const struct rf_fast *fast)
{
	const struct rf_fast_best *best = &fast->search.best;
	const struct rf_fast_node *node = &fast->node;

	if (best->is_general)
		return fast->general->gain;
	if (fast->is_regression)
		return rf_squared_gain(
		    best->score, node->mean, node->sum, (int64_t)node->weight);
	return rf_gini_gain(best->squares_left, best->weight_left,
	    best->squares_right, best->weight_right, node->squares);
}

/* Gives the node a copy of its rows, in the first buffer. */
static void
make_copy(struct rf_fast *fast, struct rf_fast_job *job)
{
	struct rf_fast_job to = *job;

	to.place = RF_COPY_0;
	to.first = 0;
	for (int32_t column = 0; column < fast->problem->n_active; column++) {
		uint8_t *codes = rf_fast_copied(fast, &to, column);

		if (rf_fast_is_constant(fast, column))
			continue;
		rf_fast_gather(fast, job, column, codes);
		if (fast->kernels->is_constant(codes, job->n))
			rf_fast_note_constant(fast->constants, column);
	}
	memcpy(rf_fast_copied(fast, &to, fast->problem->n_active),
	    fast->weights + job->first, job->n);
	if (fast->is_regression)
		memcpy(fast->copied_products[0], fast->products + job->first,
		    job->n * sizeof(int64_t));
	*job = to;
}

static enum rf_status
grow_small(
    struct rf_fast *fast, const struct rf_fast_job *job, struct rf_error *err)
{
	struct rf_small small = {
	    .problem = fast->problem,
	    .rules = fast->rules,
	    .builder = fast->builder,
	    .root_weight = fast->root_weight,
	    .columns = rf_fast_copied(fast, job, 0),
	    .stride = fast->stride,
	    .weights = fast->search.weights,
	    .products = fast->search.products,
	    .constants = fast->constants,
	    .node = &fast->node,
	    .key = job->key,
	    .index = job->index,
	    .depth = job->depth,
	};

	return fast->kernels->small(&small, err);
}

static enum rf_status
grow_node(struct rf_fast *fast, struct rf_fast_job *job, struct rf_error *err)
{
	const struct rf_rules *rules = fast->rules;
	bool is_pure;
	double gain;

	find_rows(fast, job);
	is_pure = fast->is_regression ? read_targets(fast) : read_classes(fast);
	if (job->depth == 0)
		fast->root_weight = fast->node.weight;
	if (is_pure || job->n < rules->min_samples_split ||
	    job->n < 2 * rules->min_samples_leaf ||
	    job->depth >= rules->max_depth)
		return make_leaf(fast, job, err);
	if (job->place == RF_LIST && job->n <= fast->n_copy) {
		make_copy(fast, job);
		find_rows(fast, job);
	}
	if (job->n <= RF_SMALL && fast->general == NULL)
		return grow_small(fast, job, err);
	search(fast, job);
	if (!fast->search.best.is_found)
		return make_leaf(fast, job, err);
	gain = gain_of(fast);
	if (rf_decrease(gain, fast->root_weight,
		fast->is_regression ? fast->problem->target_shift : 0) <
	    rules->min_impurity_decrease)
		return make_leaf(fast, job, err);
	return rf_fast_split(fast, job, gain, err);
}

/* Where each class of the bag begins; runs of the classes present. */
static int32_t
count_classes(const struct rf_problem *problem, const uint32_t *counts,
    uint32_t *begins, struct rf_class_run *runs)
{
	uint32_t n[RF_FAST_CLASSES] = {0}, end = 0;
	int32_t n_runs = 0;

	for (int64_t row = 0; row < problem->n_rows; row++)
		n[problem->classes[row]] += counts[row] > 0;
	for (int32_t c = 0; c < problem->n_classes; c++) {
		begins[c] = end;
		end += n[c];
		if (n[c] > 0)
			runs[n_runs++] = (struct rf_class_run){end, c};
	}
	return n_runs;
}

/* Rows of the bag, class by class.  Rows that are not in it are written to
 * the place behind the last, since a branch would be guessed wrong. */
static void
fill_classes(struct rf_fast *fast, const uint32_t *counts,
    struct rf_fast_job *job, struct rf_class_run *runs)
{
	const struct rf_problem *problem = fast->problem;
	uint32_t at[RF_FAST_CLASSES];

	job->n_runs = count_classes(problem, counts, at, runs);
	job->n = runs[job->n_runs - 1].end;
	for (int64_t row = 0; row < problem->n_rows; row++) {
		int32_t c = problem->classes[row];
		uint32_t to = counts[row] > 0 ? at[c] : fast->room;

		fast->rows[to] = (uint32_t)row;
		fast->weights[to] = (uint8_t)counts[row];
		at[c] += counts[row] > 0;
	}
}

static void
fill_targets(
    struct rf_fast *fast, const uint32_t *counts, struct rf_fast_job *job)
{
	const int64_t *targets = fast->problem->targets;

	for (int64_t row = 0; row < fast->problem->n_rows; row++) {
		uint32_t to = counts[row] > 0 ? job->n : fast->room;

		fast->rows[to] = (uint32_t)row;
		fast->weights[to] = (uint8_t)counts[row];
		fast->products[to] = targets[row] * counts[row];
		job->n += counts[row] > 0;
	}
}

enum rf_status
rf_fast_tree(struct rf_fast *fast, uint32_t *counts,
    struct rf_tree_builder *builder, bool *is_taken, struct rf_error *err)
{
	struct rf_fast_job job = {0};
	struct rf_class_run runs[RF_FAST_CLASSES];

	*is_taken = true;
	for (int64_t row = 0; row < fast->problem->n_rows; row++)
		*is_taken &= counts[row] <= UINT8_MAX;
	if (!*is_taken)
		return RF_OK;
	fast->builder = builder;
	fast->n_jobs = 0;
	memset(fast->constants, 0, fast->n_words * sizeof(*fast->constants));
	if (fast->is_regression)
		fill_targets(fast, counts, &job);
	else
		fill_classes(fast, counts, &job, runs);
	fast->spare_rows = counts;
	if (fast->general != NULL)
		fast->general->search.order = counts;
	job.key = rf_key_tree(fast->rules->seed, builder->tree, RF_USE_NODE);
	RF_TRY(rf_fast_push(fast, &job, runs, fast->constants, err));
	while (fast->n_jobs > 0) {
		pop(fast, &job);
		RF_TRY(grow_node(fast, &job, err));
	}
	return RF_OK;
}
