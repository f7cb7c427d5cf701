/*
 * Metrics of regression.
 *
 * Sums take constant memory; the median keeps the absolute error of every row,
 * 8 bytes, and 24 where rows have weights.
 *
 *	struct rf_regression regression = {0};
 *	RF_TRY(rf_regression_add(&regression, truth, prediction, 1.0, err));
 *	metric = rf_regression_median(&regression);
 *	rf_regression_release(&regression);
 */
#ifndef RF_SCORE_REGRESSION_H
#define RF_SCORE_REGRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "score/metrics.h"

struct rf_regression_error;

struct rf_regression {
	bool is_weighted; /* else every weight is 1 */
	int64_t n_rows;
	/* The first truth of weight: spreads are taken around it, so that a
	 * far-off mean costs no digits. */
	double origin;
	bool has_origin, is_varied; /* some truth of weight is another */
	struct rf_sum weight, spread, spread_squared;
	struct rf_sum error_squared, error_absolute;
	double *errors; /* unweighted */
	struct rf_regression_error *weighted;
	size_t errors_capacity, weighted_capacity;
};

/* Finite values; weight >= 0. */
enum rf_status rf_regression_add(struct rf_regression *regression, double truth,
    double prediction, double weight, struct rf_error *err) RF_MUST_USE;

/*
 * 1 where every error is 0; else, of a constant truth, 0, as scikit-learn.
 * Absent, as each of these, where its sums leave double's range.
 */
struct rf_metric rf_regression_r2(const struct rf_regression *regression);
struct rf_metric rf_regression_rmse(const struct rf_regression *regression);
struct rf_metric rf_regression_mae(const struct rf_regression *regression);
/*
 * Median, weighted as scikit-learn's averaged inverted distribution function,
 * whose running sum of weights is plain double in the order of the errors.
 * Reorders the kept errors.
 */
struct rf_metric rf_regression_median(struct rf_regression *regression);

void rf_regression_release(struct rf_regression *regression);

#endif
