#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

struct worker {
	struct rf_pool *pool;
	pthread_t thread;
	int number;
};

struct rf_pool {
	struct worker *workers;
	int n_workers; /* beside the caller; they start with the first run */
	int n_wanted;
	bool has_started;
	pthread_mutex_t mutex;
	pthread_cond_t has_begun, has_ended;
	/* Under the mutex. */
	uint64_t run; /* counts the runs */
	int n_busy;
	bool is_closing;
	/* Of the run. */
	void (*work)(void *context, int64_t item, int thread);
	void *context;
	int64_t n_items;
	atomic_int_fast64_t next;
};

static void
take_items(struct rf_pool *pool, int thread)
{
	int64_t item;

	while ((item = atomic_fetch_add(&pool->next, 1)) < pool->n_items)
		pool->work(pool->context, item, thread);
}

static void *
serve(void *context)
{
	struct worker *worker = context;
	struct rf_pool *pool = worker->pool;
	uint64_t seen = 0;

	pthread_mutex_lock(&pool->mutex);
	for (;;) {
		while (pool->run == seen && !pool->is_closing)
			pthread_cond_wait(&pool->has_begun, &pool->mutex);
		if (pool->is_closing)
			break;
		seen = pool->run;
		pthread_mutex_unlock(&pool->mutex);
		take_items(pool, worker->number);
		pthread_mutex_lock(&pool->mutex);
		if (--pool->n_busy == 0)
			pthread_cond_signal(&pool->has_ended);
	}
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

/* Signals are for the caller's thread. */
static void
start_workers(struct rf_pool *pool)
{
	sigset_t all, before;

	pool->has_started = true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; pool->n_workers < pool->n_wanted; pool->n_workers++) {
		struct worker *worker = &pool->workers[pool->n_workers];

		worker->pool = pool;
		worker->number = pool->n_workers + 1;
		if (pthread_create(&worker->thread, NULL, serve, worker) != 0)
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

enum rf_status
rf_pool_open(struct rf_pool **out, int n_threads, struct rf_error *err)
{
	struct rf_pool *pool = rf_alloc_zero(1, sizeof(*pool));

	if (pool != NULL)
		pool->workers =
		    rf_alloc_zero((size_t)n_threads, sizeof(*pool->workers));
	if (pool == NULL || pool->workers == NULL) {
		free(pool);
		return rf_error_memory(err, sizeof(*pool), "threads");
	}
	pthread_mutex_init(&pool->mutex, NULL);
	pthread_cond_init(&pool->has_begun, NULL);
	pthread_cond_init(&pool->has_ended, NULL);
	pool->n_wanted = n_threads - 1;
	*out = pool;
	return RF_OK;
}

void
rf_pool_run(struct rf_pool *pool, int64_t n_items,
    void (*work)(void *context, int64_t item, int thread), void *context)
{
	pool->work = work;
	pool->context = context;
	pool->n_items = n_items;
	atomic_store(&pool->next, 0);
	if (n_items > 1 && !pool->has_started)
		start_workers(pool);
	if (n_items > 1 && pool->n_workers > 0) {
		pthread_mutex_lock(&pool->mutex);
		pool->run++;
		pool->n_busy = pool->n_workers;
		pthread_cond_broadcast(&pool->has_begun);
		pthread_mutex_unlock(&pool->mutex);
	}
	take_items(pool, 0);
	pthread_mutex_lock(&pool->mutex);
	while (pool->n_busy > 0)
		pthread_cond_wait(&pool->has_ended, &pool->mutex);
	pthread_mutex_unlock(&pool->mutex);
}

void
rf_pool_close(struct rf_pool *pool)
{
	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->mutex);
	pool->is_closing = true;
	pthread_cond_broadcast(&pool->has_begun);
	pthread_mutex_unlock(&pool->mutex);
	for (int i = 0; i < pool->n_workers; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->has_ended);
	pthread_cond_destroy(&pool->has_begun);
	pthread_mutex_destroy(&pool->mutex);
	free(pool->workers);
	free(pool);
}
