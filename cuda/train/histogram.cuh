/*
 * Statistics of a node by code, their running sums, and the cuts they give.
 */
#ifndef RF_TRAIN_HISTOGRAM_CUH
#define RF_TRAIN_HISTOGRAM_CUH

#include "train/block.cuh"

/*
 * Counts the node's rows by the feature's code; false where all have one code.
 * n_codes includes that of missing.
 */
template <int BLOCK, typename STAT>
static __device__ bool
rf_histogram(struct block_node<STAT> *node, int32_t feature, uint32_t n_codes)
{
	const struct rf_grow_view *v = node->v;
	const uint32_t *rows = v->rows[node->parity] + node->start;
	const uint32_t *counts = v->counts[node->parity] + node->start;
	STAT *hist = node->a.hist;
	uint32_t first = rf_view_code(v, feature, rows[0]);
	int n_lines = node->n_stats + (node->with_distinct ? 1 : 0);
	bool differs = false;

	for (int line = 0; line < n_lines; line++)
		for (uint32_t i = threadIdx.x; i < n_codes; i += BLOCK)
			hist[line * (size_t)node->stride + i] = 0;
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < node->n_rows; i += BLOCK) {
		uint32_t row = rows[i], code = rf_view_code(v, feature, row);
		uint64_t w = rf_view_weight(v, row, counts[i]);

		differs |= code != first;
		if (v->n_classes > 0)
			rf_stat_add(
			    &hist[v->classes[row] * (size_t)node->stride +
				code],
			    w);
		else {
			rf_stat_add(&hist[code], w);
			rf_stat_add(&hist[node->stride + code],
			    w * (uint64_t)v->targets[row]);
		}
		if (node->with_distinct)
			rf_stat_add(
			    &hist[node->n_stats * (size_t)node->stride + code],
			    1);
	}
	return __syncthreads_or(differs);
}

/* Which codes occur: from the counts before they are summed up. */
template <int BLOCK, typename STAT>
static __device__ void
rf_occupied(struct block_node<STAT> *node, uint32_t n_values)
{
	for (uint32_t base = 0; base < n_values; base += BLOCK) {
		uint32_t code = base + threadIdx.x, bits;
		bool is_there = false;

		for (int i = 0; code < n_values && !is_there; i++) {
			if (i >= (node->v->n_classes > 0 ? node->n_stats : 1))
				break;
			is_there =
			    node->a.hist[i * (size_t)node->stride + code] != 0;
		}
		bits = __ballot_sync(RF_FULL, is_there);
		if (threadIdx.x % 32 == 0 && code < n_values)
			node->a.occupied[code / 32] = bits;
	}
	__syncthreads();
}

/* Running sums along the codes, or along `levels` into `ordered`. */
template <int BLOCK, typename STAT>
static __device__ void
rf_running_sums(
    struct block_node<STAT> *node, uint32_t n, const uint32_t *levels)
{
	int n_lines = node->n_stats + (node->with_distinct ? 1 : 0);
	uint32_t lane = threadIdx.x % 32;

	for (int line = (int)(threadIdx.x / 32); line < n_lines;
	     line += BLOCK / 32) {
		const STAT *from = node->a.hist + line * (size_t)node->stride;
		STAT *to = (levels == NULL ? node->a.hist : node->a.ordered) +
		    line * (size_t)node->stride;
		STAT carry = 0;

		for (uint32_t base = 0; base < n; base += 32) {
			uint32_t at = base + lane;
			STAT x = 0;

			if (at < n)
				x = from[levels == NULL ? at : levels[at]];
			for (int step = 1; step < 32; step <<= 1) {
				STAT y = __shfl_up_sync(RF_FULL, x, step);

				if (lane >= (uint32_t)step)
					x += y;
			}
			x += carry;
			if (at < n)
				to[at] = x;
			carry = __shfl_sync(RF_FULL, x, 31);
		}
	}
	__syncthreads();
}

