/*
 * Numbers by 16 bytes: found, cut to their digits and multiplied out without a
 * branch that the digits decide.  Compiled for AVX2, BMI and BMI2; the vectors
 * of numbers are of 128 bits, since a cell fills no more.
 *
 * Cells go through the processor side by side, so what counts is how few
 * instructions there are; constants are read from memory for that.
 */
#include "table/run.h"

#ifdef __x86_64__

# include <immintrin.h>

# include "table/decimal.h"

# define UNFIT 32 /* the size of a cell that is not stored */

# define SIXTEEN(x)                                                            \
  {                                                                            \
   x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x                              \
  }
/* From where byte j of 16 comes once the point before the last n is gone. */
# define FROM(n, j) (int8_t)((j) - ((j) + (n) < 16))
# define ROW(n)                                                                \
  {                                                                            \
   FROM(n, 0), FROM(n, 1), FROM(n, 2), FROM(n, 3), FROM(n, 4), FROM(n, 5),     \
       FROM(n, 6), FROM(n, 7), FROM(n, 8), FROM(n, 9), FROM(n, 10),            \
       FROM(n, 11), FROM(n, 12), FROM(n, 13), FROM(n, 14), FROM(n, 15)         \
  }

static const struct tables {
	char zeros[16], nines[16], quotes[16];
	int8_t tens[16];
	int16_t hundreds[8], myriads[8];
	int8_t window[32]; /* from n on: all bits of the last n of 16 bytes */
	int8_t without_point[16][16];
	double power[2][16]; /* the sign is the divisor's, so that -0 stays */
} tables = {
    .zeros = SIXTEEN('0'),
    .nines = SIXTEEN(9),
    .quotes = SIXTEEN('"'),
    .tens = {10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1},
    .hundreds = {100, 1, 100, 1, 100, 1, 100, 1},
    .myriads = {10000, 1, 10000, 1, 10000, 1, 10000, 1},
    .window = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1},
    .without_point = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6),
	ROW(7), ROW(8), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(14),
	ROW(15)},
    .power = {{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		  1e12, 1e13, 1e14, 1e15},
	{-1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10,
	    -1e11, -1e12, -1e13, -1e14, -1e15}},
};

static inline __m128i
load(const void *bytes)
{
	return _mm_loadu_si128(bytes);
}

static inline uint64_t
where(__m128i bytes, __m128i wanted)
{
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted));
}

/* The first 8 and the last 8 of 16 digits as two numbers of 32 bits. */
static inline __m128i
halves_of(const struct tables *t, __m128i digits)
{
	__m128i v = _mm_maddubs_epi16(digits, load(t->tens));

	v = _mm_madd_epi16(v, load(t->hundreds));
	v = _mm_packus_epi32(v, v);
	return _mm_madd_epi16(v, load(t->myriads));
}

/* The last n of these bytes as numbers; false where one is no digit. */
static inline bool
read_digits(const struct tables *t, __m128i text, size_t n, __m128i *digits)
{
	__m128i v = _mm_and_si128(
	    _mm_sub_epi8(text, load(t->zeros)), load(t->window + n));
	__m128i over = _mm_subs_epu8(v, load(t->nines));

	*digits = v;
	return n != 0 && _mm_testz_si128(over, over) != 0;
}

static inline bool
read_whole(const struct tables *t, const char *at, size_t size, int64_t *value)
{
	int64_t sign = *at == '-';
	__m128i digits;
	uint64_t halves;

	if (!read_digits(
		t, load(at + size - 16), size - (size_t)sign, &digits) ||
	    (at[sign] == '0' && size > 1))
		return false;
	halves = (uint64_t)_mm_cvtsi128_si64(halves_of(t, digits));
	*value = (int64_t)((halves & UINT32_MAX) * 100000000 + (halves >> 32));
	*value = (*value ^ -sign) + sign;
	return true;
}

/* points: where the cell has some, as bits. */
static inline bool
read_real(const struct tables *t, const char *at, size_t size, uint64_t points,
    double *value)
{
	size_t sign = *at == '-', n_after = 0;
	__m128i text = load(at + size - 16), digits;
	__m128d halves, whole;

	if (points != 0) {
		n_after = size - 1 - _tzcnt_u64(points);
		text = _mm_shuffle_epi8(text, load(t->without_point[n_after]));
		size--;
	}
	if (!read_digits(t, text, size - sign, &digits))
		return false;
	/* Both halves and their sum are exact. */
	halves = _mm_cvtepi32_pd(halves_of(t, digits));
	whole = _mm_add_sd(_mm_mul_sd(halves, _mm_load_sd(&t->power[0][8])),
	    _mm_unpackhi_pd(halves, halves));
	*value = _mm_cvtsd_f64(whole) / t->power[sign][n_after];
	return true;
}

