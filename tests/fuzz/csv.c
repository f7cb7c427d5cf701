/*
 * Any bytes as CSV files, by options that their first three bytes choose: the
 * end is a stream or RF_EDATA, without a fault of memory.
 */
#include "fuzz.h"
#include "table/csv.h"

static const char *const types[] = {
    "1=date", "1=timestamp[ms]", "1=boolean", "1=text"};

static void
choose_columns(struct rf_csv_options *options, unsigned bits)
{
	options->label = (bits & 1) != 0 ? "1" : NULL;
	options->task = (bits & 2) != 0 ? "classification" : "regression";
	options->no_header = (bits & 4) != 0;
	options->trim = (bits & 8) != 0;
	options->point = (bits & 16) != 0 ? ',' : '.';
	options->ragged = (bits & 32) != 0 ? RF_RAGGED_PAD
	    : (bits & 64) != 0		   ? RF_RAGGED_DROP
					   : RF_RAGGED_ERROR;
	options->describe = (bits & 128) != 0;
}

static void
choose_text(struct rf_csv_options *options, unsigned bits)
{
	static const char delimiters[] = {0, 0, 0, ',', '\t', '|', ' ', ' '};

	options->encoding = (enum rf_encoding)(bits % 7);
	options->delimiter = delimiters[bits >> 3 & 7];
	options->has_runs = (bits >> 3 & 7) == 7;
	options->bad_cells =
	    (bits & 64) != 0 ? RF_BAD_CELLS_MISSING : RF_BAD_CELLS_ERROR;
	options->only_these_missing = (bits & 128) != 0;
}

static void
choose_cells(struct rf_csv_options *options, unsigned bits)
{
	static const char thousands[] = {0, 0, ',', '.', '\'', ' ', '_', 0};

	options->format = RF_FORMAT_CSV;
	options->thousands = thousands[bits & 7];
	options->skip_lines = bits >> 3 & 1;
	options->types = &types[bits >> 4 & 3];
	options->n_types = bits >> 6 & 1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rf_csv_options options = {0};
	struct rf_csv_file files[2] = {{.name = "one"}, {.name = "two"}};
	struct rf_error err;
	size_t n_files, cut;
	int out;

	if (size < 3)
		return 0;
	choose_columns(&options, data[0]);
	choose_text(&options, data[1]);
	choose_cells(&options, data[2]);
	n_files = data[2] >> 7 != 0 ? 2 : 1;
	cut = n_files == 1 ? size - 3 : (size - 3) / 2;
	files[0].fd = fuzz_file(data + 3, cut);
	files[1].fd = fuzz_file(data + 3 + cut, size - 3 - cut);
	out = fuzz_null();
	fuzz_check(rf_csv_convert(&options, files, n_files, out, "out", &err));
	close(files[0].fd);
	close(files[1].fd);
	close(out);
	return 0;
}
