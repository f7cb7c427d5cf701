#include "score/score_labels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum rf_status
rf_score_labels_init(struct rf_score_labels *labels, struct rf_error *err)
{
	return rf_vocabulary_new(&labels->classes, err);
}

static void
side_release(struct rf_score_labels_side *side)
{
	rf_vocabulary_free(side->texts);
	free(side->classes);
	*side = (struct rf_score_labels_side){0};
}

static bool
is_real(const struct rf_field *field)
{
	return field->type == RF_TYPE_FLOAT16 ||
	    field->type == RF_TYPE_FLOAT32 || field->type == RF_TYPE_FLOAT64 ||
	    field->type == RF_TYPE_DECIMAL;
}

static bool
is_number(const struct rf_field *field)
{
	return is_real(field) || rf_type_is_integer(field->type);
}

static enum rf_status
side_begin(struct rf_score_labels_side *side, const struct rf_field *own,
    const struct rf_field *other, struct rf_error *err)
{
	side_release(side);
	side->is_real = is_real(own);
	side->is_number_for_bool =
	    is_number(own) && other->type == RF_TYPE_BOOL;
	return rf_vocabulary_new(&side->texts, err);
}

enum rf_status
rf_score_labels_begin(struct rf_score_labels *labels,
    const struct rf_field *truth, const struct rf_field *prediction,
    struct rf_error *err)
{
	labels->are_numbers = is_number(prediction);
	labels->has_dictionary = false;
	RF_TRY(side_begin(&labels->truth, truth, prediction, err));
	return side_begin(&labels->prediction, prediction, truth, err);
}

static enum rf_status
add_class(struct rf_score_labels *labels, struct rf_bytes text, int32_t *label,
    struct rf_error *err)
{
	return rf_vocabulary_add(
	    labels->classes, text.data, (size_t)text.size, label, err);
}

/* The text by which a value of this side is a class, in buffer or as it is. */
static struct rf_bytes
class_text(const struct rf_score_labels_side *side, struct rf_bytes text,
    char buffer[32])
{
	double value;

	if (side->is_real && text.size < 32) {
		memcpy(buffer, text.data, (size_t)text.size);
		buffer[text.size] = '\0';
		value = strtod(buffer, NULL);
		/* "1e+06" of a real column is the class 1000000. */
		if (fabs(value) < 0x1p63 && value == floor(value)) {
			text.size =
			    snprintf(buffer, 32, "%" PRId64, (int64_t)value);
			text.data = (const uint8_t *)buffer;
		}
	}
	if (side->is_number_for_bool && text.size == 1) {
		if (text.data[0] == '0')
			return (struct rf_bytes){(const uint8_t *)"false", 5};
		if (text.data[0] == '1')
			return (struct rf_bytes){(const uint8_t *)"true", 4};
	}
	return text;
}

/* Gives classes to the texts that the side has learnt since. */
static enum rf_status
side_learn(struct rf_score_labels *labels, struct rf_score_labels_side *side,
    struct rf_error *err)
{
	int32_t n = rf_vocabulary_n(side->texts);
	void *classes = side->classes;
	char buffer[32];

	if (rf_grow(&classes, &side->capacity, (size_t)n, sizeof(int32_t)) != 0)
		return rf_error_memory(
		    err, (size_t)n * sizeof(int32_t), "classes");
	side->classes = classes;
	for (; side->n_known < n; side->n_known++) {
		struct rf_bytes text =
		    rf_vocabulary_text(side->texts, side->n_known);

		RF_TRY(add_class(labels, class_text(side, text, buffer),
		    &side->classes[side->n_known], err));
	}
	return RF_OK;
}

static enum rf_status
side_classes(struct rf_score_labels *labels, struct rf_score_labels_side *side,
    const struct rf_column *column, int32_t *classes, struct rf_error *err)
{
	RF_TRY(rf_column_to_codes(column, side->texts, true, classes, err));
	RF_TRY(side_learn(labels, side, err));
	for (int64_t row = 0; row < column->n_rows; row++)
		if (classes[row] >= 0)
			classes[row] = side->classes[classes[row]];
	return RF_OK;
}

enum rf_status
rf_score_labels_truths(struct rf_score_labels *labels,
    const struct rf_column *column, int32_t *classes, struct rf_error *err)
{
	return side_classes(labels, &labels->truth, column, classes, err);
}

