/*
 * Any bytes as a forest stream: what is read is a forest that can be walked.
 */
#include "fuzz.h"
#include "forest/forest_read.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rf_reader_options options = {.kind = "forest"};
	struct rf_reader *reader = NULL;
	struct rf_forest forest;
	struct rf_error err;

	if (rf_reader_open_memory(
		&reader, data, size, "input", &options, &err) != RF_OK)
		return 0;
	if (rf_forest_read(reader, &forest, &err) == RF_OK)
		rf_forest_release(&forest);
	rf_reader_close(reader);
	return 0;
}
