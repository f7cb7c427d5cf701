#include <stdlib.h>
#include <string.h>

#include "arith/arith.h"
#include "base/alloc.h"
#include "base/text.h"
#include "stream/convert.h"
#include "stream/value.h"

#define SECONDS_A_DAY ((int64_t)86400)

static enum rf_status
fail(const struct rf_field *field, const char *what, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	return rf_error_set(err, RF_EDATA, "column '%s': %s",
	    rf_text_quote(quoted, field->name, strlen(field->name)), what);
}

/* A unit as a ratio to the second: so many in one, or so many seconds. */
struct ratio {
	int64_t per_second, seconds;
};

static struct ratio
unit_ratio(int unit)
{
	if (unit == RF_UNIT_DAY)
		return (struct ratio){1, SECONDS_A_DAY};
	return (struct ratio){rf_unit_per_second((enum rf_time_unit)unit), 1};
}

/* Between units; to a coarser one downwards, to a finer one exactly. */
static void
convert_unit(int64_t *values, int64_t n, int from, int to)
{
	struct ratio a = unit_ratio(from), b = unit_ratio(to);
	int64_t up, down;

	if (from == to)
		return;
	up = b.per_second * a.seconds;
	down = a.per_second * b.seconds;
	/* One is a multiple of the other. */
	if (up >= down)
		for (int64_t i = 0; i < n; i++)
			values[i] = rf_saturating_mul(values[i], up / down);
	else
		for (int64_t i = 0; i < n; i++)
			values[i] = rf_floor_div(values[i], down / up);
}

static void
copy_integers(const struct rf_column *column, int64_t *out)
{
	const int32_t *narrow = column->values;

	if (column->field->type == RF_TYPE_DATE32 ||
	    column->field->type == RF_TYPE_TIME32 ||
	    (column->field->type == RF_TYPE_DECIMAL &&
		column->field->width_bits == 32))
		for (int64_t row = 0; row < column->n_rows; row++)
			out[row] = narrow[row];
	else if (column->n_rows != 0)
		memcpy(
		    out, column->values, (size_t)column->n_rows * sizeof(*out));
}

/* Narrower integers are rare where int64 is wanted: one loop for all. */
static enum rf_status
take_integers(const struct rf_column *column, int64_t *out,
    const uint8_t *is_missing, struct rf_error *err)
{
	bool is_natural = column->field->type == RF_TYPE_UINT64;
	int64_t n_beyond = 0;

	if (rf_type_width(column->field->type) == sizeof(*out))
		copy_integers(column, out);
	else
		for (int64_t row = 0; row < column->n_rows; row++)
			out[row] = rf_column_int(column, row);
	if (rf_field_is_bool8(column->field))
		for (int64_t row = 0; row < column->n_rows; row++)
			out[row] = out[row] != 0;
	for (int64_t row = 0; is_natural && row < column->n_rows; row++)
		n_beyond += out[row] < 0 && !is_missing[row];
	if (n_beyond != 0)
		return fail(
		    column->field, "a whole number of 2^63 or more", err);
	return RF_OK;
}

static void
take_bits(const struct rf_column *column, int64_t *out)
{
	const uint8_t *bits = column->values;

	for (int64_t row = 0; row < column->n_rows; row++)
		out[row] = bits[row >> 3] >> (row & 7) & 1;
}

static void
take_floats(const struct rf_column *column, int64_t *out, uint8_t *is_missing)
{
	for (int64_t row = 0; row < column->n_rows; row++) {
		double value = rf_float_at(column, row);

		out[row] = rf_floor_int64(value);
		if (value != value)
			is_missing[row] = 1;
	}
}

/* Dates and timestamps; times and durations as whole seconds. */
static void
take_times(const struct rf_column *column, int unit, int64_t *out)
{
	const struct rf_field *field = column->field;

	copy_integers(column, out);
	switch ((int)field->type) {
	case RF_TYPE_DATE32:
		if (unit >= 0)
			convert_unit(out, column->n_rows, RF_UNIT_DAY, unit);
		break;
	case RF_TYPE_DATE64: /* milliseconds that say a day */
		convert_unit(out, column->n_rows, RF_UNIT_MS, RF_UNIT_DAY);
		if (unit >= 0)
			convert_unit(out, column->n_rows, RF_UNIT_DAY, unit);
		break;
	case RF_TYPE_TIMESTAMP:
		if (unit >= 0)
			convert_unit(
			    out, column->n_rows, (int)field->unit, unit);
		break;
	case RF_TYPE_TIME32:
	case RF_TYPE_TIME64:
	case RF_TYPE_DURATION:
		convert_unit(out, column->n_rows, (int)field->unit, RF_UNIT_S);
		break;
	}
}

