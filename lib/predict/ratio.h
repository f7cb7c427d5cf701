/*
 * Ratios of whole numbers, correctly rounded: shares of votes and means.
 */
#ifndef RF_PREDICT_RATIO_H
#define RF_PREDICT_RATIO_H

#include <stdint.h>

#include "arith/fixed.h"

/* The double nearest to a / b, ties to even; b > 0. */
static inline double
rf_ratio(uint64_t a, uint64_t b)
{
	int up_a, up_b;
	__extension__ unsigned __int128 shifted;
	uint64_t quotient;

	if (a == 0)
		return 0;
	up_a = __builtin_clzll(a);
	up_b = __builtin_clzll(b);
	a <<= up_a;
	b <<= up_b;
	/* a / b lies in (1/2, 2): the quotient has 63 or 64 bits, of which the
	 * lowest stands for what is lost. */
	shifted = a;
	shifted <<= 63;
	quotient = (uint64_t)(shifted / b);
	quotient |= shifted % b != 0;
	return rf_scale((double)quotient, up_b - up_a - 63);
}

/* The double nearest to sum / n, times 2^exponent. */
static inline double
rf_mean_of_units(int64_t sum, int64_t n, int exponent)
{
	uint64_t size = sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
	double mean = rf_scale(rf_ratio(size, (uint64_t)n), exponent);

	return sum < 0 ? -mean : mean;
}

#endif
