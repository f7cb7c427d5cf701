#include "predict/layout.cuh"

#include "device/errors.h"

#define THREADS 128
/* Trees that one thread walks; more threads for few rows. */
#define TREES_PER_THREAD 8
#define GROUPS_MAX	 65535 /* of a grid's y */

/* Codes of categories as ranks; -1 is missing. */
template <typename RANK>
static __global__ void
copy_codes(const int32_t *codes, int64_t n_rows, RANK *ranks)
{
	for (int64_t row = blockIdx.x * (int64_t)THREADS + threadIdx.x;
	     row < n_rows; row += gridDim.x * (int64_t)THREADS)
		ranks[row] =
		    codes[row] < 0 ? (RANK) ~(RANK)0 : (RANK)codes[row];
}

/* The leaf of one row in one tree, as an index among all nodes. */
template <typename RANK>
static __device__ uint32_t
walk_tree(const struct rf_device_forest *f, const RANK *ranks, int64_t n_rows,
    int64_t row, uint32_t node, struct rf_device_node *leaf)
{
	for (;;) {
		uint4 word = __ldg((const uint4 *)f->nodes + node);
		uint32_t rank;
		bool is_left;

		if (word.x & RF_NODE_LEAF) {
			leaf->leaf = word.w;
			return node;
		}
		rank =
		    ranks[(int64_t)(word.x & RF_NODE_FEATURE) * n_rows + row];
		if (rank == (RANK) ~(RANK)0)
			is_left = word.x & RF_NODE_MISSING_LEFT;
		else if (word.x & RF_NODE_SET)
			is_left =
			    __ldg(f->cats + word.y + rank / 64) >> rank % 64 &
			    1;
		else
			is_left = rank <= word.y;
		node = word.z + (is_left ? 0 : 1);
	}
}

/*
 * Tallies, or leaves, of rows.
 *
 * Grid    x: 128 rows, y: every n-th tree
 * Reads   16 B a node visited and a rank (2-4 B), both from L1 and L2 mostly
 * Writes  a 64-bit atomic a row, tree and entry of its leaf
 * Floor   one shared-memory load a visit, 1.6 T visits/s; this plain form is
 *	   bound by L2 latency
 */
template <typename RANK>
static __global__ void
__launch_bounds__(THREADS)
    walk(const __grid_constant__ struct rf_device_forest f, const RANK *ranks,
	int64_t n_rows, void *results)
{
	int64_t row = blockIdx.x * (int64_t)THREADS + threadIdx.x;

	if (row >= n_rows)
		return;
	for (int32_t tree = (int32_t)blockIdx.y; tree < f.n_trees;
	     tree += (int32_t)gridDim.y) {
		uint32_t root = (uint32_t)f.tree_first[tree];
		struct rf_device_node leaf;
		uint32_t node = walk_tree(&f, ranks, n_rows, row, root, &leaf);

		if (f.vote == RF_VOTE_LEAF) {
			((int32_t *)results)[row * f.n_trees + tree] =
			    (int32_t)(node - root);
			continue;
		}
		for (int64_t i = f.leaf_first[leaf.leaf];
		     i < f.leaf_first[leaf.leaf + 1]; i++)
			atomicAdd((unsigned long long *)results +
				row * f.n_outputs + f.leaf_output[i],
			    (unsigned long long)f.leaf_amount[i]);
	}
}

static size_t
result_bytes(const struct rf_walker *w, int64_t n_rows)
{
	if (w->forest.vote == RF_VOTE_LEAF)
		return (size_t)n_rows * (size_t)w->forest.n_trees * 4;
	return (size_t)n_rows * (size_t)w->forest.n_outputs * 8;
}

static void
take(struct rf_walker *w, struct rf_slot *slot, int64_t n_rows)
{
	for (int32_t i = 0; i < w->n_used; i++) {
		size_t size = w->is_categorical[i]
		    ? 4
		    : rf_value_bytes(w->columns[i].precision);

		slot->values[i] =
		    (char *)rf_arena_take(&slot->arena, (size_t)n_rows, size);
		slot->is_missing[i] =
		    (uint8_t *)rf_arena_take(&slot->arena, (size_t)n_rows, 1);
	}
	slot->ranks = rf_arena_take(&slot->arena,
	    (size_t)n_rows * (size_t)w->n_used, (size_t)w->rank_bytes);
	slot->results = rf_arena_take(&slot->arena, result_bytes(w, n_rows), 1);
}

/* Room for n_rows in the slot; batches of one size allocate once. */
static enum rf_status
reserve(struct rf_walker *w, struct rf_slot *slot, int64_t n_rows,
    struct rf_error *err)
{
	if (n_rows <= slot->n_rows)
		return RF_OK;
	rf_arena_close(&slot->arena);
	slot->n_rows = 0;
	take(w, slot, n_rows);
	RF_TRY(rf_arena_open(&slot->arena, err));
	take(w, slot, n_rows);
	slot->n_rows = n_rows;
	return RF_OK;
}

