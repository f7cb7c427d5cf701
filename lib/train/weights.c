#include "train/weights.h"

#include "arith/fixed.h"

#define UNIT_BITS 40
#define SHIFT_MAX 1000

/* x = m 2^(e - 53) with m of 53 bits, exactly; x > 0. */
static uint64_t
mantissa_of(double x)
{
	return (uint64_t)rf_scale(x, 53 - rf_exponent(x));
}

/* Exponent of the lowest bit set in x > 0. */
static int
lowest_bit(double x)
{
	return rf_exponent(x) - 53 + __builtin_ctzll(mantissa_of(x));
}

/* Least L with factor * x <= 2^L, or < 2^L where strict; exactly. */
static int
bits_of_product(uint64_t factor, double x, int strict)
{
	__extension__ unsigned __int128 product = factor;
	uint64_t high;
	int bits;

	product *= mantissa_of(x);
	high = (uint64_t)(product >> 64);
	bits = high != 0 ? 64 + rf_bit_length(high)
			 : rf_bit_length((uint64_t)product);
	if (!strict && (product & (product - 1)) == 0)
		bits--;
	return bits + rf_exponent(x) - 53;
}

int
rf_weights_shift(
    const double *weights, int64_t n_rows, int64_t n_draws, int bits)
{
	double largest = weights[0], last = weights[0];
	int whole = -lowest_bit(last), most;

	for (int64_t i = 1; i < n_rows; i++) {
		if (weights[i] - last == 0)
			continue;
		last = weights[i];
		largest = last > largest ? last : largest;
		whole = -lowest_bit(last) > whole ? -lowest_bit(last) : whole;
	}
	most = bits - bits_of_product((uint64_t)n_draws, largest, 0);
	return whole < most ? whole : most;
}

uint64_t
rf_weight_units(double weight, int shift)
{
	return (uint64_t)rf_round(rf_scale(weight, shift));
}

struct rf_target_scale
rf_targets_scale(
    const double *targets, int64_t n_rows, int64_t n_draws, uint64_t max_weight)
{
	double low = targets[0], high = targets[0], far, largest;
	struct rf_target_scale scale = {0};
	uint64_t factor = (uint64_t)n_draws * max_weight;

	for (int64_t i = 1; i < n_rows; i++) {
		low = targets[i] < low ? targets[i] : low;
		high = targets[i] > high ? targets[i] : high;
	}
	/* Halves of the smallest numbers lose a bit. */
	scale.midrange = low < high ? low / 2 + high / 2 : low;
	far = high - scale.midrange;
	far = scale.midrange - low > far ? scale.midrange - low : far;
	largest = -low > high ? -low : high;
	scale.unit_exponent =
	    (largest > 0 ? rf_exponent(largest) : 0) - UNIT_BITS;
	if (low < high && far > 0) {
		scale.shift = 62 - bits_of_product(factor, far, 1);
		if (scale.shift > SHIFT_MAX)
			scale.shift = SHIFT_MAX;
	}
	return scale;
}

int64_t
rf_target_units(double y, const struct rf_target_scale *scale)
{
	return rf_round(rf_scale(y - scale->midrange, scale->shift));
}

double
rf_target_step(const struct rf_target_scale *scale)
{
	double of_tally = rf_scale(1, scale->unit_exponent);
	double of_target = rf_scale(1, -scale->shift);

	return of_target > of_tally ? of_target : of_tally;
}

int64_t
rf_targets_lost(
    const double *targets, int64_t n_rows, const struct rf_target_scale *scale)
{
	/* Roundings move a target by less than two steps. */
	double far = rf_target_step(scale) * (2 / RF_LOSS);
	int64_t n = 0;

	for (int64_t i = 0; i < n_rows; i++) {
		double size = targets[i] < 0 ? -targets[i] : targets[i], back;

		if (size >= far)
			continue;
		back = rf_leaf_mean(scale->midrange,
		    rf_target_units(targets[i], scale), 1, scale->shift);
		back = rf_scale(
		    (double)rf_value_to_units(back, scale->unit_exponent),
		    scale->unit_exponent);
		back =
		    back < targets[i] ? targets[i] - back : back - targets[i];
		n += back > size * RF_LOSS;
	}
	return n;
}
