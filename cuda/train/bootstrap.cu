#include "train/bootstrap.cuh"

#include <cub/device/device_scan.cuh>

#include "device/errors.h"

#define THREADS 256

static __host__ __device__ int64_t
blocks_of(int64_t n_rows)
{
	return (n_rows + RF_BAG_BLOCK - 1) / RF_BAG_BLOCK;
}

/* Step 1: draws of each block of rows.  Grid x: draws, y: trees. */
static __global__ void
draw_blocks(const __grid_constant__ struct rf_grow_view v, int64_t n_trees,
    uint32_t *draws)
{
	int64_t n_blocks = blocks_of(v.n_rows);

	for (int64_t tree = blockIdx.y; tree < n_trees; tree += gridDim.y) {
		uint64_t key = rf_key_tree(
		    v.rules.seed, v.first_tree + tree, RF_USE_BLOCK);

		for (int64_t d = blockIdx.x * (int64_t)THREADS + threadIdx.x;
		     d < v.rules.n_draws; d += gridDim.x * (int64_t)THREADS)
			atomicAdd(&draws[tree * n_blocks +
				      (int64_t)rf_bag_block(key, (uint64_t)d,
					  (uint64_t)v.n_rows)],
			    1u);
	}
}

/* Step 2: the counts of the rows of one block, in shared memory. */
static __device__ uint32_t
count_rows(const struct rf_grow_view *v, const uint32_t *draws, int64_t at,
    uint32_t *counts)
{
	int64_t n_blocks = blocks_of(v->n_rows);
	int64_t tree = at / n_blocks, block = at % n_blocks;
	int64_t first = block * RF_BAG_BLOCK;
	uint32_t size = (uint32_t)min((int64_t)RF_BAG_BLOCK, v->n_rows - first);
	uint64_t key =
	    rf_mix(rf_key_tree(v->rules.seed, v->first_tree + tree, RF_USE_ROW),
		(uint64_t)block);

	__syncthreads();
	for (uint32_t i = threadIdx.x; i < RF_BAG_BLOCK; i += THREADS)
		counts[i] = !v->rules.bootstrap && i < size;
	__syncthreads();
	for (uint32_t j = threadIdx.x; v->rules.bootstrap && j < draws[at];
	     j += THREADS)
		atomicAdd(&counts[rf_bag_row(key, j, size)], 1u);
	__syncthreads();
	return (uint32_t)first;
}

static __global__ void
count_distinct(const __grid_constant__ struct rf_grow_view v,
    const uint32_t *draws, int64_t n, uint32_t *block_rows)
{
	__shared__ uint32_t counts[RF_BAG_BLOCK];

	for (int64_t at = blockIdx.x; at < n; at += gridDim.x) {
		int n_rows = 0;

		count_rows(&v, draws, at, counts);
		for (uint32_t i = 0; i < RF_BAG_BLOCK; i += THREADS)
			n_rows +=
			    __syncthreads_count(counts[i + threadIdx.x] != 0);
		if (threadIdx.x == 0)
			block_rows[at] = (uint32_t)n_rows;
	}
}

/* Writes the rows that were drawn, in order. */
static __global__ void
fill(const __grid_constant__ struct rf_grow_view v, const uint32_t *draws,
    int64_t n, const uint32_t *starts)
{
	__shared__ uint32_t counts[RF_BAG_BLOCK], warps[THREADS / 32];
	uint32_t lane = threadIdx.x % 32;

	for (int64_t at = blockIdx.x; at < n; at += gridDim.x) {
		uint32_t first = count_rows(&v, draws, at, counts);
		uint32_t to = starts[at];

		for (uint32_t i = 0; i < RF_BAG_BLOCK; i += THREADS) {
			uint32_t count = counts[i + threadIdx.x], before = 0;
			uint32_t there = __ballot_sync(RF_FULL, count != 0);

			if (lane == 0)
				warps[threadIdx.x / 32] =
				    (uint32_t)__popc(there);
			__syncthreads();
			for (uint32_t w = 0; w < threadIdx.x / 32; w++)
				before += warps[w];
			before += (uint32_t)__popc(there & ((1u << lane) - 1));
			if (count != 0) {
				v.rows[0][to + before] =
				    first + i + threadIdx.x;
				v.counts[0][to + before] = count;
			}
			for (uint32_t w = 0; w < THREADS / 32; w++)
				to += warps[w];
			__syncthreads();
		}
	}
}