/* What a cell ends with: of a number one byte, of a text the first of three. */
struct ends {
	__m128i number;
	__m256i text, feed, carriage_return;
};

static inline size_t
store_number(const struct tables *t, const struct rf_slot *slot, const char *at,
    __m128i end, __m128i point, int64_t row)
{
	__m128i text = load(at);
	size_t size = _tzcnt_u64(where(text, end) | UINT64_C(1) << 16);
	bool is_read;

	if (size == 16)
		return UNFIT;
	if (slot->fast == RF_CELLS_REAL)
		is_read = read_real(t, at, size,
		    _bzhi_u64(where(text, point), (unsigned)size),
		    (double *)slot->values + row);
	else
		is_read =
		    read_whole(t, at, size, (int64_t *)slot->values + row);
	return is_read ? size : UNFIT;
}

static inline size_t
find_end(const char *at, const struct ends *ends)
{
	__m256i v = _mm256_loadu_si256((const void *)at);
	__m256i is_end = _mm256_or_si256(_mm256_cmpeq_epi8(v, ends->text),
	    _mm256_or_si256(_mm256_cmpeq_epi8(v, ends->feed),
		_mm256_cmpeq_epi8(v, ends->carriage_return)));

	return _tzcnt_u64(
	    (uint32_t)_mm256_movemask_epi8(is_end) | UINT64_C(1) << UNFIT);
}

/*
 * A cell with n_quotes after it, 0 or 1, and then the slot's end, which is
 * looked at where storing cannot be undone; returns its size, or UNFIT.
 */
static inline size_t
store_cell(const struct tables *t, struct rf_slot *slot,
    const struct rf_plan *plan, const char *at, const struct ends *ends,
    size_t n_quotes, __m128i point, int64_t row)
{
	size_t size = UNFIT;

	switch (slot->fast) {
	case RF_CELLS_REAL:
	case RF_CELLS_WHOLE:
		return store_number(t, slot, at, ends->number, point, row);
	case RF_CELLS_CATEGORY:
	case RF_CELLS_TEXT:
		size = find_end(at, ends);
		if (size == UNFIT || at[size + n_quotes] != *slot->end ||
		    !rf_run_store_text(slot, &plan->missing, at, size, row))
			return UNFIT;
		break;
	case RF_CELLS_BOOLEAN:
	case RF_CELLS_DATE:
	case RF_CELLS_TIME:
		size = rf_run_store_formed(slot, &plan->missing, at, row);
		return size == 0 || at[size + n_quotes] != *slot->end ||
			(n_quotes != 0 && at[size] != '"')
		    ? UNFIT
		    : size;
	case RF_CELLS_SKIP:
		break;
	}
	return size;
}

size_t
rf_run_avx2(struct rf_slot *slots, const struct rf_plan *plan, size_t c,
    char **at, int64_t row)
{
	const struct tables *t = &tables;
	const __m128i points = _mm_set1_epi8(plan->dialect.point);
	const __m256i quotes = _mm256_set1_epi8('"');
	const struct ends quoted = {
	    _mm256_castsi256_si128(quotes), quotes, quotes, quotes};
	struct ends plain = {.text = _mm256_set1_epi8(plan->dialect.delimiter),
	    .feed = _mm256_set1_epi8('\n'),
	    .carriage_return = _mm256_set1_epi8('\r')};
	struct rf_slot *slot = slots + c, *end = slots + plan->n_columns;
	char *p = *at;

	/* Else gcc makes the constants anew for each cell. */
	__asm__("" : "+r"(t));
	for (; slot < end; slot++) {
		size_t size;

		if (*p != '"') {
			plain.number = load(slot->end);
			size = store_cell(
			    t, slot, plan, p, &plain, 0, points, row);
			if (size == UNFIT) {
				if (*p != *slot->end ||
				    slot->fast == RF_CELLS_SKIP)
					break;
				rf_slot_null(slot, row);
				size = 0;
			}
			p += size + 1;
			continue;
		}
		size =
		    store_cell(t, slot, plan, p + 1, &quoted, 1, points, row);
		if (size == UNFIT || p[size + 2] != slot->end[0])
			break;
		p += size + 3;
	}
	*at = p;
	return (size_t)(slot - slots);
}

#endif
