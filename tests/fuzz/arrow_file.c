/*
 * Any bytes as an Arrow file, by its footer, and as CSV: both end, without a
 * fault of memory.
 */
#include "fuzz_columns.h"
#include "table/print.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rf_reader_options options = {.want_foreign = true};
	struct rf_print_options print = {.delimiter = ';', .missing = "NA"};
	struct rf_reader *reader = NULL;
	struct rf_error err;
	int in = fuzz_file(data, size), out = fuzz_null();

	if (rf_reader_open(&reader, in, "in", &options, &err) == RF_OK)
		fuzz_read(reader);
	if (lseek(in, 0, SEEK_SET) != 0)
		abort();
	fuzz_check(rf_print_csv(&print, in, "in", out, "out", &err));
	close(in);
	close(out);
	return 0;
}
