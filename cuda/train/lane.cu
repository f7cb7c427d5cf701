/*
 * Lane tier: a warp grows a whole subtree of at most 32 distinct rows.
 *
 * Lane = row; a node is an interval of lanes, and a split only permutes lanes
 * inside it.  The children wait on a stack in shared memory, so no node of the
 * subtree goes through device memory but as a result.
 */
#include "train/work.cuh"

#include "arith/fixed.h"
#include "device/errors.h"
#include "train/lane.cuh"

/* The row of this lane moves with the split: left rows first, order kept. */
static __device__ void
permute(struct lane_row *row, struct lane_shared *shared, uint32_t node,
    uint32_t left, int begin)
{
	int lane = (int)(threadIdx.x & 31);
	uint32_t before = (1u << lane) - 1;
	int to = lane;

	if (left >> lane & 1)
		to = begin + __popc(left & before);
	else if (node >> lane & 1)
		to = begin + __popc(left) + __popc(node & ~left & before);
	shared->source[to] = lane;
	__syncwarp();
	int from = shared->source[lane];
	__syncwarp();
	row->row = __shfl_sync(RF_FULL, row->row, from);
	row->count = __shfl_sync(RF_FULL, row->count, from);
	row->label = __shfl_sync(RF_FULL, row->label, from);
	row->label_rank = __shfl_sync(RF_FULL, row->label_rank, from);
	row->weight = __shfl_sync(RF_FULL, row->weight, from);
	row->target = __shfl_sync(RF_FULL, row->target, from);
}

/* Ranks of the classes among those of the subtree, so that a mask of 32 bits
 * holds those of a node. */
static __device__ void
rank_labels(struct lane_row *row, uint32_t node)
{
	uint32_t rest = node;

	for (int rank = 0; rest != 0; rank++) {
		int32_t least = INT32_MAX;

		if (rest >> (threadIdx.x & 31) & 1)
			least = row->label;
		for (int step = 16; step > 0; step >>= 1)
			least =
			    min(least, __shfl_xor_sync(RF_FULL, least, step));
		bool is_it =
		    (rest >> (threadIdx.x & 31) & 1) && row->label == least;

		if (is_it)
			row->label_rank = rank;
		rest &= ~__ballot_sync(RF_FULL, is_it);
	}
}

static __device__ void
load_rows(const struct rf_grow_view *v, const struct rf_work *work, int parity,
    struct lane_row *row)
{
	int lane = (int)(threadIdx.x & 31);

	memset(row, 0, sizeof(*row));
	if (lane < (int)work->n_rows) {
		uint32_t at = work->start + (uint32_t)lane;

		row->row = v->rows[parity][at];
		row->count = v->counts[parity][at];
		row->weight = rf_view_weight(v, row->row, row->count);
		if (v->n_classes > 0)
			row->label = v->classes[row->row];
		else
			row->target =
			    (int64_t)row->weight * v->targets[row->row];
	}
	if (v->n_classes > 0)
		rank_labels(row, rf_lane_mask(0, (int)work->n_rows));
}

/* Writes the leaf: classes present, ascending, or the sum of targets. */
static __device__ void
emit_leaf(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_row *row)
{
	int lane = (int)(threadIdx.x & 31);
	int n_entries = v->n_classes == 0 ? 0 : __popc(node->labels);
	unsigned long long first = 0;
	struct rf_grown_node leaf = {};

	if (lane == 0 && n_entries > 0)
		first = atomicAdd(&v->counters->n_leaf_entries,
		    (unsigned long long)n_entries);
	first = __shfl_sync(RF_FULL, first, 0);
	for (uint32_t rest = v->n_classes == 0 ? 0 : node->labels; rest != 0;
	     rest &= rest - 1) {
		bool is_it = (node->mask >> lane & 1) &&
		    row->label_rank == __ffs((int)rest) - 1;
		uint32_t mask = __ballot_sync(RF_FULL, is_it);
		uint64_t sum = rf_warp_sum(is_it ? row->weight : 0);

		if (lane == __ffs((int)mask) - 1) {
			v->leaf_class[first] = row->label;
			v->leaf_weight[first] = sum;
		}
		first++;
	}
	if (lane != 0)
		return;
	leaf.feature = -1;
	leaf.cut = n_entries;
	leaf.cover = node->weight;
	leaf.payload =
	    v->n_classes == 0 ? node->sum : (int64_t)first - n_entries;
	v->nodes[node->id] = leaf;
}

/* The set of a categorical split: levels of the left rows, and the absent ones
 * where missing goes left. */
static __device__ int64_t
emit_set(const struct rf_grow_view *v, const struct lane_best *best,
    const struct lane_row *row, uint32_t node, bool missing_left)
{
	int lane = (int)(threadIdx.x & 31);
	int n_values = v->features[best->feature].n_values;
	uint32_t n_words = (uint32_t)(n_values + 63) / 64, first = 0;
	uint32_t code = 0;

	if (node >> lane & 1)
		code = rf_view_code(v, best->feature, row->row);
	if (lane == 0)
		first = atomicAdd(&v->counters->n_words, n_words);
	first = __shfl_sync(RF_FULL, first, 0);
	if (first > v->max_words - n_words) {
		v->counters->is_full = 1;
		return 0;
	}
	for (uint32_t word = 0; word < n_words; word++) {
		uint64_t present = 0, left = 0, all = ~UINT64_C(0);
		bool is_here = (node >> lane & 1) && code / 64 == word &&
		    code < (uint32_t)n_values;

		if (is_here)
			present = UINT64_C(1) << code % 64;
		if (is_here && (best->left >> lane & 1))
			left = present;
		for (int step = 16; step > 0; step >>= 1) {
			present |= __shfl_xor_sync(RF_FULL, present, step);
			left |= __shfl_xor_sync(RF_FULL, left, step);
		}
		if ((word + 1) * 64 > (uint32_t)n_values)
			all = (UINT64_C(1) << n_values % 64) - 1;
		if (lane == 0)
			v->cats[first + word] =
			    left | (missing_left ? all & ~present : 0);
	}
	return first;
}

