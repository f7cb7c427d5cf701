#include "table/workers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct task {
	void *job;
	bool is_done;
};

struct rf_workers {
	pthread_mutex_t mutex;
	pthread_cond_t given, done;
	pthread_t *threads;
	int n_threads;
	void (*run)(void *job);
	/* A ring; the counts go up for ever. */
	struct task *tasks;
	size_t n_tasks, n_given, n_begun, n_waited;
	bool ends;
};

static void *
work(void *argument)
{
	struct rf_workers *workers = argument;

	pthread_mutex_lock(&workers->mutex);
	for (;;) {
		struct task *task;

		while (!workers->ends && workers->n_begun == workers->n_given)
			pthread_cond_wait(&workers->given, &workers->mutex);
		if (workers->ends)
			break;
		task = &workers->tasks[workers->n_begun++ % workers->n_tasks];
		pthread_mutex_unlock(&workers->mutex);
		workers->run(task->job);
		pthread_mutex_lock(&workers->mutex);
		task->is_done = true;
		pthread_cond_signal(&workers->done);
	}
	pthread_mutex_unlock(&workers->mutex);
	return NULL;
}

enum rf_status
rf_workers_start(struct rf_workers **out, int n_threads, size_t max_jobs,
    void (*run)(void *job), struct rf_error *err)
{
	struct rf_workers *workers = rf_alloc_zero(1, sizeof(*workers));

	if (workers == NULL)
		return rf_error_memory(err, sizeof(*workers), "threads");
	pthread_mutex_init(&workers->mutex, NULL);
	pthread_cond_init(&workers->given, NULL);
	pthread_cond_init(&workers->done, NULL);
	workers->run = run;
	workers->n_tasks = max_jobs;
	workers->tasks = rf_alloc_zero(max_jobs, sizeof(*workers->tasks));
	workers->threads =
	    rf_alloc_zero((size_t)n_threads, sizeof(*workers->threads));
	if (workers->tasks == NULL || workers->threads == NULL) {
		rf_workers_stop(workers);
		return rf_error_memory(err, max_jobs, "threads");
	}
	for (int i = 0; i < n_threads; i++) {
		/* Fewer threads than asked for only take longer. */
		if (pthread_create(&workers->threads[i], NULL, work, workers) !=
		    0)
			break;
		workers->n_threads++;
	}
	if (workers->n_threads == 0) {
		rf_workers_stop(workers);
		return rf_error_set(err, RF_ENOMEM, "cannot start a thread");
	}
	*out = workers;
	return RF_OK;
}

void
rf_workers_give(struct rf_workers *workers, void *job)
{
	struct task *task;

	pthread_mutex_lock(&workers->mutex);
	task = &workers->tasks[workers->n_given++ % workers->n_tasks];
	task->job = job;
	task->is_done = false;
	pthread_cond_signal(&workers->given);
	pthread_mutex_unlock(&workers->mutex);
}

void *
rf_workers_wait(struct rf_workers *workers)
{
	struct task *task;
	void *job;

	pthread_mutex_lock(&workers->mutex);
	task = &workers->tasks[workers->n_waited++ % workers->n_tasks];
	while (!task->is_done)
		pthread_cond_wait(&workers->done, &workers->mutex);
	job = task->job;
	pthread_mutex_unlock(&workers->mutex);
	return job;
}

void
rf_workers_stop(struct rf_workers *workers)
{
	if (workers == NULL)
		return;
	pthread_mutex_lock(&workers->mutex);
	workers->ends = true;
	pthread_cond_broadcast(&workers->given);
	pthread_mutex_unlock(&workers->mutex);
	for (int i = 0; i < workers->n_threads; i++)
		pthread_join(workers->threads[i], NULL);
	pthread_cond_destroy(&workers->done);
	pthread_cond_destroy(&workers->given);
	pthread_mutex_destroy(&workers->mutex);
	free(workers->threads);
	free(workers->tasks);
	free(workers);
}
