/*
 * Scores decided streams against their truth: rf-score(1).
 *
 *	struct rf_scorer *score = NULL;
 *	RF_TRY(rf_scorer_new(&score, &options, err));
 *	RF_TRY(rf_scorer_read(score, 0, "<stdin>", err));
 *	RF_TRY(rf_scorer_finish(score, &report, err));
 *	RF_TRY(rf_scorer_text(report, &text, err));
 *	rf_scorer_free(score);
 *
 * Classes are matched by text, as truth and prediction have dictionaries of
 * their own; numbers by value, so 1 and 1.0 are one class, and 0 and 1 are
 * false and true where the other side is bool.  Several streams are scored as
 * one.  Memory is constant but for roc_auc and the median (ranking.h,
 * regression.h) and distinct pairs of classes.
 */
#ifndef RF_SCORE_SCORE_H
#define RF_SCORE_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"
#include "base/text.h"
#include "score/confusion.h"
#include "score/metrics.h"
#include "stream/batch.h"

struct rf_scorer_options {
	const char *truth;  /* column; NULL: rf.role=label, else rf.truth */
	const char *weight; /* column; NULL: rf.role=weight, else none */
	const struct rf_log *log; /* NULL: silence */
};

#define RF_SCORE_METRICS 8

/* All belongs to the score that made it. */
struct rf_scorer_report {
	bool is_classification, is_weighted, has_shares;
	int64_t n_rows, n_scored;
	int64_t n_no_truth; /* left out, as are the next */
	int64_t n_no_prediction;
	int64_t n_unknown;   /* scored, of a class that the model lacks */
	int64_t n_no_shares; /* scored, but some probability is null */
	struct rf_metric metrics[RF_SCORE_METRICS];
	size_t n_metrics;
	/* Classification: classes that occur, in order of value or bytes. */
	int32_t n_classes;
	const struct rf_bytes *classes;
	const struct rf_class_totals *totals;
	const struct rf_confusion *confusion; /* of those numbers */
};

struct rf_scorer;

/* The texts of the options stay the caller's until rf_scorer_free. */
enum rf_status rf_scorer_new(struct rf_scorer **out,
    const struct rf_scorer_options *options, struct rf_error *err) RF_MUST_USE;

/* Adds a whole stream from a descriptor, which stays the caller's. */
enum rf_status rf_scorer_read(struct rf_scorer *score, int fd, const char *name,
    struct rf_error *err) RF_MUST_USE;

/* The same by parts: a schema, then its batches. */
enum rf_status rf_scorer_begin(struct rf_scorer *score,
    const struct rf_schema *schema, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_scorer_batch(struct rf_scorer *score,
    const struct rf_batch *batch, struct rf_error *err) RF_MUST_USE;

/*
 * Takes no more rows and reports; notes tell what was left out and which
 * metrics have no value.  RF_EDATA where no row could be scored.
 */
enum rf_status rf_scorer_finish(struct rf_scorer *score,
    const struct rf_scorer_report **report, struct rf_error *err) RF_MUST_USE;

void rf_scorer_free(struct rf_scorer *score); /* NULL allowed */

/* Appends the report: aligned for people, or a line of JSON. */
enum rf_status rf_scorer_text(const struct rf_scorer_report *report,
    struct rf_text *out, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_scorer_json(const struct rf_scorer_report *report,
    struct rf_text *out, struct rf_error *err) RF_MUST_USE;

#endif
