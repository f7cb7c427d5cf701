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
	uint32_t first = 0, n_left = 0;

	if (search->min_leaf > 1) {
		for (uint32_t i = 0; i < node->n; i++)
			n_left += codes[i] == 0;
		if (n_left < search->min_leaf ||
		    node->n - n_left < search->min_leaf)
			return;
	}
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
	rf_fast_try(&search->best, (struct rf_fast_cut){column, 0, false}, sl,
	    wl, sr, node->weight - wl);
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

/* What the lanes of a column say: codes of 32 * n_vectors rows, and for each
 * the weight of every class at or below it (class k at 32 * n_vectors * k). */
struct lanes {
	struct rf_fast_best *best;
	const struct rf_fast_node *node; /* n_runs, totals, weight */
	const uint8_t *codes;
	int32_t column;
	int n_vectors;
	uint8_t *left;
	float *is_valid;
};

static inline __attribute__((always_inline)) void
lanes_best(const struct lanes *lanes, bool missing_left)
{
	const struct rf_fast_node *node = lanes->node;
	struct rf_fast_best *best = lanes->best;
	size_t width = 32 * (size_t)lanes->n_vectors;
	uint16_t sl[128], sr[128], wl[128];
	float scores[128], most, least;

	for (int v = 0; v < lanes->n_vectors; v++) {
		lane_sums(lanes->left + 32 * v, width, node->totals,
		    node->n_runs, sl + 32 * v, sr + 32 * v, wl + 32 * v);
		lane_scores(sl + 32 * v, sr + 32 * v, wl + 32 * v,
		    (int32_t)node->weight, lanes->is_valid + 32 * v,
		    scores + 32 * v);
	}
	most = largest(scores, (int32_t)width);
	if (most < best->least || most <= 0)
		return;
	least = most * (1 - RF_FLOAT_MARGIN);
	for (int v = 0; v < lanes->n_vectors; v++)
		for (uint32_t m = reaching(scores + 32 * v, least); m != 0;
		     m &= m - 1) {
			int i = 32 * v + __builtin_ctz(m);
			struct rf_fast_cut cut = {
			    lanes->column, lanes->codes[i], missing_left};

			rf_fast_try(best, cut, sl[i], wl[i], sr[i],
			    node->weight - wl[i]);
		}
}

/* Adds the missing rows to the left sides of all lanes; `last` is a lane of
 * the last present code, where all present rows are on the left. */
static inline __attribute__((always_inline)) void
lanes_missing_left(const struct lanes *lanes, int last)
{
	size_t width = 32 * (size_t)lanes->n_vectors;

	for (int32_t k = 0; k < lanes->node->n_runs; k++) {
		uint8_t *left = lanes->left + (size_t)k * width;
		uint8_t missing =
		    (uint8_t)(lanes->node->totals[k] - left[last]);

		for (size_t i = 0; i < width; i++)
			left[i] = (uint8_t)(left[i] + missing);
	}
}

/* Of the lanes that are valid, one of the highest code. */
static int
last_lane(const uint8_t *codes, const float *is_valid, int n)
{
	int last = -1;

	for (int i = 0; i < n; i++)
		if (is_valid[i] > 0 && (last < 0 || codes[i] > codes[last]))
			last = i;
	return last;
}

/* Rows at or below each row's code, for limits of rows. */
static void
rows_below(const uint8_t *codes, uint32_t n, uint8_t *below)
{
	for (uint32_t i = 0; i < 128; i++)
		below[i] = 0;
	for (uint32_t row = 0; row < n; row++)
		for (uint32_t i = 0; i < n; i++)
			below[i] =
			    (uint8_t)(below[i] + (codes[row] <= codes[i]));
}

static void
apply_limit(const uint8_t *below, uint32_t n, uint32_t n_more, uint32_t least,
    float *is_valid)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t n_left = below[i] + n_more;

		if (n_left < least || n < n_left + least)
			is_valid[i] = 0;
	}
}

/* With and without missing rows on the left, where `missing` is the code of
 * missing or -1. */
