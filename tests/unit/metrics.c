/*
 * Figures are those of scikit-learn 1.9.1 on the same rows, where a comment
 * does not say otherwise: accuracy_score, balanced_accuracy_score, log_loss,
 * brier_score_loss, roc_auc_score(multi_class="ovr"), f1_score,
 * matthews_corrcoef, r2_score, root_mean_squared_error, mean_absolute_error,
 * median_absolute_error, with sample_weight where weights are given.
 */
#include "score/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "score/ranking.h"
#include "score/regression.h"
#include "unit.h"

static bool
is_near(double got, double wanted)
{
	if (fabs(got - wanted) <= 1e-12 * fabs(wanted))
		return true;
	printf("# got %.17g, wanted %.17g\n", got, wanted);
	return false;
}

static void
check_metric(struct rf_metric metric, double wanted, const char *name)
{
	check(metric.absent == NULL && is_near(metric.value, wanted), name);
}

static void
check_absent(struct rf_metric metric, const char *why, const char *name)
{
	check_text(metric.absent != NULL ? metric.absent : "(none)", why, name);
}

struct rows {
	int n;
	int32_t n_classes;
	const int32_t *truths, *predictions;
	const double *shares, *weights;
};

static const int32_t truths3[] = {0, 1, 2, 2, 1, 0, 1, 2, 0, 1, 2, 1};
static const int32_t predictions3[] = {0, 1, 2, 1, 1, 0, 2, 2, 1, 1, 0, 1};
static const double weights3[] = {
    1, .5, 2, .25, 0, 3, 1.5, .75, 1, .1, .3, 2.2};
static const double shares3[] = {.8, .1, .1, .2, .7, .1, 0, .25, .75, .1, .5,
    .4, .3, .6, .1, 1, 0, 0, .2, .3, .5, .1, .1, .8, .3, .4, .3, .05, .9, .05,
    .5, .2, .3, 0, 1, 0};
static const int32_t truths2[] = {0, 1, 1, 0, 1, 0};
static const int32_t predictions2[] = {0, 0, 1, 0, 1, 0};
static const double weights2[] = {1, 2, .5, .25, 3, 0};
static const double shares2[] = {
    .75, .25, .5, .5, .25, .75, .5, .5, 0, 1, .9, .1};

/* The order in which scikit-learn's figures stand in the tests. */
enum { ACCURACY, BALANCED, LOG_LOSS, BRIER, AUC, F1, MATTHEWS, N_METRICS };

static void
score(const struct rows *rows, struct rf_metric *out,
    struct rf_class_totals **totals)
{
	struct rf_confusion confusion = {0};
	struct rf_probability_sums sums = {0};
	struct rf_ranking ranking = {
	    .n_classes = rows->n_classes, .is_weighted = rows->weights != NULL};
	const int32_t same[] = {0, 1, 2, 3};
	bool is_good = true;

	for (int i = 0; i < rows->n; i++) {
		const double *shares = rows->shares + i * rows->n_classes;
		double weight = rows->weights != NULL ? rows->weights[i] : 1;

		is_good = rf_confusion_add(&confusion, rows->truths[i],
			      rows->predictions[i], weight, NULL) == RF_OK &&
		    is_good;
		rf_probability_add(
		    &sums, shares, rows->n_classes, rows->truths[i], weight);
		is_good = rf_ranking_add(&ranking, shares, rows->truths[i],
			      weight, NULL) == RF_OK &&
		    is_good;
	}
	rf_confusion_sort(&confusion, same);
	is_good = rf_confusion_totals(
		      &confusion, rows->n_classes, totals, NULL) == RF_OK &&
	    rf_ranking_roc_auc(&ranking, &out[AUC], NULL) == RF_OK && is_good;
	check(is_good, "rows are taken");
	out[ACCURACY] = rf_metric_accuracy(*totals, rows->n_classes);
	out[BALANCED] = rf_metric_balanced_accuracy(*totals, rows->n_classes);
	out[LOG_LOSS] = rf_metric_log_loss(&sums, rows->n_classes);
	out[BRIER] = rf_metric_brier(&sums, rows->n_classes);
	out[F1] = rf_metric_f1_macro(*totals, rows->n_classes);
	out[MATTHEWS] = rf_metric_matthews(*totals, rows->n_classes);
	rf_confusion_release(&confusion);
	rf_ranking_release(&ranking);
}

