/*
 * What decides a split: scores, their order, missing directions, gains.
 *
 * Every function here is compiled by gcc and nvcc, without fused multiply-add
 * and without libm, so that a CPU and a GPU agree to the bit.  The rules are
 * those of rf-forest(5), Score.  Letters: w in-bag weight, s sum of squares,
 * l and r the two sides; "shifted" means rf_shift() was applied.
 */
#ifndef RF_ARITH_ARITH_H
#define RF_ARITH_ARITH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "arith/rng.h"

enum rf_criterion {
	RF_CRITERION_GINI,
	RF_CRITERION_ENTROPY,
	RF_CRITERION_SQUARED_ERROR,
};

/*
 * A score, larger is better: num / den.  den is 1 but for small Gini nodes,
 * where the fraction is exact.  Only scores of one node may be compared.
 * {0, 1} is the least; "no candidate" is for the caller to keep.
 */
struct rf_score {
	uint64_t num;
	uint64_t den;
};

/* Whether a is strictly better than b; no overflow by the bounds below. */
RF_INLINE bool
rf_score_better(struct rf_score a, struct rf_score b)
{
	return a.num * b.den > b.num * a.den;
}

/* Non-negative doubles are ordered as their bits. */
RF_INLINE uint64_t
rf_double_bits(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

RF_INLINE int
rf_bit_length(uint64_t x)
{
#ifdef __CUDA_ARCH__
	return 64 - __clzll((long long)x);
#else
	return x == 0 ? 0 : 64 - __builtin_clzll(x);
#endif
}

/*
 * Right shift for the class sums of a node of weight w and of its sides, so
 * that sums of squares fit 64 bits.  0 wherever w < 2^32.
 */
RF_INLINE int
rf_shift(uint64_t w)
{
	int bits = rf_bit_length(w);

	return bits > 32 ? bits - 32 : 0;
}

/* --- Gini ---------------------------------------------------------------- */

/* Below this (shifted) node weight Gini scores compare as exact fractions:
 * num < w^3/4 < 2^37, den < 2^24, products below 2^61. */
#define RF_FRACTION_BELOW (UINT64_C(1) << 13)

/* s / w, and exactly w for a pure side, so that nothing beats a pure cut. */
RF_INLINE double
rf_gini_side(uint64_t s, uint64_t w)
{
	return s == w * w ? (double)w : (double)s / (double)w;
}

/*
 * sl, sr   sums of squared shifted class sums of the sides
 * wl, wr   sums of the shifted class sums; wl + wr = w
 * One of wl, wr may be 0 after a shift; not below RF_FRACTION_BELOW.
 */
RF_INLINE struct rf_score
rf_gini_score(uint64_t sl, uint64_t wl, uint64_t sr, uint64_t wr)
{
	struct rf_score score;

	if (wl + wr < RF_FRACTION_BELOW) {
		score.num = sl * wr + sr * wl;
		score.den = wl * wr;
	} else {
		score.num =
		    rf_double_bits(rf_gini_side(sl, wl) + rf_gini_side(sr, wr));
		score.den = 1;
	}
	return score;
}

/* --- Entropy ------------------------------------------------------------- */

/*
 * log2 of n = 1..2^32 in double: n = m 2^k with m in (2/3, 4/3], then
 * 2/ln 2 atanh((m - 1)/(m + 1)) by its series to the 23rd power; plain IEEE
 * operations in this order.  Exact for powers of two.
 */
RF_INLINE double
rf_log2(uint64_t n)
{
	int k = rf_bit_length(n) - 1;
	double m = (double)n / (double)(UINT64_C(1) << k), t, z, sum;

	if (m > 4.0 / 3.0) {
		m = m * 0.5;
		k = k + 1;
	}
	t = (m - 1.0) / (m + 1.0);
	z = t * t;
	sum = 1.0 / 23.0;
	for (int i = 21; i >= 1; i -= 2)
		sum = sum * z + 1.0 / (double)i;
	return (double)k + 2.8853900817779268 * (t * sum);
}

/*
 * n log2 n as an integer in units that depend on the node's (shifted) weight
 * w alone: 2^-rf_entropy_bits(w).  f(n) of sums over a node stay below 2^60.
 */
RF_INLINE int
rf_entropy_bits(uint64_t w)
{
	return 54 - rf_bit_length(w);
}

/* n log2 n, of which tables may be kept, and its integer. */
RF_INLINE double
rf_entropy_product(uint64_t n)
{
	return n < 2 ? 0 : (double)n * rf_log2(n);
}

RF_INLINE int64_t
rf_entropy_scaled(double product, int bits)
{
	return (int64_t)(product * (double)(UINT64_C(1) << bits));
}

RF_INLINE int64_t
rf_entropy_term(uint64_t n, int bits)
{
	return rf_entropy_scaled(rf_entropy_product(n), bits);
}

/*
 * fw, fl, fr   rf_entropy_term of the node's weight and of the two sides'
 * tl, tr       sums over classes of rf_entropy_term of the sides' class sums
 * all with the node's bits.  A pure cut scores fw, the most there is.
 */
RF_INLINE struct rf_score
rf_entropy_score(int64_t fw, int64_t fl, int64_t tl, int64_t fr, int64_t tr)
{
	struct rf_score score;
	int64_t x = fw - (fl - tl) - (fr - tr);

	score.num = x > 0 ? (uint64_t)x : 0;
	score.den = 1;
	return score;
}

/* --- Squared error ------------------------------------------------------- */

/* Division that rounds down; w > 0. */
RF_INLINE int64_t
rf_floor_div(int64_t sum, int64_t w)
{
	int64_t q = sum / w;

	return q * w > sum ? q - 1 : q;
}

/*
 * m        rf_floor_div of the node's sum of weighted targets by its weight
 * suml     left side's sum of weighted targets, and so on; wl, wr > 0
 */
RF_INLINE struct rf_score
rf_squared_score(int64_t m, int64_t suml, int64_t wl, int64_t sumr, int64_t wr)
{
	struct rf_score score;
	double d = (double)(suml - m * wl), e = (double)(sumr - m * wr);

	score.num = rf_double_bits(d * d / (double)wl + e * e / (double)wr);
	score.den = 1;
	return score;
}

/* --- Orders of categories ------------------------------------------------ */

/* Share of a class in a level: shifted class sum by shifted weight; a level
 * whose shifted weight is 0 has share 0. */
RF_INLINE bool
rf_share_less(uint64_t sum_a, uint64_t w_a, uint64_t sum_b, uint64_t w_b)
{
	return sum_a * (w_b == 0 ? 1 : w_b) < sum_b * (w_a == 0 ? 1 : w_a);
}

/* Mean target of a level; weights > 0. */
RF_INLINE bool
rf_mean_less(int64_t sum_a, int64_t w_a, int64_t sum_b, int64_t w_b)
{
	return __extension__(__int128) sum_a * w_b <
	    __extension__(__int128) sum_b * w_a;
}

/* How many classes of a node (of more than two) get an order of their own. */
RF_INLINE int32_t
rf_n_orders(int64_t n_distinct_rows, int32_t n_present_classes)
{
	int32_t most = n_distinct_rows > 512 ? 16
	    : n_distinct_rows > 32	     ? 4
					     : 1;

	return most < n_present_classes ? most : n_present_classes;
}

/* --- Gain, as given back with the forest --------------------------------- */

/*
 * Decrease of w x impurity in shifted integer weight units (times 2^k gives
 * integer units; targets: integer units squared), for the limit
 * min_impurity_decrease and the column `gain`.  Never negative.
 */
RF_INLINE double
rf_gini_gain(uint64_t sl, uint64_t wl, uint64_t sr, uint64_t wr, uint64_t s)
{
	double x = rf_gini_side(sl, wl) + rf_gini_side(sr, wr) -
	    rf_gini_side(s, wl + wr);

	return x > 0 ? x : 0;
}

/* t: sum of the node's own class terms */
RF_INLINE double
rf_entropy_gain(struct rf_score score, int64_t t, int bits)
{
	double x =
	    (double)((int64_t)score.num - t) / (double)(UINT64_C(1) << bits);

	return x > 0 ? x : 0;
}

/* sum, w: the node's; the score is about m, not about the mean */
RF_INLINE double
rf_squared_gain(struct rf_score score, int64_t m, int64_t sum, int64_t w)
{
	double x, rest = (double)(sum - m * w);

	memcpy(&x, &score.num, sizeof(x));
	x = x - rest * rest / (double)w;
	return x > 0 ? x : 0;
}

/* --- Cuts and directions ------------------------------------------------- */

/* The cut between neighbouring occupied codes lo < hi: codes <= cut go left.
 * A code halfway goes left, as a value at scikit-learn's midpoint does. */
RF_INLINE int32_t
rf_cut_between(int32_t lo, int32_t hi)
{
	return (lo + hi) >> 1;
}

/* Where a node has no missing row: left iff strictly more distinct rows do. */
RF_INLINE bool
rf_missing_by_majority(int64_t n_rows_left, int64_t n_rows_right)
{
	return n_rows_left > n_rows_right;
}

/* The threshold between neighbouring distinct values a < b. */
RF_INLINE double
rf_threshold_float(double a, double b)
{
	double middle = a / 2 + b / 2;

	return middle < b && middle >= a ? middle : a;
}

RF_INLINE int64_t
rf_threshold_int(int64_t a, int64_t b)
{
	return a + (int64_t)(((uint64_t)b - (uint64_t)a) / 2);
}

#endif
