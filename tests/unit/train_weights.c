/* Expected values by hand or by Python's fractions. */
#include "train/weights.h"

#include "unit.h"

static void
whole_weights(void)
{
	static const double ones[] = {1, 1, 1}, twos[] = {2, 6, 4};
	static const double quarters[] = {0.25, 1.5, 3};

	check_int(rf_weights_shift(ones, 3, 3, 62), 0, "ones");
	check_int(rf_weights_shift(twos, 3, 3, 62), -1, "even numbers");
	check_int(rf_weight_units(6, -1), 3, "and their units");
	check_int(rf_weights_shift(quarters, 3, 3, 62), 2, "quarters");
	check_int(rf_weight_units(1.5, 2), 6, "and their units");
}

static void
limited_weights(void)
{
	/* .1 is 3602879701896397 / 2^55; 10 draws of 1: 10 * 2^s <= 2^62 */
	static const double tenth[] = {0.1, 1}, tiny[] = {1e-30, 1};
	static const double power[] = {0.1, 4};

	check_int(rf_weights_shift(tenth, 2, 2, 62), 55, "a tenth fits");
	check_int(rf_weights_shift(tenth, 2, 10, 36), 32, "36 bits");
	check_int(rf_weight_units(0.1, 32), 429496730, "rounded to nearest");
	check_int(rf_weights_shift(tiny, 2, 2, 62), 61, "tiny beside 1");
	check_int(rf_weight_units(1e-30, 61), 0, "rounds to nothing");
	check_int(rf_weights_shift(power, 2, 4, 36), 32, "the limit itself");
	check_int(rf_weight_units(0.5, 0), 1, "halves go away from zero");
}

static void
targets(void)
{
	static const double y[] = {1, 2, 4}, same[] = {-2.5, -2.5};
	static const double zeros[] = {0, 0}, huge[] = {-1.7e308, 1.7e308};
	static const double tiny[] = {0, 0x1p-1074};
	struct rf_target_scale scale = rf_targets_scale(y, 3, 3, 1);

	/* midrange 2.5, largest distance 1.5: 4.5 * 2^59 < 2^62 */
	check(scale.midrange - 2.5 == 0 && scale.shift == 59, "a scale");
	check_int(scale.unit_exponent, 3 - 40, "4 lies below 2^3");
	check_int(rf_target_units(4, &scale), INT64_C(3) << 58, "its units");
	scale = rf_targets_scale(same, 2, 2, 1);
	check(scale.shift == 0 && scale.midrange + 2.5 == 0 &&
		scale.unit_exponent == 2 - 40,
	    "equal targets");
	scale = rf_targets_scale(zeros, 2, 2, 1);
	check_int(scale.unit_exponent, -40, "nothing but 0");
	scale = rf_targets_scale(huge, 2, 2, 1);
	/* 2 * 1.7e308 lies in [2^1024, 2^1025) */
	check(scale.midrange + 0.0 == 0 && scale.shift == 62 - 1025,
	    "the ends of the range");
	scale = rf_targets_scale(tiny, 2, 2, 1);
	check_int(scale.shift, 1000, "denormals: 1000 at most");
	/* 4 * 1.5 * 2^59 is 2^61.58; of weight 4 two bits less */
	check_int(rf_targets_scale(y, 3, 3, 4).shift, 57, "weights count");
	/* 2 draws of distance 2: 4 * 2^s < 2^62, not <= */
	check_int(rf_targets_scale((double[]){0, 4}, 2, 2, 1).shift, 59,
	    "the limit is not reached");
}

/* The largest below 2^50: steps of 2^10, so that 1 is 0 and 3e6 is 2999296. */
static void
lost_targets(void)
{
	static const double y[] = {1e15, 1, 2, -3, 0, 3e6, 1024, 1500};
	static const double like[] = {1e-3, 2, 1e6, -1e6}, same[] = {3, 3};
	static const double ends[] = {-1.7e308, 1.7e308, 1e290, 0x1p-1074};
	struct rf_target_scale scale = rf_targets_scale(y, 8, 8, 1);

	check(rf_target_step(&scale) - 1024 == 0, "steps of 2^(50 - 40)");
	check_int(rf_targets_lost(y, 8, &scale), 4, "1, 2, -3 and 1500");
	scale = rf_targets_scale(like, 4, 4, 1);
	check_int(rf_targets_lost(like, 4, &scale), 0, "1e9 to one is well");
	/* 4 draws of weight 2^34: 2^36 * 1e6 < 2^56, steps of 2^-6 */
	scale = rf_targets_scale(like, 4, 4, UINT64_C(1) << 34);
	check(rf_target_step(&scale) - 0x1p-6 == 0, "weights take bits");
	check_int(rf_targets_lost(like, 4, &scale), 1, "1e-3 is lost");
	scale = rf_targets_scale(same, 2, 2, 1);
	check_int(rf_targets_lost(same, 2, &scale), 0, "equal targets");
	scale = rf_targets_scale(ends, 4, 4, 1);
	check_int(rf_targets_lost(ends, 4, &scale), 2, "the range's ends");
}

int
main(void)
{
	whole_weights();
	limited_weights();
	targets();
	lost_targets();
	return unit_end();
}
