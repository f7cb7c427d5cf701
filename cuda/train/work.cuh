/*
 * What the kernels of growth share: the coded table, nodes to be worked on and
 * nodes made, in device memory.
 *
 * A batch of trees grows level by level.  A node is a run of the in-bag rows,
 * kept in two buffers that levels use in turn; the order of rows inside a node
 * enters no rule.  Node numbers here are those of allocation; number.cu gives
 * the canonical ones.
 */
#ifndef RF_TRAIN_WORK_CUH
#define RF_TRAIN_WORK_CUH

#include <stdint.h>

#include <cuda_runtime.h>

#include "arith/fixed.h"
#include "train/problem.h"

/* Which kernel takes a node: by its distinct rows. */
enum {
	RF_QUEUE_LANE,
	RF_QUEUE_WARP,
	RF_QUEUE_BLOCK,
	RF_QUEUE_LEVEL,
	RF_N_QUEUES
};

#define RF_FULL 0xffffffffu

#define RF_LANE_ROWS  32
#define RF_WARP_ROWS  512
#define RF_BLOCK_ROWS 8192

struct rf_work {
	uint64_t key;
	uint32_t start, n_rows; /* run in the buffers; distinct rows */
	uint32_t tree;		/* within the batch */
	int32_t depth;
};

struct rf_counters {
	unsigned int n_nodes;
	unsigned int n_words; /* of cats */
	unsigned long long n_leaf_entries;
	unsigned int n_queued[2][RF_N_QUEUES]; /* by parity of the level */
	unsigned int is_full;		       /* the pool of cats ran out */
};

struct rf_grow_feature {
	int32_t n_values;
	uint8_t has_missing, is_categorical;
	/* More than a quarter of all rows have code `heavy`: it is not counted
	 * but derived, as all these rows would wait for one counter. */
	uint8_t skips_heavy;
	uint16_t heavy;
};

/* Passed by value; pointers are to device memory. */
struct rf_grow_view {
	/* the table */
	const void *codes;
	int64_t row_stride, feature_stride; /* in codes */
	int code_bytes;
	/* Words of a row to compare for codes that are constant in a node; 0
	 * where the codes lie by column or few features are ever constant. */
	int row_words;
	int64_t n_rows;
	const struct rf_grow_feature *features;
	const int32_t *active;
	int32_t n_active;
	int draw_bits;
	int32_t n_classes; /* 0: regression */
	const int32_t *classes;
	const int64_t *targets;
	const uint64_t *weights; /* NULL: all 1 */
	int target_shift;	 /* 0 for classification */
	/* the rules */
	struct rf_rules rules;
	/* the batch */
	int64_t first_tree;
	uint32_t *rows[2], *counts[2];
	struct rf_work *work;
	struct rf_grown_node
	    *nodes;	       /* leaf: cut = entries; left: pool number */
	uint64_t *root_weight; /* in-bag weight of each tree */
	struct rf_counters *counters;
	uint32_t *queue[2][RF_N_QUEUES];
	int32_t *leaf_class;
	uint64_t *leaf_weight;
	uint64_t *cats;
	uint32_t max_words; /* nodes and leaf entries always fit: by rows */
	/* who takes which node: at most so many rows; LEVEL takes the rest */
	uint32_t most_rows[RF_N_QUEUES];
};

static __device__ __forceinline__ uint32_t
rf_view_code(const struct rf_grow_view *v, int32_t feature, uint32_t row)
{
	int64_t at =
	    (int64_t)row * v->row_stride + (int64_t)feature * v->feature_stride;

	return v->code_bytes == 1 ? __ldg((const uint8_t *)v->codes + at)
				  : __ldg((const uint16_t *)v->codes + at);
}

static __device__ __forceinline__ uint64_t
rf_view_weight(const struct rf_grow_view *v, uint32_t row, uint32_t count)
{
	return v->weights == NULL ? count : count * v->weights[row];
}

/* Puts a node on the queue of the level `parity`. */
static __device__ __forceinline__ void
rf_enqueue(
    const struct rf_grow_view *v, int parity, uint32_t node, uint32_t n_rows)
{
	int queue = RF_QUEUE_LEVEL;

	for (int i = RF_QUEUE_BLOCK; i >= RF_QUEUE_LANE; i--)
		if (n_rows <= v->most_rows[i])
			queue = i;
	v->queue[parity][queue]
		[atomicAdd(&v->counters->n_queued[parity][queue], 1u)] = node;
}

/* The work that a child is. */
static __device__ __forceinline__ struct rf_work
rf_child_work(const struct rf_work *parent, int side, uint32_t n_left)
{
	struct rf_work child;

	child.key = rf_key_child(parent->key, side);
	child.start = parent->start + (side ? n_left : 0);
	child.n_rows = side ? parent->n_rows - n_left : n_left;
	child.tree = parent->tree;
	child.depth = parent->depth + 1;
	return child;
}

/* Sum over the warp, in every lane; all 32 lanes take part. */
static __device__ __forceinline__ uint64_t
rf_warp_sum(uint64_t x)
{
	for (int step = 16; step > 0; step >>= 1)
		x += __shfl_xor_sync(RF_FULL, x, step);
	return x;
}

/*
 * Where the blocks of a tier keep histograms: in shared memory, or in scratch
 * of their own in device memory where they do not fit.
 */
struct rf_block_plan {
	bool in_shared;
	uint32_t n_blocks;
	size_t shared_bytes;  /* dynamic, a block */
	size_t shared_limit;  /* the most that a block may have */
	size_t scratch_bytes; /* device memory, a block */
	char *scratch;
	uint32_t stride; /* codes of the widest feature, even */
	bool with_categories;
};

/* Bytes of the arrays of one block. */
size_t rf_cuda_block_bytes(
    const struct rf_grow_view *view, uint32_t stride, bool with_categories);

/* Grow the nodes of one level that a queue holds, n_nodes of them; children go
 * to the other parity. */
enum rf_status rf_cuda_grow_lanes(const struct rf_grow_view *view, int parity,
    uint32_t n_nodes, int n_sm, cudaStream_t stream, struct rf_error *err);
enum rf_status rf_cuda_grow_blocks(const struct rf_grow_view *view, int parity,
    int queue, uint32_t n_nodes, const struct rf_block_plan *plan,
    cudaStream_t stream, struct rf_error *err);

#endif
