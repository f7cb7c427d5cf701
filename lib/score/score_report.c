#include "score/score.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "score/score_state.h"

/* Numbers the classes that occur from 0, in their order. */
static enum rf_status
rank_classes(struct rf_scorer *score, int32_t *labels, int32_t *ranks,
    int32_t n_labels, struct rf_error *err)
{
	struct rf_scorer_report *report = &score->report;

	for (size_t i = 0; i < score->confusion.n_cells; i++) {
		ranks[score->confusion.cells[i].truth] = 1;
		ranks[score->confusion.cells[i].prediction] = 1;
	}
	for (int32_t label = 0; label < n_labels; label++)
		if (ranks[label] != 0)
			labels[report->n_classes++] = label;
	RF_TRY(rf_score_labels_sort(
	    &score->labels, labels, report->n_classes, err));
	for (int32_t k = 0; k < report->n_classes; k++) {
		ranks[labels[k]] = k;
		score->classes[k] =
		    rf_vocabulary_text(score->labels.classes, labels[k]);
	}
	rf_confusion_sort(&score->confusion, ranks);
	return rf_confusion_totals(
	    &score->confusion, report->n_classes, &score->totals, err);
}

static enum rf_status
sort_classes(struct rf_scorer *score, struct rf_error *err)
{
	int32_t n = rf_vocabulary_n(score->labels.classes);
	int32_t *labels = rf_alloc((size_t)n, sizeof(*labels));
	int32_t *ranks = rf_alloc_zero((size_t)n, sizeof(*ranks));
	enum rf_status status = RF_ENOMEM;

	score->classes = rf_alloc((size_t)n, sizeof(*score->classes));
	if (labels == NULL || ranks == NULL || score->classes == NULL)
		rf_error_memory(
		    err, (size_t)n * sizeof(*score->classes), "classes");
	else
		status = rank_classes(score, labels, ranks, n, err);
	score->report.classes = score->classes;
	score->report.totals = score->totals;
	score->report.confusion = &score->confusion;
	free(labels);
	free(ranks);
	return status;
}

static enum rf_status
share_metrics(
    struct rf_scorer *score, struct rf_metric **at, struct rf_error *err)
{
	*(*at)++ = rf_metric_log_loss(&score->probability, score->n_shares);
	*(*at)++ = rf_metric_brier(&score->probability, score->n_shares);
	if (score->n_shares > 2 && score->probability.is_off)
		**at = rf_metric_absent(
		    "roc_auc", "the probabilities do not sum to 1");
	else
		RF_TRY(rf_ranking_roc_auc(&score->ranking, *at, err));
	(*at)++;
	return RF_OK;
}

static enum rf_status
class_metrics(struct rf_scorer *score, struct rf_error *err)
{
	struct rf_scorer_report *report = &score->report;
	struct rf_metric *at = report->metrics;
	int32_t n;

	RF_TRY(sort_classes(score, err));
	n = report->n_classes;
	*at++ = rf_metric_accuracy(report->totals, n);
	*at++ = rf_metric_balanced_accuracy(report->totals, n);
	if (report->has_shares)
		RF_TRY(share_metrics(score, &at, err));
	*at++ = rf_metric_f1_macro(report->totals, n);
	*at++ = rf_metric_matthews(report->totals, n);
	report->n_metrics = (size_t)(at - report->metrics);
	return RF_OK;
}

static void
number_metrics(struct rf_scorer *score)
{
	struct rf_metric *at = score->report.metrics;

	*at++ = rf_regression_r2(&score->regression);
	*at++ = rf_regression_rmse(&score->regression);
	*at++ = rf_regression_mae(&score->regression);
	*at++ = rf_regression_median(&score->regression);
	score->report.n_metrics = (size_t)(at - score->report.metrics);
}

static void
note_rows(const struct rf_scorer *score)
{
	const struct rf_scorer_report *report = &score->report;
	const struct rf_log *log = score->options.log;

	if (report->n_no_truth > 0)
		rf_note(log,
		    "left out: %" PRId64 " of %" PRId64 " row%s without truth",
		    report->n_no_truth, report->n_rows,
		    RF_PLURAL(report->n_rows));
	if (report->n_no_prediction > 0)
		rf_note(log,
		    "left out: %" PRId64 " of %" PRId64
		    " row%s without prediction",
		    report->n_no_prediction, report->n_rows,
		    RF_PLURAL(report->n_rows));
	if (report->n_unknown > 0)
		rf_note(log,
		    "of a class that the model lacks: "
		    "%" PRId64 " of %" PRId64 " row%s, counted as wrong%s",
		    report->n_unknown, report->n_rows,
		    RF_PLURAL(report->n_rows),
		    report->has_shares
			? ", and left out of log_loss, brier_score, roc_auc"
			: "");
	if (report->n_no_shares > 0)
		rf_note(log,
		    "left out of log_loss, brier_score, roc_auc: "
		    "%" PRId64 " of %" PRId64 " row%s without a probability",
		    report->n_no_shares, report->n_rows,
		    RF_PLURAL(report->n_rows));
}

static void
note_metrics(const struct rf_scorer *score)
{
	const struct rf_scorer_report *report = &score->report;

	if (report->has_shares && score->probability.is_off)
		rf_note(
		    score->options.log, "some probabilities do not sum to 1");
	for (size_t i = 0; i < report->n_metrics; i++)
		if (report->metrics[i].absent != NULL)
			rf_note(score->options.log, "no %s: %s",
			    report->metrics[i].name, report->metrics[i].absent);
}

enum rf_status
rf_scorer_finish(struct rf_scorer *score,
    const struct rf_scorer_report **report, struct rf_error *err)
{
	note_rows(score);
	if (score->report.n_scored == 0)
		return rf_error_set(err, RF_EDATA,
		    score->report.n_rows == 0
			? "there are no rows to score"
			: "no row has both truth and prediction");
	if (score->report.is_classification)
		RF_TRY(class_metrics(score, err));
	else
		number_metrics(score);
	note_metrics(score);
	*report = &score->report;
	return RF_OK;
}
