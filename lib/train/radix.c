#include "train/radix.h"

#include <stdbool.h>

/* 11 bits: a count a digit fits the first cache, and six passes are seldom
 * all needed, for the low bits of most columns are zero. */
#define DIGIT_BITS 11
#define N_DIGITS   6
#define N_VALUES   (1 << DIGIT_BITS)

/* Up to here the counts cost more than the sort. */
#define FEW 256

static inline uint32_t
digit_of(uint64_t key, int digit)
{
	return (uint32_t)(key >> (digit * DIGIT_BITS)) & (N_VALUES - 1);
}

static void
sort_few(uint64_t *keys, int64_t n)
{
	for (int64_t i = 1; i < n; i++) {
		uint64_t key = keys[i];
		int64_t j = i;

		for (; j > 0 && keys[j - 1] > key; j--)
			keys[j] = keys[j - 1];
		keys[j] = key;
	}
}

static void
count_digits(const uint64_t *keys, int64_t n, uint32_t counts[][N_VALUES])
{
	memset(counts, 0, N_DIGITS * sizeof(*counts));
	for (int64_t i = 0; i < n; i++)
		for (int d = 0; d < N_DIGITS; d++)
			counts[d][digit_of(keys[i], d)]++;
}

static void
sort_by_digit(
    const uint64_t *from, uint64_t *to, int64_t n, int digit, uint32_t *counts)
{
	uint32_t sum = 0;

	for (int v = 0; v < N_VALUES; v++) {
		uint32_t count = counts[v];

		counts[v] = sum;
		sum += count;
	}
	for (int64_t i = 0; i < n; i++)
		to[counts[digit_of(from[i], digit)]++] = from[i];
}

uint64_t *
rf_sort_keys(uint64_t *keys, uint64_t *spare, int64_t n)
{
	uint32_t counts[N_DIGITS][N_VALUES];

	if (n <= FEW) {
		sort_few(keys, n);
		return keys;
	}
	count_digits(keys, n, counts);
	for (int d = 0; d < N_DIGITS; d++) {
		uint64_t *to = spare;

		if (counts[d][digit_of(keys[0], d)] == n)
			continue;
		sort_by_digit(keys, to, n, d, counts[d]);
		spare = keys;
		keys = to;
	}
	return keys;
}
