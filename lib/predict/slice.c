#include "predict/slice.h"

/* Bytes a value in `values`; 0 where there are none, or bits. */
static size_t
width_of(const struct rf_field *field)
{
	if (field->is_dictionary)
		return rf_type_width(field->index_type);
	if (field->type == RF_TYPE_UTF8_VIEW ||
	    field->type == RF_TYPE_BINARY_VIEW)
		return 16;
	return rf_field_width(field);
}

struct rf_column
rf_column_slice(const struct rf_column *column, int64_t first, int64_t n_rows)
{
	struct rf_column out = *column;
	const struct rf_field *field = column->field;
	bool is_large = field->type == RF_TYPE_LARGE_UTF8 ||
	    field->type == RF_TYPE_LARGE_BINARY;

	out.n_rows = n_rows;
	if (n_rows < column->n_rows && column->n_nulls != 0)
		out.n_nulls = -1;
	if (out.validity != NULL)
		out.validity += first / 8;
	if (out.values != NULL)
		out.values = (const char *)out.values +
		    (field->type == RF_TYPE_BOOL && !field->is_dictionary
			    ? (size_t)first / 8
			    : (size_t)first * width_of(field));
	if (out.offsets != NULL)
		out.offsets =
		    (const char *)out.offsets + first * (is_large ? 8 : 4);
	return out;
}
