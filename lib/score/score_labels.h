/*
 * Classes by text, common to truth and prediction.
 *
 *	struct rf_score_labels labels = {0};
 *	RF_TRY(rf_score_labels_init(&labels, err));
 *	RF_TRY(rf_score_labels_begin(&labels, truth_field, prediction_field, err));
 *	RF_TRY(rf_score_labels_truths(&labels, column, classes, err));
 *	rf_score_labels_release(&labels);
 *
 * A class is a number from 0 in the order of first sight, common to all
 * streams.  Numbers count by value; 0 and 1 become false and true where the
 * other side is bool.
 */
#ifndef RF_SCORE_SCORE_LABELS_H
#define RF_SCORE_SCORE_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/convert.h"

/* Texts of one column and their classes. */
struct rf_score_labels_side {
	struct rf_vocabulary *texts;
	int32_t *classes;
	size_t capacity;
	int32_t n_known;
	bool is_real, is_number_for_bool;
};

struct rf_score_labels {
	struct rf_vocabulary *classes;
	struct rf_score_labels_side truth, prediction;
	bool are_numbers; /* the predictions are: they sort by value */
	/* By class: whether the model has it. */
	bool *in_model;
	size_t capacity;
	int32_t n_in_model;
	bool has_dictionary; /* of this serial, already in the model */
	uint64_t dictionary_serial;
};

/* No classes yet; labels is zeroed before, and to be released in any case. */
enum rf_status rf_score_labels_init(
    struct rf_score_labels *labels, struct rf_error *err) RF_MUST_USE;

/* Starts a stream of columns of these fields. */
enum rf_status rf_score_labels_begin(struct rf_score_labels *labels,
    const struct rf_field *truth, const struct rf_field *prediction,
    struct rf_error *err) RF_MUST_USE;

/* n_rows classes, -1 for missing.  Predictions add their dictionary to the
 * model's classes. */
enum rf_status rf_score_labels_truths(struct rf_score_labels *labels,
    const struct rf_column *column, int32_t *classes,
    struct rf_error *err) RF_MUST_USE;
enum rf_status rf_score_labels_predictions(struct rf_score_labels *labels,
    const struct rf_column *column, int32_t *classes,
    struct rf_error *err) RF_MUST_USE;

/* Adds a class of the model, by a text of the prediction's side. */
enum rf_status rf_score_labels_add(struct rf_score_labels *labels,
    struct rf_bytes text, int32_t *label, struct rf_error *err) RF_MUST_USE;

/* Whether the model has the class; true where its classes are not known. */
bool rf_score_labels_in_model(
    const struct rf_score_labels *labels, int32_t label);

/* Puts n classes into their order: by value, else by bytes. */
enum rf_status rf_score_labels_sort(const struct rf_score_labels *labels,
    int32_t *classes, int32_t n, struct rf_error *err) RF_MUST_USE;

void rf_score_labels_release(struct rf_score_labels *labels);

#endif
