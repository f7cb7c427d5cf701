/*
 * Any bytes as an Arrow stream: reading ends, without a fault of memory.
 */
#include "stream/arrow_read.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sum;

/* Touches what the reader says is there. */
static void
touch(const struct rf_column *column)
{
	const uint8_t *bytes = column->data.data;

	for (int64_t i = 0; i < column->data.size; i++)
		sum += bytes[i];
	for (int64_t row = 0; row < column->n_rows; row++)
		sum += rf_column_is_valid(column, row);
	for (size_t i = 0; i < column->n_children; i++)
		touch(&column->children[i]);
	if (column->dictionary != NULL)
		touch(column->dictionary);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rf_reader_options options = {.want_foreign = true};
	struct rf_reader *reader = NULL;
	struct rf_batch batch;
	struct rf_error err;

	if (rf_reader_open_memory(
		&reader, data, size, "input", &options, &err) != RF_OK)
		return 0;
	while (rf_reader_next(reader, &batch, &err) == RF_OK &&
	    batch.columns != NULL)
		for (size_t i = 0; i < batch.n_columns; i++)
			touch(&batch.columns[i]);
	rf_reader_close(reader);
	return 0;
}
