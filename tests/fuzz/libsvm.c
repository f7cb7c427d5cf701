/*
 * Any bytes as a libsvm file, by options that their first byte chooses: the
 * end is a stream that can be read, dense, or RF_EDATA.
 */
#include "fuzz.h"
#include "stream/arrow_read.h"
#include "table/csv.h"

/* A width of a few MiB at most, so that inputs are read fast. */
static void
choose(struct rf_csv_options *options, unsigned bits)
{
	options->format = RF_FORMAT_LIBSVM;
	options->task = (bits & 1) != 0 ? "classification" : "regression";
	options->layout = (bits & 2) != 0 ? RF_LAYOUT_SPARSE
	    : (bits & 8) != 0		  ? RF_LAYOUT_DENSE
					  : RF_LAYOUT_BY_CELLS;
	options->zero_based = (bits & 4) != 0;
	options->n_features = 1 + bits;
}

static void
read_back(int fd)
{
	struct rf_reader_options options = {.kind = "data", .want_dense = true};
	struct rf_reader *reader = NULL;
	struct rf_batch batch;
	struct rf_error err;

	if (lseek(fd, 0, SEEK_SET) != 0 ||
	    rf_reader_open(&reader, fd, "out", &options, &err) != RF_OK)
		abort();
	do {
		if (rf_reader_next(reader, &batch, &err) != RF_OK)
			abort();
	} while (batch.columns != NULL);
	rf_reader_close(reader);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rf_csv_options options = {0};
	struct rf_csv_file file = {.name = "in"};
	struct rf_error err;
	enum rf_status status;
	int out;

	if (size == 0)
		return 0;
	choose(&options, data[0]);
	file.fd = fuzz_file(data + 1, size - 1);
	out = fuzz_file(NULL, 0);
	status = rf_csv_convert(&options, &file, 1, out, "out", &err);
	if (status == RF_OK)
		read_back(out);
	else if (status != RF_EDATA)
		abort();
	close(file.fd);
	close(out);
	return 0;
}
