/*
 * Fixed point: sample weights, regression targets, leaf shares, predictions.
 *
 * Sums of integers do not depend on order, so thread counts, batches and
 * devices cannot change a result: rf-forest(5), Numbers.
 */
#ifndef RF_ARITH_FIXED_H
#define RF_ARITH_FIXED_H

#include <stdint.h>

#include "arith/arith.h"

/* Votes of one leaf under --vote soft sum to this. */
#define RF_SHARE_ONE (INT64_C(1) << 40)
/* More trees than this could overflow a tally. */
#define RF_TREES_MAX (INT64_C(1) << 22)

/* x 2^shift by exact steps; what under- or overflows does so as IEEE says. */
RF_INLINE double
rf_scale(double x, int shift)
{
	for (; shift >= 32; shift -= 32)
		x *= 0x1p32;
	for (; shift <= -32; shift += 32)
		x *= 0x1p-32;
	if (shift >= 0)
		return x * (double)(UINT64_C(1) << shift);
	return x / (double)(UINT64_C(1) << -shift);
}

/* To the nearest whole number, halves away from zero; |x| < 2^63. */
RF_INLINE int64_t
rf_round(double x)
{
	if (x >= 0x1p52 || x <= -0x1p52)
		return (int64_t)x;
	return x < 0 ? -(int64_t)(0.5 - x) : (int64_t)(x + 0.5);
}

/* The exponent e with 2^(e-1) <= x < 2^e; x > 0 and finite. */
RF_INLINE int
rf_exponent(double x)
{
	uint64_t bits = rf_double_bits(x);
	int e = (int)(bits >> 52 & 0x7ff);

	if (e == 0)
		return rf_exponent(x * 0x1p64) - 64;
	return e - 1022;
}

/*
 * The decrease that min_impurity_decrease is compared with: gain in integer
 * units (rf_*_gain times 2^k of rf_shift) over the root's in-bag weight;
 * target_shift is 0 for classification.
 */
RF_INLINE double
rf_decrease(double gain, uint64_t root_weight, int target_shift)
{
	return rf_scale(gain / (double)root_weight, -2 * target_shift);
}

/* A leaf's mean from its integer sum: midrange + (sum / w) 2^-shift. */
RF_INLINE double
rf_leaf_mean(double midrange, int64_t sum, int64_t w, int shift)
{
	int64_t m = rf_floor_div(sum, w);
	double mean = (double)m + (double)(sum - m * w) / (double)w;

	return midrange + rf_scale(mean, -shift);
}

/* A leaf's value in units of 2^unit_exponent, as tallies add it. */
RF_INLINE int64_t
rf_value_to_units(double value, int unit_exponent)
{
	return rf_round(rf_scale(value, -unit_exponent));
}

/*
 * Shares of a leaf as integers that sum to RF_SHARE_ONE, by largest remainder;
 * ties of remainders go to the lower index.
 *
 * values      n >= 1 finite values >= 0, not all 0
 * remainders  scratch of n
 * shares      n results
 */
void rf_leaf_shares(
    const double *values, int32_t n, double *remainders, int64_t *shares);

#endif
