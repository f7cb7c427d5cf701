#include "stream/batch.h"

#include <string.h>

int64_t
rf_column_n_nulls(const struct rf_column *column)
{
	int64_t n_valid = 0, whole = column->n_rows / 64;
	const uint8_t *bits = column->validity;

	if (column->n_nulls >= 0)
		return column->n_nulls;
	if (bits == NULL)
		return column->field->type == RF_TYPE_NULL &&
			!column->field->is_dictionary
		    ? column->n_rows
		    : 0;
	for (int64_t i = 0; i < whole; i++) {
		uint64_t word;

		memcpy(&word, bits + 8 * i, sizeof(word));
		n_valid += __builtin_popcountll(word);
	}
	for (int64_t row = 64 * whole; row < column->n_rows; row++)
		n_valid += bits[row >> 3] >> (row & 7) & 1;
	return column->n_rows - n_valid;
}

int64_t
rf_column_int(const struct rf_column *column, int64_t row)
{
	const void *values = column->values;
	enum rf_type type = column->field->is_dictionary
	    ? column->field->index_type
	    : column->field->type;

	switch ((int)type) {
	case RF_TYPE_INT8:
		return ((const int8_t *)values)[row];
	case RF_TYPE_INT16:
		return ((const int16_t *)values)[row];
	case RF_TYPE_INT32:
		return ((const int32_t *)values)[row];
	case RF_TYPE_UINT8:
		return ((const uint8_t *)values)[row];
	case RF_TYPE_UINT16:
		return ((const uint16_t *)values)[row];
	case RF_TYPE_UINT32:
		return ((const uint32_t *)values)[row];
	}
	return ((const int64_t *)values)[row];
}

/* A view: i32 size, then the bytes where they are at most 12, else 4 bytes of
 * prefix, i32 data buffer, i32 offset. */
static struct rf_bytes
view_text(const struct rf_column *column, int64_t row)
{
	const uint8_t *view = (const uint8_t *)column->values + 16 * row;
	int32_t size, buffer, offset;

	memcpy(&size, view, sizeof(size));
	if (size <= 12)
		return (struct rf_bytes){view + 4, size};
	memcpy(&buffer, view + 8, sizeof(buffer));
	memcpy(&offset, view + 12, sizeof(offset));
	return (struct rf_bytes){
	    column->views_data[buffer].data + offset, size};
}

static struct rf_bytes
offset_text(const struct rf_column *column, int64_t first, int64_t end)
{
	if (first == end) /* data may be NULL */
		return (struct rf_bytes){(const uint8_t *)"", 0};
	return (struct rf_bytes){column->data.data + first, end - first};
}

bool
rf_column_text(
    const struct rf_column *column, int64_t row, struct rf_bytes *out)
{
	const int32_t *offsets = column->offsets;
	const int64_t *large = column->offsets;
	size_t width;

	if (column->field->is_dictionary) {
		int64_t code = rf_column_int(column, row);

		return rf_column_is_valid(column->dictionary, code) &&
		    rf_column_text(column->dictionary, code, out);
	}
	switch ((int)column->field->type) {
	case RF_TYPE_UTF8:
	case RF_TYPE_BINARY:
		*out = offset_text(column, offsets[row], offsets[row + 1]);
		return true;
	case RF_TYPE_LARGE_UTF8:
	case RF_TYPE_LARGE_BINARY:
		*out = offset_text(column, large[row], large[row + 1]);
		return true;
	case RF_TYPE_UTF8_VIEW:
	case RF_TYPE_BINARY_VIEW:
		*out = view_text(column, row);
		return true;
	case RF_TYPE_FIXED_BINARY:
		width = rf_field_width(column->field);
		*out = (struct rf_bytes){
		    (const uint8_t *)column->values + (size_t)row * width,
		    (int64_t)width};
		return true;
	}
	return false;
}

void
rf_column_list(
    const struct rf_column *column, int64_t row, int64_t *first, int64_t *end)
{
	if (column->field->type == RF_TYPE_LARGE_LIST) {
		const int64_t *offsets = column->offsets;

		*first = offsets[row];
		*end = offsets[row + 1];
	} else {
		const int32_t *offsets = column->offsets;

		*first = offsets[row];
		*end = offsets[row + 1];
	}
}
