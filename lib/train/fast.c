#include "train/fast.h"

#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "train/draw.h"

/* Where the rows of a node are. */
enum place { LIST, COPY_0, COPY_1 };

struct job {
	uint64_t key;
	uint32_t first, n;
	int32_t index, depth;
	enum place place;
	int32_t n_runs;
};

struct rf_fast {
	const struct rf_problem *problem;
	const struct rf_rules *rules;
	const struct rf_kernels *kernels;
	bool is_regression;
	uint32_t room;	 /* rows in the bag */
	uint32_t n_copy; /* rows of a node that gets a copy */
	size_t stride;	 /* of a column of the copies */
	size_t n_words;	 /* of a set of columns */
	/* The node at hand, and what is known of it. */
	struct rf_fast_node node;
	struct rf_fast_search search;
	uint64_t root_weight;
	/* Nodes as lists: rows, and how often each is in the bag. */
	uint32_t *rows, *spare_rows;
	uint8_t *weights, *spare_weights, *codes;
	int64_t *products;
	/* Nodes as copies: a column each for the active features, and one for
	 * the weights. */
	uint8_t *copies[2];
	int64_t *copied_products[2];
	uint64_t *bits; /* of the rows that go left */
	struct rf_move move;
	/* Nodes to grow, each with its runs and its constant columns. */
	struct job *jobs;
	struct rf_run *runs;
	uint64_t *sets, *constants;
	size_t n_jobs, jobs_room, runs_room, sets_room;
	struct rf_tree_builder *builder;
};

bool
rf_fast_takes(const struct rf_problem *problem, const struct rf_rules *rules)
{
	if (problem->code_bytes != 1 || problem->weights != NULL ||
	    rules->criterion == RF_CRITERION_ENTROPY ||
	    problem->n_classes > RF_FAST_CLASSES || rules->n_draws > INT32_MAX)
		return false;
	for (int32_t i = 0; i < problem->n_active; i++) {
		const struct rf_coded_feature *feature =
		    &problem->features[problem->active[i]];

		if (feature->is_categorical)
			return false;
	}
	return true;
}

static size_t
most_rows(const struct rf_problem *problem, const struct rf_rules *rules)
{
	if (rules->bootstrap && rules->n_draws < problem->n_rows)
		return (size_t)rules->n_draws;
	return (size_t)problem->n_rows;
}

/* Rows of a node that gets a copy: the copies take about 1 MiB and 12 bytes a
 * row (8 in regression, where a list takes more), but hold at least 64 rows. */
static size_t
copy_rows(const struct rf_problem *problem, const struct rf_rules *rules)
{
	size_t n = most_rows(problem, rules);
	size_t one = 2 * ((size_t)problem->n_active + 1);
	size_t most = (size_t)1 << 20;

	if (problem->n_classes == 0)
		one += 2 * sizeof(int64_t);
	most += (size_t)problem->n_rows * (problem->n_classes == 0 ? 8 : 12);
	most /= one;
	if (most < 64)
		most = 64;
	return n < most ? n : most;
}

static size_t
copy_stride(const struct rf_problem *problem, const struct rf_rules *rules)
{
	return (copy_rows(problem, rules) + RF_SLOP + 63) / 64 * 64;
}

size_t
rf_fast_bytes(const struct rf_problem *problem, const struct rf_rules *rules)
{
	size_t n = most_rows(problem, rules), n_copy;
	size_t stride = copy_stride(problem, rules);

	n_copy = copy_rows(problem, rules);
	return sizeof(struct rf_fast) + n * 11 + n / 8 +
	    2 * stride * ((size_t)problem->n_active + 1) + n_copy * 2 +
	    (problem->n_classes == 0 ? 8 * n + 16 * n_copy : 0);
}

static bool
has_all(const struct rf_fast *fast)
{
	if (fast->is_regression &&
	    (fast->products == NULL || fast->copied_products[0] == NULL ||
		fast->copied_products[1] == NULL))
		return false;
	return fast->rows != NULL && fast->spare_rows != NULL &&
	    fast->weights != NULL && fast->spare_weights != NULL &&
	    fast->codes != NULL && fast->copies[0] != NULL &&
	    fast->copies[1] != NULL && fast->bits != NULL &&
	    fast->move.controls != NULL && fast->move.n_left != NULL &&
	    fast->constants != NULL && fast->search.counts != NULL &&
	    fast->search.sums != NULL;
}

