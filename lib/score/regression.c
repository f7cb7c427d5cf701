#include "score/regression.h"

#include <float.h>
#include <stdlib.h>

#include "base/alloc.h"

struct rf_regression_error {
	double error, weight;
	int64_t row;
};

static const char why_weights[] = "all weights are 0";

static enum rf_status
keep_error(struct rf_regression *regression, double error, double weight,
    struct rf_error *err)
{
	void *errors = regression->errors, *weighted = regression->weighted;
	size_t needed = (size_t)regression->n_rows + 1;

	if (!regression->is_weighted) {
		if (rf_grow(&errors, &regression->errors_capacity, needed,
			sizeof(double)) != 0)
			return rf_error_memory(
			    err, needed * sizeof(double), "errors of all rows");
		regression->errors = errors;
		regression->errors[needed - 1] = error;
		return RF_OK;
	}
	if (rf_grow(&weighted, &regression->weighted_capacity, needed,
		sizeof(*regression->weighted)) != 0)
		return rf_error_memory(err,
		    needed * sizeof(*regression->weighted),
		    "errors of all rows");
	regression->weighted = weighted;
	regression->weighted[needed - 1] = (struct rf_regression_error){
	    .error = error, .weight = weight, .row = regression->n_rows};
	return RF_OK;
}

static void
add_spread(struct rf_regression *regression, double truth, double weight)
{
	const struct rf_sum w = {weight, 0.0};
	struct rf_sum d;

	if (!regression->has_origin) {
		regression->origin = truth;
		regression->has_origin = true;
	}
	if (truth != regression->origin)
		regression->is_varied = true;
	d = rf_sum_of(truth, -regression->origin);
	regression->spread =
	    rf_sum_plus(regression->spread, rf_sum_times(d, w));
	regression->spread_squared = rf_sum_plus(
	    regression->spread_squared, rf_sum_times(rf_sum_times(d, d), w));
}

enum rf_status
rf_regression_add(struct rf_regression *regression, double truth,
    double prediction, double weight, struct rf_error *err)
{
	double error = truth - prediction;
	const struct rf_sum w = {weight, 0.0};

	RF_TRY(keep_error(regression, fabs(error), weight, err));
	regression->n_rows++;
	/* No weight times an infinite square would be no number. */
	if (!(weight > 0))
		return RF_OK;
	rf_sum_add(&regression->weight, weight);
	add_spread(regression, truth, weight);
	regression->error_squared = rf_sum_plus(regression->error_squared,
	    rf_sum_times(rf_sum_product_of(error, error), w));
	regression->error_absolute = rf_sum_plus(
	    regression->error_absolute, rf_sum_product_of(fabs(error), weight));
	return RF_OK;
}

/* Sum of weighted squares around the mean. */
static struct rf_sum
squares_around_mean(const struct rf_regression *regression)
{
	struct rf_sum mean = {0}, rest;

	/* To twice double's digits: squares cancel against it. */
	mean.high = rf_sum_ratio(regression->spread, regression->weight);
	rest = rf_sum_minus(
	    regression->spread, rf_sum_times(mean, regression->weight));
	mean.low = rest.high / regression->weight.high;
	return rf_sum_minus(
	    regression->spread_squared, rf_sum_times(mean, regression->spread));
}

struct rf_metric
rf_regression_r2(const struct rf_regression *regression)
{
	struct rf_sum squares;

	if (regression->n_rows < 2)
		return rf_metric_absent("r2", "fewer than two rows");
	if (!(regression->weight.high > 0))
		return rf_metric_absent("r2", why_weights);
	if (regression->error_squared.high == 0)
		return rf_metric_make("r2", 1.0);
	if (!regression->is_varied)
		return rf_metric_make("r2", 0.0);
	squares = squares_around_mean(regression);
	if (squares.high <= 0)
		return rf_metric_absent("r2", "the truth hardly varies");
	return rf_metric_make("r2",
	    rf_sum_ratio(
		rf_sum_minus(squares, regression->error_squared), squares));
}

struct rf_metric
rf_regression_rmse(const struct rf_regression *regression)
{
	static const char name[] = "root_mean_squared_error";

	if (!(regression->weight.high > 0))
		return rf_metric_absent(name, why_weights);
	return rf_metric_make(name,
	    sqrt(rf_sum_ratio(regression->error_squared, regression->weight)));
}

struct rf_metric
rf_regression_mae(const struct rf_regression *regression)
{
	static const char name[] = "mean_absolute_error";

	if (!(regression->weight.high > 0))
		return rf_metric_absent(name, why_weights);
	return rf_metric_make(
	    name, rf_sum_ratio(regression->error_absolute, regression->weight));
}

static int
compare_doubles(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static int
compare_weighted(const void *left, const void *right)
{
	const struct rf_regression_error *a = left, *b = right;

	if (a->error != b->error)
		return a->error < b->error ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static double
plain_median(double *errors, int64_t n)
{
	qsort(errors, (size_t)n, sizeof(*errors), compare_doubles);
	if (n % 2 == 1)
		return errors[n / 2];
	return errors[n / 2 - 1] / 2 + errors[n / 2] / 2;
}

/*
 * The first error whose running weight reaches half the total; the mean with
 * the next one of weight where it does so exactly, as scikit-learn says it: by
 * at most one epsilon, whatever the scale of the weights.
 */
static double
weighted_median(struct rf_regression_error *errors, int64_t n)
{
	double total = 0, below = 0;
	int64_t at, next;

	qsort(errors, (size_t)n, sizeof(*errors), compare_weighted);
	for (int64_t i = 0; i < n; i++)
		total += errors[i].weight;
	for (at = 0; at < n - 1; at++) {
		if (below + errors[at].weight >= 0.5 * total)
			break;
		below += errors[at].weight;
	}
	below += errors[at].weight;
	if (below - 0.5 * total > DBL_EPSILON)
		return errors[at].error;
	for (next = at + 1; next < n && !(errors[next].weight > 0); next++)
		continue;
	return next == n ? errors[at].error
			 : errors[at].error / 2 + errors[next].error / 2;
}

struct rf_metric
rf_regression_median(struct rf_regression *regression)
{
	static const char name[] = "median_absolute_error";
	int64_t n = regression->n_rows;

	if (!(regression->weight.high > 0))
		return rf_metric_absent(name, why_weights);
	return rf_metric_make(name,
	    regression->is_weighted ? weighted_median(regression->weighted, n)
				    : plain_median(regression->errors, n));
}

void
rf_regression_release(struct rf_regression *regression)
{
	free(regression->errors);
	free(regression->weighted);
	*regression = (struct rf_regression){0};
}
