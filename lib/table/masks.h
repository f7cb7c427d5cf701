/*
 * Where bytes of interest stand among 64, as bit masks (bit i: byte i).
 *
 * SSE2, which every x86-64 has, and the same in plain C for other machines and
 * as the check on the first.  Wider vectors gained nothing measurable once the
 * cells are parsed too.
 */
#ifndef RF_TABLE_MASKS_H
#define RF_TABLE_MASKS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __SSE2__
# include <emmintrin.h>
#endif

struct rf_masks {
	uint64_t ends, quotes; /* LF and CR; " */
	/* Whether any is there. */
	bool has_carriage_return;
	bool has_high; /* bytes from 0x80 */
	bool has_zero;
};

static inline void
rf_masks_scalar(struct rf_masks *masks, const char *text)
{
	struct rf_masks m = {0};

	for (int i = 0; i < 64; i++) {
		m.ends |= (uint64_t)(text[i] == '\n' || text[i] == '\r') << i;
		m.quotes |= (uint64_t)(text[i] == '"') << i;
		m.has_carriage_return |= text[i] == '\r';
		m.has_high |= (unsigned char)text[i] >= 0x80;
		m.has_zero |= text[i] == '\0';
	}
	*masks = m;
}

/* Where `wanted` stands among 64 bytes. */
static inline uint64_t
rf_mask_byte_scalar(const char *text, char wanted)
{
	uint64_t mask = 0;

	for (int i = 0; i < 64; i++)
		mask |= (uint64_t)(text[i] == wanted) << i;
	return mask;
}

/* Bit i is the parity of bits 0 to i. */
static inline uint64_t
rf_mask_parity(uint64_t mask)
{
	for (int shift = 1; shift < 64; shift *= 2)
		mask ^= mask << shift;
	return mask;
}

/* The first of a, LF, CR from text on; one of them must be there. */
static inline const char *
rf_find_end_scalar(const char *text, char a)
{
	while (*text != a && *text != '\n' && *text != '\r')
		text++;
	return text;
}

/* Where `wanted`, given 16 times, first stands in 16 bytes; 16: nowhere. */
static inline unsigned
rf_find_near_scalar(const char *text, const char wanted[16])
{
	unsigned i = 0;

	while (i < 16 && text[i] != wanted[0])
		i++;
	return i;
}

/* Line feeds in n bytes. */
static inline int64_t
rf_count_feeds_scalar(const char *text, int64_t n)
{
	int64_t count = 0;

	for (int64_t i = 0; i < n; i++)
		count += text[i] == '\n';
	return count;
}

#ifdef __SSE2__

static inline unsigned
rf_bits_of(__m128i v)
{
	return (unsigned)_mm_movemask_epi8(v);
}

static inline void
rf_masks_sse2(struct rf_masks *masks, const char *text)
{
	const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
	const __m128i quote = _mm_set1_epi8('"'), zero = _mm_setzero_si128();
	__m128i returns = zero, all = zero, least = lf;

	masks->ends = masks->quotes = 0;
	for (int i = 0; i < 64; i += 16) {
		__m128i v = _mm_loadu_si128((const void *)(text + i));
		__m128i is_cr = _mm_cmpeq_epi8(v, cr);
		__m128i is_end = _mm_or_si128(_mm_cmpeq_epi8(v, lf), is_cr);

		masks->ends |= (uint64_t)rf_bits_of(is_end) << i;
		masks->quotes |= (uint64_t)rf_bits_of(_mm_cmpeq_epi8(v, quote))
		    << i;
		returns = _mm_or_si128(returns, is_cr);
		all = _mm_or_si128(all, v);
		least = _mm_min_epu8(least, v);
	}
	masks->has_carriage_return = rf_bits_of(returns) != 0;
	masks->has_high = rf_bits_of(all) != 0;
	masks->has_zero = rf_bits_of(_mm_cmpeq_epi8(least, zero)) != 0;
}

static inline uint64_t
rf_mask_byte_sse2(const char *text, char wanted)
{
	const __m128i w = _mm_set1_epi8(wanted);
	uint64_t mask = 0;

	for (int i = 0; i < 64; i += 16) {
		__m128i v = _mm_loadu_si128((const void *)(text + i));

		mask |= (uint64_t)rf_bits_of(_mm_cmpeq_epi8(v, w)) << i;
	}
	return mask;
}

/* Reads up to 15 bytes past what it returns. */
static inline const char *
rf_find_end_sse2(const char *text, char a)
{
	const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
	const __m128i wanted = _mm_set1_epi8(a);

	for (;; text += 16) {
		__m128i v = _mm_loadu_si128((const void *)text);
		__m128i is_end = _mm_or_si128(_mm_cmpeq_epi8(v, lf),
		    _mm_or_si128(
			_mm_cmpeq_epi8(v, cr), _mm_cmpeq_epi8(v, wanted)));
		unsigned mask = (unsigned)_mm_movemask_epi8(is_end);

		if (mask != 0)
			return text + __builtin_ctz(mask);
	}
}

static inline unsigned
rf_find_near_sse2(const char *text, const char wanted[16])
{
	__m128i v = _mm_loadu_si128((const void *)text);
	__m128i w = _mm_loadu_si128((const void *)wanted);
	unsigned mask = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, w));

	return (unsigned)__builtin_ctz(mask | 0x10000);
}

static inline int64_t
rf_count_feeds_sse2(const char *text, int64_t n)
{
	const __m128i lf = _mm_set1_epi8('\n'), zero = _mm_setzero_si128();
	__m128i sum = zero;
	int64_t i = 0, counts[2];

	while (i + 16 <= n) {
		/* A byte counts to 255 before it must be added up. */
		int64_t end = n - i > 255 * 16 ? i + 255 * 16 : n / 16 * 16;
		__m128i bytes = zero;

		for (; i + 16 <= end; i += 16)
			bytes = _mm_sub_epi8(bytes,
			    _mm_cmpeq_epi8(
				_mm_loadu_si128((const void *)(text + i)), lf));
		sum = _mm_add_epi64(sum, _mm_sad_epu8(bytes, zero));
	}
	_mm_storeu_si128((void *)counts, sum);
	return counts[0] + counts[1] + rf_count_feeds_scalar(text + i, n - i);
}

# define rf_masks_of	rf_masks_sse2
# define rf_mask_byte	rf_mask_byte_sse2
# define rf_find_end	rf_find_end_sse2
# define rf_find_near	rf_find_near_sse2
# define rf_count_feeds rf_count_feeds_sse2
#else
# define rf_masks_of	rf_masks_scalar
# define rf_mask_byte	rf_mask_byte_scalar
# define rf_find_end	rf_find_end_scalar
# define rf_find_near	rf_find_near_scalar
# define rf_count_feeds rf_count_feeds_scalar
#endif

#endif
