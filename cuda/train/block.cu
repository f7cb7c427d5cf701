/*
 * Warp, block and level tier: a block of 32, 256 or 1024 threads a node.
 */
#include "train/block_search.cuh"

#include "device/errors.h"

/* The arrays of a block; `base` NULL only sums up the size. */
template <typename STAT>
static __host__ __device__ size_t
lay_out(struct block_arrays<STAT> *a, char *base, int n_stats, uint32_t stride,
    bool with_categories)
{
	size_t at = 0, words = stride / 64 + 1;
	size_t lines = ((size_t)n_stats + 1) * stride;

#define TAKE(member, n)                                                        \
 do {                                                                          \
  at = (at + 7) / 8 * 8;                                                       \
  a->member = (decltype(a->member))(base + at);                                \
  at += (n) * sizeof(*a->member);                                              \
 } while (0)
	TAKE(totals, (size_t)n_stats);
	TAKE(best_set, words);
	TAKE(best_present, words);
	TAKE(occupied, words * 2);
	TAKE(hist, lines);
	if (with_categories) {
		TAKE(ordered, lines);
		TAKE(share, (size_t)stride);
		TAKE(weight, (size_t)stride);
		TAKE(levels, (size_t)stride);
	}
#undef TAKE
	return at;
}

/* Class sums, or weight and sum of targets, of the node; whether it is pure. */
template <int BLOCK, typename STAT>
static __device__ bool
sum_up(struct block_node<STAT> *node)
{
	const struct rf_grow_view *v = node->v;
	const uint32_t *rows = v->rows[node->parity] + node->start;
	const uint32_t *counts = v->counts[node->parity] + node->start;
	int64_t first = v->n_classes > 0 ? 0 : v->targets[rows[0]];
	bool differs = false;
	uint64_t n_present = 0;

	for (int i = (int)threadIdx.x; i < node->n_stats; i += BLOCK)
		node->a.totals[i] = 0;
	__syncthreads();
	uint64_t weight = 0, sum = 0;
	for (uint32_t i = threadIdx.x; i < node->n_rows; i += BLOCK) {
		uint64_t w = rf_view_weight(v, rows[i], counts[i]);

		weight += w;
		if (v->n_classes > 0) {
			int32_t label = v->classes[rows[i]];

			if (sizeof(STAT) == 4)
				rf_stat_add(
				    (uint32_t *)&node->a.totals[label], w);
			else
				rf_stat_add(&node->a.totals[label], w);
		} else {
			int64_t t = v->targets[rows[i]];

			differs |= t != first;
			sum += w * (uint64_t)t;
		}
	}
	node->weight = rf_block_sum<BLOCK>(node->s, weight);
	__syncthreads();
	if (v->n_classes == 0) {
		node->sum = (int64_t)rf_block_sum<BLOCK>(node->s, sum);
		node->mean = rf_floor_div(node->sum, (int64_t)node->weight);
		return !__syncthreads_or(differs);
	}
	for (int i = (int)threadIdx.x; i < node->n_stats; i += BLOCK)
		n_present += node->a.totals[i] != 0;
	node->n_present = (int)rf_block_sum<BLOCK>(node->s, n_present);
	return node->n_present == 1;
}

/* What scores need of the node as a whole. */
template <int BLOCK, typename STAT>
static __device__ void
measure(struct block_node<STAT> *node)
{
	uint64_t shifted = 0, squares = 0, terms = 0;

	node->shift = rf_shift(node->weight);
	if (node->v->n_classes == 0)
		return;
	for (int i = (int)threadIdx.x; i < node->n_stats; i += BLOCK) {
		uint64_t x = node->a.totals[i] >> node->shift;

		shifted += x;
		squares += x * x;
	}
	node->shifted = rf_block_sum<BLOCK>(node->s, shifted);
	node->squares = rf_block_sum<BLOCK>(node->s, squares);
	node->bits = rf_entropy_bits(node->shifted);
	if (node->v->rules.criterion != RF_CRITERION_ENTROPY)
		return;
	for (int i = (int)threadIdx.x; i < node->n_stats; i += BLOCK)
		terms += (uint64_t)rf_entropy_term(
		    node->a.totals[i] >> node->shift, node->bits);
	node->terms = (int64_t)rf_block_sum<BLOCK>(node->s, terms);
	node->fw = rf_entropy_term(node->shifted, node->bits);
}

