/*
 * The stages on the CPU.  Work is done by the time a call returns, so that a
 * slot has nothing to wait for.
 */
#include "backend.h"

#include <omp.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "predict/ranks.h"
#include "predict/walk.h"
#include "train/grow.h"

struct rf_device {
	int n_threads;
};

static enum rf_status
cpu_open(const struct rf_backend_options *options, struct rf_device **out,
    struct rf_error *err)
{
	struct rf_device *device = rf_alloc_zero(1, sizeof(*device));

	*out = device;
	if (device == NULL)
		return rf_error_memory(err, sizeof(*device), "the CPU backend");
	device->n_threads =
	    options->n_threads > 0 ? options->n_threads : omp_get_num_procs();
	return RF_OK;
}

static void
cpu_close(struct rf_device *device)
{
	free(device);
}

static void *
cpu_host_alloc(struct rf_device *device, size_t size_bytes)
{
	(void)device;
	return rf_alloc_aligned(size_bytes);
}

static void
cpu_host_free(struct rf_device *device, void *memory)
{
	(void)device;
	rf_free_aligned(memory);
}

static void
quantise_job(void *context, int64_t item, int thread)
{
	const struct rf_quantise_job *const *jobs = context;

	(void)thread;
	rf_quantise_cpu(&(*jobs)[item]);
}

/* The threads end with the call, so that they take no room while others
 * grow. */
static enum rf_status
cpu_quantise(struct rf_device *device, const struct rf_quantise_job *jobs,
    int64_t n_jobs, struct rf_error *err)
{
	struct rf_pool *pool = NULL;

	RF_TRY(rf_pool_open(&pool,
	    n_jobs < device->n_threads ? (int)n_jobs : device->n_threads, err));
	rf_pool_run(pool, n_jobs, quantise_job, &jobs);
	rf_pool_close(pool);
	return RF_OK;
}

static enum rf_status
cpu_grow(struct rf_device *device, const struct rf_problem *problem,
    const struct rf_rules *rules, int64_t first, int64_t end,
    const struct rf_tree_sink *sink, struct rf_error *err)
{
	return rf_grow_cpu(
	    problem, rules, first, end, device->n_threads, sink, err);
}

/* How a slot's batch ended, for its wait. */
struct slot {
	enum rf_status status;
	struct rf_error err;
};

struct rf_walker {
	struct rf_walk_cpu *walk;
	int n_slots;
	struct slot *slots;
};

static void
cpu_unload(struct rf_walker *walker)
{
	if (walker == NULL)
		return;
	rf_walk_cpu_free(walker->walk);
	free(walker->slots);
	free(walker);
}

static enum rf_status
cpu_load(struct rf_device *device, const struct rf_walk_model *model,
    int n_slots, struct rf_walker **out, struct rf_error *err)
{
	struct rf_walker *walker = rf_alloc_zero(1, sizeof(*walker));
	enum rf_status status;

	*out = NULL;
	if (walker == NULL)
		return rf_error_memory(err, sizeof(*walker), "the CPU backend");
	walker->n_slots = n_slots;
	walker->slots = rf_alloc_zero((size_t)n_slots, sizeof(struct slot));
	status = walker->slots == NULL
	    ? rf_error_memory(err, sizeof(struct slot), "the CPU backend")
	    : rf_walk_cpu_load(model, device->n_threads, &walker->walk, err);
	if (status != RF_OK) {
		cpu_unload(walker);
		return status;
	}
	*out = walker;
	return RF_OK;
}

static enum rf_status
cpu_submit(struct rf_walker *walker, int slot,
    const struct rf_walk_batch *batch, struct rf_error *err)
{
	struct slot *done = &walker->slots[slot];

	(void)err;
	done->status = rf_walk_cpu_run(walker->walk, batch, &done->err);
	return RF_OK;
}

static enum rf_status
cpu_wait(struct rf_walker *walker, int slot, struct rf_error *err)
{
	const struct slot *done = &walker->slots[slot];

	if (done->status != RF_OK && err != NULL)
		*err = done->err;
	return done->status;
}

static const struct rf_backend cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .host_alloc = cpu_host_alloc,
    .host_free = cpu_host_free,
    .quantise = cpu_quantise,
    .grow = cpu_grow,
    .load = cpu_load,
    .unload = cpu_unload,
    .submit = cpu_submit,
    .wait = cpu_wait,
};

const struct rf_backend *
rf_backend_cpu(void)
{
	return &cpu;
}
