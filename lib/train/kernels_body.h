/*
 * The loops of kernels.h, compiled once for each instruction set: the file
 * that includes this one says by its flags for which.
 */
#include <string.h>

#ifdef __SSE2__
# include <immintrin.h>
#endif

#include "train/kernels.h"

/* Vectors are passed inside this file alone. */
#ifdef __GNUC__
# pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* Vectors of 32 bytes; where the registers are shorter, the compiler takes
 * several. */
#define U8X32  __attribute__((vector_size(32))) uint8_t
#define I8X32  __attribute__((vector_size(32))) int8_t
#define U16X16 __attribute__((vector_size(32))) uint16_t

/* A bit of each byte, which are 0 or 255. */
static inline uint32_t
bits_of(U8X32 bytes)
{
#if defined(__AVX2__)
	return (uint32_t)_mm256_movemask_epi8((__m256i)bytes);
#elif defined(__SSE2__)
	__m128i half[2];

	memcpy(half, &bytes, sizeof(half));
	return (uint32_t)_mm_movemask_epi8(half[0]) |
	    (uint32_t)_mm_movemask_epi8(half[1]) << 16;
#else
	uint32_t bits = 0;

	for (int i = 0; i < 32; i++)
		bits |= (uint32_t)(bytes[i] & 1) << i;
	return bits;
#endif
}

static inline U8X32
load32(const uint8_t *bytes)
{
	U8X32 v;

	memcpy(&v, bytes, sizeof(v));
	return v;
}

static inline U8X32
all32(uint8_t byte)
{
	return (U8X32){0} + byte;
}

#ifndef __AVX2__
/* gcc takes vectors that are longer than registers apart, byte by byte, when
 * it compares them; halves it does not. */
# define U8X16 __attribute__((vector_size(16))) uint8_t

static inline U8X32
by_halves(U8X32 a, U8X32 b, bool is_at_most)
{
	U8X16 x[2], y[2];
	U8X32 result;

	memcpy(x, &a, sizeof(x));
	memcpy(y, &b, sizeof(y));
	for (int i = 0; i < 2; i++)
		x[i] =
		    is_at_most ? (U8X16)(x[i] <= y[i]) : (U8X16)(x[i] == y[i]);
	memcpy(&result, x, sizeof(result));
	return result;
}
#endif

/* 255 where a <= b, else 0. */
static inline U8X32
at_most(U8X32 a, U8X32 b)
{
#ifdef __AVX2__
	return (U8X32)(a <= b);
#else
	return by_halves(a, b, true);
#endif
}

static inline U8X32
equal(U8X32 a, U8X32 b)
{
#ifdef __AVX2__
	return (U8X32)(a == b);
#else
	return by_halves(a, b, false);
#endif
}

static inline uint32_t
low_bits(uint32_t n)
{
	return n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

static bool
is_constant(const uint8_t *codes, uint32_t n)
{
	U8X32 first = all32(codes[0]);
	uint32_t i = 0;

	for (; i + 32 <= n; i += 32)
		if (bits_of(equal(load32(codes + i), first)) != UINT32_MAX)
			return false;
	return (~bits_of(equal(load32(codes + i), first)) & low_bits(n - i)) ==
	    0;
}

static void
mark(const uint8_t *codes, uint32_t n, int32_t cut, uint64_t *bits)
{
	U8X32 most = all32((uint8_t)cut);

	for (uint32_t i = 0; i < n; i += 64) {
		uint64_t word =
		    bits_of(at_most(load32(codes + i), most)) & low_bits(n - i);

		if (n - i > 32)
			word |= (uint64_t)(bits_of(at_most(
					       load32(codes + i + 32), most)) &
				    low_bits(n - i - 32))
			    << 32;
		bits[i / 64] = word;
	}
}

static uint64_t
sum(const uint8_t *weights, uint32_t n)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < n; i++)
		total += weights[i];
	return total;
}

/* Weight of the rows of code 0, where there are two codes. */
static uint64_t
sum_of_zero(const uint8_t *codes, const uint8_t *weights, uint32_t n)
{
	uint64_t total = 0;
	uint32_t i = 0;

#ifdef __AVX2__
	__m256i sums = _mm256_setzero_si256();
	uint64_t parts[4];

	for (; i + 32 <= n; i += 32) {
		U8X32 w =
		    load32(weights + i) & equal(load32(codes + i), all32(0));

		sums = _mm256_add_epi64(
		    sums, _mm256_sad_epu8((__m256i)w, _mm256_setzero_si256()));
	}
	memcpy(parts, &sums, sizeof(parts));
	total = parts[0] + parts[1] + parts[2] + parts[3];
#endif
	for (; i < n; i++)
		total += codes[i] == 0 ? weights[i] : 0;
	return total;
}

/* --- Moving rows --------------------------------------------------------- */

