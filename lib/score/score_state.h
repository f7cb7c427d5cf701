/*
 * Inside of a score, common to score.c (rows in) and score_report.c (figures
 * out); for nobody else.
 */
#ifndef RF_SCORE_SCORE_STATE_H
#define RF_SCORE_SCORE_STATE_H

#include "score/score_labels.h"
#include "score/ranking.h"
#include "score/regression.h"
#include "score/score.h"
#include "score/score_columns.h"

struct rf_scorer {
	struct rf_scorer_options options;
	bool has_stream;
	int64_t stream_rows; /* of the current one, before this batch */
	struct rf_scorer_columns columns;
	struct rf_score_labels labels;
	/* Share s of a row stands in column share_columns[s]; the order is the
	 * classes' own, whatever the stream's. */
	int32_t n_shares;
	int32_t *share_labels;
	/* The share of a label, or -1; labels from n_label_shares on: none. */
	int32_t *label_shares;
	int32_t n_label_shares;
	int64_t *share_columns;
	double *row_shares;
	/* Of the current batch: n_shares columns of `capacity` rows each. */
	int64_t capacity;
	int32_t *truth_labels, *prediction_labels;
	double *truths, *predictions, *weights, *shares;
	struct rf_confusion confusion;
	struct rf_probability_sums probability;
	struct rf_ranking ranking;
	struct rf_regression regression;
	/* What the report points to. */
	struct rf_scorer_report report;
	struct rf_bytes *classes;
	struct rf_class_totals *totals;
};

#endif