static __global__ void
make_roots(const __grid_constant__ struct rf_grow_view v, int64_t n_trees,
    const uint32_t *starts)
{
	int64_t n_blocks = blocks_of(v.n_rows);

	for (int64_t tree = blockIdx.x * (int64_t)THREADS + threadIdx.x;
	     tree < n_trees; tree += gridDim.x * (int64_t)THREADS) {
		struct rf_work root;

		root.key =
		    rf_key_tree(v.rules.seed, v.first_tree + tree, RF_USE_NODE);
		root.start = starts[tree * n_blocks];
		root.n_rows = starts[(tree + 1) * n_blocks] - root.start;
		root.tree = (uint32_t)tree;
		root.depth = 0;
		v.work[tree] = root;
		rf_enqueue(&v, 0, (uint32_t)tree, root.n_rows);
	}
}

enum rf_status
rf_cuda_bag_take(struct rf_arena *arena, int64_t n_rows, int64_t n_trees,
    struct rf_bag_buffers *buffers, struct rf_error *err)
{
	size_t n = (size_t)(blocks_of(n_rows) * n_trees) + 1;

	buffers->scan_bytes = 0;
	RF_CUDA_TRY(cub::DeviceScan::ExclusiveSum(NULL, buffers->scan_bytes,
			(uint32_t *)NULL, (uint32_t *)NULL, (int64_t)n),
	    err);
	buffers->block_draws = (uint32_t *)rf_arena_take(arena, n, 4);
	buffers->block_rows = (uint32_t *)rf_arena_take(arena, n, 4);
	buffers->block_starts = (uint32_t *)rf_arena_take(arena, n, 4);
	buffers->scan = rf_arena_take(arena, buffers->scan_bytes + 1, 1);
	return RF_OK;
}

static unsigned int
grid_of(int64_t n)
{
	return (unsigned int)(n < 65536 ? n : 65536);
}

enum rf_status
rf_cuda_bag_count(const struct rf_grow_view *view, int64_t n_trees,
    const struct rf_bag_buffers *buffers, cudaStream_t stream, int64_t *n_rows,
    struct rf_error *err)
{
	int64_t n = blocks_of(view->n_rows) * n_trees;
	size_t scan_bytes = buffers->scan_bytes;
	uint32_t total = 0;

	RF_CUDA_TRY(cudaMemsetAsync(
			buffers->block_draws, 0, (size_t)(n + 1) * 4, stream),
	    err);
	RF_CUDA_TRY(cudaMemsetAsync(
			buffers->block_rows, 0, (size_t)(n + 1) * 4, stream),
	    err);
	if (view->rules.bootstrap) {
		dim3 grid(
		    64, (unsigned int)(n_trees < 65535 ? n_trees : 65535));

		draw_blocks<<<grid, THREADS, 0, stream>>>(
		    *view, n_trees, buffers->block_draws);
		RF_CUDA_TRY(cudaGetLastError(), err);
	}
	count_distinct<<<grid_of(n), THREADS, 0, stream>>>(
	    *view, buffers->block_draws, n, buffers->block_rows);
	RF_CUDA_TRY(cudaGetLastError(), err);
	RF_CUDA_TRY(
	    cub::DeviceScan::ExclusiveSum(buffers->scan, scan_bytes,
		buffers->block_rows, buffers->block_starts, n + 1, stream),
	    err);
	RF_CUDA_TRY(cudaMemcpyAsync(&total, buffers->block_starts + n, 4,
			cudaMemcpyDeviceToHost, stream),
	    err);
	RF_CUDA_TRY(cudaStreamSynchronize(stream), err);
	*n_rows = total;
	return RF_OK;
}

enum rf_status
rf_cuda_bag_fill(const struct rf_grow_view *view, int64_t n_trees,
    const struct rf_bag_buffers *buffers, cudaStream_t stream,
    struct rf_error *err)
{
	int64_t n = blocks_of(view->n_rows) * n_trees;

	fill<<<grid_of(n), THREADS, 0, stream>>>(
	    *view, buffers->block_draws, n, buffers->block_starts);
	RF_CUDA_TRY(cudaGetLastError(), err);
	make_roots<<<64, THREADS, 0, stream>>>(
	    *view, n_trees, buffers->block_starts);
	RF_CUDA_TRY(cudaGetLastError(), err);
	return RF_OK;
}