static inline __attribute__((always_inline)) void
lanes_search(
    const struct rf_fast_search *search, struct lanes *lanes, int32_t missing)
{
	uint32_t n = search->node->n, n_missing = 0;
	float is_valid[128];
	uint8_t below[128];
	int last;

	for (uint32_t i = 0; i < 32 * (uint32_t)lanes->n_vectors; i++) {
		bool is_missing = i < n && lanes->codes[i] == missing;

		is_valid[i] = i < n && !is_missing ? 1 : 0;
		n_missing += is_missing;
	}
	last = n_missing == 0 ? -1 : last_lane(lanes->codes, is_valid, (int)n);
	lanes->is_valid = is_valid;
	if (search->min_leaf > 1)
		rows_below(lanes->codes, n, below);
	if (search->min_leaf > 1)
		apply_limit(below, n, 0, search->min_leaf, is_valid);
	lanes_best(lanes, false);
	if (last < 0)
		return;
	for (uint32_t i = 0; i < n; i++)
		is_valid[i] = lanes->codes[i] == missing ? 0 : 1;
	if (search->min_leaf > 1)
		apply_limit(below, n, n_missing, search->min_leaf, is_valid);
	lanes_missing_left(lanes, last);
	lanes_best(lanes, true);
}

/*
 * At most 32 * n_vectors rows, and squares below 2^16: for the code of every
 * row the class weights at or below it, in bytes; a comparison and an addition
 * for a row and 32 lanes.
 */
static inline __attribute__((always_inline)) void
gini_pairs(struct rf_fast_search *search, const uint8_t *codes, int32_t column,
    int32_t missing, int n_vectors)
{
	const struct rf_fast_node *node = search->node;
	_Alignas(32) uint8_t left[RF_FAST_CLASSES * 128];
	struct lanes lanes = {
	    &search->best, node, codes, column, n_vectors, left, NULL};
	size_t width = (size_t)n_vectors * 32;
	U8X32 own[4], sums[4];
	uint32_t i = 0;

	for (int v = 0; v < n_vectors; v++)
		own[v] = load32(codes + 32 * v);
	for (int32_t k = 0; k < node->n_runs; k++) {
		for (int v = 0; v < n_vectors; v++)
			sums[v] = all32(0);
		for (; i < node->runs[k].end; i++) {
			U8X32 code = all32(codes[i]);
			U8X32 weight = all32(search->weights[i]);

			for (int v = 0; v < n_vectors; v++)
				sums[v] += at_most(code, own[v]) & weight;
		}
		for (int v = 0; v < n_vectors; v++)
			memcpy(left + (size_t)k * width + 32 * v, &sums[v], 32);
	}
	lanes_search(search, &lanes, missing);
}

/* Counts of each code to counts of each code and those below it; n is a
 * multiple of 32. */
static inline void
add_up(uint32_t *counts, int32_t n)
{
#ifdef __AVX2__
	const __m256i last = _mm256_set1_epi32(7);
	__m256i before = _mm256_setzero_si256();

	for (int32_t x = 0; x < n; x += 8) {
		__m256i v, low;

		memcpy(&v, counts + x, sizeof(v));
		v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
		v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
		/* The sum of the lower half, into all of the upper one. */
		low = _mm256_shuffle_epi32(
		    _mm256_permute2x128_si256(v, v, 0x08), 0xff);
		v = _mm256_add_epi32(v, low);
		v = _mm256_add_epi32(v, before);
		memcpy(counts + x, &v, sizeof(v));
		before = _mm256_permutevar8x32_epi32(v, last);
	}
#else
	for (int32_t x = 1; x < n; x++)
		counts[x] += counts[x - 1];
#endif
}

/* Class weights of each code, then of each code and those below it. */
static void
gini_count(struct rf_fast_search *search, const uint8_t *codes, int32_t width)
{
	const struct rf_fast_node *node = search->node;
	const uint8_t *weights = search->weights;
	uint32_t i = 0;

	for (int32_t k = 0; k < node->n_runs; k++) {
		uint32_t *counts = search->counts + 256 * (size_t)k;
		uint32_t end = node->runs[k].end;

		memset(counts, 0, (size_t)width * sizeof(*counts));
		for (; i < end; i++)
			counts[codes[i]] += weights[i];
		add_up(counts, width);
	}
}

/* Rows at or below each code. */
static void
gini_count_rows(
    struct rf_fast_search *search, const uint8_t *codes, int32_t width)
{
	uint32_t *counts = search->counts + 256 * (size_t)RF_FAST_CLASSES;

	memset(counts, 0, (size_t)width * sizeof(*counts));
	for (uint32_t i = 0; i < search->node->n; i++)
		counts[codes[i]]++;
	add_up(counts, width);
}

/* A histogram of one column, and where missing rows go. */
struct bins {
	struct rf_fast_search *search;
	int32_t column, n_values, width;
	const uint32_t *missing; /* by run; NULL: they go right */
	uint32_t n_missing;	 /* on the left */
};

