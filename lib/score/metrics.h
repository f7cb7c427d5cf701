/*
 * Metrics from accumulated sums, by scikit-learn's names and definitions.
 *
 * Pure functions; equal to scikit-learn 1.9's figures but for its rounding.  A
 * metric that cannot be said has a reason in place of a value, where
 * scikit-learn warns with NaN or raises.
 *
 *	struct rf_metric metric = rf_metric_accuracy(totals, n_classes);
 *	if (metric.absent == NULL)
 *		use(metric.name, metric.value);
 *
 * Regression is in regression.h, ROC AUC in ranking.h.
 */
#ifndef RF_SCORE_METRICS_H
#define RF_SCORE_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "score/confusion.h"
#include "score/sum.h"

struct rf_metric {
	const char *name;   /* scikit-learn's; static */
	double value;	    /* finite; 0 where absent */
	const char *absent; /* why there is no value, static; NULL: there is */
};

/* A defined metric, or an absent one where the value is not finite. */
struct rf_metric rf_metric_make(const char *name, double value);
struct rf_metric rf_metric_absent(const char *name, const char *why);

/*
 * From the totals of every class that occurs as truth or as prediction, rows
 * of weight 0 included, as scikit-learn takes them.
 */
struct rf_metric rf_metric_accuracy(
    const struct rf_class_totals *totals, int32_t n_classes);
/* Mean recall of the classes whose truth has weight. */
struct rf_metric rf_metric_balanced_accuracy(
    const struct rf_class_totals *totals, int32_t n_classes);
/* F1 of one class; 0 where it has no weight in truth and prediction. */
double rf_f1(const struct rf_class_totals *total);
struct rf_metric rf_metric_f1_macro(
    const struct rf_class_totals *totals, int32_t n_classes);
/* 0 where truth or prediction is one class only.  Gorodkin 2004. */
struct rf_metric rf_metric_matthews(
    const struct rf_class_totals *totals, int32_t n_classes);

struct rf_probability_sums {
	int64_t n_rows;
	bool is_off; /* some row's probabilities are not of sum 1 */
	struct rf_sum weight, log_loss, brier;
};

/* shares: one a model class; truth: the row's class among them. */
void rf_probability_add(struct rf_probability_sums *sums, const double *shares,
    int32_t n_classes, int32_t truth, double weight);
/* Natural logarithm; shares are clipped to [2^-52, 1 - 2^-52]. */
struct rf_metric rf_metric_log_loss(
    const struct rf_probability_sums *sums, int32_t n_classes);
/* Squared error over all classes, in [0, 2]; halved for two classes. */
struct rf_metric rf_metric_brier(
    const struct rf_probability_sums *sums, int32_t n_classes);

#endif