#ifdef __AVX2__
/* Control of one block of n <= 16 rows: left ones to its front, right ones to
 * its back in reverse. */
static int
plan_block(uint32_t bits, uint32_t n, uint8_t *control)
{
	uint32_t l = 0, r = 15;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t is_left = bits >> i & 1;

		control[l] = control[r] = (uint8_t)i;
		l += is_left;
		r -= !is_left;
	}
	return (int)l;
}

/* The short block comes first: after it at least 16 places are free between
 * left and right rows, so that whole vectors can be stored. */
static void
plan(const uint64_t *bits, uint32_t n, struct rf_move *move)
{
	uint32_t first = n % 16 == 0 ? 16 : n % 16;
	uint32_t at = 0;

	move->n_rows = n;
	move->n_blocks = (n + 15) / 16;
	for (uint32_t b = 0; b < move->n_blocks; b++) {
		uint32_t size = b == 0 ? first : 16, shift = at % 64;
		uint64_t word = bits[at / 64] >> shift;

		if (shift + size > 64)
			word |= bits[at / 64 + 1] << (64 - shift);
		move->n_left[b] = (uint8_t)plan_block(
		    (uint32_t)word, size, move->controls + 16 * (size_t)b);
		at += size;
	}
}

static void
move_column(const struct rf_move *move, const uint8_t *from, uint8_t *to)
{
	/* Copies: for all the compiler knows, `to` might point into move. */
	uint32_t n_blocks = move->n_blocks;
	uint32_t size = move->n_rows % 16 == 0 ? 16 : move->n_rows % 16;
	const uint8_t *n_left = move->n_left, *controls = move->controls;
	uint8_t *left = to, *right = to + move->n_rows - 16;

	for (uint32_t b = 0; b < n_blocks; b++) {
		__m128i rows, control;

		memcpy(&rows, from, 16);
		memcpy(&control, controls + 16 * (size_t)b, 16);
		rows = _mm_shuffle_epi8(rows, control);
		memcpy(left, &rows, 16);
		memcpy(right, &rows, 16);
		left += n_left[b];
		right -= size - n_left[b];
		from += size;
		size = 16;
	}
}
#else
/* One control a row: whether it goes left. */
static void
plan(const uint64_t *bits, uint32_t n, struct rf_move *move)
{
	move->n_rows = n;
	move->n_blocks = 0;
	for (uint32_t i = 0; i < n; i++)
		move->controls[i] = (uint8_t)(bits[i / 64] >> i % 64 & 1);
}

static void
move_column(const struct rf_move *move, const uint8_t *from, uint8_t *to)
{
	const uint8_t *restrict is_left = move->controls;
	const uint8_t *restrict source = from;
	uint8_t *restrict out = to;
	uint32_t left = 0, right = move->n_rows - 1, n = move->n_rows;

	for (uint32_t i = 0; i < n; i++) {
		out[left] = source[i];
		out[right] = source[i];
		left += is_left[i];
		right += is_left[i] - UINT32_C(1);
	}
}
#endif

/* --- Draws --------------------------------------------------------------- */

/* rf_draw_feistel for 32 elements at once, with `rounds` rounds. */
static inline __attribute__((always_inline)) void
draws_rounds(uint32_t key, uint32_t first, int bits, int rounds, uint32_t *out)
{
	int low_bits_n = bits / 2, high_bits_n = bits - low_bits_n;
	uint32_t low_mask = (UINT32_C(1) << low_bits_n) - 1;
	uint32_t high_mask = (UINT32_C(1) << high_bits_n) - 1;
	uint32_t low[32], high[32];

	for (uint32_t i = 0; i < 32; i++) {
		uint32_t x = (first + i) & ((UINT32_C(1) << bits) - 1);

		low[i] = x & low_mask;
		high[i] = x >> low_bits_n;
	}
	for (int round = 0; round < rounds; round += 2) {
		key = key * UINT32_C(0x9E3779B1) + UINT32_C(0x85ebca6b);
		for (int i = 0; i < 32; i++)
			low[i] ^= rf_draw_round(high[i], key) & low_mask;
		key = key * UINT32_C(0x9E3779B1) + UINT32_C(0x85ebca6b);
		for (int i = 0; i < 32; i++)
			high[i] ^= rf_draw_round(low[i], key) & high_mask;
	}
	for (int i = 0; i < 32; i++)
		out[i] = high[i] << low_bits_n | low[i];
}

static void
draws(uint32_t draw_key, uint32_t first, int bits, uint32_t *out)
{
	if (RF_DRAW_ROUNDS(bits) == 8)
		draws_rounds(draw_key, first, bits, 8, out);
	else
		draws_rounds(draw_key, first, bits, 20, out);
}

#include "train/kernels_gini.h"
#include "train/kernels_squared.h"
#include "train/kernels_small.h"