template <typename STAT>
static __device__ double
gain_of(const struct block_node<STAT> *node)
{
	const struct block_candidate *c = &node->s->best.candidate;

	if (node->v->n_classes == 0)
		return rf_squared_gain(
		    c->score, node->mean, node->sum, (int64_t)node->weight);
	return rf_scale(node->v->rules.criterion == RF_CRITERION_ENTROPY
		? rf_entropy_gain(c->score, node->terms, node->bits)
		: rf_gini_gain(c->sl, c->wl, c->sr, c->wr, node->squares),
	    node->shift);
}

template <int BLOCK, typename STAT>
static __device__ void
emit_leaf(struct block_node<STAT> *node)
{
	const struct rf_grow_view *v = node->v;
	struct rf_grown_node leaf = {};
	unsigned long long entry;

	__syncthreads();
	if (threadIdx.x >= 32)
		return;
	leaf.feature = -1;
	leaf.cover = node->weight;
	leaf.payload = node->sum;
	if (v->n_classes > 0) {
		if (threadIdx.x == 0)
			node->s->entry = atomicAdd(&v->counters->n_leaf_entries,
			    (unsigned long long)node->n_present);
		__syncwarp();
		entry = node->s->entry;
		leaf.cut = node->n_present;
		leaf.payload = (int64_t)entry;
		for (int base = 0; base < node->n_stats; base += 32) {
			int i = base + (int)threadIdx.x;
			uint64_t x = i < node->n_stats ? node->a.totals[i] : 0;
			uint32_t there = __ballot_sync(RF_FULL, x != 0);
			int at = __popc(there & ((1u << threadIdx.x) - 1));

			if (x != 0) {
				v->leaf_class[entry + at] = i;
				v->leaf_weight[entry + at] = x;
			}
			entry += __popc(there);
		}
	}
	if (threadIdx.x == 0)
		v->nodes[node->s->id] = leaf;
}

/* Moves the node's rows to the other buffers: those on the left from its
 * start, those on the right from its end. */
template <int BLOCK, typename STAT>
static __device__ void
partition(struct block_node<STAT> *node)
{
	const struct rf_grow_view *v = node->v;
	const struct block_best *best = &node->s->best;
	struct rf_grow_feature f = v->features[best->feature];
	int from = node->parity, to = 1 - from;
	uint32_t lane = threadIdx.x % 32, before = (1u << lane) - 1;

	for (uint32_t base = 0; base < node->n_rows; base += BLOCK) {
		uint32_t i = base + threadIdx.x, row = 0, count = 0, at;
		bool is_in = i < node->n_rows, is_left = false;

		if (is_in) {
			row = v->rows[from][node->start + i];
			count = v->counts[from][node->start + i];
			uint32_t code = rf_view_code(v, best->feature, row);

			if (f.has_missing && code == (uint32_t)f.n_values)
				is_left = best->missing_left;
			else if (f.is_categorical)
				is_left =
				    node->a.best_set[code / 64] >> code % 64 &
				    1;
			else
				is_left = (int32_t)code <= best->cut;
		}
		uint32_t left = __ballot_sync(RF_FULL, is_in && is_left);
		uint32_t right = __ballot_sync(RF_FULL, is_in && !is_left);
		unsigned int l = 0, r = 0;

		if (lane == 0) {
			l = atomicAdd(
			    &node->s->n_left, (unsigned int)__popc(left));
			r = atomicAdd(
			    &node->s->n_right, (unsigned int)__popc(right));
		}
		l = __shfl_sync(RF_FULL, l, 0);
		r = __shfl_sync(RF_FULL, r, 0);
		if (!is_in)
			continue;
		at = is_left ? node->start + l + (uint32_t)__popc(left & before)
			     : node->start + node->n_rows - 1 - r -
			(uint32_t)__popc(right & before);
		v->rows[to][at] = row;
		v->counts[to][at] = count;
	}
	__syncthreads();
}

/* The node's set of levels; those absent from the node follow missing. */
template <int BLOCK, typename STAT>
static __device__ void
emit_set(struct block_node<STAT> *node, bool missing_left)
{
	const struct rf_grow_view *v = node->v;
	uint32_t n_values =
	    (uint32_t)v->features[node->s->best.feature].n_values;
	uint32_t n_words = (n_values + 63) / 64;

	if (threadIdx.x == 0) {
		node->s->word = atomicAdd(&v->counters->n_words, n_words);
		if (node->s->word > v->max_words - n_words)
			v->counters->is_full = 1;
	}
	__syncthreads();
	if (node->s->word > v->max_words - n_words)
		return;
	for (uint32_t i = threadIdx.x; i < n_words; i += BLOCK) {
		uint64_t all = ~UINT64_C(0);

		if ((i + 1) * 64 > n_values)
			all = (UINT64_C(1) << n_values % 64) - 1;
		v->cats[node->s->word + i] = node->a.best_set[i] |
		    (missing_left ? all & ~node->a.best_present[i] : 0);
	}
}