static enum rf_status
rank_categories(const struct rf_walker *w, struct rf_slot *slot, int32_t place,
    int64_t n_rows, void *ranks, struct rf_error *err)
{
	const int32_t *codes = (const int32_t *)slot->values[place];
	unsigned int grid = (unsigned int)((n_rows + THREADS - 1) / THREADS);

	grid = grid < 4096 ? grid : 4096;
	if (w->rank_bytes == 2)
		copy_codes<<<grid, THREADS, 0, slot->stream>>>(
		    codes, n_rows, (uint16_t *)ranks);
	else
		copy_codes<<<grid, THREADS, 0, slot->stream>>>(
		    codes, n_rows, (uint32_t *)ranks);
	RF_CUDA_TRY(cudaGetLastError(), err);
	return RF_OK;
}

/* Copies one column and ranks it on the device. */
static enum rf_status
rank_column(const struct rf_walker *w, struct rf_slot *slot, int32_t place,
    const struct rf_walk_batch *batch, struct rf_error *err)
{
	const struct rf_walk_column *from = &batch->columns[w->used[place]];
	struct rf_rank_column column = w->columns[place];
	size_t n = (size_t)batch->n_rows;
	size_t size =
	    w->is_categorical[place] ? 4 : rf_value_bytes(column.precision);
	char *ranks =
	    (char *)slot->ranks + (size_t)place * n * (size_t)w->rank_bytes;

	RF_CUDA_TRY(cudaMemcpyAsync(slot->values[place], from->values, n * size,
			cudaMemcpyHostToDevice, slot->stream),
	    err);
	if (w->is_categorical[place])
		return rank_categories(
		    w, slot, place, batch->n_rows, ranks, err);
	column.values = slot->values[place];
	if (from->is_missing != NULL) {
		column.is_missing = slot->is_missing[place];
		RF_CUDA_TRY(
		    cudaMemcpyAsync(slot->is_missing[place], from->is_missing,
			n, cudaMemcpyHostToDevice, slot->stream),
		    err);
	}
	return rf_cuda_rank(
	    &column, batch->n_rows, w->rank_bytes, ranks, slot->stream, err);
}

static enum rf_status
walk_rows(const struct rf_walker *w, struct rf_slot *slot, int64_t n_rows,
    struct rf_error *err)
{
	unsigned int n_groups =
	    ((unsigned int)w->forest.n_trees + TREES_PER_THREAD - 1) /
	    TREES_PER_THREAD;
	dim3 grid((unsigned int)((n_rows + THREADS - 1) / THREADS),
	    n_groups < GROUPS_MAX ? n_groups : GROUPS_MAX);

	RF_CUDA_TRY(cudaMemsetAsync(slot->results, 0, result_bytes(w, n_rows),
			slot->stream),
	    err);
	if (w->forest.n_trees == 0)
		return RF_OK;
	if (w->rank_bytes == 2)
		walk<uint16_t><<<grid, THREADS, 0, slot->stream>>>(w->forest,
		    (const uint16_t *)slot->ranks, n_rows, slot->results);
	else
		walk<uint32_t><<<grid, THREADS, 0, slot->stream>>>(w->forest,
		    (const uint32_t *)slot->ranks, n_rows, slot->results);
	RF_CUDA_TRY(cudaGetLastError(), err);
	return RF_OK;
}

enum rf_status
rf_cuda_submit(struct rf_walker *w, int slot_number,
    const struct rf_walk_batch *batch, struct rf_error *err)
{
	struct rf_slot *slot = &w->slots[slot_number];
	void *to = w->forest.vote == RF_VOTE_LEAF ? (void *)batch->leaves
						  : (void *)batch->tallies;

	if (batch->n_rows == 0)
		return RF_OK;
	RF_CUDA_TRY(cudaSetDevice(w->device->gpu), err);
	RF_TRY(reserve(w, slot, batch->n_rows, err));
	for (int32_t i = 0; i < w->n_used; i++)
		RF_TRY(rank_column(w, slot, i, batch, err));
	RF_TRY(walk_rows(w, slot, batch->n_rows, err));
	RF_CUDA_TRY(
	    cudaMemcpyAsync(to, slot->results, result_bytes(w, batch->n_rows),
		cudaMemcpyDeviceToHost, slot->stream),
	    err);
	return RF_OK;
}

enum rf_status
rf_cuda_wait(struct rf_walker *w, int slot, struct rf_error *err)
{
	RF_CUDA_TRY(cudaStreamSynchronize(w->slots[slot].stream), err);
	return RF_OK;
}
