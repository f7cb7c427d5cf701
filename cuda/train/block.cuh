/*
 * A block of threads and the node it works on.
 *
 * One code serves three tiers, by the size of the block: 32 threads (warp
 * tier), 256 (block) and 1024 (level).  Statistics of a node are rows of
 * numbers by code: a row a class, or weight and sum of targets for regression,
 * and one more row of distinct rows where min_samples_leaf asks for it.
 */
#ifndef RF_TRAIN_BLOCK_CUH
#define RF_TRAIN_BLOCK_CUH

#include "train/work.cuh"

struct block_candidate {
	struct rf_score score;
	uint64_t sl, wl, sr, wr; /* Gini */
	uint64_t order;		 /* place among the feature's candidates */
	int is_valid;
};

#define RF_ORDER_PRESENT UINT64_MAX /* present against missing: the last */

struct block_best {
	struct block_candidate candidate;
	int32_t feature, cut;
	int has_missing, missing_left;
};

/* Static shared memory of a block. */
struct block_shared {
	struct rf_work work;
	uint32_t id;
	uint64_t sums[32];
	struct block_candidate candidates[32];
	struct block_best best;
	unsigned int n_left, n_right, n_levels;
	uint32_t left, word;
	unsigned long long entry;
	int32_t classes[16]; /* that categorical orders go by, ascending */
	int32_t n_orders;
	uint32_t differs[16]; /* bits in which some row's codes differ */
	uint64_t pick_sum[32];
	int32_t pick_class[32];
};

/* Arrays of a block, in shared memory or in its scratch. */
template <typename STAT> struct block_arrays {
	uint64_t *totals;	/* n_stats */
	STAT *hist;		/* (n_stats + 1) x stride */
	STAT *ordered;		/* the same in the order of levels */
	uint64_t *share;	/* stride: class sums of levels, shifted */
	uint64_t *weight;	/* stride: weights of levels, shifted */
	uint64_t *best_set;	/* stride / 64 + 1: levels that go left */
	uint64_t *best_present; /* and levels that are there */
	uint32_t *levels;	/* stride: level at each place */
	uint32_t *occupied;	/* stride / 32 + 1 bits */
};

template <typename STAT> struct block_node {
	const struct rf_grow_view *v;
	struct block_shared *s;
	struct block_arrays<STAT> a;
	uint32_t stride;
	int n_stats; /* classes, or 2 */
	bool with_distinct;
	int parity;
	/* the node's own numbers, equal in all threads */
	uint32_t start, n_rows;
	uint64_t weight; /* not shifted */
	uint64_t shifted, squares;
	int64_t terms, sum, mean, fw;
	int shift, bits, n_present;
};

/* Adds to a statistic in shared or device memory.  Two 32-bit adds carry into
 * the high word; a 64-bit one would be a compare-and-swap loop in shared
 * memory. */
static __device__ __forceinline__ void
rf_stat_add(uint32_t *stat, uint64_t x)
{
	atomicAdd(stat, (uint32_t)x);
}

static __device__ __forceinline__ void
rf_stat_add(uint64_t *stat, uint64_t x)
{
	uint32_t *word = (uint32_t *)stat;
	uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);
	uint32_t old = atomicAdd(&word[0], low);

	high += old + low < old;
	if (high != 0)
		atomicAdd(&word[1], high);
}

/* Sum over the block, in every thread. */
template <int BLOCK>
static __device__ uint64_t
rf_block_sum(struct block_shared *s, uint64_t x)
{
	x = rf_warp_sum(x);
	if (BLOCK == 32)
		return x;
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		s->sums[threadIdx.x / 32] = x;
	__syncthreads();
	x = 0;
	for (int i = 0; i < BLOCK / 32; i++)
		x += s->sums[i];
	return x;
}

/* The better of two candidates of one feature stays in a; ties: the first. */
static __device__ __forceinline__ void
rf_block_keep(struct block_candidate *a, const struct block_candidate *b)
{
	if (!b->is_valid)
		return;
	if (!a->is_valid || rf_score_better(b->score, a->score) ||
	    (b->order < a->order && !rf_score_better(a->score, b->score)))
		*a = *b;
}

/* The best candidate of the block, in every thread. */
template <int BLOCK>
static __device__ void
rf_block_best(struct block_shared *s, struct block_candidate *c)
{
	for (int step = 16; step > 0; step >>= 1) {
		struct block_candidate other;

		other.score.num = __shfl_xor_sync(RF_FULL, c->score.num, step);
		other.score.den = __shfl_xor_sync(RF_FULL, c->score.den, step);
		other.sl = __shfl_xor_sync(RF_FULL, c->sl, step);
		other.wl = __shfl_xor_sync(RF_FULL, c->wl, step);
		other.sr = __shfl_xor_sync(RF_FULL, c->sr, step);
		other.wr = __shfl_xor_sync(RF_FULL, c->wr, step);
		other.order = __shfl_xor_sync(RF_FULL, c->order, step);
		other.is_valid = __shfl_xor_sync(RF_FULL, c->is_valid, step);
		rf_block_keep(c, &other);
	}
	if (BLOCK == 32)
		return;
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		s->candidates[threadIdx.x / 32] = *c;
	__syncthreads();
	for (int i = 0; i < BLOCK / 32; i++)
		rf_block_keep(c, &s->candidates[i]);
	__syncthreads();
}

#endif