/* Whether both sides have rows enough, and the left one a present row. */
static bool
is_candidate(const struct bins *bins, int32_t code)
{
	const struct rf_fast_search *search = bins->search;
	uint32_t least = search->min_leaf, n = search->node->n;
	uint64_t n_present = 0;

	if (least > 1) {
		uint32_t n_left =
		    search
			->counts[256 * (size_t)RF_FAST_CLASSES + (size_t)code] +
		    bins->n_missing;

		if (n_left < least || n < n_left + least)
			return false;
	}
	for (int32_t k = 0; k < search->node->n_runs; k++)
		n_present += search->counts[256 * (size_t)k + (size_t)code];
	return n_present > 0;
}

static void
gini_try(const struct bins *bins, int32_t code)
{
	struct rf_fast_search *search = bins->search;
	const struct rf_fast_node *node = search->node;
	struct rf_fast_cut cut = {bins->column, code, bins->missing != NULL};
	uint64_t sl = 0, wl = 0, sr = 0;

	for (int32_t k = 0; k < node->n_runs; k++) {
		uint64_t l = search->counts[256 * (size_t)k + (size_t)code];
		uint64_t r;

		l += bins->missing == NULL ? 0 : bins->missing[k];
		r = node->totals[k] - l;
		wl += l;
		sl += l * l;
		sr += r * r;
	}
	if (wl > 0 && wl < node->weight)
		rf_fast_try(&search->best, cut, sl, wl, sr, node->weight - wl);
}

static void
gini_bins(const struct bins *bins)
{
	struct rf_fast_search *search = bins->search;
	const struct rf_fast_node *node = search->node;
	int32_t wl[256] = {0}, weight = (int32_t)node->weight;
	float sl[256] = {0}, sr[256] = {0}, scores[256], most, least;

	for (int32_t k = 0; k < node->n_runs; k++) {
		const uint32_t *counts = search->counts + 256 * (size_t)k;
		int32_t total = (int32_t)node->totals[k];
		int32_t more =
		    bins->missing == NULL ? 0 : (int32_t)bins->missing[k];

		for (int32_t x = 0; x < bins->width; x++) {
			int32_t count = (int32_t)counts[x] + more;
			float l = (float)count, r = (float)(total - count);

			sl[x] += l * l;
			sr[x] += r * r;
			wl[x] += count;
		}
	}
	for (int32_t x = 0; x < bins->width; x++) {
		float l = (float)wl[x], r = (float)(weight - wl[x]);

		scores[x] = (sl[x] * r + sr[x] * l) / (l * r + 1e-30F);
	}
	if (search->min_leaf > 1 || bins->missing != NULL)
		for (int32_t x = 0; x < bins->width; x++)
			if (!is_candidate(bins, x))
				scores[x] = 0;
	most = largest(scores, bins->width);
	if (most < search->best.least || most <= 0)
		return;
	least = most * (1 - RF_FLOAT_MARGIN);
	for (int32_t x = 0; x < bins->width; x += 32)
		for (uint32_t m = reaching(scores + x, least); m != 0;
		     m &= m - 1)
			gini_try(bins, x + __builtin_ctz(m));
}

static void
gini_histogram(struct rf_fast_search *search, const uint8_t *codes,
    int32_t column, const struct rf_coded_feature *feature)
{
	const struct rf_fast_node *node = search->node;
	int32_t n_values = feature->n_values;
	struct bins bins = {search, column, n_values,
	    (n_values + feature->has_missing + 31) / 32 * 32, NULL, 0};
	uint32_t missing[RF_FAST_CLASSES], weight = 0;

	gini_count(search, codes, bins.width);
	if (search->min_leaf > 1)
		gini_count_rows(search, codes, bins.width);
	gini_bins(&bins);
	if (!feature->has_missing)
		return;
	for (int32_t k = 0; k < node->n_runs; k++) {
		missing[k] = node->totals[k] -
		    search->counts[256 * (size_t)k + (size_t)n_values - 1];
		weight += missing[k];
	}
	if (weight == 0)
		return;
	for (uint32_t i = 0; i < node->n; i++)
		bins.n_missing += codes[i] == n_values;
	bins.missing = missing;
	gini_bins(&bins);
}

static void
gini(struct rf_fast_search *search, const uint8_t *codes, int32_t column,
    const struct rf_coded_feature *feature)
{
	const struct rf_fast_node *node = search->node;
	int32_t missing = feature->has_missing ? feature->n_values : -1;

	if (feature->n_values == 2 && !feature->has_missing)
		gini_two(search, codes, column);
	else if (node->n > 128 || node->squares >= 65536)
		gini_histogram(search, codes, column, feature);
	else if (node->n <= 64)
		gini_pairs(search, codes, column, missing, 2);
	else
		gini_pairs(
		    search, codes, column, missing, node->n <= 96 ? 3 : 4);
}
