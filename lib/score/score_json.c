#include "score/score.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Above, the matrix would have more than a million cells. */
#define MAX_MATRIX 1000

/*
 * Takes value over and puts it into object; false where either is NULL or
 * memory is out.
 */
static bool
put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

/* Classes of other bytes than UTF-8 go as rf_text_quote shows them. */
static json_t *class_json(struct rf_bytes class)
{
	char quoted[RF_QUOTED_SIZE];
	size_t size = (size_t) class.size;
	json_t *text;

	if (size == 0)
		return json_string("");
	text = json_stringn((const char *)class.data, size);
	if (text != NULL)
		return text;
	return json_string(rf_text_quote(quoted, class.data, size));
}

static json_t *
weight_json(const struct rf_scorer_report *report, double weight)
{
	return report->is_weighted ? json_real(weight)
				   : json_integer((json_int_t)weight);
}

static bool
put_counts(const struct rf_scorer_report *report, json_t *object)
{
	return put(object, "task",
		   json_string(report->is_classification ? "classification"
							 : "regression")) &&
	    put(object, "n_rows", json_integer(report->n_rows)) &&
	    put(object, "n_scored", json_integer(report->n_scored)) &&
	    put(object, "n_without_truth", json_integer(report->n_no_truth)) &&
	    put(object, "n_without_prediction",
		json_integer(report->n_no_prediction)) &&
	    put(object, "weighted", json_boolean(report->is_weighted));
}

static bool
put_metrics(const struct rf_scorer_report *report, json_t *object)
{
	for (size_t i = 0; i < report->n_metrics; i++)
		if (report->metrics[i].absent == NULL &&
		    !put(object, report->metrics[i].name,
			json_real(report->metrics[i].value)))
			return false;
	return true;
}

static bool
put_classes(const struct rf_scorer_report *report, json_t *object)
{
	json_t *classes = json_array(), *f1 = json_array();
	bool is_good = true;

	for (int32_t k = 0; k < report->n_classes; k++)
		is_good = json_array_append_new(
			      classes, class_json(report->classes[k])) == 0 &&
		    json_array_append_new(
			f1, json_real(rf_f1(&report->totals[k]))) == 0 &&
		    is_good;
	is_good =
	    put(object, "n_unknown_class", json_integer(report->n_unknown)) &&
	    is_good;
	is_good = put(object, "classes", classes) && is_good;
	return put(object, "f1", f1) && is_good;
}

static bool
put_matrix_row(
    const struct rf_scorer_report *report, json_t *matrix, int32_t truth)
{
	json_t *row = json_array();
	bool is_good = true;

	for (int32_t k = 0; k < report->n_classes; k++) {
		const struct rf_confusion_cell *cell =
		    rf_confusion_find(report->confusion, truth, k);
		double weight = cell != NULL ? cell->weight.high : 0.0;

		is_good = json_array_append_new(
			      row, weight_json(report, weight)) == 0 &&
		    is_good;
	}
	return json_array_append_new(matrix, row) == 0 && is_good;
}

static bool
put_matrix(const struct rf_scorer_report *report, json_t *object)
{
	json_t *matrix = json_array();
	bool is_good = true;

	for (int32_t k = 0; k < report->n_classes; k++)
		is_good = put_matrix_row(report, matrix, k) && is_good;
	return put(object, "confusion_matrix", matrix) && is_good;
}

enum rf_status
rf_scorer_json(const struct rf_scorer_report *report, struct rf_text *out,
    struct rf_error *err)
{
	json_t *object = json_object();
	char *line = NULL;
	bool is_good;

	is_good = put_counts(report, object) && put_metrics(report, object);
	if (is_good && report->is_classification)
		is_good = put_classes(report, object);
	if (is_good && report->is_classification &&
	    report->n_classes <= MAX_MATRIX)
		is_good = put_matrix(report, object);
	if (is_good)
		line = json_dumps(object, JSON_REAL_PRECISION(17));
	if (line != NULL) {
		rf_text_puts(out, line);
		rf_text_puts(out, "\n");
	}
	free(line);
	json_decref(object);
	if (line == NULL || out->failed)
		return rf_error_memory(err, out->size, "report");
	return RF_OK;
}
