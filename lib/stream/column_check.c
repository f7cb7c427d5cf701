#include "stream/column_check.h"

#include <string.h>

/* The loops have no exit inside, so that they run in vector registers. */
bool
rf_check_offsets32(const void *offsets, int64_t n, int64_t *end)
{
	const int32_t *at = offsets;
	uint32_t falls = at[0] < 0;

	for (int64_t i = 0; i < n; i++)
		falls |= at[i + 1] < at[i];
	*end = at[n];
	return falls == 0;
}

bool
rf_check_offsets64(const void *offsets, int64_t n, int64_t *end)
{
	const int64_t *at = offsets;
	uint64_t falls = at[0] < 0;

	for (int64_t i = 0; i < n; i++)
		falls |= at[i + 1] < at[i];
	*end = at[n];
	return falls == 0;
}

static bool
is_view_inside(const struct rf_column *column, int64_t row)
{
	const uint8_t *view = (const uint8_t *)column->values + 16 * row;
	int32_t words[4];

	memcpy(words, view, sizeof(words));
	if (words[0] <= 12)
		return words[0] >= 0;
	return words[2] >= 0 && words[2] < column->n_views_data &&
	    words[3] >= 0 &&
	    (int64_t)words[3] + words[0] <= column->views_data[words[2]].size;
}

bool
rf_check_views(const struct rf_column *column)
{
	for (int64_t row = 0; row < column->n_rows; row++)
		if (rf_column_is_valid(column, row) &&
		    !is_view_inside(column, row))
			return false;
	return true;
}

/*
 * Largest code as an unsigned number, so that a negative one of a signed type
 * is large; nulls count too.
 */
#define DEFINE_LARGEST(name, type)                                             \
 static uint64_t name(const void *values, int64_t n)                           \
 {                                                                             \
  const type *codes = values;                                                  \
  type largest = 0;                                                            \
                                                                               \
  for (int64_t i = 0; i < n; i++)                                              \
   largest = codes[i] > largest ? codes[i] : largest;                          \
  return largest;                                                              \
 }

DEFINE_LARGEST(largest8, uint8_t)
DEFINE_LARGEST(largest16, uint16_t)
DEFINE_LARGEST(largest32, uint32_t)
DEFINE_LARGEST(largest64, uint64_t)

static uint64_t
largest_code(const struct rf_column *column)
{
	switch (rf_type_width(column->field->index_type)) {
	case 1:
		return largest8(column->values, column->n_rows);
	case 2:
		return largest16(column->values, column->n_rows);
	case 4:
		return largest32(column->values, column->n_rows);
	}
	return largest64(column->values, column->n_rows);
}

bool
rf_check_codes(const struct rf_column *column, int64_t n)
{
	if (column->n_rows == 0 || largest_code(column) < (uint64_t)n)
		return true;
	for (int64_t row = 0; row < column->n_rows; row++) {
		int64_t code;

		if (!rf_column_is_valid(column, row))
			continue;
		code = rf_column_int(column, row);
		if (code < 0 || code >= n)
			return false;
	}
	return true;
}

uint32_t
rf_field_n_buffers(const struct rf_field *field, int version)
{
	if (field->is_dictionary)
		return 2;
	switch ((int)field->type) {
	case RF_TYPE_NULL:
	case RF_TYPE_RUN_END:
		return 0;
	case RF_TYPE_STRUCT:
	case RF_TYPE_FIXED_LIST:
		return 1;
	case RF_TYPE_UTF8:
	case RF_TYPE_LARGE_UTF8:
	case RF_TYPE_BINARY:
	case RF_TYPE_LARGE_BINARY:
	case RF_TYPE_LIST_VIEW:
	case RF_TYPE_LARGE_LIST_VIEW:
		return 3;
	case RF_TYPE_UNION: /* V4 has a bitmap in front */
		return (version < 4) + (field->is_dense ? 2u : 1u);
	}
	return 2;
}
