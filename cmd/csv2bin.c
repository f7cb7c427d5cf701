#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "like.h"
#include "options.h"
#include "stream/sparse.h"
#include "table/csv.h"
#include "tool.h"

enum {
	O_NO_HEADER = RF_OPTION_OWN,
	O_DELIMITER,
	O_ENCODING,
	O_DECIMAL,
	O_NA,
	O_ONLY_NA,
	O_TRIM,
	O_SKIP_LINES,
	O_TASK,
	O_TYPE,
	O_COLUMNS,
	O_ID,
	O_WEIGHT,
	O_FOLD,
	O_ROW0,
	O_RAGGED,
	O_THOUSANDS,
	O_BAD_CELLS,
	O_DESCRIBE,
	O_LIKE,
	O_FORMAT,
	O_ZERO_BASED,
	O_N_FEATURES,
	O_LAYOUT,
};

static const struct rf_option own[] = {
    {O_TASK, 0, "task", "classification|regression",
	"what a label of whole numbers is for"},
    {O_ID, 0, "id", "COLUMN", "passed on as the rows' name"},
    {O_WEIGHT, 0, "weight", "COLUMN", "sample weights"},
    {O_FOLD, 0, "fold", "COLUMN", "fold numbers"},
    {O_COLUMNS, 0, "columns", "LIST",
	"only these columns, or all but those after a '!' [all]"},
    {O_TYPE, 0, "type", "COLUMN=TYPE",
	"number, integer, category, text, boolean, date or timestamp"},
    {O_LIKE, 0, "like", "MODEL",
	"columns, types, words and label of a packed forest"},
    {O_NO_HEADER, 0, "no-header", NULL,
	"the first record is data; columns are V1, V2 .."},
    {O_DELIMITER, 0, "delimiter", "C",
	"between cells [comma, tab, semicolon, pipe or spaces, recognised]"},
    {O_ENCODING, 0, "encoding", "NAME",
	"utf-8, utf-16, utf-16le, utf-16be, latin1 or windows-1252 [utf-8]"},
    {O_DECIMAL, 0, "decimal", "C", "decimal point, or comma [.]"},
    {O_THOUSANDS, 0, "thousands", "C", "between groups of three digits [none]"},
    {O_NA, 0, "na", "WORD", "one more word for a missing cell"},
    {O_ONLY_NA, 0, "only-na", NULL, "no word but those of --na means missing"},
    {O_TRIM, 0, "trim", NULL, "blanks around cells do not count"},
    {O_SKIP_LINES, 0, "skip-lines", "N", "leave out the first N lines [0]"},
    {O_RAGGED, 0, "ragged", "error|pad|drop",
	"rows with too few or too many cells [error]"},
    {O_FORMAT, 0, "format", "csv|libsvm", "how the text is written [by it]"},
    {O_ZERO_BASED, 0, "zero-based", NULL,
	"libsvm: the first index is 0 and not 1"},
    {O_N_FEATURES, 0, "n-features", "N",
	"libsvm: number of features [by the highest index]"},
    {O_LAYOUT, 0, "layout", "dense|sparse",
	"libsvm: columns, or lists of what is not 0 [by their share]"},
    {O_BAD_CELLS, 0, "bad-cells", "error|missing",
	"cells that are not of their column's type [error]"},
    {O_DESCRIBE, 0, "describe", NULL,
	"no stream, but a text of what each column holds"},
    {O_ROW0, 0, "row0", "N", "number of the first row, for parts of a table"},
    {0},
};

static const struct rf_tool tool = {
    .name = "csv2bin",
    .synopsis = "[options] [FILE ...]",
    .summary = "turn CSV, TSV or libsvm, plain or gzip, into a data stream",
    .common = "olt",
    .options = own,
    .min_operands = 0,
    .max_operands = -1,
};

/* Texts of options that may be repeated; as many as arguments at most. */
struct lists {
	const char **types, **missing;
	const char *like; /* the model, or NULL */
};

static void
set_delimiter(const struct rf_options *options, const char *value,
    struct rf_csv_options *csv)
{
	struct rf_error err = {0};

	csv->has_runs = strcmp(value, "spaces") == 0;
	if (rf_csv_delimiter(csv->has_runs ? "space" : value, &csv->delimiter,
		&err) != RF_OK)
		rf_options_fail(options, "%s", err.message);
}

static void
set_encoding(const struct rf_options *options, const char *value,
    struct rf_csv_options *csv)
{
	struct rf_error err = {0};

	if (rf_encoding_of_name(value, &csv->encoding, &err) != RF_OK)
		rf_options_fail(options, "%s", err.message);
}

static void
set_libsvm(const struct rf_options *options, int id, const char *value,
    struct rf_csv_options *csv)
{
	switch (id) {
	case O_ZERO_BASED:
		csv->zero_based = true;
		break;
	case O_N_FEATURES:
		csv->n_features =
		    rf_options_int(options, value, 1, RF_SPARSE_MOST);
		break;
	case O_LAYOUT:
		csv->layout =
		    rf_options_word(options, value, "dense|sparse") == 0
		    ? RF_LAYOUT_DENSE
		    : RF_LAYOUT_SPARSE;
		break;
	}
}

