/*
 * Where bytes of interest stand among 64, as bit masks (bit i: byte i).
 *
 * SSE2, which every x86-64 has, and the same in plain C for other machines and
 * as the check on the first.  Wider vectors gained nothing measurable once the
 * cells are parsed too.
 */
#ifndef RF_TABLE_MASKS_H
#define RF_TABLE_MASKS_H

#include <stdint.h>

#ifdef __SSE2__
# include <emmintrin.h>
#endif

struct rf_masks {
	uint64_t ends; /* LF, CR */
	uint64_t quotes;
	uint64_t carriage_returns;
	uint64_t high;	/* bytes from 0x80 */
	uint64_t zeros; /* NUL */
};

static inline void
rf_masks_scalar(struct rf_masks *masks, const char *text)
{
	struct rf_masks m = {0};

	for (int i = 0; i < 64; i++) {
		m.ends |= (uint64_t)(text[i] == '\n' || text[i] == '\r') << i;
		m.quotes |= (uint64_t)(text[i] == '"') << i;
		m.carriage_returns |= (uint64_t)(text[i] == '\r') << i;
		m.high |= (uint64_t)((unsigned char)text[i] >> 7) << i;
		m.zeros |= (uint64_t)(text[i] == '\0') << i;
	}
	*masks = m;
}

/* The first of a, LF, CR from text on; one of them must be there. */
static inline const char *
rf_find_end_scalar(const char *text, char a)
{
	while (*text != a && *text != '\n' && *text != '\r')
		text++;
	return text;
}

#ifdef __SSE2__

static inline uint64_t
rf_masks_16(__m128i v)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(v);
}

static inline void
rf_masks_sse2(struct rf_masks *masks, const char *text)
{
	const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
	const __m128i quote = _mm_set1_epi8('"');
	struct rf_masks m = {0};

	for (int i = 0; i < 64; i += 16) {
		__m128i v = _mm_loadu_si128((const void *)(text + i));
		__m128i is_cr = _mm_cmpeq_epi8(v, cr);
		__m128i is_end = _mm_or_si128(_mm_cmpeq_epi8(v, lf), is_cr);

		m.ends |= rf_masks_16(is_end) << i;
		m.carriage_returns |= rf_masks_16(is_cr) << i;
		m.quotes |= rf_masks_16(_mm_cmpeq_epi8(v, quote)) << i;
		m.high |= rf_masks_16(v) << i;
		m.zeros |= rf_masks_16(_mm_cmpeq_epi8(v, _mm_setzero_si128()))
		    << i;
	}
	*masks = m;
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

# define rf_masks_of rf_masks_sse2
# define rf_find_end rf_find_end_sse2
#else
# define rf_masks_of rf_masks_scalar
# define rf_find_end rf_find_end_scalar
#endif

#endif
