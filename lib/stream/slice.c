#include "stream/slice.h"

/* Bytes a value in `values`; 0 where there are none, or bits. */
static int64_t
value_width(const struct rf_field *field)
{
	if (field->is_dictionary)
		return (int64_t)rf_type_width(field->index_type);
	if (field->type == RF_TYPE_UTF8_VIEW ||
	    field->type == RF_TYPE_BINARY_VIEW)
		return 16;
	return (int64_t)rf_field_width(field);
}

static int64_t
offset_width(const struct rf_field *field)
{
	return field->type == RF_TYPE_LARGE_UTF8 ||
		field->type == RF_TYPE_LARGE_BINARY ||
		field->type == RF_TYPE_LARGE_LIST
	    ? 8
	    : 4;
}

/* -1: to be counted by the bitmap. */
static int64_t
nulls_of(const struct rf_column *column, int64_t n_rows)
{
	if (n_rows == column->n_rows || column->n_nulls == 0)
		return column->n_nulls;
	if (column->validity != NULL)
		return -1;
	return column->field->type == RF_TYPE_NULL ? n_rows : 0;
}

struct rf_column
rf_column_slice(const struct rf_column *column, int64_t first, int64_t n_rows)
{
	struct rf_column out = *column;
	const struct rf_field *field = column->field;
	bool has_bits = field->type == RF_TYPE_BOOL && !field->is_dictionary;

	out.n_rows = n_rows;
	out.n_nulls = nulls_of(column, n_rows);
	if (out.validity != NULL)
		out.validity += first / 8;
	if (out.values != NULL)
		out.values = (const uint8_t *)out.values +
		    (has_bits ? first / 8 : first * value_width(field));
	if (out.offsets != NULL)
		out.offsets =
		    (const uint8_t *)out.offsets + first * offset_width(field);
	return out;
}
