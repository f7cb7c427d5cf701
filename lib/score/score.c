#include "score/score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "score/score_state.h"
#include "stream/arrow_read.h"

enum rf_status
rf_scorer_new(struct rf_scorer **out, const struct rf_scorer_options *options,
    struct rf_error *err)
{
	struct rf_scorer *score = rf_alloc_zero(1, sizeof(*score));
	enum rf_status status;

	if (score == NULL)
		return rf_error_memory(err, sizeof(*score), "score");
	score->options = *options;
	status = rf_score_labels_init(&score->labels, err);
	if (status != RF_OK) {
		rf_scorer_free(score);
		return status;
	}
	*out = score;
	return RF_OK;
}

static void
free_buffers(struct rf_scorer *score)
{
	free(score->truth_labels);
	free(score->prediction_labels);
	free(score->truths);
	free(score->predictions);
	free(score->weights);
	free(score->shares);
	score->truth_labels = score->prediction_labels = NULL;
	score->truths = score->predictions = NULL;
	score->weights = score->shares = NULL;
	score->capacity = 0;
}

void
rf_scorer_free(struct rf_scorer *score)
{
	if (score == NULL)
		return;
	free_buffers(score);
	rf_scorer_columns_release(&score->columns);
	rf_score_labels_release(&score->labels);
	free(score->share_labels);
	free(score->label_shares);
	free(score->share_columns);
	free(score->row_shares);
	rf_confusion_release(&score->confusion);
	rf_ranking_release(&score->ranking);
	rf_regression_release(&score->regression);
	free(score->classes);
	free(score->totals);
	free(score);
}

static bool
grow_buffers(struct rf_scorer *score, int64_t n_rows)
{
	size_t n = (size_t)n_rows, n_shares = (size_t)score->n_shares;

	if (n_rows <= score->capacity)
		return true;
	free_buffers(score);
	score->truth_labels = rf_alloc(n, sizeof(int32_t));
	score->prediction_labels = rf_alloc(n, sizeof(int32_t));
	score->truths = rf_alloc(n, sizeof(double));
	score->predictions = rf_alloc(n, sizeof(double));
	score->weights = rf_alloc(n, sizeof(double));
	score->shares = rf_alloc(n, n_shares * sizeof(double));
	score->capacity = n_rows;
	return score->truth_labels != NULL &&
	    score->prediction_labels != NULL && score->truths != NULL &&
	    score->predictions != NULL && score->weights != NULL &&
	    score->shares != NULL;
}

static int32_t
share_of_label(const struct rf_scorer *score, int32_t label)
{
	return label < score->n_label_shares ? score->label_shares[label] : -1;
}

static enum rf_status
index_shares(struct rf_scorer *score, struct rf_error *err)
{
	int32_t n = rf_vocabulary_n(score->labels.classes);

	score->label_shares = rf_alloc((size_t)n, sizeof(int32_t));
	if (score->label_shares == NULL)
		return rf_error_memory(
		    err, (size_t)n * sizeof(int32_t), "probabilities");
	score->n_label_shares = n;
	for (int32_t label = 0; label < n; label++)
		score->label_shares[label] = -1;
	for (int32_t s = 0; s < score->n_shares; s++) {
		int32_t label = score->share_labels[s];

		if (score->label_shares[label] >= 0)
			return rf_error_set(err, RF_EDATA,
			    "two columns hold probabilities of one class");
		score->label_shares[label] = s;
	}
	return RF_OK;
}

/* The first stream says which classes have probabilities. */
static enum rf_status
first_shares(struct rf_scorer *score, struct rf_error *err)
{
	const struct rf_scorer_columns *columns = &score->columns;
	size_t n = (size_t)columns->n_shares;

	score->share_labels = rf_alloc(n, sizeof(*score->share_labels));
	score->share_columns = rf_alloc(n, sizeof(*score->share_columns));
	score->row_shares = rf_alloc(n, sizeof(*score->row_shares));
	if (score->share_labels == NULL || score->share_columns == NULL ||
	    score->row_shares == NULL)
		return rf_error_memory(
		    err, n * 3 * sizeof(double), "probabilities");
	score->n_shares = columns->n_shares;
	for (int32_t s = 0; s < score->n_shares; s++)
		RF_TRY(rf_score_labels_add(&score->labels,
		    columns->shares[s].text, &score->share_labels[s], err));
	RF_TRY(rf_score_labels_sort(
	    &score->labels, score->share_labels, score->n_shares, err));
	score->ranking.n_classes = score->n_shares;
	return index_shares(score, err);
}