static void
test_classes(const struct rows *rows, const double *wanted, const double *f1,
    const char *what)
{
	struct rf_metric metrics[N_METRICS];
	struct rf_class_totals *totals = NULL;

	printf("# %s\n", what);
	score(rows, metrics, &totals);
	for (int i = 0; i < N_METRICS; i++)
		check_metric(metrics[i], wanted[i], metrics[i].name);
	for (int32_t k = 0; k < rows->n_classes; k++)
		check(is_near(rf_f1(&totals[k]), f1[k]), "f1 of a class");
	free(totals);
}

static void
test_classification(void)
{
	const struct rows three = {12, 3, truths3, predictions3, shares3, NULL};
	const struct rows three_weighted = {
	    12, 3, truths3, predictions3, shares3, weights3};
	const struct rows two = {6, 2, truths2, predictions2, shares2, NULL};
	const struct rows two_weighted = {
	    6, 2, truths2, predictions2, shares2, weights2};

	test_classes(&three,
	    (const double[]){0.66666666666666663, 0.65555555555555556,
		0.5195866169412261, 0.29833333333333334, 0.93639219576719579,
		0.65512265512265511, 0.48924605479008165},
	    (const double[]){
		0.66666666666666663, 0.72727272727272729, 0.5714285714285714},
	    "three classes");
	test_classes(&three_weighted,
	    (const double[]){0.75793650793650791, 0.76149870801033603,
		0.37737582685077292, 0.21630952380952376, 0.96926674430084037,
		0.75311685253007477, 0.64125935571611947},
	    (const double[]){
		0.86021505376344076, 0.6706586826347305, 0.72847682119205304},
	    "three classes with weights");
	test_classes(&two,
	    (const double[]){0.83333333333333337, 0.83333333333333326,
		0.3445031702802131, 0.10583333333333333, 0.94444444444444442,
		0.82857142857142851, 0.70710678118654757},
	    (const double[]){0.8571428571428571, 0.80000000000000004},
	    "two classes");
	test_classes(&two_weighted,
	    (const double[]){0.70370370370370372, 0.81818181818181812,
		0.29497840962037764, 0.097222222222222224, 0.96363636363636362,
		0.66666666666666674, 0.49472744491815368},
	    (const double[]){0.55555555555555558, 0.77777777777777779},
	    "two classes with weights");
}

static void
test_edges(void)
{
	static const double none[12] = {0};
	const struct rows weightless = {
	    12, 3, truths3, predictions3, shares3, none};
	static const int32_t ones[] = {1, 1, 1, 1, 1, 1};
	const struct rows one_truth = {6, 2, ones, predictions2, shares2, NULL};
	struct rf_metric metrics[N_METRICS];
	struct rf_class_totals *totals = NULL;

	score(&weightless, metrics, &totals);
	for (int i = 0; i < N_METRICS; i++)
		check_absent(
		    metrics[i], "all weights are 0", "no weight, no value");
	free(totals);
	score(&one_truth, metrics, &totals);
	check_metric(metrics[MATTHEWS], 0.0, "MCC of one true class is 0");
	check_absent(metrics[AUC], "the truth has one class only",
	    "AUC needs both classes");
	/* f1_score: 0 for the class that is predicted only, 1/2 the other. */
	check_metric(metrics[F1], 0.25, "F1 of a class without truth is 0");
	check_metric(metrics[BALANCED], 1. / 3,
	    "balanced accuracy leaves out classes without truth");
	free(totals);
}

static const double truths[] = {
    1e6 + 3, 1e6 - .5, 1e6 + 2, 1e6 + 7, 1e6 + 1.25};
static const double predictions[] = {1e6 + 2.5, 1e6, 1e6 + 2, 1e6 + 8, 1e6 - 1};
static const double weights[] = {1, .5, 2, .25, .25};

static void
test_regression(const double *t, const double *p, const double *w, int n,
    const double *wanted)
{
	struct rf_regression regression = {.is_weighted = w != NULL};
	bool is_good = true;

	for (int i = 0; i < n; i++)
		is_good = rf_regression_add(&regression, t[i], p[i],
			      w != NULL ? w[i] : 1, NULL) == RF_OK &&
		    is_good;
	check(is_good, "rows are taken");
	check_metric(rf_regression_r2(&regression), wanted[0], "r2");
	check_metric(rf_regression_rmse(&regression), wanted[1], "rmse");
	check_metric(rf_regression_mae(&regression), wanted[2], "mae");
	check_metric(rf_regression_median(&regression), wanted[3], "median");
	rf_regression_release(&regression);
}

