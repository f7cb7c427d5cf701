/*
 * Best Gini cut of one column in a node of more than 32 rows; a part of
 * kernels_body.h.
 */

/* Two codes: one cut. */
static void
gini_two(struct rf_fast_search *search, const uint8_t *codes, int32_t column)
{
	const struct rf_fast_node *node = search->node;
	uint64_t sl = 0, wl = 0, sr = 0;
	uint32_t first = 0;

	for (int32_t k = 0; k < node->n_runs; k++) {
		uint32_t end = node->runs[k].end;
		uint64_t l = sum_of_zero(
		    codes + first, search->weights + first, end - first);
		uint64_t r = node->totals[k] - l;

		wl += l;
		sl += l * l;
		sr += r * r;
		first = end;
	}
	rf_fast_try(&search->best, column, 0, sl, wl, sr, node->weight - wl);
}

/* Floats that are not negative are ordered as their bits, and compilers find
 * the largest of integers in vectors. */
static inline float
largest(const float *scores, int32_t n)
{
	int32_t most = 0;
	float value;

	for (int32_t i = 0; i < n; i++) {
		int32_t order;

		memcpy(&order, &scores[i], sizeof(order));
		most = order > most ? order : most;
	}
	memcpy(&value, &most, sizeof(value));
	return value;
}

/* Bits of those of 32 scores that reach a limit. */
static inline uint32_t
reaching(const float *scores, float least)
{
	uint32_t bits = 0;

#ifdef __AVX2__
	__m256 limit = _mm256_set1_ps(least);

	for (int i = 0; i < 4; i++)
		bits |= (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(
			    _mm256_loadu_ps(scores + 8 * i), limit, _CMP_GE_OQ))
		    << 8 * i;
#else
	for (int i = 0; i < 32; i++)
		bits |= (uint32_t)(scores[i] >= least) << i;
#endif
	return bits;
}

/* Scores of 32 lanes; 0 where a lane has no candidate. */
static inline void
lane_scores(const uint16_t *sl, const uint16_t *sr, const uint16_t *wl,
    int32_t weight, const float *is_valid, float *scores)
{
	for (int i = 0; i < 32; i++) {
		float l = (float)wl[i], r = (float)(weight - wl[i]);
		float x = (float)sl[i] * r + (float)sr[i] * l;

		/* 1e-30 is lost in any product but 0. */
		scores[i] = x / (l * r + 1e-30F) * is_valid[i];
	}
}

/* Sums over the classes of squares and weights, for 32 lanes; `left` has the
 * left sums of class k at 32 * k * step. */
static inline void
lane_sums(const uint8_t *left, size_t step, const uint32_t *totals,
    int32_t n_classes, uint16_t *sl, uint16_t *sr, uint16_t *wl)
{
	U16X16 s[2] = {{0}, {0}}, q[2] = {{0}, {0}}, w[2] = {{0}, {0}};

	for (int32_t k = 0; k < n_classes; k++) {
		U16X16 total = (U16X16){0} + (uint16_t)totals[k];
		const uint8_t *bytes = left + (size_t)k * step;

		for (int half = 0; half < 2; half++) {
			uint16_t wide[16];
			U16X16 l, r;

			for (int i = 0; i < 16; i++)
				wide[i] = bytes[16 * half + i];
			memcpy(&l, wide, sizeof(l));
			r = total - l;
			s[half] += l * l;
			q[half] += r * r;
			w[half] += l;
		}
	}
	memcpy(sl, s, sizeof(s));
	memcpy(sr, q, sizeof(q));
	memcpy(wl, w, sizeof(w));
}

/*
 * The exact rule for lanes that reach the limit.  Lanes are in no order: of
 * equal scores of one column the lower code wins.
 */
static inline void
lanes_try(struct rf_fast_best *best, int32_t column, const uint8_t *codes,
    uint32_t lanes, const uint16_t *sl, const uint16_t *sr, const uint16_t *wl,
    uint64_t weight)
{
	for (; lanes != 0; lanes &= lanes - 1) {
		int lane = __builtin_ctz(lanes);

		if (best->is_found && best->column == column &&
		    codes[lane] == best->lo)
			continue;
		rf_fast_try(best, column, codes[lane], sl[lane], wl[lane],
		    sr[lane], weight - wl[lane]);
	}
}

/*
 * At most 32 * n_vectors rows, and squares below 2^16: for the code of every
 * row the class weights at or below it, in bytes; a comparison and an addition
 * for a row and 32 lanes.
 */
