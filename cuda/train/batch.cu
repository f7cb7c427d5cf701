#include "train/batch.cuh"

#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "device/errors.h"

/* Most device memory for the sets of levels of a batch. */
#define SETS_BYTES_MAX ((size_t)1 << 30)
/* Scratch that histograms of blocks may take where shared memory is short. */
#define SCRATCH_BYTES_MAX ((size_t)4 << 30)

struct batch {
	struct rf_device *device;
	const struct rf_problem *problem;
	struct rf_grow_view *view;
	const struct rf_table *table;
	int64_t n_trees, n_rows;
	struct rf_arena bags, arena;
	struct rf_bag_buffers bag;
	struct rf_block_plan plans[RF_N_QUEUES];
	struct rf_counters *counters; /* on the host, pinned */
};

/* Nodes that a queue can hold at once: all have more rows than the tiers below
 * take. */
static size_t
queue_size(const struct batch *b, int queue)
{
	uint32_t least = 0;

	for (int i = 0; i < queue; i++)
		if (b->view->most_rows[i] > least)
			least = b->view->most_rows[i];
	if (least == UINT32_MAX)
		return 1;
	return (size_t)b->n_rows / ((size_t)least + 1) + (size_t)b->n_trees;
}

static size_t
set_words(const struct batch *b)
{
	size_t words = (b->table->stride + 63) / 64;
	size_t all = words * (size_t)b->n_rows;

	if (!b->table->with_categories)
		return 1;
	return all * 8 < SETS_BYTES_MAX ? all : SETS_BYTES_MAX / 8;
}

static void
take(struct batch *b)
{
	struct rf_grow_view *v = b->view;
	struct rf_arena *arena = &b->arena;
	size_t n = (size_t)b->n_rows;
	size_t n_entries = v->n_classes > 0 ? n : 1;

	for (int i = 0; i < 2; i++) {
		v->rows[i] = (uint32_t *)rf_arena_take(arena, n, 4);
		v->counts[i] = (uint32_t *)rf_arena_take(arena, n, 4);
		for (int q = 0; q < RF_N_QUEUES; q++)
			v->queue[i][q] = (uint32_t *)rf_arena_take(
			    arena, queue_size(b, q), 4);
	}
	v->work =
	    (struct rf_work *)rf_arena_take(arena, 2 * n + 2, sizeof(*v->work));
	v->nodes = (struct rf_grown_node *)rf_arena_take(
	    arena, 2 * n + 2, sizeof(*v->nodes));
	v->root_weight =
	    (uint64_t *)rf_arena_take(arena, (size_t)b->n_trees, 8);
	v->counters =
	    (struct rf_counters *)rf_arena_take(arena, 1, sizeof(*v->counters));
	v->leaf_class = (int32_t *)rf_arena_take(arena, n_entries, 4);
	v->leaf_weight = (uint64_t *)rf_arena_take(arena, n_entries, 8);
	v->max_words = (uint32_t)set_words(b);
	v->cats = (uint64_t *)rf_arena_take(arena, v->max_words, 8);
	for (int q = RF_QUEUE_WARP; q < RF_N_QUEUES; q++)
		if (!b->plans[q].in_shared)
			b->plans[q].scratch = (char *)rf_arena_take(arena,
			    b->plans[q].n_blocks, b->plans[q].scratch_bytes);
}

/*
 * Histograms live in shared memory where at least two blocks fit a
 * multiprocessor with them (one, for large blocks), else in scratch.
 */
static void
plan_blocks(struct batch *b, int queue, size_t bytes)
{
	static const uint32_t per_sm[RF_N_QUEUES] = {0, 32, 8, 2};
	struct rf_block_plan *plan = &b->plans[queue];
	size_t limit = b->device->shared_bytes - 4096;
	uint32_t most = per_sm[queue], fit;

	bytes = (bytes + 255) / 256 * 256;
	plan->stride = b->table->stride;
	plan->with_categories = b->table->with_categories;
	plan->shared_limit = limit;
	plan->in_shared = bytes <= limit / (queue == RF_QUEUE_WARP ? 4 : 1);
	if (plan->in_shared) {
		fit = (uint32_t)(limit / bytes);
		plan->shared_bytes = bytes;
	} else {
		fit = (uint32_t)(SCRATCH_BYTES_MAX / 3 / bytes /
		    (size_t)b->device->n_sm);
		plan->scratch_bytes = bytes;
	}
	if (fit < 1)
		fit = 1;
	plan->n_blocks = (uint32_t)b->device->n_sm * (fit < most ? fit : most);
	if (!plan->in_shared &&
	    plan->n_blocks * bytes > SCRATCH_BYTES_MAX / 3) {
		plan->n_blocks = (uint32_t)(SCRATCH_BYTES_MAX / 3 / bytes);
		if (plan->n_blocks < 1)
			plan->n_blocks = 1;
	}
}

static enum rf_status
prepare(struct batch *b, struct rf_error *err)
{
	size_t bytes = rf_cuda_block_bytes(
	    b->view, b->table->stride, b->table->with_categories);
	cudaStream_t stream = b->device->stream;
	unsigned int n_trees = (unsigned int)b->n_trees;

	RF_TRY(rf_cuda_bag_take(
	    &b->bags, b->problem->n_rows, b->n_trees, &b->bag, err));
	RF_TRY(rf_arena_open(&b->bags, err));
	RF_TRY(rf_cuda_bag_take(
	    &b->bags, b->problem->n_rows, b->n_trees, &b->bag, err));
	RF_TRY(rf_cuda_bag_count(
	    b->view, b->n_trees, &b->bag, stream, &b->n_rows, err));
	for (int q = RF_QUEUE_WARP; q < RF_N_QUEUES; q++)
		plan_blocks(b, q, bytes);
	take(b);
	RF_TRY(rf_arena_open(&b->arena, err));
	take(b);
	RF_CUDA_TRY(
	    cudaMallocHost((void **)&b->counters, sizeof(*b->counters)), err);
	RF_CUDA_TRY(
	    cudaMemsetAsync(b->view->counters, 0, sizeof(*b->counters), stream),
	    err);
	RF_CUDA_TRY(cudaMemcpyAsync(&b->view->counters->n_nodes, &n_trees,
			sizeof(n_trees), cudaMemcpyHostToDevice, stream),
	    err);
	return rf_cuda_bag_fill(b->view, b->n_trees, &b->bag, stream, err);
}

