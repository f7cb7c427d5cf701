/*
 * Any bytes as an Arrow stream: reading and converting it ends, without a fault
 * of memory.
 */
#include "fuzz_columns.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rf_reader_options options = {
	    .want_foreign = true, .want_dense = true};
	struct rf_reader *reader = NULL;
	struct rf_error err;

	if (rf_reader_open_memory(
		&reader, data, size, "input", &options, &err) == RF_OK)
		fuzz_read(reader);
	return 0;
}