static void
allocate(struct rf_fast *fast)
{
	size_t n = fast->room, n_copy = fast->n_copy;
	size_t n_columns = (size_t)fast->problem->n_active + 1;

	fast->rows = rf_alloc(n + 1, sizeof(uint32_t));
	fast->spare_rows = rf_alloc(n, sizeof(uint32_t));
	fast->weights = rf_alloc_zero(n + RF_SLOP, 1);
	fast->spare_weights = rf_alloc_zero(n + RF_SLOP, 1);
	fast->codes = rf_alloc_zero(n + RF_SLOP, 1);
	for (int b = 0; b < 2; b++)
		fast->copies[b] = rf_alloc_zero(n_columns, fast->stride);
	if (fast->is_regression) {
		fast->products = rf_alloc(n + 1, sizeof(int64_t));
		for (int b = 0; b < 2; b++)
			fast->copied_products[b] =
			    rf_alloc(n_copy, sizeof(int64_t));
	}
	fast->bits = rf_alloc(n / 64 + 2, sizeof(uint64_t));
	fast->move.controls = rf_alloc(n_copy + 16, 1);
	fast->move.n_left = rf_alloc(n_copy / 16 + 1, 1);
	fast->constants = rf_alloc_zero(fast->n_words, sizeof(uint64_t));
	fast->search.counts =
	    rf_alloc((RF_FAST_CLASSES + 1) * (size_t)256, sizeof(uint32_t));
	fast->search.sums = rf_alloc(256, sizeof(int64_t));
}

enum rf_status
rf_fast_new(struct rf_fast **out, const struct rf_problem *problem,
    const struct rf_rules *rules, const struct rf_kernels *kernels,
    struct rf_error *err)
{
	struct rf_fast *fast = rf_alloc_zero(1, sizeof(*fast));

	*out = fast;
	if (fast == NULL)
		return rf_error_memory(err, sizeof(*fast), "growing trees");
	fast->problem = problem;
	fast->rules = rules;
	fast->kernels = kernels;
	fast->is_regression = problem->n_classes == 0;
	fast->room = (uint32_t)most_rows(problem, rules);
	fast->n_copy = (uint32_t)copy_rows(problem, rules);
	fast->stride = copy_stride(problem, rules);
	fast->n_words = ((size_t)problem->n_active + 63) / 64 + 1;
	fast->search.node = &fast->node;
	fast->search.min_leaf = (uint32_t)rules->min_samples_leaf;
	allocate(fast);
	if (!has_all(fast))
		return rf_error_memory(
		    err, rf_fast_bytes(problem, rules), "growing trees");
	return RF_OK;
}

void
rf_fast_free(struct rf_fast *fast)
{
	if (fast == NULL)
		return;
	free(fast->rows);
	free(fast->spare_rows);
	free(fast->weights);
	free(fast->spare_weights);
	free(fast->codes);
	free(fast->products);
	for (int b = 0; b < 2; b++) {
		free(fast->copies[b]);
		free(fast->copied_products[b]);
	}
	free(fast->bits);
	free(fast->move.controls);
	free(fast->move.n_left);
	free(fast->constants);
	free(fast->search.counts);
	free(fast->search.sums);
	free(fast->jobs);
	free(fast->runs);
	free(fast->sets);
	free(fast);
}

/* --- Jobs ---------------------------------------------------------------- */

static struct rf_run *
job_runs(struct rf_fast *fast, size_t job)
{
	return fast->runs + job * (size_t)fast->problem->n_classes;
}

static enum rf_status
push(struct rf_fast *fast, const struct job *job, const struct rf_run *runs,
    const uint64_t *constants, struct rf_error *err)
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
pop(struct rf_fast *fast, struct job *job)
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

/* --- The node at hand ---------------------------------------------------- */

static uint8_t *
copied(struct rf_fast *fast, const struct job *job, int32_t column)
{
	return fast->copies[job->place == COPY_1] +
	    (size_t)column * fast->stride + job->first;
}

static bool
is_known_constant(const struct rf_fast *fast, int32_t column)
{
	return fast->constants[column / 64] >> column % 64 & 1;
}

static void
note_constant(uint64_t *constants, int32_t column)
{
	constants[column / 64] |= UINT64_C(1) << column % 64;
}

