/*
 * Any bytes as a CSV file, by options that their first byte chooses: the end
 * is a stream or RF_EDATA, without a fault of memory.
 */
#define _GNU_SOURCE /* memfd_create */
#include "table/csv.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
choose(struct rf_csv_options *options, unsigned bits)
{
	options->label = (bits & 1) != 0 ? "1" : NULL;
	options->task = (bits & 2) != 0 ? "classification" : "regression";
	options->no_header = (bits & 4) != 0;
	options->trim = (bits & 8) != 0;
	options->point = (bits & 16) != 0 ? ',' : '.';
	options->ragged = (bits & 32) != 0 ? RF_RAGGED_PAD
	    : (bits & 64) != 0		   ? RF_RAGGED_DROP
					   : RF_RAGGED_ERROR;
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
	file.fd = memfd_create("in", 0);
	out = open("/dev/null", O_WRONLY);
	if (file.fd < 0 || out < 0 ||
	    write(file.fd, data + 1, size - 1) != (ssize_t)(size - 1) ||
	    lseek(file.fd, 0, SEEK_SET) != 0)
		abort();
	status = rf_csv_convert(&options, &file, 1, out, "out", &err);
	if (status != RF_OK && status != RF_EDATA && status != RF_EUSAGE)
		abort();
	close(file.fd);
	close(out);
	return 0;
}
