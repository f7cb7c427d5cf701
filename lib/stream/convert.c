#include "stream/convert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arith/arith.h"
#include "base/alloc.h"
#include "base/text.h"
#include "stream/value.h"

#define SECONDS_A_DAY ((int64_t)86400)
#define BLOCK	      1024 /* rows that pass through a buffer at once */

static bool
is_number(enum rf_type type)
{
	return rf_type_is_integer(type) || type == RF_TYPE_BOOL ||
	    type == RF_TYPE_FLOAT16 || type == RF_TYPE_FLOAT32 ||
	    type == RF_TYPE_FLOAT64;
}

/* What can be ordered by its value. */
static bool
is_numeric(const struct rf_field *field)
{
	switch ((int)field->type) {
	case RF_TYPE_DECIMAL:
		return field->width_bits <= 128 && field->scale >= -38 &&
		    field->scale <= 38;
	case RF_TYPE_DATE32:
	case RF_TYPE_DATE64:
	case RF_TYPE_TIME32:
	case RF_TYPE_TIME64:
	case RF_TYPE_TIMESTAMP:
	case RF_TYPE_DURATION:
	case RF_TYPE_NULL:
		return true;
	}
	return is_number(field->type);
}

enum rf_feature_kind
rf_field_kind(const struct rf_field *field)
{
	const char *wish = rf_metadata_get(&field->metadata, "rf.type", NULL);
	bool has_text = rf_type_is_text(field->type) ||
	    is_number(field->type) || field->type == RF_TYPE_NULL;
	bool is_category =
	    has_text && (field->is_dictionary || rf_type_is_text(field->type));

	if (wish != NULL && strcmp(wish, "categorical") == 0)
		is_category = true;
	else if (wish != NULL && strcmp(wish, "numeric") == 0)
		is_category = false;
	if (is_category)
		return has_text ? RF_FEATURE_CATEGORICAL : RF_FEATURE_NONE;
	return is_numeric(field) ? RF_FEATURE_NUMERIC : RF_FEATURE_NONE;
}

enum rf_precision
rf_field_precision(const struct rf_field *field)
{
	switch ((int)field->type) {
	case RF_TYPE_BOOL:
	case RF_TYPE_INT8:
	case RF_TYPE_INT16:
	case RF_TYPE_UINT8:
	case RF_TYPE_UINT16:
	case RF_TYPE_FLOAT16:
	case RF_TYPE_FLOAT32:
		return RF_PRECISION_FLOAT32;
	case RF_TYPE_DATE32:
	case RF_TYPE_DATE64:
	case RF_TYPE_TIMESTAMP:
		return RF_PRECISION_INT64;
	}
	return RF_PRECISION_FLOAT64;
}

/* Each: rows first .. first + n of the values, to double; -0.0 to 0.0. */
#define DEFINE_WIDEN(name, type)                                               \
 static void name(const void *values, int64_t first, int64_t n, double *out)   \
 {                                                                             \
  const type *from = (const type *)values + first;                             \
                                                                               \
  for (int64_t i = 0; i < n; i++)                                              \
   out[i] = (double)from[i] + 0.0;                                             \
 }

DEFINE_WIDEN(widen_int8, int8_t)
DEFINE_WIDEN(widen_int16, int16_t)
DEFINE_WIDEN(widen_int32, int32_t)
DEFINE_WIDEN(widen_int64, int64_t)
DEFINE_WIDEN(widen_uint8, uint8_t)
DEFINE_WIDEN(widen_uint16, uint16_t)
DEFINE_WIDEN(widen_uint32, uint32_t)
DEFINE_WIDEN(widen_uint64, uint64_t)
DEFINE_WIDEN(widen_float32, float)
DEFINE_WIDEN(widen_float64, double)

static void
widen_half(const void *values, int64_t first, int64_t n, double *out)
{
	const uint16_t *from = (const uint16_t *)values + first;

	for (int64_t i = 0; i < n; i++)
		out[i] = (double)rf_half(from[i]) + 0.0;
}

static void
widen_bool(const void *values, int64_t first, int64_t n, double *out)
{
	const uint8_t *bits = values;

	for (int64_t i = 0; i < n; i++)
		out[i] = bits[(first + i) >> 3] >> ((first + i) & 7) & 1;
}