static enum rf_status
read_counters(struct batch *b, struct rf_error *err)
{
	cudaStream_t stream = b->device->stream;

	RF_CUDA_TRY(cudaMemcpyAsync(b->counters, b->view->counters,
			sizeof(*b->counters), cudaMemcpyDeviceToHost, stream),
	    err);
	RF_CUDA_TRY(cudaStreamSynchronize(stream), err);
	return RF_OK;
}

/* Level after level, until no queue holds a node. */
static enum rf_status
grow_levels(struct batch *b, struct rf_error *err)
{
	cudaStream_t stream = b->device->stream;

	for (int parity = 0;; parity = 1 - parity) {
		unsigned int *n = b->counters->n_queued[parity];

		RF_TRY(read_counters(b, err));
		if (n[0] + n[1] + n[2] + n[3] == 0)
			break;
		RF_CUDA_TRY(
		    cudaMemsetAsync(b->view->counters->n_queued[1 - parity], 0,
			sizeof(b->counters->n_queued[0]), stream),
		    err);
		for (int q = RF_QUEUE_LEVEL; q >= RF_QUEUE_WARP; q--)
			RF_TRY(rf_cuda_grow_blocks(b->view, parity, q, n[q],
			    &b->plans[q], stream, err));
		RF_TRY(rf_cuda_grow_lanes(b->view, parity, n[RF_QUEUE_LANE],
		    b->device->n_sm, stream, err));
	}
	if (b->counters->is_full)
		return rf_error_set(err, RF_ENOMEM,
		    "cuda: out of device memory (sets of levels)");
	return RF_OK;
}

static enum rf_status
fetch(void **to, const void *from, size_t n, size_t size, struct rf_error *err)
{
	*to = rf_alloc(n, size);
	if (*to == NULL)
		return rf_error_memory(err, n * size, "a batch of trees");
	RF_CUDA_TRY(
	    cudaMemcpy(*to, from, n * size, cudaMemcpyDeviceToHost), err);
	return RF_OK;
}

/* The nodes leave the card; the courier takes them from there. */
static enum rf_status
deliver(struct batch *b, struct rf_courier *courier, struct rf_error *err)
{
	const struct rf_counters *c = b->counters;
	size_t n_entries = (size_t)c->n_leaf_entries;
	void *parts[4] = {NULL, NULL, NULL, NULL};
	struct rf_raw_batch raw;
	enum rf_status status;

	memset(&raw, 0, sizeof(raw));
	status = fetch(&parts[0], b->view->nodes, c->n_nodes,
	    sizeof(struct rf_grown_node), err);
	if (status == RF_OK)
		status =
		    fetch(&parts[1], b->view->leaf_class, n_entries, 4, err);
	if (status == RF_OK)
		status =
		    fetch(&parts[2], b->view->leaf_weight, n_entries, 8, err);
	if (status == RF_OK)
		status = fetch(&parts[3], b->view->cats, c->n_words, 8, err);
	raw.first_tree = b->view->first_tree;
	raw.n_trees = b->n_trees;
	raw.nodes = (const struct rf_grown_node *)parts[0];
	raw.leaf_class = (const int32_t *)parts[1];
	raw.leaf_weight = (const uint64_t *)parts[2];
	raw.cats = (const uint64_t *)parts[3];
	raw.features = b->problem->features;
	raw.is_regression = b->problem->n_classes == 0;
	if (status == RF_OK)
		return rf_courier_send(courier, &raw, err);
	for (int i = 0; i < 4; i++)
		free(parts[i]);
	return status;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum rf_status
rf_cuda_batch(struct rf_device *device, const struct rf_problem *problem,
    struct rf_grow_view *view, const struct rf_table *table, int64_t n_trees,
    struct rf_courier *courier, bool *is_short, struct rf_error *err)
{
	struct batch b;
	enum rf_status status;
	double t[4];

	memset(&b, 0, sizeof(b));
	b.device = device;
	b.problem = problem;
	b.view = view;
	b.table = table;
	b.n_trees = n_trees;
	t[0] = seconds();
	status = prepare(&b, err);
	t[1] = seconds();
	*is_short =
	    status != RF_OK && cudaGetLastError() == cudaErrorMemoryAllocation;
	if (status == RF_OK) {
		status = grow_levels(&b, err);
		*is_short = status != RF_OK && b.counters->is_full;
	}
	t[2] = seconds();
	if (status == RF_OK)
		status = deliver(&b, courier, err);
	t[3] = seconds();
	if (status == RF_OK && device->options.verbose)
		rf_note(device->options.log,
		    "cuda: %lld trees: bags %.3f s, levels %.3f s, copied and "
		    "handed over %.3f s; %u nodes",
		    (long long)n_trees, t[1] - t[0], t[2] - t[1], t[3] - t[2],
		    b.counters->n_nodes);
	cudaStreamSynchronize(device->stream);
	if (b.counters != NULL)
		cudaFreeHost(b.counters);
	rf_arena_close(&b.arena);
	rf_arena_close(&b.bags);
	return status;
}
