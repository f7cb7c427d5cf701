/*
 * Sorting of 64-bit keys in linear time, and keys of numbers.
 */
#ifndef RF_TRAIN_RADIX_H
#define RF_TRAIN_RADIX_H

#include <stdint.h>
#include <string.h>

#define RF_SIGN_BIT (UINT64_C(1) << 63)

/* Keys are ordered as their numbers; -0.0 has the key of 0.0.  Not for NaN. */
static inline uint64_t
rf_key_of_double(double x)
{
	uint64_t bits;

	x += 0.0;
	memcpy(&bits, &x, sizeof(bits));
	return bits & RF_SIGN_BIT ? ~bits : bits | RF_SIGN_BIT;
}

static inline double
rf_key_to_double(uint64_t key)
{
	uint64_t bits = key & RF_SIGN_BIT ? key ^ RF_SIGN_BIT : ~key;
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline uint64_t
rf_key_of_int(int64_t x)
{
	return (uint64_t)x ^ RF_SIGN_BIT;
}

static inline int64_t
rf_key_to_int(uint64_t key)
{
	return (int64_t)(key ^ RF_SIGN_BIT);
}

/*
 * Sorts n < 2^32 keys; returns where they lie sorted, which is keys or spare
 * (n words as well).
 */
uint64_t *rf_sort_keys(uint64_t *keys, uint64_t *spare, int64_t n);

#endif
