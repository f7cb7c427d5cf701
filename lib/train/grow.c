#include "train/grow.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "train/bootstrap.h"
#include "train/clear.h"
#include "train/emit.h"
#include "train/fast.h"

/* What each thread has of its own. */
struct worker {
	const struct rf_problem *problem;
	const struct rf_rules *rules;
	struct rf_emitter *emitter;
	uint32_t *counts, *blocks; /* NULL: each row once, and nobody asks */
	struct rf_fast *fast;	   /* NULL: not for this problem */
	struct rf_clear *clear;	   /* NULL until needed */
	int n_threads;
	pthread_t thread;
	bool is_running;
};

static size_t
n_blocks(const struct rf_problem *problem)
{
	return ((size_t)problem->n_rows + RF_BAG_BLOCK - 1) / RF_BAG_BLOCK;
}

/* The fast path works in the memory of the counts, even if all are 1. */
static bool
has_counts(const struct rf_problem *problem, const struct rf_rules *rules,
    int n_threads)
{
	return rules->bootstrap || rf_fast_takes(problem, rules, n_threads);
}

size_t
rf_grow_memory(const struct rf_problem *problem, const struct rf_rules *rules,
    int n_threads)
{
	size_t bag = 0, one = rf_clear_bytes(problem, rules), fast;

	if (has_counts(problem, rules, n_threads))
		bag = ((size_t)problem->n_rows + n_blocks(problem)) * 4;
	if (rf_fast_takes(problem, rules, n_threads)) {
		fast = rf_fast_bytes(problem, rules, n_threads);
		one = fast > one ? fast : one;
	}
	return (size_t)n_threads * (one + bag);
}

static enum rf_status
make_bag(struct worker *worker, struct rf_error *err)
{
	size_t n = (size_t)worker->problem->n_rows;

	if (!has_counts(worker->problem, worker->rules, worker->n_threads))
		return RF_OK;
	worker->counts = rf_alloc(n, sizeof(*worker->counts));
	worker->blocks =
	    rf_alloc(n_blocks(worker->problem), sizeof(*worker->blocks));
	if (worker->counts == NULL || worker->blocks == NULL)
		return rf_error_memory(
		    err, n * sizeof(*worker->counts), "the bag of a tree");
	return RF_OK;
}

static enum rf_status
worker_init(struct worker *worker, struct rf_error *err)
{
	RF_TRY(make_bag(worker, err));
	if (rf_fast_takes(worker->problem, worker->rules, worker->n_threads))
		return rf_fast_new(&worker->fast, worker->problem,
		    worker->rules, rf_kernels(), worker->n_threads, err);
	return rf_clear_new(
	    &worker->clear, worker->problem, worker->rules, err);
}

static void
worker_release(struct worker *worker)
{
	free(worker->counts);
	free(worker->blocks);
	rf_fast_free(worker->fast);
	rf_clear_free(worker->clear);
}

static enum rf_status
grow_tree(struct worker *worker, struct rf_tree_builder *builder,
    struct rf_error *err)
{
	bool is_done = false;

	if (worker->counts != NULL)
		rf_bootstrap(worker->rules, worker->problem->n_rows,
		    builder->tree, worker->blocks, worker->counts);
	if (worker->fast != NULL)
		RF_TRY(rf_fast_tree(
		    worker->fast, worker->counts, builder, &is_done, err));
	if (is_done)
		return RF_OK;
	/* Not both at once: each has the memory of a thread. */
	rf_fast_free(worker->fast);
	worker->fast = NULL;
	if (worker->clear == NULL)
		RF_TRY(rf_clear_new(
		    &worker->clear, worker->problem, worker->rules, err));
	return rf_clear_tree(worker->clear, worker->counts, builder, err);
}

static void *
work(void *argument)
{
	struct worker *worker = argument;
	struct rf_tree_builder *builder;
	enum rf_status status = RF_OK;

	while (status == RF_OK &&
	    (builder = rf_emitter_take(worker->emitter)) != NULL) {
		struct rf_error failure = {0};

		status = grow_tree(worker, builder, &failure);
		rf_emitter_put(worker->emitter, builder, status, &failure);
	}
	return NULL;
}

/* A thread that cannot be had is done without; the caller is the first. */
static void
run_workers(struct worker *workers, int n)
{
	for (int i = 1; i < n; i++)
		workers[i].is_running = pthread_create(&workers[i].thread, NULL,
					    work, &workers[i]) == 0;
	work(&workers[0]);
	for (int i = 1; i < n; i++)
		if (workers[i].is_running)
			pthread_join(workers[i].thread, NULL);
}

enum rf_status
rf_grow_cpu(const struct rf_problem *problem, const struct rf_rules *rules,
    int64_t first, int64_t end, int n_threads, const struct rf_tree_sink *sink,
    struct rf_error *err)
{
	struct rf_emitter *emitter = NULL;
	struct worker *workers;
	enum rf_status status;

	if (problem->n_rows > RF_GROW_ROWS_MAX)
		return rf_error_set(
		    err, RF_EUNAVAILABLE, "more than 2^30 rows to train on");
	if (n_threads > end - first)
		n_threads = end > first ? (int)(end - first) : 1;
	workers = rf_alloc_zero((size_t)n_threads, sizeof(*workers));
	if (workers == NULL)
		return rf_error_memory(err, sizeof(*workers), "threads");
	status = rf_emitter_new(
	    &emitter, problem, first, end, 2 * n_threads + 1, sink, err);
	for (int i = 0; i < n_threads && status == RF_OK; i++) {
		workers[i].problem = problem;
		workers[i].rules = rules;
		workers[i].emitter = emitter;
		workers[i].n_threads = n_threads;
		status = worker_init(&workers[i], err);
	}
	if (status == RF_OK) {
		run_workers(workers, n_threads);
		status = rf_emitter_status(emitter, err);
	}
	for (int i = 0; i < n_threads; i++)
		worker_release(&workers[i]);
	free(workers);
	rf_emitter_free(emitter);
	return status;
}
