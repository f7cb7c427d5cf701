#include "table/cell_text.h"

#include <inttypes.h>
#include <string.h>

#include "stream/value.h"
#include "table/digits.h"

bool
rf_cell_text_can(const struct rf_field *field)
{
	if (field->is_dictionary)
		return true;
	if (!rf_type_is_nested(field->type))
		return field->type != RF_TYPE_INT128;
	if (field->type != RF_TYPE_LIST && field->type != RF_TYPE_LARGE_LIST &&
	    field->type != RF_TYPE_STRUCT)
		return false;
	for (size_t i = 0; i < field->n_children; i++)
		if (!rf_cell_text_can(&field->children[i]))
			return false;
	return true;
}

static void
put_double(struct rf_text *out, double value)
{
	char text[RF_DIGITS_SIZE];

	rf_text_append(out, text, rf_digits_double(text, value));
}

static void
put_float(struct rf_text *out, float value)
{
	char text[RF_DIGITS_SIZE];

	rf_text_append(out, text, rf_digits_float(text, value));
}

static void
put_hex(struct rf_text *out, struct rf_bytes bytes)
{
	static const char digits[] = "0123456789abcdef";

	for (int64_t i = 0; i < bytes.size; i++) {
		char pair[2] = {
		    digits[bytes.data[i] >> 4], digits[bytes.data[i] & 15]};

		rf_text_append(out, pair, 2);
	}
}

static void
put_interval(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	const char *values = column->values;
	int32_t part[2];
	int64_t nanoseconds;
	uint64_t size;

	switch ((int)column->field->unit) {
	case 0:
		memcpy(part, values + 4 * row, 4);
		rf_text_printf(out, "P%" PRId32 "M", part[0]);
		return;
	case 1:
		memcpy(part, values + 8 * row, 8);
		rf_text_printf(out, "P%" PRId32 "D", part[0]);
		if (part[1] != 0) {
			rf_text_puts(out, "T");
			put_double(out, part[1] / 1000.0);
			rf_text_puts(out, "S");
		}
		return;
	}
	memcpy(part, values + 16 * row, 8);
	memcpy(&nanoseconds, values + 16 * row + 8, 8);
	rf_text_printf(out, "P%" PRId32 "M%" PRId32 "D", part[0], part[1]);
	/* the sign by itself: -0.5 s have no whole second to carry it */
	size =
	    nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
	if (nanoseconds != 0)
		rf_text_printf(out, "T%s%" PRIu64 ".%09" PRIu64 "S",
		    nanoseconds < 0 ? "-" : "", size / 1000000000,
		    size % 1000000000);
}

static void
put_date64(struct rf_text *out, int64_t value)
{
	if (value % 86400000 == 0)
		rf_date_text(out, value / 86400000);
	else
		rf_timestamp_text(out, value, RF_UNIT_MS, false);
}

/* A JSON string. */
static void
put_string(struct rf_text *out, struct rf_bytes bytes)
{
	rf_text_puts(out, "\"");
	for (int64_t i = 0; i < bytes.size; i++) {
		char c = (char)bytes.data[i];

		if (c == '"' || c == '\\')
			rf_text_printf(out, "\\%c", c);
		else if ((unsigned char)c < 0x20)
			rf_text_printf(out, "\\u%04x", (unsigned)c);
		else
			rf_text_append(out, &c, 1);
	}
	rf_text_puts(out, "\"");
}

/* Whether the text of such a value stands by itself in JSON. */
static bool
is_bare(const struct rf_field *field)
{
	switch ((int)field->type) {
	case RF_TYPE_BOOL:
	case RF_TYPE_DECIMAL:
	case RF_TYPE_FLOAT16:
	case RF_TYPE_FLOAT32:
	case RF_TYPE_FLOAT64:
	case RF_TYPE_LIST:
	case RF_TYPE_LARGE_LIST:
	case RF_TYPE_STRUCT:
		return true;
	}
	return rf_type_is_integer(field->type);
}

/* JSON has no infinity; its readers that know one know it by this name. */
static void
put_bare(struct rf_text *out, const struct rf_text *value)
{
	size_t n = value->size;

	if (n >= 3 && memcmp(value->data + n - 3, "inf", 3) == 0)
		rf_text_puts(out, n > 3 ? "-Infinity" : "Infinity");
	else
		rf_text_append(out, value->data, n);
}

static void
put_json(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	struct rf_text value = {0};

	if (!rf_column_is_valid(column, row) ||
	    column->field->type == RF_TYPE_NULL ||
	    !rf_cell_text(&value, column, row))
		rf_text_puts(out, "null");
	else if (is_bare(column->field))
		put_bare(out, &value);
	else
		put_string(out,
		    (struct rf_bytes){
			(const uint8_t *)value.data, (int64_t)value.size});
	out->failed |= value.failed;
	rf_text_release(&value);
}

static void
put_list(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	int64_t first, end;

	rf_column_list(column, row, &first, &end);
	rf_text_puts(out, "[");
	for (int64_t i = first; i < end; i++) {
		if (i > first)
			rf_text_puts(out, ", ");
		put_json(out, &column->children[0], i);
	}
	rf_text_puts(out, "]");
}