static void
test_regressions(void)
{
	static const double twos[] = {2, 2, 2}, off[] = {2, 2, 3};
	static const double zeros[4] = {0}, errors[] = {1, 2, 3, 4};
	static const double some[] = {1, 1, 0, 2};
	static const double huge[] = {1.7e308, -1.7e308, 1, 2};
	static const double near[] = {1e308, -1e308, .5, 2};
	static const char range[] = "the sums leave double's range";
	struct rf_regression one = {0}, far = {0};

	test_regression(truths, predictions, NULL, 5,
	    (const double[]){0.79033546325878601, 1.14564392373896,
		0.84999999999999998, 0.5});
	test_regression(truths, predictions, weights, 5,
	    (const double[]){0.81734125860930273, 0.6875, 0.390625, 0.25});
	test_regression(
	    twos, twos, NULL, 3, (const double[]){1.0, 0.0, 0.0, 0.0});
	test_regression(twos, off, NULL, 3,
	    (const double[]){0.0, sqrt(1. / 3), 1. / 3, 0.0});
	/* Half of the weight is reached exactly, and 3 has none: (2 + 4) / 2. */
	test_regression(zeros, errors, some, 4,
	    (const double[]){0.0, sqrt(37. / 4), 11. / 4, 3.0});
	/* scikit-learn 1.9.1: 1, 0, 0, 0; and nan, inf, 3.5e307, 3.5e307. */
	test_regression(
	    huge, huge, NULL, 4, (const double[]){1.0, 0.0, 0.0, 0.0});
	for (int i = 0; i < 4; i++)
		check(
		    rf_regression_add(&far, huge[i], near[i], 1, NULL) == RF_OK,
		    "a huge row");
	check_absent(rf_regression_r2(&far), range, "r2 past the range");
	check_absent(rf_regression_rmse(&far), range, "rmse past the range");
	check_metric(rf_regression_mae(&far), 3.5e307, "mae within");
	check_metric(rf_regression_median(&far), 3.5e307, "median within");
	rf_regression_release(&far);
	check(rf_regression_add(&one, 1, 2, 1, NULL) == RF_OK, "one row");
	check_absent(
	    rf_regression_r2(&one), "fewer than two rows", "r2 needs two rows");
	rf_regression_release(&one);
}

/* 1e16 + 1 - 1e16 is 0 in double. */
static void
test_sums(void)
{
	struct rf_sum sum = {0};

	rf_sum_add(&sum, 1e16);
	rf_sum_add(&sum, 1);
	rf_sum_add(&sum, -1e16);
	check(sum.high == 1.0, "a sum keeps what double would lose");
	sum = rf_sum_times(rf_sum_of(1.0, 0x1p-60), rf_sum_of(1.0, -0x1p-60));
	sum = rf_sum_minus(sum, rf_sum_of(1.0, 0.0));
	check(fabs(sum.high) < 0x1p-103, "a product keeps about 106 bits");
	check(rf_sum_ratio(rf_sum_of(1.0, 0.0), rf_sum_of(3.0, 0.0)) == 1. / 3,
	    "a ratio is rounded to double");
}

static void
test_many_pairs(void)
{
	struct rf_confusion confusion = {0};
	int32_t ranks[100];
	bool is_good = true;
	const struct rf_confusion_cell *cell;

	for (int32_t k = 0; k < 100; k++)
		ranks[k] = 99 - k;
	for (int32_t i = 0; i < 20000; i++)
		is_good = rf_confusion_add(&confusion, i % 100, i / 100 % 100,
			      0.5, NULL) == RF_OK &&
		    is_good;
	check(is_good, "many pairs are taken");
	check_int(confusion.n_cells, 10000, "each pair has one cell");
	rf_confusion_sort(&confusion, ranks);
	cell = rf_confusion_find(&confusion, 99 - 7, 99 - 31);
	check(cell != NULL && cell->n_rows == 2 && cell->weight.high == 1.0,
	    "a pair is found under its new numbers");
	check(rf_confusion_find(&confusion, 100, 0) == NULL,
	    "a pair that does not occur is not found");
	rf_confusion_release(&confusion);
}

int
main(void)
{
	test_sums();
	test_classification();
	test_edges();
	test_regressions();
	test_many_pairs();
	return unit_end();
}
