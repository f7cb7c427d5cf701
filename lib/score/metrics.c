#include "score/metrics.h"

#include <float.h>
#include <math.h>

static const char why_weights[] = "all weights are 0";

struct rf_metric
rf_metric_make(const char *name, double value)
{
	if (!isfinite(value))
		return rf_metric_absent(name, "the sums leave double's range");
	return (struct rf_metric){.name = name, .value = value};
}

struct rf_metric
rf_metric_absent(const char *name, const char *why)
{
	return (struct rf_metric){.name = name, .absent = why};
}

static struct rf_sum
total_weight(const struct rf_class_totals *totals, int32_t n_classes)
{
	struct rf_sum weight = {0};

	for (int32_t k = 0; k < n_classes; k++)
		weight = rf_sum_plus(weight, totals[k].truth);
	return weight;
}

static struct rf_sum
total_hits(const struct rf_class_totals *totals, int32_t n_classes)
{
	struct rf_sum hits = {0};

	for (int32_t k = 0; k < n_classes; k++)
		hits = rf_sum_plus(hits, totals[k].hit);
	return hits;
}

struct rf_metric
rf_metric_accuracy(const struct rf_class_totals *totals, int32_t n_classes)
{
	struct rf_sum weight = total_weight(totals, n_classes);

	if (!(weight.high > 0))
		return rf_metric_absent("accuracy", why_weights);
	return rf_metric_make(
	    "accuracy", rf_sum_ratio(total_hits(totals, n_classes), weight));
}

struct rf_metric
rf_metric_balanced_accuracy(
    const struct rf_class_totals *totals, int32_t n_classes)
{
	static const char name[] = "balanced_accuracy";
	struct rf_sum recalls = {0};
	int32_t n = 0;

	for (int32_t k = 0; k < n_classes; k++) {
		if (!(totals[k].truth.high > 0))
			continue;
		rf_sum_add(
		    &recalls, rf_sum_ratio(totals[k].hit, totals[k].truth));
		n++;
	}
	if (n == 0)
		return rf_metric_absent(name, why_weights);
	return rf_metric_make(
	    name, rf_sum_ratio(recalls, (struct rf_sum){n, 0.0}));
}

double
rf_f1(const struct rf_class_totals *total)
{
	struct rf_sum both = rf_sum_plus(total->truth, total->prediction);
	struct rf_sum hits = rf_sum_plus(total->hit, total->hit);

	return both.high > 0 ? rf_sum_ratio(hits, both) : 0.0;
}

struct rf_metric
rf_metric_f1_macro(const struct rf_class_totals *totals, int32_t n_classes)
{
	static const char name[] = "f1_macro";
	struct rf_sum sum = {0};

	if (!(total_weight(totals, n_classes).high > 0))
		return rf_metric_absent(name, why_weights);
	for (int32_t k = 0; k < n_classes; k++)
		rf_sum_add(&sum, rf_f1(&totals[k]));
	return rf_metric_make(
	    name, rf_sum_ratio(sum, (struct rf_sum){n_classes, 0.0}));
}

struct rf_metric
rf_metric_matthews(const struct rf_class_totals *totals, int32_t n_classes)
{
	static const char name[] = "matthews_corrcoef";
	struct rf_sum n = total_weight(totals, n_classes);
	struct rf_sum truth = {0}, prediction = {0}, both = {0}, square;
	int32_t n_truth = 0, n_prediction = 0;

	if (!(n.high > 0))
		return rf_metric_absent(name, why_weights);
	for (int32_t k = 0; k < n_classes; k++) {
		const struct rf_class_totals *t = &totals[k];

		n_truth += t->truth.high > 0;
		n_prediction += t->prediction.high > 0;
		truth = rf_sum_plus(truth, rf_sum_times(t->truth, t->truth));
		prediction = rf_sum_plus(
		    prediction, rf_sum_times(t->prediction, t->prediction));
		both = rf_sum_plus(both, rf_sum_times(t->truth, t->prediction));
	}
	if (n_truth < 2 || n_prediction < 2)
		return rf_metric_make(name, 0.0);
	square = rf_sum_times(n, n);
	both =
	    rf_sum_minus(rf_sum_times(total_hits(totals, n_classes), n), both);
	truth = rf_sum_minus(square, truth);
	prediction = rf_sum_minus(square, prediction);
	return rf_metric_make(
	    name, both.high / (sqrt(truth.high) * sqrt(prediction.high)));
}

void
rf_probability_add(struct rf_probability_sums *sums, const double *shares,
    int32_t n_classes, int32_t truth, double weight)
{
	struct rf_sum squares = {0}, total = {0};
	const struct rf_sum w = {weight, 0.0};
	double share = shares[truth];

	for (int32_t k = 0; k < n_classes; k++) {
		double rest = (k == truth ? 1.0 : 0.0) - shares[k];

		squares = rf_sum_plus(squares, rf_sum_product_of(rest, rest));
		rf_sum_add(&total, shares[k]);
	}
	/* numpy.allclose(1, total): what scikit-learn asks of ROC AUC. */
	if (fabs(1.0 - total.high) > 1e-8 + 1e-5 * total.high)
		sums->is_off = true;
	if (share < DBL_EPSILON)
		share = DBL_EPSILON;
	if (share > 1.0 - DBL_EPSILON)
		share = 1.0 - DBL_EPSILON;
	sums->n_rows++;
	rf_sum_add(&sums->weight, weight);
	sums->brier = rf_sum_plus(sums->brier, rf_sum_times(squares, w));
	sums->log_loss =
	    rf_sum_plus(sums->log_loss, rf_sum_product_of(-log(share), weight));
}

/* Why the means over the rows with probabilities cannot be said, or NULL. */
static const char *
why_no_mean(const struct rf_probability_sums *sums, int32_t n_classes)
{
	if (n_classes < 2)
		return "the model has one class";
	if (sums->n_rows == 0)
		return "no row has probabilities and a class of the model";
	return sums->weight.high > 0 ? NULL : why_weights;
}

struct rf_metric
rf_metric_log_loss(const struct rf_probability_sums *sums, int32_t n_classes)
{
	const char *why = why_no_mean(sums, n_classes);

	if (why != NULL)
		return rf_metric_absent("log_loss", why);
	return rf_metric_make(
	    "log_loss", rf_sum_ratio(sums->log_loss, sums->weight));
}

struct rf_metric
rf_metric_brier(const struct rf_probability_sums *sums, int32_t n_classes)
{
	const char *why = why_no_mean(sums, n_classes);
	double value;

	if (why != NULL)
		return rf_metric_absent("brier_score", why);
	value = rf_sum_ratio(sums->brier, sums->weight);
	return rf_metric_make(
	    "brier_score", n_classes == 2 ? 0.5 * value : value);
}