static void
put_struct(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	rf_text_puts(out, "{");
	for (size_t i = 0; i < column->n_children; i++) {
		const char *name = column->field->children[i].name;

		if (i > 0)
			rf_text_puts(out, ", ");
		put_string(out,
		    (struct rf_bytes){
			(const uint8_t *)name, (int64_t)strlen(name)});
		rf_text_puts(out, ": ");
		put_json(out, &column->children[i], row);
	}
	rf_text_puts(out, "}");
}

static void
put_text(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	struct rf_bytes bytes;

	if (!rf_column_text(column, row, &bytes))
		return;
	if (rf_type_is_text(column->field->type))
		rf_text_append(out, bytes.data, (size_t)bytes.size);
	else
		put_hex(out, bytes);
}

static void
put_int(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	int64_t value = rf_column_int(column, row);
	char text[RF_DIGITS_SIZE];
	size_t size;

	if (column->field->type == RF_TYPE_UINT64)
		size = rf_digits_uint(text, (uint64_t)value);
	else
		size = rf_digits_int(text, value);
	rf_text_append(out, text, size);
}

/* A boolean where the extension type says so. */
static void
put_int8(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	if (!rf_field_is_bool8(column->field))
		put_int(out, column, row);
	else
		rf_text_puts(
		    out, rf_column_int(column, row) != 0 ? "true" : "false");
}

static int64_t
int_at(const struct rf_column *column, int64_t row, bool is_32)
{
	return is_32 ? ((const int32_t *)column->values)[row]
		     : ((const int64_t *)column->values)[row];
}

static void
put_time(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	const struct rf_field *field = column->field;
	bool is_32 =
	    field->type == RF_TYPE_DATE32 || field->type == RF_TYPE_TIME32;
	int64_t value = int_at(column, row, is_32);

	switch ((int)field->type) {
	case RF_TYPE_DATE32:
		rf_date_text(out, value);
		return;
	case RF_TYPE_DATE64:
		put_date64(out, value);
		return;
	case RF_TYPE_TIME32:
	case RF_TYPE_TIME64:
		rf_time_text(out, value, field->unit);
		return;
	case RF_TYPE_TIMESTAMP:
		rf_timestamp_text(
		    out, value, field->unit, field->timezone != NULL);
		return;
	}
	rf_duration_text(out, value, field->unit);
}

static void
put_decimal(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	const uint8_t *bytes = column->values;
	size_t width = (size_t)column->field->width_bits / 8;

	rf_big_decimal_text(
	    out, bytes + (size_t)row * width, width, column->field->scale);
}

/* Nothing of the types that are refused before. */
static void
put_value(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	const uint8_t *bytes = column->values;

	switch (column->field->type) {
	case RF_TYPE_BOOL:
		rf_text_puts(out,
		    (bytes[row >> 3] >> (row & 7) & 1) != 0 ? "true" : "false");
		return;
	case RF_TYPE_FLOAT16:
	case RF_TYPE_FLOAT64:
		put_double(out, rf_float_at(column, row));
		return;
	case RF_TYPE_FLOAT32:
		put_float(out, ((const float *)column->values)[row]);
		return;
	case RF_TYPE_DECIMAL:
		put_decimal(out, column, row);
		return;
	case RF_TYPE_INTERVAL:
		put_interval(out, column, row);
		return;
	case RF_TYPE_LIST:
	case RF_TYPE_LARGE_LIST:
		put_list(out, column, row);
		return;
	case RF_TYPE_STRUCT:
		put_struct(out, column, row);
		return;
	case RF_TYPE_DATE32:
	case RF_TYPE_DATE64:
	case RF_TYPE_TIME32:
	case RF_TYPE_TIME64:
	case RF_TYPE_TIMESTAMP:
	case RF_TYPE_DURATION:
		put_time(out, column, row);
		return;
	case RF_TYPE_INT8:
		put_int8(out, column, row);
		return;
	case RF_TYPE_INT16:
	case RF_TYPE_INT32:
	case RF_TYPE_INT64:
	case RF_TYPE_UINT8:
	case RF_TYPE_UINT16:
	case RF_TYPE_UINT32:
	case RF_TYPE_UINT64:
		put_int(out, column, row);
		return;
	case RF_TYPE_UTF8:
	case RF_TYPE_LARGE_UTF8:
	case RF_TYPE_UTF8_VIEW:
	case RF_TYPE_BINARY:
	case RF_TYPE_LARGE_BINARY:
	case RF_TYPE_BINARY_VIEW:
	case RF_TYPE_FIXED_BINARY:
		put_text(out, column, row);
		return;
	case RF_TYPE_NULL:
	case RF_TYPE_FIXED_LIST:
	case RF_TYPE_MAP:
	case RF_TYPE_UNION:
	case RF_TYPE_RUN_END:
	case RF_TYPE_LIST_VIEW:
	case RF_TYPE_LARGE_LIST_VIEW:
	case RF_TYPE_INT128:
		return;
	}
}

bool
rf_cell_text(struct rf_text *out, const struct rf_column *column, int64_t row)
{
	if (column->field->is_dictionary) {
		int64_t code = rf_column_int(column, row);

		if (column->dictionary == NULL ||
		    !rf_column_is_valid(column->dictionary, code))
			return false;
		column = column->dictionary;
		row = code;
	}
	if (column->field->type == RF_TYPE_NULL)
		return false;
	put_value(out, column, row);
	return true;
}