static enum rf_status
place_shares(struct rf_scorer *score, struct rf_error *err)
{
	const struct rf_scorer_columns *columns = &score->columns;
	int32_t label, share;

	if (columns->n_shares != score->n_shares)
		return rf_error_set(err, RF_EDATA,
		    "probabilities of %d classes, of %d in the stream before",
		    columns->n_shares, score->n_shares);
	for (int32_t s = 0; s < score->n_shares; s++)
		score->share_columns[s] = -1;
	for (int32_t i = 0; i < columns->n_shares; i++) {
		RF_TRY(rf_score_labels_add(
		    &score->labels, columns->shares[i].text, &label, err));
		share = share_of_label(score, label);
		if (share < 0 || score->share_columns[share] >= 0)
			return rf_error_set(err, RF_EDATA,
			    "probabilities are of other classes than in the "
			    "stream before");
		score->share_columns[share] = columns->shares[i].column;
	}
	return RF_OK;
}

static enum rf_status
check_alike(const struct rf_scorer *score, struct rf_error *err)
{
	const struct rf_scorer_columns *columns = &score->columns;

	if (columns->is_classification != score->report.is_classification)
		return rf_error_set(err, RF_EDATA,
		    "classification and regression cannot be scored as one");
	if ((columns->weight >= 0) != score->report.is_weighted)
		return rf_error_set(err, RF_EDATA,
		    "streams with and without weights cannot be scored as "
		    "one");
	return RF_OK;
}

enum rf_status
rf_scorer_begin(struct rf_scorer *score, const struct rf_schema *schema,
    struct rf_error *err)
{
	struct rf_scorer_columns *columns = &score->columns;
	bool is_first = !score->has_stream;

	RF_TRY(rf_scorer_columns_find(
	    columns, schema, score->options.truth, score->options.weight, err));
	score->stream_rows = 0;
	if (is_first) {
		score->report.is_classification = columns->is_classification;
		score->report.is_weighted = columns->weight >= 0;
		score->report.has_shares = columns->n_shares > 0;
		score->ranking.is_weighted = score->report.is_weighted;
		score->regression.is_weighted = score->report.is_weighted;
	}
	score->has_stream = true;
	RF_TRY(check_alike(score, err));
	if (!columns->is_classification)
		return RF_OK;
	RF_TRY(rf_score_labels_begin(&score->labels,
	    &schema->fields[columns->truth],
	    &schema->fields[columns->prediction], err));
	if (is_first)
		RF_TRY(first_shares(score, err));
	return place_shares(score, err);
}

static enum rf_status
bad_value(const struct rf_scorer *score, int64_t row,
    const struct rf_column *column, const char *what, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];
	const char *name = column->field->name;

	return rf_error_set(err, RF_EDATA, "row %lld, column '%s': %s",
	    (long long)(score->stream_rows + row + 1),
	    rf_text_quote(quoted, name, strlen(name)), what);
}

static enum rf_status
load_weights(
    struct rf_scorer *score, const struct rf_batch *batch, struct rf_error *err)
{
	const struct rf_column *column;

	if (score->columns.weight < 0) {
		for (int64_t row = 0; row < batch->n_rows; row++)
			score->weights[row] = 1.0;
		return RF_OK;
	}
	column = &batch->columns[score->columns.weight];
	RF_TRY(rf_column_to_float64(column, score->weights, NULL, err));
	for (int64_t row = 0; row < batch->n_rows; row++) {
		double weight = score->weights[row];

		if (isnan(weight))
			return bad_value(
			    score, row, column, "the weight is missing", err);
		if (weight < 0 || !isfinite(weight))
			return bad_value(score, row, column,
			    "a weight is a finite number from 0 on", err);
	}
	return RF_OK;
}

static enum rf_status
load_shares(
    struct rf_scorer *score, const struct rf_batch *batch, struct rf_error *err)
{
	for (int32_t s = 0; s < score->n_shares; s++) {
		const struct rf_column *column =
		    &batch->columns[score->share_columns[s]];
		double *shares = score->shares + s * score->capacity;

		RF_TRY(rf_column_to_float64(column, shares, NULL, err));
		for (int64_t row = 0; row < batch->n_rows; row++)
			if (shares[row] < 0 || shares[row] > 1)
				return bad_value(score, row, column,
				    "a probability lies between 0 and 1", err);
	}
	return RF_OK;
}

/* The probabilities of a row to row_shares; false where one is missing. */
static bool
gather_shares(struct rf_scorer *score, int64_t row)
{
	bool is_whole = true;

	for (int32_t s = 0; s < score->n_shares; s++) {
		score->row_shares[s] = score->shares[s * score->capacity + row];
		is_whole = is_whole && !isnan(score->row_shares[s]);
	}
	return is_whole;
}

