/*
 * Weights and regression targets as whole numbers: rf-forest(5), Numbers.
 */
#ifndef RF_TRAIN_WEIGHTS_H
#define RF_TRAIN_WEIGHTS_H

#include <stdint.h>

/* Bits of n_draws * largest weight * 2^shift at most. */
#define RF_WEIGHT_BITS_CLASSES 62
#define RF_WEIGHT_BITS_TARGETS 36

/*
 * The shift s: the least for which every weight * 2^s is whole, but at most
 * the greatest with n_draws * largest weight * 2^s <= 2^bits.
 *
 * weights   N >= 1 finite numbers > 0
 */
int rf_weights_shift(
    const double *weights, int64_t n_rows, int64_t n_draws, int bits);

/* round(weight * 2^shift) */
uint64_t rf_weight_units(double weight, int shift);

struct rf_target_scale {
	double midrange;
	int shift;
	int unit_exponent; /* of tallies: the E - 40 of rf-forest(5) */
};

/*
 * targets    N >= 1 finite numbers
 * max_weight largest integer weight (1 without weights)
 */
struct rf_target_scale rf_targets_scale(const double *targets, int64_t n_rows,
    int64_t n_draws, uint64_t max_weight);

/* round((y - midrange) 2^shift) */
int64_t rf_target_units(double y, const struct rf_target_scale *scale);

/* What predictions are multiples of: the coarser of both units. */
double rf_target_step(const struct rf_target_scale *scale);

/*
 * How many targets a leaf of their own would give back with a loss of more
 * than RF_LOSS of their size, as they are small beside that step.
 */
#define RF_LOSS 1e-3
int64_t rf_targets_lost(
    const double *targets, int64_t n_rows, const struct rf_target_scale *scale);

#endif
