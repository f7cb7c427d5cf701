/*
 * Orders of the levels of a categorical feature in a node.
 */
#ifndef RF_TRAIN_LEVELS_CUH
#define RF_TRAIN_LEVELS_CUH

#include "train/histogram.cuh"

/* The heaviest class whose place in the order (weight, then lower class) comes
 * after that of the last pick; -1: none left. */
template <int BLOCK, typename STAT>
static __device__ int32_t
rf_next_heaviest(
    struct block_node<STAT> *node, uint64_t last_sum, int32_t last_class)
{
	struct block_shared *s = node->s;
	uint64_t sum = 0;
	int32_t pick = -1;

	for (int32_t i = (int32_t)threadIdx.x; i < node->n_stats; i += BLOCK) {
		uint64_t x = node->a.totals[i];

		if (x == 0 || x > last_sum ||
		    (x == last_sum && i <= last_class))
			continue;
		if (x > sum) {
			sum = x;
			pick = i;
		}
	}
	for (int step = 16; step > 0; step >>= 1) {
		uint64_t x = __shfl_xor_sync(RF_FULL, sum, step);
		int32_t i = __shfl_xor_sync(RF_FULL, pick, step);

		if (x > sum || (x == sum && i >= 0 && i < pick)) {
			sum = x;
			pick = i;
		}
	}
	__syncthreads();
	if (threadIdx.x % 32 == 0) {
		s->pick_sum[threadIdx.x / 32] = sum;
		s->pick_class[threadIdx.x / 32] = pick;
	}
	__syncthreads();
	sum = 0;
	pick = -1;
	for (int i = 0; i < BLOCK / 32; i++)
		if (s->pick_class[i] >= 0 &&
		    (s->pick_sum[i] > sum ||
			(s->pick_sum[i] == sum && s->pick_class[i] < pick))) {
			sum = s->pick_sum[i];
			pick = s->pick_class[i];
		}
	return pick;
}

/* Classes that orders go by, ascending, into s->classes. */
template <int BLOCK, typename STAT>
static __device__ void
rf_choose_orders(struct block_node<STAT> *node)
{
	struct block_shared *s = node->s;
	int32_t n, last_class = -1;
	uint64_t last_sum = UINT64_MAX;

	__syncthreads(); /* all have seen that there are none yet */
	if (node->v->n_classes == 0) {
		if (threadIdx.x == 0) {
			s->n_orders = 1;
			s->classes[0] = -1;
		}
		__syncthreads();
		return;
	}
	n = node->n_present == 2 ? 2
				 : rf_n_orders(node->n_rows, node->n_present);
	for (int32_t i = 0; i < n; i++) {
		int32_t pick =
		    rf_next_heaviest<BLOCK>(node, last_sum, last_class);

		last_class = pick;
		last_sum = node->a.totals[pick];
		__syncthreads();
		if (threadIdx.x == 0) {
			int32_t at = i;

			for (; at > 0 && s->classes[at - 1] > pick; at--)
				s->classes[at] = s->classes[at - 1];
			s->classes[at] = pick;
		}
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		if (node->n_present == 2) /* by the higher class alone */
			s->classes[0] = s->classes[1];
		s->n_orders = node->n_present == 2 ? 1 : n;
	}
	__syncthreads();
}

/* Whether level a comes before level b. */
template <typename STAT>
static __device__ bool
rf_level_before(const struct block_node<STAT> *node, uint32_t a, uint32_t b)
{
	bool is_less, is_more;

	if (node->v->n_classes > 0) {
		const uint64_t *x = node->a.share, *w = node->a.weight;

		is_less = rf_share_less(x[a], w[a], x[b], w[b]);
		is_more = rf_share_less(x[b], w[b], x[a], w[a]);
	} else {
		const STAT *w = node->a.hist, *x = w + node->stride;

		is_less = rf_mean_less(
		    (int64_t)x[a], (int64_t)w[a], (int64_t)x[b], (int64_t)w[b]);
		is_more = rf_mean_less(
		    (int64_t)x[b], (int64_t)w[b], (int64_t)x[a], (int64_t)w[a]);
	}
	return is_less || (!is_more && a < b);
}

/* Places of the occupied levels in the order by a class (or mean); s->n_levels
 * says how many there are. */
template <int BLOCK, typename STAT>
static __device__ void
rf_order_levels(
    struct block_node<STAT> *node, uint32_t n_values, int32_t by_class)
{
	const uint32_t *occupied = node->a.occupied;

	for (uint32_t code = threadIdx.x; by_class >= 0 && code < n_values;
	     code += BLOCK) {
		uint64_t w = 0;

		for (int i = 0; i < node->n_stats; i++)
			w +=
			    (uint64_t)
				node->a.hist[i * (size_t)node->stride + code] >>
			    node->shift;
		node->a.weight[code] = w;
		node->a.share[code] =
		    (uint64_t)
			node->a.hist[by_class * (size_t)node->stride + code] >>
		    node->shift;
	}
	if (threadIdx.x == 0)
		node->s->n_levels = 0;
	__syncthreads();
	for (uint32_t code = threadIdx.x; code < n_values; code += BLOCK) {
		uint32_t place = 0;

		if (!(occupied[code / 32] >> code % 32 & 1))
			continue;
		for (uint32_t other = occupied[0] & 1
			 ? 0
			 : rf_next_occupied(occupied, 0, n_values);
		     other < n_values;
		     other = rf_next_occupied(occupied, other, n_values))
			if (other != code && rf_level_before(node, other, code))
				place++;
		node->a.levels[place] = code;
		atomicAdd(&node->s->n_levels, 1u);
	}
	__syncthreads();
}

#endif
