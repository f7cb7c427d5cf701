#include "train/fast_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Copies of rows may take this of all threads together, and of each one. */
#define COPY_BYTES	  ((size_t)24 << 20)
#define COPY_BYTES_THREAD ((size_t)1 << 20)
#define COPY_ROWS_LEAST	  64

/* A row in the copies: its codes and its weight, in two buffers. */
static size_t
copied_row_bytes(const struct rf_problem *problem)
{
	size_t one = 2 * ((size_t)problem->n_active + 1);

	return problem->n_classes == 0 ? one + 2 * sizeof(int64_t) : one;
}

bool
rf_fast_takes(const struct rf_problem *problem, const struct rf_rules *rules,
    int n_threads)
{
	/* More than 64 draws a row might give a row more than 255; copies of
	 * all columns do not pay where a node looks at very few of them. */
	return problem->code_bytes == 1 && problem->weights == NULL &&
	    problem->n_classes <= RF_FAST_CLASSES &&
	    rules->n_draws <= INT32_MAX &&
	    rules->n_draws / 64 <= problem->n_rows &&
	    rules->min_samples_leaf <= INT32_MAX &&
	    problem->n_active / 64 <= rules->max_features &&
	    (COPY_ROWS_LEAST + RF_SLOP) * copied_row_bytes(problem) <=
	    COPY_BYTES / (size_t)n_threads + (size_t)problem->n_rows;
}

static bool
has_general(const struct rf_problem *problem, const struct rf_rules *rules)
{
	for (int32_t i = 0; i < problem->n_active; i++)
		if (rf_general_takes(&problem->features[problem->active[i]],
			rules->criterion))
			return true;
	return false;
}

static size_t
most_rows(const struct rf_problem *problem, const struct rf_rules *rules)
{
	if (rules->bootstrap && rules->n_draws < problem->n_rows)
		return (size_t)rules->n_draws;
	return (size_t)problem->n_rows;
}

/* Rows of a node that gets a copy: the copies take about 1 MiB and 12 bytes a
 * row, but hold at least 64 rows; 8 bytes in regression, where a list takes
 * more, and 2 where the plain search has scratch of its own.  A thread is to
 * take 32 bytes a row in all. */
static size_t
copy_rows(const struct rf_problem *problem, const struct rf_rules *rules,
    int n_threads)
{
	size_t n = most_rows(problem, rules);
	size_t most = COPY_BYTES / (size_t)n_threads;

	if (most > COPY_BYTES_THREAD)
		most = COPY_BYTES_THREAD;
	most += (size_t)problem->n_rows *
	    (has_general(problem, rules)      ? 2
		    : problem->n_classes == 0 ? 8
					      : 12);
	most /= copied_row_bytes(problem);
	if (most < COPY_ROWS_LEAST)
		most = COPY_ROWS_LEAST;
	return n < most ? n : most;
}

static size_t
stride_of(size_t n_copy)
{
	return (n_copy + RF_SLOP + 63) / 64 * 64;
}

size_t
rf_fast_bytes(const struct rf_problem *problem, const struct rf_rules *rules,
    int n_threads)
{
	size_t n = most_rows(problem, rules);
	size_t n_copy = copy_rows(problem, rules, n_threads);

	return sizeof(struct rf_fast) +
	    (has_general(problem, rules)
		    ? rf_general_bytes(problem, (uint32_t)n)
		    : 0) +
	    (RF_FAST_CLASSES + 1) * (size_t)256 * sizeof(uint32_t) + n * 7 +
	    n / 8 + 2 * stride_of(n_copy) * ((size_t)problem->n_active + 1) +
	    n_copy * 2 + (problem->n_classes == 0 ? 8 * n + 16 * n_copy : 0);
}

static bool
has_all(const struct rf_fast *fast)
{
	if (fast->is_regression &&
	    (fast->products == NULL || fast->copied_products[0] == NULL ||
		fast->copied_products[1] == NULL))
		return false;
	return fast->rows != NULL && fast->weights != NULL &&
	    fast->spare_weights != NULL && fast->codes != NULL &&
	    fast->copies[0] != NULL && fast->copies[1] != NULL &&
	    fast->bits != NULL && fast->move.controls != NULL &&
	    fast->move.n_left != NULL && fast->constants != NULL &&
	    fast->child_sets != NULL && fast->search.counts != NULL &&
	    fast->search.sums != NULL;
}

static void
allocate(struct rf_fast *fast)
{
	size_t n = fast->room, n_copy = fast->n_copy;
	size_t n_columns = (size_t)fast->problem->n_active + 1;

	fast->rows = rf_alloc(n + 1, sizeof(uint32_t));
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
	fast->child_sets = rf_alloc(2 * fast->n_words, sizeof(uint64_t));
	fast->search.counts =
	    rf_alloc((RF_FAST_CLASSES + 1) * (size_t)256, sizeof(uint32_t));
	fast->search.sums = rf_alloc(256, sizeof(int64_t));
}

enum rf_status
rf_fast_new(struct rf_fast **out, const struct rf_problem *problem,
    const struct rf_rules *rules, const struct rf_kernels *kernels,
    int n_threads, struct rf_error *err)
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
	fast->n_copy = (uint32_t)copy_rows(problem, rules, n_threads);
	fast->stride = stride_of(fast->n_copy);
	fast->n_words = ((size_t)problem->n_active + 63) / 64 + 1;
	fast->search.node = &fast->node;
	fast->search.min_leaf = (uint32_t)rules->min_samples_leaf;
	allocate(fast);
	if (!has_all(fast))
		return rf_error_memory(err,
		    rf_fast_bytes(problem, rules, n_threads), "growing trees");
	if (!has_general(problem, rules))
		return RF_OK;
	fast->general = rf_alloc_zero(1, sizeof(*fast->general));
	if (fast->general == NULL)
		return rf_error_memory(
		    err, sizeof(*fast->general), "growing trees");
	return rf_general_init(fast->general, problem, rules, fast->room, err);
}

void
rf_fast_free(struct rf_fast *fast)
{
	if (fast == NULL)
		return;
	if (fast->general != NULL)
		rf_general_release(fast->general);
	free(fast->general);
	free(fast->rows);
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
	free(fast->child_sets);
	free(fast->search.counts);
	free(fast->search.sums);
	free(fast->jobs);
	free(fast->runs);
	free(fast->sets);
	free(fast);
}