/* Seconds, each divided once. */
static void
widen_time(
    const struct rf_column *column, int64_t first, int64_t n, double *out)
{
	double per_second = (double)rf_unit_per_second(column->field->unit);

	if (column->field->type == RF_TYPE_TIME32)
		widen_int32(column->values, first, n, out);
	else
		widen_int64(column->values, first, n, out);
	for (int64_t i = 0; i < n; i++)
		out[i] /= per_second;
}

static void
widen_decimal(
    const struct rf_column *column, int64_t first, int64_t n, double *out)
{
	int32_t scale = column->field->scale;
	double power = rf_power10(scale < 0 ? -scale : scale);

	if (column->field->width_bits == 32) {
		widen_int32(column->values, first, n, out);
	} else if (column->field->width_bits == 64) {
		widen_int64(column->values, first, n, out);
	} else {
		const uint8_t *values = column->values;

		for (int64_t i = 0; i < n; i++) {
			__extension__ __int128 value;

			memcpy(
			    &value, values + 16 * (first + i), sizeof(value));
			out[i] = (double)value;
		}
	}
	for (int64_t i = 0; i < n; i++)
		out[i] = (scale < 0 ? out[i] * power : out[i] / power);
}

/* Days, rounded down. */
static void
widen_date64(
    const struct rf_column *column, int64_t first, int64_t n, double *out)
{
	const int64_t *values = (const int64_t *)column->values + first;

	for (int64_t i = 0; i < n; i++)
		out[i] = (double)rf_floor_div(values[i], 1000 * SECONDS_A_DAY);
}

/* Values whatever the validity; false: a type without numbers. */
static bool
widen(const struct rf_column *column, int64_t first, int64_t n, double *out)
{
	static void (*const plain[])(
	    const void *, int64_t, int64_t, double *) = {
	    [RF_TYPE_BOOL] = widen_bool,
	    [RF_TYPE_INT8] = widen_int8,
	    [RF_TYPE_INT16] = widen_int16,
	    [RF_TYPE_INT32] = widen_int32,
	    [RF_TYPE_INT64] = widen_int64,
	    [RF_TYPE_UINT8] = widen_uint8,
	    [RF_TYPE_UINT16] = widen_uint16,
	    [RF_TYPE_UINT32] = widen_uint32,
	    [RF_TYPE_UINT64] = widen_uint64,
	    [RF_TYPE_FLOAT16] = widen_half,
	    [RF_TYPE_FLOAT32] = widen_float32,
	    [RF_TYPE_FLOAT64] = widen_float64,
	    [RF_TYPE_DATE32] = widen_int32,
	    [RF_TYPE_TIMESTAMP] = widen_int64,
	};
	enum rf_type type = column->field->type;

	if (!is_numeric(column->field))
		return false;
	if (type == RF_TYPE_NULL) {
		for (int64_t i = 0; i < n; i++)
			out[i] = (double)NAN;
	} else if (type == RF_TYPE_DECIMAL) {
		widen_decimal(column, first, n, out);
	} else if (type == RF_TYPE_DATE64) {
		widen_date64(column, first, n, out);
	} else if (type == RF_TYPE_TIME32 || type == RF_TYPE_TIME64 ||
	    type == RF_TYPE_DURATION) {
		widen_time(column, first, n, out);
	} else {
		plain[type](column->values, first, n, out);
	}
	if (rf_field_is_bool8(column->field))
		for (int64_t i = 0; i < n; i++)
			out[i] = out[i] != 0.0;
	return true;
}

static void
blank_nulls(const struct rf_column *column, double *out)
{
	int64_t row = rf_next_null(column, 0);

	for (; row < column->n_rows; row = rf_next_null(column, row + 1))
		out[row] = (double)NAN;
}

static enum rf_status
by_dictionary(const struct rf_column *column, double *out, struct rf_error *err)
{
	const struct rf_column *entries = column->dictionary;
	double *values = NULL;
	enum rf_status status;

	for (int64_t row = 0; row < column->n_rows; row++)
		out[row] = (double)NAN;
	if (entries == NULL)
		return is_numeric(column->field)
		    ? RF_OK
		    : rf_field_not_numeric(column->field, err);
	values = rf_alloc((size_t)entries->n_rows, sizeof(*values));
	if (values == NULL)
		return rf_error_memory(err,
		    (size_t)entries->n_rows * sizeof(*values), "a dictionary");
	status = rf_column_to_float64(entries, values, NULL, err);
	for (int64_t row = 0; status == RF_OK && row < column->n_rows; row++)
		if (rf_column_is_valid(column, row))
			out[row] = values[rf_column_int(column, row)];
	free(values);
	return status;
}

