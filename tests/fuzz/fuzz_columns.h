/* The use of all columns that a reader gives, in every way there is. */
#ifndef RF_TESTS_FUZZ_COLUMNS_H
#define RF_TESTS_FUZZ_COLUMNS_H

#include "fuzz.h"
#include "stream/arrow_read.h"
#include "stream/convert.h"

/* More rows take time and tell nothing. */
#define FUZZ_ROWS ((int64_t)1 << 16)

static volatile uint64_t fuzz_sum;

/* Touches what the reader says is there. */
static inline void
fuzz_touch(const struct rf_column *column)
{
	const uint8_t *bytes = column->data.data;

	for (int64_t i = 0; i < column->data.size; i++)
		fuzz_sum += bytes[i];
	for (int64_t row = 0; row < column->n_rows; row++)
		fuzz_sum += rf_column_is_valid(column, row);
	for (size_t i = 0; i < column->n_children; i++)
		fuzz_touch(&column->children[i]);
	if (column->dictionary != NULL)
		fuzz_touch(column->dictionary);
}

static inline void
fuzz_convert(const struct rf_column *column)
{
	static double values[FUZZ_ROWS];
	static uint8_t is_missing[FUZZ_ROWS];
	struct rf_vocabulary *vocabulary = NULL;
	struct rf_error err;
	bool beyond;

	if (column->n_rows > FUZZ_ROWS ||
	    rf_field_kind(column->field) == RF_FEATURE_NONE)
		return;
	if (rf_field_kind(column->field) == RF_FEATURE_CATEGORICAL) {
		if (rf_vocabulary_new(&vocabulary, &err) != RF_OK)
			abort();
		fuzz_check(rf_column_to_codes(
		    column, vocabulary, true, (int32_t *)values, &err));
		rf_vocabulary_free(vocabulary);
		return;
	}
	fuzz_check(rf_column_to_float64(column, values, &beyond, &err));
	fuzz_check(rf_column_to_float32(column, (float *)values, &err));
	fuzz_check(rf_column_to_int64(
	    column, -1, (int64_t *)values, is_missing, &err));
}

/* Reads to the end or to what is wrong, and closes the reader. */
static inline void
fuzz_read(struct rf_reader *reader)
{
	struct rf_batch batch;
	struct rf_error err;

	while (rf_reader_next(reader, &batch, &err) == RF_OK &&
	    batch.columns != NULL)
		for (size_t i = 0; i < batch.n_columns; i++) {
			fuzz_touch(&batch.columns[i]);
			fuzz_convert(&batch.columns[i]);
		}
	rf_reader_close(reader);
}

#endif