template <int BLOCK, typename STAT>
static __device__ void
emit_split(struct block_node<STAT> *node, double gain)
{
	const struct rf_grow_view *v = node->v;
	struct block_shared *s = node->s;
	bool is_set = v->features[s->best.feature].is_categorical;
	bool missing_left = s->best.has_missing
	    ? s->best.missing_left
	    : rf_missing_by_majority(s->n_left, s->n_right);
	struct rf_grown_node inner = {};

	if (is_set)
		emit_set<BLOCK>(node, missing_left);
	if (threadIdx.x != 0)
		return;
	inner.feature = s->best.feature;
	inner.cut = is_set ? 0 : s->best.cut;
	inner.missing_left = missing_left;
	inner.gain = gain;
	inner.cover = node->weight;
	inner.payload = is_set ? (int64_t)s->word : 0;
	inner.left = (int32_t)atomicAdd(&v->counters->n_nodes, 2u);
	v->nodes[s->id] = inner;
	for (int side = 0; side < 2; side++) {
		struct rf_work child = rf_child_work(&s->work, side, s->n_left);

		v->work[inner.left + side] = child;
		rf_enqueue(v, 1 - node->parity, (uint32_t)(inner.left + side),
		    child.n_rows);
	}
}

template <int BLOCK, typename STAT>
static __device__ void
grow_node(struct block_node<STAT> *node)
{
	const struct rf_rules *rules = &node->v->rules;
	struct block_shared *s = node->s;
	bool is_leaf = sum_up<BLOCK>(node);
	double gain = 0;

	measure<BLOCK>(node);
	if (threadIdx.x == 0 && s->work.depth == 0)
		node->v->root_weight[s->work.tree] = node->weight;
	is_leaf |= s->work.depth >= rules->max_depth ||
	    (int64_t)node->n_rows < rules->min_samples_split;
	if (!is_leaf)
		is_leaf = !rf_search<BLOCK>(node);
	__syncthreads();
	if (!is_leaf) {
		gain = gain_of(node);
		is_leaf =
		    rf_decrease(gain, node->v->root_weight[s->work.tree],
			node->v->target_shift) < rules->min_impurity_decrease;
	}
	if (is_leaf) {
		emit_leaf<BLOCK>(node);
		return;
	}
	partition<BLOCK>(node);
	emit_split<BLOCK>(node, gain);
}

/*
 * Nodes of a queue.
 *
 * Grid    as many blocks as fit the card; each takes every n-th node
 * Block   32, 256 or 1024 threads on one node
 * Reads   8 B a row; a code (1-2 B) and a class (4 B) a row and feature drawn
 * Writes  8 B a row, 40 B a node
 * Floor   row gathers from L2 at 134 G rows/s, shared atomics at 1.8 T/s
 */
template <int BLOCK, typename STAT>
static __global__ void
__launch_bounds__(BLOCK)
    grow_blocks(const __grid_constant__ struct rf_grow_view v, int parity,
	int queue, uint32_t n_nodes, struct rf_block_plan plan, uint32_t stride,
	int n_stats, bool with_categories)
{
	extern __shared__ char dynamic[];
	__shared__ struct block_shared s;
	struct block_node<STAT> node;

	memset(&node, 0, sizeof(node));
	node.v = &v;
	node.s = &s;
	node.stride = stride;
	node.n_stats = n_stats;
	node.with_distinct = v.rules.min_samples_leaf > 1;
	node.parity = parity;
	lay_out(&node.a,
	    plan.in_shared ? dynamic
			   : plan.scratch + blockIdx.x * plan.scratch_bytes,
	    n_stats, stride, with_categories);
	for (uint32_t i = blockIdx.x; i < n_nodes; i += gridDim.x) {
		__syncthreads();
		if (threadIdx.x == 0) {
			s.id = v.queue[parity][queue][i];
			s.work = v.work[s.id];
			s.best.candidate.is_valid = 0;
			s.n_left = s.n_right = 0;
			s.n_orders = 0;
		}
		__syncthreads();
		node.start = s.work.start;
		node.n_rows = s.work.n_rows;
		grow_node<BLOCK>(&node);
	}
}

#include "train/block_launch.cuh"