/* The options of how the table is written. */
static void
set_dialect(const struct rf_options *options, int id, const char *value,
    struct rf_csv_options *csv, struct lists *lists)
{
	switch (id) {
	case O_NO_HEADER:
		csv->no_header = true;
		break;
	case O_DELIMITER:
		set_delimiter(options, value, csv);
		break;
	case O_ENCODING:
		set_encoding(options, value, csv);
		break;
	case O_DECIMAL:
		if (strcmp(value, ".") != 0 && strcmp(value, ",") != 0)
			rf_options_fail(options,
			    "--decimal: '%s' is neither '.' nor ','", value);
		csv->point = value[0];
		break;
	case O_THOUSANDS:
		if (value[0] == '\0' || value[1] != '\0' ||
		    strchr(",. '_", value[0]) == NULL)
			rf_options_fail(options,
			    "--thousands: '%s' is none of , . ' _ and the "
			    "blank",
			    value);
		csv->thousands = value[0];
		break;
	case O_BAD_CELLS:
		csv->bad_cells = (enum rf_bad_cells)rf_options_word(
		    options, value, "error|missing");
		break;
	case O_NA:
		lists->missing[csv->n_missing++] = value;
		break;
	case O_ONLY_NA:
		csv->only_these_missing = true;
		break;
	case O_TRIM:
		csv->trim = true;
		break;
	case O_SKIP_LINES:
		csv->skip_lines = rf_options_int(options, value, 0, INT64_MAX);
		break;
	case O_RAGGED:
		csv->ragged = (enum rf_ragged)rf_options_word(
		    options, value, "error|pad|drop");
		break;
	default:
		set_libsvm(options, id, value, csv);
		break;
	}
}

/* The options of what its columns are. */
static void
set_columns(const struct rf_options *options, int id, const char *value,
    struct rf_csv_options *csv, struct lists *lists)
{
	switch (id) {
	case 'l':
		csv->label = value;
		break;
	case O_TASK:
		csv->task = rf_options_word(options, value,
				"classification|regression") == 0
		    ? "classification"
		    : "regression";
		break;
	case O_ID:
		csv->id = value;
		break;
	case O_WEIGHT:
		csv->weight = value;
		break;
	case O_FOLD:
		csv->fold = value;
		break;
	case O_COLUMNS:
		csv->columns = value;
		break;
	case O_TYPE:
		lists->types[csv->n_types++] = value;
		break;
	case O_LIKE:
		lists->like = value;
		break;
	case O_ROW0:
		csv->row0 = rf_options_int(options, value, 0, INT64_MAX);
		csv->has_row0 = true;
		break;
	case O_FORMAT:
		csv->format = rf_options_word(options, value, "csv|libsvm") == 0
		    ? RF_FORMAT_CSV
		    : RF_FORMAT_LIBSVM;
		break;
	case O_DESCRIBE:
		csv->describe = true;
		break;
	default:
		set_dialect(options, id, value, csv, lists);
		break;
	}
}

static int
n_threads(const struct rf_options *options)
{
	long n = options->common.threads;

	if (n == 0)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 64 ? 64 : (int)n;
}

/* The files of the table, open. */
struct files {
	struct rf_csv_file *files;
	size_t n;
};

static enum rf_status
open_files(const struct rf_run *run, struct files *files, struct rf_error *err)
{
	const struct rf_options *options = run->options;
	size_t n = options->n_operands > 0 ? (size_t)options->n_operands : 1;
	struct rf_input input;

	files->files = rf_alloc(n, sizeof(*files->files));
	if (files->files == NULL)
		return rf_error_memory(err, n, "files");
	for (; files->n < n; files->n++) {
		RF_TRY(
		    rf_tool_input(run, rf_tool_operand(options, (int)files->n),
			RF_TEXT, &input, err));
		files->files[files->n] =
		    (struct rf_csv_file){.fd = input.fd, .name = input.name};
	}
	return RF_OK;
}

static void
close_files(struct files *files)
{
	for (size_t i = 0; i < files->n; i++) {
		struct rf_input input = {
		    files->files[i].fd, files->files[i].name};

		rf_input_close(&input);
	}
	free(files->files);
}

int
main(int argc, char **argv)
{
	struct rf_options options;
	struct rf_csv_options csv = {0};
	struct rf_run run;
	struct files files = {0};
	struct rf_error err = {0};
	struct lists lists = {0};
	struct rf_like_model model = {0};
	enum rf_status status;
	const char *value;
	int id;

	lists.types = rf_alloc((size_t)argc, sizeof(*lists.types));
	lists.missing = rf_alloc((size_t)argc, sizeof(*lists.missing));
	if (lists.types == NULL || lists.missing == NULL) {
		fprintf(stderr, "%s: out of memory\n", tool.name);
		return RF_ENOMEM;
	}
	rf_options_init(&options, &tool, argc, argv);
	while ((id = rf_options_next(&options, &value)) > 0)
		set_columns(&options, id, value, &csv, &lists);
	csv.types = lists.types;
	csv.missing = lists.missing;
	csv.n_threads = n_threads(&options);
	csv.verbose = options.common.verbose;
	if (csv.thousands != 0 &&
	    csv.thousands == (csv.point != 0 ? csv.point : '.'))
		rf_options_fail(&options,
		    "--thousands: '%c' is the decimal point (--decimal)",
		    csv.thousands);
	status = rf_tool_begin(
	    &run, &options, csv.describe ? RF_TEXT : RF_BINARY, &err);
	csv.log = &run.log;
	if (status == RF_OK && lists.like != NULL) {
		status = rf_like_load(&model, lists.like, &err);
		csv.like = &model.like;
		csv.like_name = lists.like;
	}
	if (status == RF_OK)
		status = open_files(&run, &files, &err);
	if (status == RF_OK)
		status = rf_csv_convert(
		    &csv, files.files, files.n, run.fd, run.name, &err);
	close_files(&files);
	rf_like_release(&model);
	free(lists.types);
	free(lists.missing);
	return rf_tool_finish(&run, status, &err);
}
