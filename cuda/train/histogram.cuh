/*
 * Statistics of a node by code, their running sums, and the cuts they give.
 */
#ifndef RF_TRAIN_HISTOGRAM_CUH
#define RF_TRAIN_HISTOGRAM_CUH

#include "train/block.cuh"

/* Rows that one thread loads before it counts them: their latencies overlap. */
#define RF_ROWS_AT_ONCE 4

struct counted_row {
	uint32_t code;
	int32_t label;
	uint64_t weight, target; /* target: times the weight */
};

/* Row i of the node with its code of the feature. */
template <typename STAT>
static __device__ __forceinline__ struct counted_row
rf_load_counted(
    const struct block_node<STAT> *node, int32_t feature, uint32_t i)
{
	const struct rf_grow_view *v = node->v;
	uint32_t row = v->rows[node->parity][node->start + i];
	uint32_t count = v->counts[node->parity][node->start + i];
	struct counted_row r;

	r.code = rf_view_code(v, feature, row);
	r.weight = rf_view_weight(v, row, count);
	r.label = v->n_classes > 0 ? __ldg(v->classes + row) : 0;
	r.target = v->n_classes > 0
	    ? 0
	    : r.weight * (uint64_t)__ldg((const long long *)v->targets + row);
	return r;
}

template <typename STAT>
static __device__ __forceinline__ void
rf_count_row(struct block_node<STAT> *node, const struct counted_row *r)
{
	STAT *hist = node->a.hist + r->code;

	if (node->v->n_classes > 0)
		rf_stat_add(hist + r->label * (size_t)node->stride, r->weight);
	else {
		rf_stat_add(hist, r->weight);
		rf_stat_add(hist + node->stride, r->target);
	}
	if (node->with_distinct)
		rf_stat_add(hist + node->n_stats * (size_t)node->stride, 1);
}

/* What all the node's rows give in one line of statistics. */
template <typename STAT>
static __device__ STAT
rf_line_total(const struct block_node<STAT> *node, int line)
{
	if (line == node->n_stats)
		return (STAT)node->n_rows;
	if (node->v->n_classes > 0)
		return (STAT)node->a.totals[line];
	return (STAT)(line == 0 ? node->weight : (uint64_t)node->sum);
}

/* The heavy code has what the other codes leave of the totals. */
template <int BLOCK, typename STAT>
static __device__ void
rf_derive_heavy(struct block_node<STAT> *node, uint32_t heavy, uint32_t n_codes)
{
	int n_lines = node->n_stats + (node->with_distinct ? 1 : 0);

	for (int line = (int)(threadIdx.x / 32); line < n_lines;
	     line += BLOCK / 32) {
		STAT *hist = node->a.hist + line * (size_t)node->stride;
		uint64_t sum = 0;

		for (uint32_t i = threadIdx.x % 32; i < n_codes; i += 32)
			sum += hist[i];
		sum = rf_warp_sum(sum);
		__syncwarp(); /* all have read what is written now */
		if (threadIdx.x % 32 == 0)
			hist[heavy] = rf_line_total(node, line) - (STAT)sum;
	}
	__syncthreads();
}

/*
 * Counts the node's rows by the feature's code; false where all have one code.
 * n_codes includes that of missing.
 */
template <int BLOCK, typename STAT>
static __device__ bool
rf_histogram(struct block_node<STAT> *node, int32_t feature, uint32_t n_codes)
{
	struct rf_grow_feature f = node->v->features[feature];
	uint32_t skipped = f.skips_heavy ? f.heavy : UINT32_MAX;
	int n_lines = node->n_stats + (node->with_distinct ? 1 : 0);
	uint32_t first = rf_view_code(
	    node->v, feature, node->v->rows[node->parity][node->start]);
	bool differs = false;

	for (int line = 0; line < n_lines; line++)
		for (uint32_t i = threadIdx.x; i < n_codes; i += BLOCK)
			node->a.hist[line * (size_t)node->stride + i] = 0;
	__syncthreads();
	for (uint32_t base = threadIdx.x; base < node->n_rows;
	     base += RF_ROWS_AT_ONCE * BLOCK) {
		struct counted_row r[RF_ROWS_AT_ONCE];

#pragma unroll
		for (int k = 0; k < RF_ROWS_AT_ONCE; k++)
			if (base + k * BLOCK < node->n_rows)
				r[k] = rf_load_counted(
				    node, feature, base + k * BLOCK);
#pragma unroll
		for (int k = 0; k < RF_ROWS_AT_ONCE; k++) {
			if (base + k * BLOCK >= node->n_rows)
				continue;
			differs |= r[k].code != first;
			if (r[k].code != skipped)
				rf_count_row(node, &r[k]);
		}
	}
	differs = __syncthreads_or(differs);
	if (differs && f.skips_heavy)
		rf_derive_heavy<BLOCK>(node, f.heavy, n_codes);
	return differs;
}

/*
 * Which codes differ between rows of the node, at once for all features of a
 * row of up to 64 bytes, into s->differs.
 */
template <int BLOCK, typename STAT>
static __device__ void
rf_compare_rows(struct block_node<STAT> *node)
{
	const struct rf_grow_view *v = node->v;
	const uint32_t *rows = v->rows[node->parity] + node->start;
	const uint4 *codes = (const uint4 *)v->codes;
	int n_quads = v->row_words / 4;
	uint4 differs[4] = {};

	if (threadIdx.x < 16)
		node->s->differs[threadIdx.x] = 0;
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < node->n_rows; i += BLOCK)
#pragma unroll
		for (int q = 0; q < 4; q++) {
			uint4 x, y;

			if (q >= n_quads)
				continue;
			x = __ldg(codes + (int64_t)rows[0] * n_quads + q);
			y = __ldg(codes + (int64_t)rows[i] * n_quads + q);
			differs[q].x |= x.x ^ y.x;
			differs[q].y |= x.y ^ y.y;
			differs[q].z |= x.z ^ y.z;
			differs[q].w |= x.w ^ y.w;
		}
#pragma unroll
	for (int q = 0; q < 4; q++) {
		uint32_t *to = node->s->differs + 4 * q;

		if (q >= n_quads)
			continue;
		if (differs[q].x != 0)
			atomicOr(to, differs[q].x);
		if (differs[q].y != 0)
			atomicOr(to + 1, differs[q].y);
		if (differs[q].z != 0)
			atomicOr(to + 2, differs[q].z);
		if (differs[q].w != 0)
			atomicOr(to + 3, differs[q].w);
	}
	__syncthreads();
}

/* Whether a feature is known to be constant in the node, by rf_compare_rows. */
template <typename STAT>
static __device__ __forceinline__ bool
rf_is_known_constant(const struct block_node<STAT> *node, int32_t feature)
{
	const struct rf_grow_view *v = node->v;

	if (v->row_words == 0)
		return false;
	if (v->code_bytes == 1)
		return ((const uint8_t *)node->s->differs)[feature] == 0;
	return ((const uint16_t *)node->s->differs)[feature] == 0;
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
