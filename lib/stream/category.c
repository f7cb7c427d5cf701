#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/number.h"
#include "stream/vocabulary.h"

static enum rf_status
code_of(struct rf_vocabulary *vocabulary, bool grow, struct rf_bytes text,
    int32_t *code, struct rf_error *err)
{
	if (grow)
		return rf_vocabulary_add(
		    vocabulary, text.data, (size_t)text.size, code, err);
	*code = rf_vocabulary_find(vocabulary, text.data, (size_t)text.size);
	return RF_OK;
}

/* The shortest form that reads back to the same float. */
static int
float_text(char out[32], float value)
{
	int size = 0;

	for (int digits = 6; digits <= 9; digits++) {
		size = snprintf(out, 32, "%.*g", digits, (double)value);
		if (strtof(out, NULL) == value)
			break;
	}
	return size;
}

/*
 * A whole number reads the same whatever the column's type, so that categories
 * survive a tool that makes integers floats; false: missing.
 */
static bool
number_text(const struct rf_column *column, int64_t row, char out[32],
    struct rf_bytes *text)
{
	enum rf_type type = column->field->type;
	double value;
	int size;

	if (rf_type_is_integer(type)) {
		int64_t whole = rf_column_int(column, row);

		size = type == RF_TYPE_UINT64
		    ? snprintf(out, 32, "%llu", (unsigned long long)whole)
		    : snprintf(out, 32, "%lld", (long long)whole);
	} else if (type == RF_TYPE_BOOL) {
		const uint8_t *bits = column->values;

		size = snprintf(out, 32, "%s",
		    bits[row >> 3] >> (row & 7) & 1 ? "true" : "false");
	} else {
		value = rf_float_at(column, row);
		if (value != value)
			return false;
		if (value > -0x1p53 && value < 0x1p53 &&
		    value == (double)(int64_t)value)
			size = snprintf(
			    out, 32, "%lld", (long long)(int64_t)value);
		else if (type == RF_TYPE_FLOAT64)
			size = (int)rf_text_double(out, value);
		else
			size = float_text(out, (float)value);
	}
	*text = (struct rf_bytes){(const uint8_t *)out, size};
	return true;
}

static bool
has_category_text(enum rf_type type)
{
	return rf_type_is_text(type) || rf_type_is_integer(type) ||
	    type == RF_TYPE_BOOL || type == RF_TYPE_FLOAT16 ||
	    type == RF_TYPE_FLOAT32 || type == RF_TYPE_FLOAT64;
}

static bool
category_text(const struct rf_column *column, int64_t row, char out[32],
    struct rf_bytes *text)
{
	if (!rf_column_is_valid(column, row))
		return false;
	if (rf_type_is_text(column->field->type))
		return rf_column_text(column, row, text);
	return number_text(column, row, out, text);
}

/* Columns without a dictionary; runs of equal texts are looked up once. */
static enum rf_status
plain_codes(const struct rf_column *column, struct rf_vocabulary *vocabulary,
    bool grow, int32_t *out, struct rf_error *err)
{
	struct rf_bytes text, last = {NULL, -1};
	char numbers[2][32];
	int which = 0;
	int32_t code = -1;

	for (int64_t row = 0; row < column->n_rows; row++) {
		out[row] = -1;
		if (!category_text(column, row, numbers[which], &text))
			continue;
		if (text.size != last.size ||
		    memcmp(text.data, last.data, (size_t)text.size) != 0) {
			RF_TRY(code_of(vocabulary, grow, text, &code, err));
			last = text;
			which = !which;
		}
		out[row] = code;
	}
	return RF_OK;
}

/* Codes of the dictionary's entries, in vocabulary->known. */
static enum rf_status
know_dictionary(const struct rf_column *column,
    struct rf_vocabulary *vocabulary, bool grow, struct rf_error *err)
{
	const struct rf_column *entries = column->dictionary;
	void *known = vocabulary->known;

	if (column->dictionary_serial != 0 &&
	    column->dictionary_serial == vocabulary->known_serial &&
	    vocabulary->known_n == vocabulary->n)
		return RF_OK;
	vocabulary->known_serial = 0;
	if (rf_grow(&known, &vocabulary->known_capacity,
		(size_t)entries->n_rows, sizeof(int32_t)) != 0)
		return rf_error_memory(
		    err, (size_t)entries->n_rows * sizeof(int32_t), "codes");
	vocabulary->known = known;
	RF_TRY(plain_codes(entries, vocabulary, grow, vocabulary->known, err));
	vocabulary->known_serial = column->dictionary_serial;
	vocabulary->known_n = vocabulary->n;
	return RF_OK;
}

/* Unknown texts of a dictionary that was met without grow: met again. */
static enum rf_status
dictionary_codes(const struct rf_column *column,
    struct rf_vocabulary *vocabulary, bool grow, int32_t *out,
    struct rf_error *err)
{
	if (column->dictionary == NULL) {
		for (int64_t row = 0; row < column->n_rows; row++)
			out[row] = -1;
		return RF_OK;
	}
	if (grow != vocabulary->known_grown)
		vocabulary->known_serial = 0;
	vocabulary->known_grown = grow;
	RF_TRY(know_dictionary(column, vocabulary, grow, err));
	for (int64_t row = 0; row < column->n_rows; row++)
		out[row] = rf_column_is_valid(column, row)
		    ? vocabulary->known[rf_column_int(column, row)]
		    : -1;
	return RF_OK;
}

enum rf_status
rf_column_to_codes(const struct rf_column *column,
    struct rf_vocabulary *vocabulary, bool grow, int32_t *out,
    struct rf_error *err)
{
	const struct rf_field *field = column->field;
	char quoted[RF_QUOTED_SIZE];

	if (field->type == RF_TYPE_NULL) {
		for (int64_t row = 0; row < column->n_rows; row++)
			out[row] = -1;
		return RF_OK;
	}
	if (!has_category_text(field->type))
		return rf_error_set(err, RF_EDATA,
		    "column \"%s\": type %s has no categories",
		    rf_text_quote(quoted, field->name, strlen(field->name)),
		    rf_type_name(field->type));
	if (field->is_dictionary)
		return dictionary_codes(column, vocabulary, grow, out, err);
	return plain_codes(column, vocabulary, grow, out, err);
}
