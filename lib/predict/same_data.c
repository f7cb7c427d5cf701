#include "predict/same_data.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

/* Whether cells of two columns can be compared as they lie. */
static bool
are_comparable(const struct rf_field *a, const struct rf_field *b)
{
	if (rf_type_is_text(a->type))
		return rf_type_is_text(b->type);
	return a->type == b->type && a->unit == b->unit && !a->is_dictionary &&
	    !b->is_dictionary &&
	    (a->type == RF_TYPE_BOOL ||
		(rf_field_width(a) > 0 &&
		    rf_field_width(a) == rf_field_width(b)));
}

static bool
get_text(const struct rf_column *column, int64_t row, struct rf_bytes *out)
{
	return rf_column_is_valid(column, row) &&
	    rf_column_text(column, row, out);
}

static bool
are_equal_texts(
    const struct rf_column *a, int64_t i, const struct rf_column *b, int64_t j)
{
	struct rf_bytes x = {0}, y = {0};
	bool has_x = get_text(a, i, &x);

	if (has_x != get_text(b, j, &y))
		return false;
	return !has_x ||
	    (x.size == y.size &&
		(x.size == 0 || memcmp(x.data, y.data, (size_t)x.size) == 0));
}

static bool
are_equal_values(
    const struct rf_column *a, int64_t i, const struct rf_column *b, int64_t j)
{
	size_t width = rf_field_width(a->field);
	const unsigned char *x = a->values, *y = b->values;

	if (rf_column_is_valid(a, i) != rf_column_is_valid(b, j))
		return false;
	if (!rf_column_is_valid(a, i))
		return true;
	if (a->field->type == RF_TYPE_BOOL)
		return ((x[i / 8] >> (i % 8) ^ y[j / 8] >> (j % 8)) & 1) == 0;
	return memcmp(x + (size_t)i * width, y + (size_t)j * width, width) == 0;
}

/* The column of b called so, which mostly has the same place; NULL: none. */
static const struct rf_column *
find_column(const struct rf_tally_input *b, size_t k, const char *name)
{
	const struct rf_field *fields = rf_reader_schema(b->reader)->fields;

	for (size_t tried = 0; tried < b->n_kept; tried++) {
		size_t field = b->kept[(k + tried) % b->n_kept];

		if (strcmp(fields[field].name, name) == 0)
			return &b->batch.columns[field];
	}
	return NULL;
}

enum rf_status
rf_same_data(const struct rf_tally_input *a, int64_t at,
    const struct rf_tally_input *b, int64_t n, struct rf_error *err)
{
	for (size_t k = 0; k < a->n_kept; k++) {
		const struct rf_column *x = &a->batch.columns[a->kept[k]];
		const char *name = x->field->name;
		const struct rf_column *y = find_column(b, k, name);
		char quoted[RF_QUOTED_SIZE];
		int64_t i = 0, first = a->first + at;
		bool is_text = rf_type_is_text(x->field->type);

		if (y == NULL || !are_comparable(x->field, y->field))
			continue;
		while (i < n &&
		    (is_text ? are_equal_texts(x, first + i, y, b->first + i)
			     : are_equal_values(x, first + i, y, b->first + i)))
			i++;
		if (i < n)
			return rf_error_set(err, RF_EDATA,
			    "%s and %s are not of the same data: row %" PRIu64
			    " differs in column '%s'",
			    rf_reader_name(a->reader),
			    rf_reader_name(b->reader),
			    (uint64_t)rf_tally_input_row(b, i) + 1,
			    rf_text_quote(quoted, name, strlen(name)));
	}
	return RF_OK;
}
