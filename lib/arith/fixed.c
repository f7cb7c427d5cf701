#include "arith/fixed.h"

#include <stdlib.h>

static int
compare_descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* Few values are sorted in place of a call for each pair. */
static void
sort_descending(double *values, int32_t n)
{
	if (n > 32) {
		qsort(values, (size_t)n, sizeof(*values), compare_descending);
		return;
	}
	for (int32_t i = 1; i < n; i++) {
		double value = values[i];
		int32_t k = i;

		for (; k > 0 && values[k - 1] < value; k--)
			values[k] = values[k - 1];
		values[k] = value;
	}
}

/* Fraction of the share of values[i] that rounding down loses. */
static double
remainder_of(double value, double sum, int64_t share)
{
	return value / sum * (double)RF_SHARE_ONE - (double)share;
}

void
rf_leaf_shares(
    const double *values, int32_t n, double *remainders, int64_t *shares)
{
	int64_t left = RF_SHARE_ONE;
	int32_t n_above = 0;
	double sum = 0, limit;

	for (int32_t i = 0; i < n; i++)
		sum += values[i];
	for (int32_t i = 0; i < n; i++) {
		shares[i] = (int64_t)(values[i] / sum * (double)RF_SHARE_ONE);
		remainders[i] = remainder_of(values[i], sum, shares[i]);
		left -= shares[i];
	}
	/* Thousands of classes: the quotients may have been rounded up. */
	for (int32_t i = n - 1; left<0; i = i> 0 ? i - 1 : n - 1)
		if (shares[i] > 0) {
			shares[i]--;
			left++;
		}
	for (; left >= n; left -= n)
		for (int32_t i = 0; i < n; i++)
			shares[i]++;
	if (left == 0)
		return;
	sort_descending(remainders, n);
	limit = remainders[left - 1];
	while (n_above < left && remainders[n_above] > limit)
		n_above++;
	left -= n_above; /* how many of those at the limit get one more */
	for (int32_t i = 0; i < n; i++) {
		double r = remainder_of(values[i], sum,
		    (int64_t)(values[i] / sum * (double)RF_SHARE_ONE));

		if (r > limit)
			shares[i]++;
		else if (r >= limit && left > 0) {
			shares[i]++;
			left--;
		}
	}
}
