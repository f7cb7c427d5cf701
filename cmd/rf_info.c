#include <stdio.h>

#include "forest/info.h"
#include "tool.h"

enum { O_JSON = RF_OPTION_OWN, O_DEVICES };

static const struct rf_option own[] = {
    {O_JSON, 0, "json", NULL, "one line of JSON"},
    {O_DEVICES, 0, "devices", NULL, "what this machine would compute with"},
    {0},
};

static const struct rf_tool tool = {
    .name = "rf-info",
    .synopsis = "[options] [FILE]\n--devices [options]",
    .summary = "say what a stream or a model file is, verified",
    .common = "o",
    .options = own,
    .max_operands = 1,
};

struct settings {
	bool json, devices;
};

static void
parse(struct rf_options *options, struct settings *settings, int argc,
    char **argv)
{
	const char *value;
	int id;

	rf_options_init(options, &tool, argc, argv);
	while ((id = rf_options_next(options, &value)) > 0)
		switch (id) {
		case O_JSON:
			settings->json = true;
			break;
		case O_DEVICES:
			settings->devices = true;
			break;
		}
	if (settings->devices && options->n_operands > 0)
		rf_options_fail(options, "--devices takes no file");
}

static enum rf_status
describe(const struct rf_run *run, bool json, struct rf_text *text,
    struct rf_error *err)
{
	struct rf_input input = RF_INPUT_NONE;
	enum rf_status status = rf_tool_input(
	    run, rf_tool_operand(run->options, 0), RF_BINARY, &input, err);

	if (status == RF_OK)
		status =
		    rf_info(input.fd, input.name, json, &run->log, text, err);
	rf_input_close(&input);
	return status;
}

int
main(int argc, char **argv)
{
	struct rf_options options;
	struct settings settings = {0};
	struct rf_text text = {0};
	struct rf_run run;
	struct rf_error err = {0};
	enum rf_status status;

	parse(&options, &settings, argc, argv);
	status = rf_tool_begin(&run, &options, RF_TEXT, &err);
	if (status == RF_OK && settings.devices)
		rf_info_devices(settings.json, &text);
	else if (status == RF_OK)
		status = describe(&run, settings.json, &text, &err);
	if (status == RF_OK && text.failed)
		status = rf_error_memory(&err, text.size, "the text");
	if (status == RF_OK)
		(void)fwrite(text.data, 1, text.size, stdout);
	rf_text_release(&text);
	return rf_tool_finish(&run, status, &err);
}
