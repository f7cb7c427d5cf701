/*
 * Sums of twice double's precision (about 106 bits).
 *
 * A value is high + low, |low| at most half a unit of high's last place.  A sum
 * of rows in stream order is so exact that no other cut of the rows into
 * batches, and no cancellation against a mean, shows in the 53 bits reported.
 * Needs -ffp-contract=off.  fma(3) is correctly rounded everywhere.
 *
 *	struct rf_sum sum = {0};
 *	rf_sum_add(&sum, 0.1);
 *	mean = rf_sum_ratio(sum, weight);
 *
 * Dekker 1971, "A floating-point technique for extending the available
 * precision"; Hida, Li, Bailey 2001, "Algorithms for quad-double precision
 * floating point arithmetic".
 */
#ifndef RF_SCORE_SUM_H
#define RF_SCORE_SUM_H

#include <math.h>

struct rf_sum {
	double high, low;
};

/* a + b, exactly. */
static inline struct rf_sum
rf_sum_of(double a, double b)
{
	struct rf_sum sum = {a + b, 0.0};
	double b_part = sum.high - a;

	/* Past the range there is no rest: inf - inf would be NaN. */
	if (isfinite(sum.high))
		sum.low = (a - (sum.high - b_part)) + (b - b_part);
	return sum;
}

/* a * b, exactly but for underflow. */
static inline struct rf_sum
rf_sum_product_of(double a, double b)
{
	struct rf_sum product = {a * b, 0.0};

	if (isfinite(product.high))
		product.low = fma(a, b, -product.high);
	return product;
}

static inline struct rf_sum
rf_sum_plus(struct rf_sum a, struct rf_sum b)
{
	struct rf_sum high = rf_sum_of(a.high, b.high);
	struct rf_sum low = rf_sum_of(a.low, b.low);

	high = rf_sum_of(high.high, high.low + low.high);
	return rf_sum_of(high.high, high.low + low.low);
}

static inline struct rf_sum
rf_sum_minus(struct rf_sum a, struct rf_sum b)
{
	return rf_sum_plus(a, (struct rf_sum){-b.high, -b.low});
}

static inline struct rf_sum
rf_sum_times(struct rf_sum a, struct rf_sum b)
{
	struct rf_sum product = rf_sum_product_of(a.high, b.high);

	return rf_sum_of(
	    product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline void
rf_sum_add(struct rf_sum *sum, double value)
{
	*sum = rf_sum_plus(*sum, (struct rf_sum){value, 0.0});
}

/* a / b to double; b.high is not 0. */
static inline double
rf_sum_ratio(struct rf_sum a, struct rf_sum b)
{
	double quotient = a.high / b.high;
	struct rf_sum rest;

	if (!isfinite(quotient))
		return quotient;
	rest = rf_sum_minus(a, rf_sum_times((struct rf_sum){quotient, 0.0}, b));
	return quotient + rest.high / b.high;
}

#endif