enum rf_status
rf_score_labels_add(struct rf_score_labels *labels, struct rf_bytes text,
    int32_t *label, struct rf_error *err)
{
	void *in_model = labels->in_model;
	size_t old = labels->capacity;
	char buffer[32];

	text = class_text(&labels->prediction, text, buffer);
	RF_TRY(add_class(labels, text, label, err));
	if (rf_grow(&in_model, &labels->capacity, (size_t)*label + 1,
		sizeof(bool)) != 0)
		return rf_error_memory(err, (size_t)*label + 1, "classes");
	labels->in_model = in_model;
	memset(labels->in_model + old, 0, labels->capacity - old);
	labels->n_in_model += !labels->in_model[*label];
	labels->in_model[*label] = true;
	return RF_OK;
}

/* A dictionary of rf-vote lists all classes of the model. */
static enum rf_status
add_dictionary(struct rf_score_labels *labels, const struct rf_column *column,
    struct rf_error *err)
{
	const struct rf_column *dictionary = column->dictionary;
	struct rf_bytes text;
	int32_t label;

	if (dictionary == NULL || !rf_type_is_text(dictionary->field->type) ||
	    (labels->has_dictionary &&
		column->dictionary_serial == labels->dictionary_serial))
		return RF_OK;
	for (int64_t row = 0; row < dictionary->n_rows; row++)
		if (rf_column_is_valid(dictionary, row) &&
		    rf_column_text(dictionary, row, &text))
			RF_TRY(rf_score_labels_add(labels, text, &label, err));
	labels->dictionary_serial = column->dictionary_serial;
	labels->has_dictionary = true;
	return RF_OK;
}

enum rf_status
rf_score_labels_predictions(struct rf_score_labels *labels,
    const struct rf_column *column, int32_t *classes, struct rf_error *err)
{
	RF_TRY(add_dictionary(labels, column, err));
	return side_classes(labels, &labels->prediction, column, classes, err);
}

bool
rf_score_labels_in_model(const struct rf_score_labels *labels, int32_t label)
{
	if (labels->n_in_model == 0)
		return true;
	return (size_t)label < labels->capacity && labels->in_model[label];
}

struct sort_entry {
	struct rf_bytes text;
	double value;
	bool is_number;
	int32_t label;
};

static int
compare_entries(const void *left, const void *right)
{
	const struct sort_entry *a = left, *b = right;
	int64_t shorter =
	    a->text.size < b->text.size ? a->text.size : b->text.size;
	int order;

	if (a->is_number != b->is_number)
		return a->is_number ? -1 : 1;
	if (a->is_number && a->value != b->value)
		return a->value < b->value ? -1 : 1;
	order = shorter == 0
	    ? 0
	    : memcmp(a->text.data, b->text.data, (size_t)shorter);
	if (order != 0)
		return order;
	return (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static void
read_number(struct sort_entry *entry)
{
	char buffer[64], *end;

	if (entry->text.size == 0 || entry->text.size >= 64)
		return;
	memcpy(buffer, entry->text.data, (size_t)entry->text.size);
	buffer[entry->text.size] = '\0';
	entry->value = strtod(buffer, &end);
	entry->is_number =
	    end == buffer + entry->text.size && isfinite(entry->value);
}

enum rf_status
rf_score_labels_sort(const struct rf_score_labels *labels, int32_t *classes,
    int32_t n, struct rf_error *err)
{
	struct sort_entry *entries;

	entries = rf_alloc_zero((size_t)n, sizeof(*entries));
	if (entries == NULL)
		return rf_error_memory(
		    err, (size_t)n * sizeof(*entries), "classes to sort");
	for (int32_t i = 0; i < n; i++) {
		entries[i].label = classes[i];
		entries[i].text =
		    rf_vocabulary_text(labels->classes, classes[i]);
		if (labels->are_numbers)
			read_number(&entries[i]);
	}
	qsort(entries, (size_t)n, sizeof(*entries), compare_entries);
	for (int32_t i = 0; i < n; i++)
		classes[i] = entries[i].label;
	free(entries);
	return RF_OK;
}

void
rf_score_labels_release(struct rf_score_labels *labels)
{
	rf_vocabulary_free(labels->classes);
	side_release(&labels->truth);
	side_release(&labels->prediction);
	free(labels->in_model);
	*labels = (struct rf_score_labels){0};
}
