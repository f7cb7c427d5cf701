/*
 * The stages on the CPU.  Work is done by the time a call returns, so that a
 * slot has nothing to wait for.
 */
#include "backend.h"

#include <omp.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "predict/ranks.h"
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

static enum rf_status
cpu_quantise(struct rf_device *device, const struct rf_quantise_job *jobs,
    int64_t n_jobs, struct rf_error *err)
{
	(void)err;
#pragma omp parallel for schedule(dynamic) num_threads(device->n_threads)
	for (int64_t i = 0; i < n_jobs; i++)
		rf_quantise_cpu(&jobs[i]);
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

static const struct rf_backend cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .host_alloc = cpu_host_alloc,
    .host_free = cpu_host_free,
    .quantise = cpu_quantise,
    .grow = cpu_grow,
};

const struct rf_backend *
rf_backend_cpu(void)
{
	return &cpu;
}