static inline __attribute__((always_inline)) void
gini_pairs(struct rf_fast_search *search, const uint8_t *codes, int32_t column,
    int n_vectors)
{
	const struct rf_fast_node *node = search->node;
	_Alignas(32) uint8_t left[RF_FAST_CLASSES * 128];
	uint16_t sl[128], sr[128], wl[128];
	float is_valid[128], most, least;
	float scores[128];
	struct rf_fast_best *best = &search->best;
	U8X32 lanes[4], sums[4];
	uint32_t i = 0;
	size_t width = (size_t)n_vectors * 32;

	for (int v = 0; v < n_vectors; v++)
		lanes[v] = load32(codes + 32 * v);
	for (int32_t k = 0; k < node->n_runs; k++) {
		for (int v = 0; v < n_vectors; v++)
			sums[v] = all32(0);
		for (; i < node->runs[k].end; i++) {
			U8X32 code = all32(codes[i]);
			U8X32 weight = all32(search->weights[i]);

			for (int v = 0; v < n_vectors; v++)
				sums[v] += (U8X32)(code <= lanes[v]) & weight;
		}
		for (int v = 0; v < n_vectors; v++)
			memcpy(left + (size_t)k * width + 32 * v, &sums[v], 32);
	}
	for (uint32_t lane = 0; lane < 32 * (uint32_t)n_vectors; lane++)
		is_valid[lane] = lane < node->n ? 1 : 0;
	for (int v = 0; v < n_vectors; v++) {
		lane_sums(left + 32 * v, width, node->totals, node->n_runs,
		    sl + 32 * v, sr + 32 * v, wl + 32 * v);
		lane_scores(sl + 32 * v, sr + 32 * v, wl + 32 * v,
		    (int32_t)node->weight, is_valid + 32 * v, scores + 32 * v);
	}
	most = largest(scores, 32 * n_vectors);
	if (most < best->least || most <= 0)
		return;
	least = most * (1 - RF_FLOAT_MARGIN);
	for (int v = 0; v < n_vectors; v++)
		lanes_try(best, column, codes + 32 * v,
		    reaching(scores + 32 * v, least), sl + 32 * v, sr + 32 * v,
		    wl + 32 * v, node->weight);
}

/* Class weights of each code, then of each code and those below it. */
static void
gini_count(
    struct rf_fast_search *search, const uint8_t *codes, int32_t n_values)
{
	const struct rf_fast_node *node = search->node;
	const uint8_t *weights = search->weights;
	uint32_t i = 0;

	for (int32_t k = 0; k < node->n_runs; k++) {
		uint32_t *counts = search->counts + 256 * (size_t)k;
		uint32_t total = 0, end = node->runs[k].end;

		memset(counts, 0, (size_t)n_values * sizeof(*counts));
		for (; i < end; i++)
			counts[codes[i]] += weights[i];
		for (int32_t x = 0; x < n_values; x++) {
			total += counts[x];
			counts[x] = total;
		}
	}
}

static void
gini_try(struct rf_fast_search *search, int32_t column, int32_t code)
{
	const struct rf_fast_node *node = search->node;
	uint64_t sl = 0, wl = 0, sr = 0;

	for (int32_t k = 0; k < node->n_runs; k++) {
		uint64_t l = search->counts[256 * (size_t)k + (size_t)code];
		uint64_t r = node->totals[k] - l;

		wl += l;
		sl += l * l;
		sr += r * r;
	}
	if (wl > 0 && wl < node->weight)
		rf_fast_try(
		    &search->best, column, code, sl, wl, sr, node->weight - wl);
}

static void
gini_histogram(struct rf_fast_search *search, const uint8_t *codes,
    int32_t column, int32_t n_values)
{
	const struct rf_fast_node *node = search->node;
	int32_t width = (n_values + 31) / 32 * 32;
	float sl[256] = {0}, sr[256] = {0};
	float scores[256];
	int32_t wl[256] = {0}, weight = (int32_t)node->weight;
	float most, least;

	gini_count(search, codes, width);
	for (int32_t k = 0; k < node->n_runs; k++) {
		const uint32_t *counts = search->counts + 256 * (size_t)k;
		int32_t total = (int32_t)node->totals[k];

		for (int32_t x = 0; x < width; x++) {
			int32_t count = (int32_t)counts[x];
			float l = (float)count, r = (float)(total - count);

			sl[x] += l * l;
			sr[x] += r * r;
			wl[x] += count;
		}
	}
	for (int32_t x = 0; x < width; x++) {
		float l = (float)wl[x], r = (float)(weight - wl[x]);

		scores[x] = (sl[x] * r + sr[x] * l) / (l * r + 1e-30F);
	}
	most = largest(scores, width);
	if (most < search->best.least || most <= 0)
		return;
	least = most * (1 - RF_FLOAT_MARGIN);
	for (int32_t x = 0; x < width; x += 32)
		for (uint32_t lanes = reaching(scores + x, least); lanes != 0;
		     lanes &= lanes - 1)
			gini_try(search, column, x + __builtin_ctz(lanes));
}

static void
gini(struct rf_fast_search *search, const uint8_t *codes, int32_t column,
    int32_t n_values)
{
	const struct rf_fast_node *node = search->node;

	if (n_values == 2)
		gini_two(search, codes, column);
	else if (node->n > 128 || node->squares >= 65536)
		gini_histogram(search, codes, column, n_values);
	else if (node->n <= 64)
		gini_pairs(search, codes, column, 2);
	else
		gini_pairs(search, codes, column, node->n <= 96 ? 3 : 4);
}