/* 2^53 itself and its negative are the last that all have a double. */
static bool
is_beyond_2_53(enum rf_type type, int64_t value)
{
	const int64_t limit = (int64_t)1 << 53;

	return type == RF_TYPE_UINT64 ? (uint64_t)value > (uint64_t)limit
				      : value > limit || value < -limit;
}

static bool
has_beyond_2_53(const struct rf_column *column)
{
	const int64_t *values = column->values;
	enum rf_type type = column->field->type;
	int64_t n_beyond = 0;

	if (column->field->is_dictionary ||
	    (type != RF_TYPE_INT64 && type != RF_TYPE_UINT64))
		return false;
	for (int64_t row = 0; row < column->n_rows; row++)
		n_beyond += is_beyond_2_53(type, values[row]);
	for (int64_t row = 0; n_beyond != 0 && row < column->n_rows; row++)
		if (is_beyond_2_53(type, values[row]) &&
		    rf_column_is_valid(column, row))
			return true;
	return false;
}

enum rf_status
rf_column_to_float64(const struct rf_column *column, double *out,
    bool *beyond_2_53, struct rf_error *err)
{
	if (beyond_2_53 != NULL && has_beyond_2_53(column))
		*beyond_2_53 = true;
	if (column->field->is_dictionary)
		return by_dictionary(column, out, err);
	if (!widen(column, 0, column->n_rows, out))
		return rf_field_not_numeric(column->field, err);
	blank_nulls(column, out);
	return RF_OK;
}

static void
float_blank_nulls(const struct rf_column *column, float *out)
{
	int64_t row = rf_next_null(column, 0);

	for (; row < column->n_rows; row = rf_next_null(column, row + 1))
		out[row] = NAN;
}

/* Types that must not pass through a double: they would be rounded twice. */
static bool
narrow_directly(const struct rf_column *column, float *out)
{
	const float *floats = column->values;
	const int64_t *whole = column->values;
	const uint64_t *natural = column->values;

	switch ((int)column->field->type) {
	case RF_TYPE_FLOAT32:
		for (int64_t row = 0; row < column->n_rows; row++)
			out[row] = floats[row] + 0.0f;
		return true;
	case RF_TYPE_INT64:
	case RF_TYPE_TIMESTAMP:
		for (int64_t row = 0; row < column->n_rows; row++)
			out[row] = (float)whole[row];
		return true;
	case RF_TYPE_UINT64:
		for (int64_t row = 0; row < column->n_rows; row++)
			out[row] = (float)natural[row];
		return true;
	}
	return false;
}

static enum rf_status
float_by_dictionary(
    const struct rf_column *column, float *out, struct rf_error *err)
{
	const struct rf_column *entries = column->dictionary;
	float *values;
	enum rf_status status;

	for (int64_t row = 0; row < column->n_rows; row++)
		out[row] = NAN;
	if (entries == NULL)
		return is_numeric(column->field)
		    ? RF_OK
		    : rf_field_not_numeric(column->field, err);
	values = rf_alloc((size_t)entries->n_rows, sizeof(*values));
	if (values == NULL)
		return rf_error_memory(err,
		    (size_t)entries->n_rows * sizeof(*values), "a dictionary");
	status = rf_column_to_float32(entries, values, err);
	for (int64_t row = 0; status == RF_OK && row < column->n_rows; row++)
		if (rf_column_is_valid(column, row))
			out[row] = values[rf_column_int(column, row)];
	free(values);
	return status;
}

enum rf_status
rf_column_to_float32(
    const struct rf_column *column, float *out, struct rf_error *err)
{
	double block[BLOCK];

	if (column->field->is_dictionary)
		return float_by_dictionary(column, out, err);
	if (!is_numeric(column->field))
		return rf_field_not_numeric(column->field, err);
	if (!narrow_directly(column, out)) {
		for (int64_t first = 0; first < column->n_rows;
		     first += BLOCK) {
			int64_t rest = column->n_rows - first;
			int64_t n = rest < BLOCK ? rest : BLOCK;

			(void)widen(column, first, n, block);
			for (int64_t i = 0; i < n; i++)
				out[first + i] = (float)block[i];
		}
	}
	float_blank_nulls(column, out);
	return RF_OK;
}