/* Writes the inner node; returns its left child's number. */
static __device__ uint32_t
emit_split(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_best *best, const struct lane_row *row, double gain)
{
	struct rf_grown_node inner = {};
	uint32_t n_left = (uint32_t)__popc(best->left);
	uint32_t n_right = (uint32_t)__popc(node->mask) - n_left;
	uint32_t left = 0;
	bool missing_left = best->has_missing
	    ? best->missing_left
	    : rf_missing_by_majority(n_left, n_right);

	inner.feature = best->feature;
	inner.cut = best->cut;
	inner.missing_left = missing_left;
	inner.gain = gain;
	inner.cover = node->weight;
	if (v->features[best->feature].is_categorical)
		inner.payload =
		    emit_set(v, best, row, node->mask, missing_left);
	if ((threadIdx.x & 31) == 0) {
		left = atomicAdd(&v->counters->n_nodes, 2u);
		inner.left = (int32_t)left;
		v->nodes[node->id] = inner;
	}
	return __shfl_sync(RF_FULL, left, 0);
}

/* Grows the node on top of the stack; pushes its children. */
template <bool IS_WEIGHTED>
static __device__ void
grow_node(const struct rf_grow_view *v, struct lane_shared *shared,
    int *n_stacked, struct lane_row *row, uint32_t tree)
{
	struct lane_node node;
	struct lane_best best;
	double gain;

	rf_lane_begin<IS_WEIGHTED>(v, &shared->stack[--*n_stacked], row, &node);
	if (node.depth == 0 && (threadIdx.x & 31) == 0)
		v->root_weight[tree] = node.weight;
	__syncwarp();
	if (node.is_leaf ||
	    !rf_lane_search<IS_WEIGHTED>(v, &node, row, &best)) {
		emit_leaf(v, &node, row);
		return;
	}
	gain = rf_lane_gain(v, &node, row, &best);
	if (rf_decrease(gain,
		node.depth == 0 ? node.weight : v->root_weight[tree],
		v->target_shift) < v->rules.min_impurity_decrease) {
		emit_leaf(v, &node, row);
		return;
	}
	uint32_t child = emit_split(v, &node, &best, row, gain);

	permute(row, shared, node.mask, best.left, node.begin);
	for (int side = 1; side >= 0; side--) {
		struct lane_job job;
		int n_left = __popc(best.left);

		job.key = rf_key_child(node.key, side);
		job.id = child + (uint32_t)side;
		job.begin = node.begin + (side ? n_left : 0);
		job.n_rows = side ? __popc(node.mask) - n_left : n_left;
		job.depth = node.depth + 1;
		__syncwarp();
		if ((threadIdx.x & 31) == 0)
			shared->stack[*n_stacked] = job;
		++*n_stacked;
	}
	__syncwarp();
}

/*
 * Subtrees of a queue.
 *
 * Grid    as many blocks as fit the card; a warp takes every n-th subtree
 * Block   8 warps
 * Reads   8 B a row; a code (1-2 B, from L2 as a rule) a row and feature drawn
 * Writes  40 B a node, 12 B a leaf entry
 * Floor   instruction-bound: about 40 + 6 rows + 10 classes warp instructions a
 *	   feature that is not constant
 */
template <bool IS_WEIGHTED>
static __global__ void __launch_bounds__(256)
    grow_lanes(const struct rf_grow_view v, int parity, uint32_t n_subtrees)
{
	__shared__ struct lane_shared all_shared[8];
	struct lane_shared *shared = &all_shared[threadIdx.x / 32];
	uint32_t warp = blockIdx.x * 8 + threadIdx.x / 32;

	for (uint32_t i = warp; i < n_subtrees; i += gridDim.x * 8) {
		uint32_t id = v.queue[parity][RF_QUEUE_LANE][i];
		struct rf_work work = v.work[id];
		struct lane_row row;
		struct lane_job job;
		int n_stacked = 1;

		job.key = work.key;
		job.id = id;
		job.begin = 0;
		job.n_rows = (int)work.n_rows;
		job.depth = work.depth;
		__syncwarp();
		if ((threadIdx.x & 31) == 0)
			shared->stack[0] = job;
		__syncwarp();
		load_rows(&v, &work, parity, &row);
		while (n_stacked > 0)
			grow_node<IS_WEIGHTED>(
			    &v, shared, &n_stacked, &row, work.tree);
	}
}

enum rf_status
rf_cuda_grow_lanes(const struct rf_grow_view *view, int parity,
    uint32_t n_subtrees, int n_sm, cudaStream_t stream, struct rf_error *err)
{
	uint32_t n_blocks = (n_subtrees + 7) / 8;

	if (n_blocks == 0)
		return RF_OK;
	if (n_blocks > (uint32_t)n_sm * 8)
		n_blocks = (uint32_t)n_sm * 8;
	if (view->weights != NULL)
		grow_lanes<true>
		    <<<n_blocks, 256, 0, stream>>>(*view, parity, n_subtrees);
	else
		grow_lanes<false>
		    <<<n_blocks, 256, 0, stream>>>(*view, parity, n_subtrees);
	RF_CUDA_TRY(cudaGetLastError(), err);
	return RF_OK;
}
