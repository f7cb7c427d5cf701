/* Slices of columns: where they begin, and how many nulls they have. */
#include "stream/slice.h"

#include "unit.h"

static const char bytes[4096];

static void
check_slice(struct rf_field field, size_t value_bits, size_t offset_bytes,
    const char *name)
{
	struct rf_column column = {.field = &field,
	    .n_rows = 64,
	    .n_nulls = 3,
	    .validity = (const uint8_t *)bytes,
	    .values = value_bits != 0 ? bytes : NULL,
	    .offsets = offset_bytes != 0 ? bytes : NULL};
	struct rf_column slice = rf_column_slice(&column, 16, 24);
	const char *values = value_bits != 0 ? bytes + 2 * value_bits : NULL;
	const char *offsets =
	    offset_bytes != 0 ? bytes + 16 * offset_bytes : NULL;

	check(slice.n_rows == 24 && slice.n_nulls == -1 &&
		slice.validity == (const uint8_t *)bytes + 2 &&
		slice.values == values && slice.offsets == offsets,
	    name);
	slice = rf_column_slice(&column, 0, 64);
	check(slice.n_nulls == 3 && slice.values == column.values, name);
	column.n_nulls = 0;
	slice = rf_column_slice(&column, 16, 24);
	check_int(slice.n_nulls, 0, "no nulls stay none");
}

int
main(void)
{
	struct rf_field null = {.type = RF_TYPE_NULL};
	struct rf_column column = {.field = &null, .n_rows = 64, .n_nulls = 64};

	/* Arrow's columnar format: widths of values, and of offsets. */
	check_slice((struct rf_field){.type = RF_TYPE_BOOL}, 1, 0, "bool");
	check_slice((struct rf_field){.type = RF_TYPE_INT16}, 16, 0, "int16");
	check_slice(
	    (struct rf_field){.type = RF_TYPE_FLOAT64}, 64, 0, "double");
	check_slice(
	    (struct rf_field){.type = RF_TYPE_UTF8_VIEW}, 128, 0, "utf8_view");
	check_slice((struct rf_field){.type = RF_TYPE_UTF8}, 0, 4, "utf8");
	check_slice((struct rf_field){.type = RF_TYPE_LARGE_BINARY}, 0, 8,
	    "large_binary");
	check_slice((struct rf_field){.type = RF_TYPE_LIST}, 0, 4, "list");
	check_slice(
	    (struct rf_field){.type = RF_TYPE_LARGE_LIST}, 0, 8, "large_list");
	check_slice((struct rf_field){.type = RF_TYPE_BOOL,
			.is_dictionary = true,
			.index_type = RF_TYPE_INT8},
	    8, 0, "a dictionary's codes");
	check_int(rf_column_slice(&column, 8, 16).n_nulls, 16,
	    "of type null each row is one");
	return unit_end();
}