/* The next occupied code above `code`; n_values: none. */
static __device__ uint32_t
rf_next_occupied(const uint32_t *occupied, uint32_t code, uint32_t n_values)
{
	uint32_t at = code + 1;

	while (at < n_values) {
		uint32_t word = occupied[at / 32] >> at % 32;

		if (word != 0) {
			at += (uint32_t)__ffs((int)word) - 1;
			return at < n_values ? at : n_values;
		}
		at = (at / 32 + 1) * 32;
	}
	return n_values;
}

/*
 * Scores one candidate.  sums: running sums, read at place `at` (-1: nothing
 * of them); missing: column of the missing code to add on the left, or NULL.
 */
template <typename STAT>
static __device__ void
rf_block_score(const struct block_node<STAT> *node, const STAT *sums,
    uint32_t at, const STAT *missing, struct block_candidate *out)
{
	const struct rf_grow_view *v = node->v;
	bool is_entropy = v->rules.criterion == RF_CRITERION_ENTROPY;
	int64_t tl = 0, tr = 0;

	out->sl = out->wl = out->sr = out->wr = 0;
	if (v->n_classes == 0) {
		int64_t wl = (int64_t)(sums[at] + (missing ? missing[0] : 0));
		int64_t suml = (int64_t)(sums[node->stride + at] +
		    (missing ? missing[node->stride] : 0));

		out->score = rf_squared_score(node->mean, suml, wl,
		    node->sum - suml, (int64_t)node->weight - wl);
		return;
	}
	for (int i = 0; i < node->n_stats; i++) {
		uint64_t all = node->a.totals[i], l, r;

		if (all == 0)
			continue;
		l = sums[i * (size_t)node->stride + at];
		if (missing != NULL)
			l += missing[i * (size_t)node->stride];
		l >>= node->shift;
		r = (all >> node->shift) - l;
		out->wl += l;
		out->wr += r;
		if (is_entropy) {
			tl += rf_entropy_term(l, node->bits);
			tr += rf_entropy_term(r, node->bits);
		} else {
			out->sl += l * l;
			out->sr += r * r;
		}
	}
	if (is_entropy)
		out->score = rf_entropy_score(node->fw,
		    rf_entropy_term(out->wl, node->bits), tl,
		    rf_entropy_term(out->wr, node->bits), tr);
	else
		out->score = rf_gini_score(out->sl, out->wl, out->sr, out->wr);
}

/* Whether both sides have min_samples_leaf distinct rows. */
template <typename STAT>
static __device__ bool
rf_sides_are_large(const struct block_node<STAT> *node, const STAT *sums,
    uint32_t at, const STAT *missing)
{
	int64_t least = node->v->rules.min_samples_leaf, n_left;
	size_t line = node->n_stats * (size_t)node->stride;

	if (!node->with_distinct)
		return true;
	n_left = (int64_t)(sums[line + at] + (missing ? missing[line] : 0));
	return n_left >= least && (int64_t)node->n_rows - n_left >= least;
}

/*
 * Tries the cuts after each of n places of the running sums `sums`; skips
 * unoccupied codes where `occupied` is not NULL.  first_order: order of the
 * first candidate.  with_missing: the node has rows of the missing code, which
 * stand in column n_values of hist.
 */
template <int BLOCK, typename STAT>
static __device__ void
rf_try_places(const struct block_node<STAT> *node, const STAT *sums, uint32_t n,
    uint32_t n_values, const uint32_t *occupied, uint64_t first_order,
    bool with_missing, struct block_candidate *best)
{
	for (uint32_t at = threadIdx.x; at < n; at += BLOCK) {
		if (occupied != NULL &&
		    (!(occupied[at / 32] >> at % 32 & 1) ||
			rf_next_occupied(occupied, at, n_values) == n_values))
			continue;
		if (occupied == NULL && at + 1 == n)
			continue;
		for (int side = 0; side <= (with_missing ? 1 : 0); side++) {
			const STAT *missing =
			    side ? node->a.hist + n_values : NULL;
			struct block_candidate now;

			if (!rf_sides_are_large(node, sums, at, missing))
				continue;
			now.is_valid = 1;
			now.order =
			    first_order + 2 * (uint64_t)at + (uint64_t)side;
			rf_block_score(node, sums, at, missing, &now);
			rf_block_keep(best, &now);
		}
	}
}

#endif
