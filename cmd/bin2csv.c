#include <string.h>

#include "base/text.h"
#include "options.h"
#include "table/csv.h"
#include "table/print.h"
#include "tool.h"

enum {
	O_DELIMITER = RF_OPTION_OWN,
	O_NO_HEADER,
	O_NA,
	O_NO_EOS,
};

static const struct rf_option own[] = {
    {O_DELIMITER, 0, "delimiter", "C", "between cells [,]"},
    {O_NO_HEADER, 0, "no-header", NULL, "leave out the line of names"},
    {O_NA, 0, "na", "WORD", "what a missing cell is written as [nothing]"},
    {O_NO_EOS, 0, "no-eos", NULL,
	"take a stream without an end mark for whole"},
    {0},
};

static const struct rf_tool tool = {
    .name = "bin2csv",
    .synopsis = "[options] [STREAM]",
    .summary = "turn any Arrow stream into CSV",
    .common = "o",
    .options = own,
    .min_operands = 0,
    .max_operands = 1,
};

static void
set_option(const struct rf_options *options, int id, const char *value,
    struct rf_print_options *print)
{
	struct rf_error err = {0};

	switch (id) {
	case O_DELIMITER:
		if (rf_csv_delimiter(value, &print->delimiter, &err) != RF_OK)
			rf_options_fail(options, "%s", err.message);
		break;
	case O_NO_HEADER:
		print->no_header = true;
		break;
	case O_NA:
		print->missing = value;
		break;
	case O_NO_EOS:
		print->no_eos = true;
		break;
	}
}

int
main(int argc, char **argv)
{
	struct rf_options options;
	struct rf_print_options print = {0};
	struct rf_run run;
	struct rf_input input = RF_INPUT_NONE;
	struct rf_error err = {0};
	enum rf_status status;
	char quoted[RF_QUOTED_SIZE];
	const char *value;
	int id;

	rf_options_init(&options, &tool, argc, argv);
	while ((id = rf_options_next(&options, &value)) > 0)
		set_option(&options, id, value, &print);
	if (!rf_print_missing_can(&print))
		rf_options_fail(&options,
		    "--na: '%s' would need quotes, which only texts have",
		    rf_text_quote(
			quoted, print.missing, strlen(print.missing)));
	status = rf_tool_begin(&run, &options, RF_TEXT, &err);
	print.log = &run.log;
	print.verbose = options.common.verbose;
	if (status == RF_OK)
		status = rf_tool_input(&run, rf_tool_operand(&options, 0),
		    RF_BINARY, &input, &err);
	if (status == RF_OK)
		status = rf_print_csv(
		    &print, input.fd, input.name, run.fd, run.name, &err);
	rf_input_close(&input);
	return rf_tool_finish(&run, status, &err);
}