static enum rf_status
add_shares(struct rf_scorer *score, int64_t row, struct rf_error *err)
{
	int32_t truth = share_of_label(score, score->truth_labels[row]);

	if (truth < 0) {
		score->report.n_unknown++;
		return RF_OK;
	}
	if (!gather_shares(score, row)) {
		score->report.n_no_shares++;
		return RF_OK;
	}
	rf_probability_add(&score->probability, score->row_shares,
	    score->n_shares, truth, score->weights[row]);
	return rf_ranking_add(&score->ranking, score->row_shares, truth,
	    score->weights[row], err);
}

static enum rf_status
add_classes(
    struct rf_scorer *score, const struct rf_batch *batch, struct rf_error *err)
{
	const int32_t *truths = score->truth_labels;
	const int32_t *predictions = score->prediction_labels;

	RF_TRY(rf_score_labels_predictions(&score->labels,
	    &batch->columns[score->columns.prediction],
	    score->prediction_labels, err));
	RF_TRY(rf_score_labels_truths(&score->labels,
	    &batch->columns[score->columns.truth], score->truth_labels, err));
	RF_TRY(load_shares(score, batch, err));
	for (int64_t row = 0; row < batch->n_rows; row++) {
		score->report.n_no_truth += truths[row] < 0;
		score->report.n_no_prediction +=
		    truths[row] >= 0 && predictions[row] < 0;
		if (truths[row] < 0 || predictions[row] < 0)
			continue;
		score->report.n_scored++;
		RF_TRY(rf_confusion_add(&score->confusion, truths[row],
		    predictions[row], score->weights[row], err));
		if (score->n_shares > 0)
			RF_TRY(add_shares(score, row, err));
		else if (!rf_score_labels_in_model(&score->labels, truths[row]))
			score->report.n_unknown++;
	}
	return RF_OK;
}

static enum rf_status
add_numbers(
    struct rf_scorer *score, const struct rf_batch *batch, struct rf_error *err)
{
	const struct rf_column *truth = &batch->columns[score->columns.truth];
	const struct rf_column *prediction =
	    &batch->columns[score->columns.prediction];
	const double *truths = score->truths;
	const double *predictions = score->predictions;

	RF_TRY(rf_column_to_float64(truth, score->truths, NULL, err));
	RF_TRY(rf_column_to_float64(prediction, score->predictions, NULL, err));
	for (int64_t row = 0; row < batch->n_rows; row++) {
		score->report.n_no_truth += isnan(truths[row]) != 0;
		score->report.n_no_prediction +=
		    !isnan(truths[row]) && isnan(predictions[row]);
		if (isnan(truths[row]) || isnan(predictions[row]))
			continue;
		if (isinf(truths[row]) || isinf(predictions[row]))
			return bad_value(score, row,
			    isinf(truths[row]) ? truth : prediction,
			    "an infinite value cannot be scored", err);
		score->report.n_scored++;
		RF_TRY(rf_regression_add(&score->regression, truths[row],
		    predictions[row], score->weights[row], err));
	}
	return RF_OK;
}

enum rf_status
rf_scorer_batch(
    struct rf_scorer *score, const struct rf_batch *batch, struct rf_error *err)
{
	if (!grow_buffers(score, batch->n_rows)) {
		free_buffers(score);
		return rf_error_memory(
		    err, (size_t)batch->n_rows * sizeof(double), "rows");
	}
	RF_TRY(load_weights(score, batch, err));
	RF_TRY(score->report.is_classification
		? add_classes(score, batch, err)
		: add_numbers(score, batch, err));
	score->stream_rows += batch->n_rows;
	score->report.n_rows += batch->n_rows;
	return RF_OK;
}

enum rf_status
rf_scorer_read(
    struct rf_scorer *score, int fd, const char *name, struct rf_error *err)
{
	const struct rf_reader_options options = {
	    .log = score->options.log, .kind = "decided", .want_foreign = true};
	struct rf_reader *reader = NULL;
	struct rf_batch batch;
	enum rf_status status;

	RF_TRY(rf_reader_open(&reader, fd, name, &options, err));
	status = rf_scorer_begin(score, rf_reader_schema(reader), err);
	if (status != RF_OK)
		status = rf_error_prefix(err, status, name);
	while (status == RF_OK) {
		status = rf_reader_next(reader, &batch, err);
		if (status != RF_OK || batch.columns == NULL)
			break;
		status = rf_scorer_batch(score, &batch, err);
		if (status != RF_OK)
			status = rf_error_prefix(err, status, name);
		rf_progress(
		    score->options.log, "rows", score->report.n_rows, 0);
	}
	rf_reader_close(reader);
	return status;
}