static void
find_rows(struct rf_fast *fast, const struct job *job)
{
	if (job->place == LIST) {
		fast->search.weights = fast->weights + job->first;
		fast->search.products = fast->products + job->first;
	} else {
		fast->search.weights =
		    copied(fast, job, fast->problem->n_active);
		fast->search.products =
		    fast->copied_products[job->place == COPY_1] + job->first;
	}
	if (!fast->is_regression)
		fast->search.products = NULL;
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
make_leaf(struct rf_fast *fast, const struct job *job, struct rf_error *err)
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

static const uint8_t *
gather(
    struct rf_fast *fast, const struct job *job, int32_t column, uint8_t *codes)
{
	const struct rf_problem *problem = fast->problem;
	const uint8_t *from = (const uint8_t *)problem->codes +
	    (size_t)problem->active[column] * problem->stride_bytes;
	const uint32_t *restrict rows = fast->rows + job->first;
	uint8_t *restrict to = codes;

	for (uint32_t i = 0; i < job->n; i++)
		to[i] = from[rows[i]];
	return codes;
}

/* Looks at a column; false: constant in the node. */
static bool
look(struct rf_fast *fast, const struct job *job, int32_t column)
{
	const uint8_t *codes;
	const struct rf_coded_feature *feature =
	    &fast->problem->features[fast->problem->active[column]];

	if (is_known_constant(fast, column))
		return false;
	if (job->place != LIST) {
		codes = copied(fast, job, column);
	} else {
		codes = gather(fast, job, column, fast->codes);
		if (fast->kernels->is_constant(codes, job->n)) {
			note_constant(fast->constants, column);
			return false;
		}
	}
	if (fast->is_regression)
		fast->kernels->squared(&fast->search, codes, column, feature);
	else
		fast->kernels->gini(&fast->search, codes, column, feature);
	return true;
}

static void
search(struct rf_fast *fast, const struct job *job)
{
	const struct rf_rules *rules = fast->rules;
	uint32_t n = (uint32_t)fast->problem->n_active;
	uint32_t key = rf_draw_key(job->key);
	uint32_t most = (uint32_t)rules->max_features, n_varying = 0;
	uint32_t ahead[32] = {0};
	int bits = rf_draw_bits(n);

	memset(&fast->search.best, 0, sizeof(fast->search.best));
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

	if (fast->is_regression)
		return rf_squared_gain(
		    best->score, node->mean, node->sum, (int64_t)node->weight);
	return rf_gini_gain(best->squares_left, best->weight_left,
	    best->squares_right, best->weight_right, node->squares);
}

/* --- Splitting ----------------------------------------------------------- */

static uint32_t
count_bits(const uint64_t *bits, uint32_t first, uint32_t end)
{
	uint32_t n = 0;

	for (uint32_t i = first; i < end;) {
		uint32_t shift = i % 64, size = 64 - shift;
		uint64_t word = bits[i / 64] >> shift;

		if (size > end - i) {
			size = end - i;
			word &= (UINT64_C(1) << size) - 1;
		}
		n += (uint32_t)__builtin_popcountll(word);
		i += size;
	}
	return n;
}

/* Runs of the children; in copies right rows lie in reverse. */
static void
split_runs(const struct rf_fast *fast, const struct job *job,
    struct rf_run *left, struct job *left_job, struct rf_run *right,
    struct job *right_job)
{
	const struct rf_fast_node *node = &fast->node;
	uint32_t first = 0, n_left = 0, n_right = 0;

	left_job->n_runs = right_job->n_runs = 0;
	for (int32_t k = 0; k < node->n_runs; k++) {
		uint32_t end = node->runs[k].end;
		uint32_t n = count_bits(fast->bits, first, end);

		if (n > 0) {
			n_left += n;
			left[left_job->n_runs++] =
			    (struct rf_run){n_left, node->runs[k].class};
		}
		if (n < end - first) {
			n_right += end - first - n;
			right[right_job->n_runs++] =
			    (struct rf_run){n_right, node->runs[k].class};
		}
		first = end;
	}
	if (job->place == LIST)
		return;
	for (int32_t i = 0, j = right_job->n_runs - 1; i < j; i++, j--) {
		struct rf_run swap = right[i];

		right[i] = right[j];
		right[j] = swap;
	}
	/* The ends, turned round: run i now ends where run i + 1 began. */
	for (int32_t i = 0; i + 1 < right_job->n_runs; i++)
		right[i].end = n_right - right[i + 1].end;
	if (right_job->n_runs > 0)
		right[right_job->n_runs - 1].end = n_right;
}

static void
move_list(struct rf_fast *fast, const struct job *job, uint32_t n_left)
{
	uint32_t *rows = fast->rows + job->first, *to = fast->spare_rows;
	uint8_t *weights = fast->weights + job->first;
	uint32_t left = 0, right = n_left;

	for (uint32_t i = 0; i < job->n; i++) {
		uint32_t is_left = fast->bits[i / 64] >> i % 64 & 1;
		uint32_t at = is_left ? left : right;

		to[at] = rows[i];
		fast->spare_weights[at] = weights[i];
		left += is_left;
		right += !is_left;
	}
	memcpy(rows, to, job->n * sizeof(*rows));
	memcpy(weights, fast->spare_weights, job->n);
	for (uint32_t i = 0; fast->is_regression && i < job->n; i++)
		fast->products[job->first + i] =
		    fast->problem->targets[rows[i]] * weights[i];
}

static void
move_products(struct rf_fast *fast, const struct job *job)
{
	const int64_t *from = fast->search.products;
	int64_t *to = fast->copied_products[job->place == COPY_0] + job->first;
	uint32_t left = 0, right = job->n - 1;

	for (uint32_t i = 0; i < job->n; i++) {
		uint32_t is_left = fast->bits[i / 64] >> i % 64 & 1;

		to[left] = to[right] = from[i];
		left += is_left;
		right -= !is_left;
	}
}

/* Moves the copy to the other one, and finds what is constant in children. */
static void
move_copy(struct rf_fast *fast, const struct job *job, uint32_t n_left,
    uint64_t *left_constants, uint64_t *right_constants)
{
	const struct rf_kernels *kernels = fast->kernels;
	int32_t n_columns = fast->problem->n_active + 1;
	struct job to = *job;

	to.place = job->place == COPY_0 ? COPY_1 : COPY_0;
	kernels->plan(fast->bits, job->n, &fast->move);
	for (int32_t column = 0; column < n_columns; column++) {
		uint8_t *codes = copied(fast, &to, column);

		if (is_known_constant(fast, column))
			continue;
		kernels->move(&fast->move, copied(fast, job, column), codes);
		if (column == fast->problem->n_active)
			break;
		if (kernels->is_constant(codes, n_left))
			note_constant(left_constants, column);
		if (kernels->is_constant(codes + n_left, job->n - n_left))
			note_constant(right_constants, column);
	}
	if (fast->is_regression)
		move_products(fast, job);
}

/* The lowest present code above lo, and whether missing rows are there. */
static int32_t
next_code(const uint8_t *codes, uint32_t n, int32_t lo, int32_t missing,
    bool *has_missing)
{
	int32_t hi = 256;
	uint32_t n_missing = 0;

	for (uint32_t i = 0; i < n; i++) {
		n_missing += codes[i] == missing;
		hi = codes[i] > lo && codes[i] < hi ? codes[i] : hi;
	}
	*has_missing = n_missing > 0;
	return hi == missing ? 256 : hi;
}

/* Marks the rows that go left, and says what splits the node. */
static void
choose(struct rf_fast *fast, const struct job *job, struct rf_choice *choice,
    uint32_t *n_left)
{
	const struct rf_fast_best *best = &fast->search.best;
	const uint8_t *codes = job->place == LIST
	    ? gather(fast, job, best->column, fast->codes)
	    : copied(fast, job, best->column);
	const struct rf_coded_feature *feature;
	bool has_missing;
	int32_t hi;

	choice->feature = fast->problem->active[best->column];
	feature = &fast->problem->features[choice->feature];
	hi = next_code(codes, job->n, best->lo,
	    feature->has_missing ? feature->n_values : -1, &has_missing);
	choice->cut = hi == 256 ? RF_CUT_PRESENT : rf_cut_between(best->lo, hi);
	choice->cover = fast->node.weight;
	fast->kernels->mark(codes, job->n, best->lo, fast->bits);
	if (has_missing && best->missing_left)
		for (uint32_t i = 0; i < job->n; i++)
			fast->bits[i / 64] |=
			    (uint64_t)(codes[i] == feature->n_values) << i % 64;
	*n_left = count_bits(fast->bits, 0, job->n);
	choice->missing_left = has_missing
	    ? best->missing_left
	    : rf_missing_by_majority(*n_left, job->n - *n_left);
}

static enum rf_status
split(struct rf_fast *fast, const struct job *job, double gain,
    struct rf_error *err)
{
	struct job left = *job, right = *job;
	struct rf_run left_runs[RF_FAST_CLASSES], right_runs[RF_FAST_CLASSES];
	uint64_t *sets;
	struct rf_choice choice = {0};
	enum rf_status status;

	choice.gain = gain;
	choose(fast, job, &choice, &left.n);
	right.n = job->n - left.n;
	right.first += left.n;
	RF_TRY(rf_tree_split(
	    fast->builder, job->index, &choice, &left.index, err));
	right.index = left.index + 1;
	left.depth = right.depth = job->depth + 1;
	left.key = rf_key_child(job->key, 0);
	right.key = rf_key_child(job->key, 1);
	split_runs(fast, job, left_runs, &left, right_runs, &right);
	sets = rf_alloc(2 * fast->n_words, sizeof(*sets));
	if (sets == NULL)
		return rf_error_memory(err, 2 * fast->n_words, "columns");
	for (size_t i = 0; i < fast->n_words; i++)
		sets[i] = sets[fast->n_words + i] = fast->constants[i];
	if (job->place == LIST) {
		move_list(fast, job, left.n);
	} else {
		move_copy(fast, job, left.n, sets, sets + fast->n_words);
		left.place = right.place =
		    job->place == COPY_0 ? COPY_1 : COPY_0;
	}
	status = push(fast, &right, right_runs, sets + fast->n_words, err);
	if (status == RF_OK)
		status = push(fast, &left, left_runs, sets, err);
	free(sets);
	return status;
}

/* --- Nodes --------------------------------------------------------------- */

/* Gives the node a copy of its rows, in the first buffer. */
static void
make_copy(struct rf_fast *fast, struct job *job)
{
	struct job to = *job;

	to.place = COPY_0;
	to.first = 0;
	for (int32_t column = 0; column < fast->problem->n_active; column++) {
		uint8_t *codes = copied(fast, &to, column);

		if (is_known_constant(fast, column))
			continue;
		gather(fast, job, column, codes);
		if (fast->kernels->is_constant(codes, job->n))
			note_constant(fast->constants, column);
	}
	memcpy(copied(fast, &to, fast->problem->n_active),
	    fast->weights + job->first, job->n);
	if (fast->is_regression)
		memcpy(fast->copied_products[0], fast->products + job->first,
		    job->n * sizeof(int64_t));
	*job = to;
}

static enum rf_status
grow_small(struct rf_fast *fast, const struct job *job, struct rf_error *err)
{
	struct rf_small small = {
	    .problem = fast->problem,
	    .rules = fast->rules,
	    .builder = fast->builder,
	    .root_weight = fast->root_weight,
	    .columns = copied(fast, job, 0),
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
grow_node(struct rf_fast *fast, struct job *job, struct rf_error *err)
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
	if (job->place == LIST && job->n <= fast->n_copy) {
		make_copy(fast, job);
		find_rows(fast, job);
	}
	if (job->n <= RF_SMALL)
		return grow_small(fast, job, err);
	search(fast, job);
	if (!fast->search.best.is_found)
		return make_leaf(fast, job, err);
	gain = gain_of(fast);
	if (rf_decrease(gain, fast->root_weight,
		fast->is_regression ? fast->problem->target_shift : 0) <
	    rules->min_impurity_decrease)
		return make_leaf(fast, job, err);
	return split(fast, job, gain, err);
}

/* Where each class of the bag begins; runs of the classes present. */
static int32_t
count_classes(const struct rf_problem *problem, const uint32_t *counts,
    uint32_t *begins, struct rf_run *runs)
{
	uint32_t n[RF_FAST_CLASSES] = {0}, end = 0;
	int32_t n_runs = 0;

	for (int64_t row = 0; row < problem->n_rows; row++)
		n[problem->classes[row]] += counts[row] > 0;
	for (int32_t c = 0; c < problem->n_classes; c++) {
		begins[c] = end;
		end += n[c];
		if (n[c] > 0)
			runs[n_runs++] = (struct rf_run){end, c};
	}
	return n_runs;
}

/* Rows of the bag, class by class.  Rows that are not in it are written to
 * the place behind the last, since a branch would be guessed wrong. */
static void
fill_classes(struct rf_fast *fast, const uint32_t *counts, struct job *job,
    struct rf_run *runs)
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
fill_targets(struct rf_fast *fast, const uint32_t *counts, struct job *job)
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
rf_fast_tree(struct rf_fast *fast, const uint32_t *counts,
    struct rf_tree_builder *builder, bool *is_taken, struct rf_error *err)
{
	struct job job = {0};
	struct rf_run runs[RF_FAST_CLASSES];

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
	job.key = rf_key_tree(fast->rules->seed, builder->tree, RF_USE_NODE);
	RF_TRY(push(fast, &job, runs, fast->constants, err));
	while (fast->n_jobs > 0) {
		pop(fast, &job);
		RF_TRY(grow_node(fast, &job, err));
	}
	return RF_OK;
}
