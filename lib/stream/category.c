#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/value.h"
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

static int
bool_text(const struct rf_column *column, int64_t row, char out[32])
{
	const uint8_t *values = column->values;
	bool value = column->field->type == RF_TYPE_BOOL
	    ? (values[row >> 3] >> (row & 7) & 1) != 0
	    : values[row] != 0;

	return snprintf(out, 32, "%s", value ? "true" : "false");
}

static int
integer_text(const struct rf_column *column, int64_t row, char out[32])
{
	long long value = rf_column_int(column, row);

	if (column->field->type == RF_TYPE_UINT64)
		return snprintf(out, 32, "%llu", (unsigned long long)value);
	return snprintf(out, 32, "%lld", value);
}

/*
 * A whole number reads the same whatever the column's type, so that categories
 * survive a tool that makes integers floats; 0: NaN, missing.
 */
static int
real_text(const struct rf_column *column, int64_t row, char out[32])
{
	double value = rf_float_at(column, row);

	if (value != value)
		return 0;
	if (value > -0x1p53 && value < 0x1p53 &&
	    value == (double)(int64_t)value)
		return snprintf(out, 32, "%lld", (long long)value);
	if (column->field->type == RF_TYPE_FLOAT64)
		return (int)rf_text_double(out, value);
	return float_text(out, (float)value);
}

static bool
number_text(const struct rf_column *column, int64_t row, char out[32],
    struct rf_bytes *text)
{
	enum rf_type type = column->field->type;
	int size;

	if (type == RF_TYPE_BOOL || rf_field_is_bool8(column->field))
		size = bool_text(column, row, out);
	else if (rf_type_is_integer(type))
		size = integer_text(column, row, out);
	else
		size = real_text(column, row, out);
	*text = (struct rf_bytes){(const uint8_t *)out, size};
	return size != 0;
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

/* Codes under nulls are arbitrary, others were checked by the reader. */
#define DEFINE_GATHER(name, type)                                              \
 static void name(const void *values, int64_t n, const int32_t *known,         \
     uint64_t n_known, int32_t *out)                                           \
 {                                                                             \
  const type *codes = values;                                                  \
                                                                               \
  for (int64_t row = 0; row < n; row++)                                        \
   out[row] = codes[row] < n_known ? known[codes[row]] : -1;                   \
 }

DEFINE_GATHER(gather8, uint8_t)
DEFINE_GATHER(gather16, uint16_t)
DEFINE_GATHER(gather32, uint32_t)
DEFINE_GATHER(gather64, uint64_t)

static void
gather(const struct rf_column *column, const int32_t *known, int32_t *out)
{
	uint64_t n_known = (uint64_t)column->dictionary->n_rows;
	int64_t n = column->n_rows, row;

	switch (rf_type_width(column->field->index_type)) {
	case 1:
		gather8(column->values, n, known, n_known, out);
		break;
	case 2:
		gather16(column->values, n, known, n_known, out);
		break;
	case 4:
		gather32(column->values, n, known, n_known, out);
		break;
	default:
		gather64(column->values, n, known, n_known, out);
	}
	for (row = rf_next_null(column, 0); row < n;
	     row = rf_next_null(column, row + 1))
		out[row] = -1;
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
	gather(column, vocabulary->known, out);
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
		    "column '%s': type %s has no categories",
		    rf_text_quote(quoted, field->name, strlen(field->name)),
		    rf_type_name(field->type));
	if (field->is_dictionary)
		return dictionary_codes(column, vocabulary, grow, out, err);
	return plain_codes(column, vocabulary, grow, out, err);
}