static enum rf_status
take_decimals(
    const struct rf_column *column, int64_t *out, struct rf_error *err)
{
	const struct rf_field *field = column->field;
	size_t n = (size_t)column->n_rows;
	double *values;

	if (field->width_bits <= 64 && field->scale == 0) {
		copy_integers(column, out);
		return RF_OK;
	}
	values = rf_alloc(n, sizeof(*values));
	if (values == NULL)
		return rf_error_memory(err, n * sizeof(*values), "decimals");
	if (rf_column_to_float64(column, values, NULL, err) != RF_OK) {
		free(values);
		return RF_EDATA;
	}
	for (size_t row = 0; row < n; row++)
		out[row] = rf_floor_int64(values[row]);
	free(values);
	return RF_OK;
}

static enum rf_status
take_values(const struct rf_column *column, int unit, int64_t *out,
    uint8_t *is_missing, struct rf_error *err)
{
	switch ((int)column->field->type) {
	case RF_TYPE_NULL:
		memset(is_missing, 1, (size_t)column->n_rows);
		return RF_OK;
	case RF_TYPE_BOOL:
		take_bits(column, out);
		return RF_OK;
	case RF_TYPE_FLOAT16:
	case RF_TYPE_FLOAT32:
	case RF_TYPE_FLOAT64:
		take_floats(column, out, is_missing);
		return RF_OK;
	case RF_TYPE_DECIMAL:
		return take_decimals(column, out, err);
	case RF_TYPE_DATE32:
	case RF_TYPE_DATE64:
	case RF_TYPE_TIMESTAMP:
	case RF_TYPE_TIME32:
	case RF_TYPE_TIME64:
	case RF_TYPE_DURATION:
		take_times(column, unit, out);
		return RF_OK;
	}
	if (rf_type_is_integer(column->field->type))
		return take_integers(column, out, is_missing, err);
	return rf_field_not_numeric(column->field, err);
}

static enum rf_status
by_dictionary(const struct rf_column *column, int unit, int64_t *out,
    uint8_t *is_missing, struct rf_error *err)
{
	const struct rf_column *entries = column->dictionary;
	size_t n = (size_t)entries->n_rows;
	int64_t *values = rf_alloc(n, sizeof(*values));
	uint8_t *is_gone = rf_alloc(n, 1);
	enum rf_status status;

	if (values == NULL || is_gone == NULL)
		status =
		    rf_error_memory(err, n * sizeof(*values), "a dictionary");
	else
		status =
		    rf_column_to_int64(entries, unit, values, is_gone, err);
	for (int64_t row = 0; status == RF_OK && row < column->n_rows; row++) {
		int64_t code;

		if (is_missing[row])
			continue;
		code = rf_column_int(column, row);
		out[row] = values[code];
		is_missing[row] = is_gone[code];
	}
	free(is_gone);
	free(values);
	return status;
}

enum rf_status
rf_column_to_int64(const struct rf_column *column, int unit, int64_t *out,
    uint8_t *is_missing, struct rf_error *err)
{
	memset(is_missing, 0, (size_t)column->n_rows);
	for (int64_t row = rf_next_null(column, 0); row < column->n_rows;
	     row = rf_next_null(column, row + 1))
		is_missing[row] = 1;
	if (rf_type_is_nested(column->field->type))
		return rf_field_not_numeric(column->field, err);
	if (!column->field->is_dictionary)
		RF_TRY(take_values(column, unit, out, is_missing, err));
	else if (column->dictionary != NULL)
		RF_TRY(by_dictionary(column, unit, out, is_missing, err));
	else /* none was sent: all are null */
		memset(is_missing, 1, (size_t)column->n_rows);
	for (int64_t row = 0; row < column->n_rows; row++)
		out[row] = is_missing[row] ? 0 : out[row];
	return RF_OK;
}
