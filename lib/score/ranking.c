#include "score/ranking.h"

#include <stdlib.h>

#include "base/alloc.h"

static const char name[] = "roc_auc";

struct entry {
	double score;
	double weight; /* below 0: a row of another class */
};

static int32_t
n_columns(const struct rf_ranking *ranking)
{
	return ranking->n_classes == 2 ? 1 : ranking->n_classes;
}

static enum rf_status
grow(void **array, size_t *capacity, size_t needed, size_t size,
    struct rf_error *err)
{
	if (rf_grow(array, capacity, needed, size) != 0)
		return rf_error_memory(
		    err, needed * size, "scores of all rows for roc_auc");
	return RF_OK;
}

static enum rf_status
grow_row(struct rf_ranking *ranking, struct rf_error *err)
{
	void *scores = ranking->scores, *weights = ranking->weights;
	void *truths = ranking->truths;
	size_t needed = (size_t)ranking->n_rows + 1;

	RF_TRY(grow(&scores, &ranking->scores_capacity,
	    needed * (size_t)n_columns(ranking), sizeof(double), err));
	ranking->scores = scores;
	RF_TRY(grow(
	    &truths, &ranking->truths_capacity, needed, sizeof(int32_t), err));
	ranking->truths = truths;
	if (!ranking->is_weighted)
		return RF_OK;
	RF_TRY(grow(
	    &weights, &ranking->weights_capacity, needed, sizeof(double), err));
	ranking->weights = weights;
	return RF_OK;
}

enum rf_status
rf_ranking_add(struct rf_ranking *ranking, const double *shares, int32_t truth,
    double weight, struct rf_error *err)
{
	int32_t columns = n_columns(ranking);
	double *to;

	RF_TRY(grow_row(ranking, err));
	to = ranking->scores + ranking->n_rows * columns;
	for (int32_t k = 0; k < columns; k++)
		to[k] = shares[ranking->n_classes == 2 ? 1 : k];
	ranking->truths[ranking->n_rows] = truth;
	if (ranking->is_weighted)
		ranking->weights[ranking->n_rows] = weight;
	ranking->n_rows++;
	return RF_OK;
}

/* By score; equal ones by signed weight, so that their sums have one order. */
static int
compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->score != b->score)
		return a->score < b->score ? -1 : 1;
	return (a->weight > b->weight) - (a->weight < b->weight);
}

/* The rows of weight, sorted, of class `positive` against the others. */
static int64_t
fill_entries(const struct rf_ranking *ranking, int32_t column, int32_t positive,
    struct entry *entries)
{
	int32_t columns = n_columns(ranking);
	int64_t n = 0;

	for (int64_t row = 0; row < ranking->n_rows; row++) {
		double weight =
		    ranking->is_weighted ? ranking->weights[row] : 1.0;

		if (!(weight > 0))
			continue;
		entries[n].score = ranking->scores[row * columns + column];
		entries[n++].weight =
		    ranking->truths[row] == positive ? weight : -weight;
	}
	if (n > 0)
		qsort(entries, (size_t)n, sizeof(*entries), compare_entries);
	return n;
}

/* -1 where one of the sides is empty. */
static double
area(const struct entry *entries, int64_t n)
{
	struct rf_sum negative = {0}, positive = {0}, pairs = {0};
	const struct rf_sum half = {0.5, 0.0};

	for (int64_t i = 0; i < n;) {
		struct rf_sum up = {0}, down = {0}, below;
		double score = entries[i].score;

		for (; i < n && entries[i].score == score; i++)
			if (entries[i].weight > 0)
				rf_sum_add(&up, entries[i].weight);
			else
				rf_sum_add(&down, -entries[i].weight);
		below = rf_sum_plus(negative, rf_sum_times(down, half));
		pairs = rf_sum_plus(pairs, rf_sum_times(up, below));
		negative = rf_sum_plus(negative, down);
		positive = rf_sum_plus(positive, up);
	}
	if (!(negative.high > 0) || !(positive.high > 0))
		return -1.0;
	return rf_sum_ratio(pairs, rf_sum_times(negative, positive));
}

static struct rf_metric
mean_area(const struct rf_ranking *ranking, struct entry *entries)
{
	struct rf_sum sum = {0};
	int32_t columns = n_columns(ranking);
	int64_t n;
	double value;

	for (int32_t column = 0; column < columns; column++) {
		n = fill_entries(
		    ranking, column, columns == 1 ? 1 : column, entries);
		value = area(entries, n);
		if (n == 0)
			return rf_metric_absent(name, "all weights are 0");
		if (value < 0 && columns == 1)
			return rf_metric_absent(
			    name, "the truth has one class only");
		if (value < 0)
			return rf_metric_absent(
			    name, "the truth lacks a class of the model");
		rf_sum_add(&sum, value);
	}
	return rf_metric_make(
	    name, rf_sum_ratio(sum, (struct rf_sum){columns, 0.0}));
}

enum rf_status
rf_ranking_roc_auc(const struct rf_ranking *ranking, struct rf_metric *metric,
    struct rf_error *err)
{
	struct entry *entries;

	*metric = rf_metric_absent(name, "the model has one class");
	if (ranking->n_classes < 2)
		return RF_OK;
	*metric = rf_metric_absent(
	    name, "no row has probabilities and a class of the model");
	if (ranking->n_rows == 0)
		return RF_OK;
	entries = rf_alloc((size_t)ranking->n_rows, sizeof(*entries));
	if (entries == NULL)
		return rf_error_memory(err,
		    (size_t)ranking->n_rows * sizeof(*entries),
		    "scores to sort for roc_auc");
	*metric = mean_area(ranking, entries);
	free(entries);
	return RF_OK;
}

void
rf_ranking_release(struct rf_ranking *ranking)
{
	free(ranking->scores);
	free(ranking->weights);
	free(ranking->truths);
	*ranking = (struct rf_ranking){0};
}
