#include <stdlib.h>

#include "base/alloc.h"
#include "forest/forest_read.h"
#include "forest/forest_write.h"
#include "forest/merge.h"
#include "forest/pack.h"
#include "tool.h"

enum { O_PARTIAL = RF_OPTION_OWN, O_FEDERATED };

static const struct rf_option own[] = {
    {'d', 'd', "unpack", NULL, "give a packed forest as a forest stream"},
    {O_PARTIAL, 0, "partial", NULL, "missing trees are no error"},
    {O_FEDERATED, 0, "federated", NULL, "parts may be of different data"},
    {0},
};

static const struct rf_tool tool = {
    .name = "rf-pack",
    .synopsis = "[options] [FOREST ...]\n-d [options] [MODEL]",
    .summary = "pack forest streams into one model file",
    .common = "o",
    .options = own,
    .max_operands = -1,
};

struct settings {
	bool unpack;
	struct rf_merge_options merge;
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
		case 'd':
			settings->unpack = true;
			break;
		case O_PARTIAL:
			settings->merge.partial = true;
			break;
		case O_FEDERATED:
			settings->merge.federated = true;
			break;
		}
	if (settings->unpack && options->n_operands > 1)
		rf_options_fail(options, "-d takes one packed forest");
}

static enum rf_status
read_part(const struct rf_run *run, const char *operand, struct rf_forest *part,
    const char **name, struct rf_error *err)
{
	struct rf_reader_options options = {.kind = "forest", .log = &run->log};
	struct rf_input input = RF_INPUT_NONE;
	struct rf_reader *reader = NULL;
	enum rf_status status =
	    rf_tool_input(run, operand, RF_BINARY, &input, err);

	*name = input.name;
	if (status == RF_OK)
		status = rf_reader_open(
		    &reader, input.fd, input.name, &options, err);
	if (status == RF_OK) {
		status = rf_forest_read(reader, part, err);
		rf_reader_close(reader);
	}
	rf_input_close(&input);
	return status;
}

static enum rf_status
pack(const struct rf_run *run, const struct settings *settings,
    struct rf_error *err)
{
	int n = run->options->n_operands > 0 ? run->options->n_operands : 1;
	struct rf_forest *parts = rf_alloc_zero((size_t)n, sizeof(*parts));
	const char **names = rf_alloc_zero((size_t)n, sizeof(*names));
	struct rf_forest forest = {0};
	enum rf_status status = RF_OK;

	if (parts == NULL || names == NULL)
		status = rf_error_memory(err, (size_t)n, "the parts");
	for (int i = 0; i < n && status == RF_OK; i++)
		status = read_part(run, rf_tool_operand(run->options, i),
		    &parts[i], &names[i], err);
	if (status == RF_OK)
		status = rf_forest_merge(
		    parts, names, n, &settings->merge, &forest, err);
	if (status == RF_OK)
		status = rf_pack_write(run->fd, run->name, &forest, err);
	rf_forest_release(&forest);
	for (int i = 0; i < n && parts != NULL; i++)
		rf_forest_release(&parts[i]);
	free(parts);
	free(names);
	return status;
}

static enum rf_status
write_stream(const struct rf_run *run, const struct rf_forest *forest,
    struct rf_error *err)
{
	struct rf_forest_writer *writer = NULL;
	bool has_stats = forest->n_trees > 0 && forest->trees[0].gain != NULL;
	enum rf_status status = rf_forest_writer_open(
	    &writer, run->fd, run->name, &forest->header, has_stats, err);

	for (int64_t i = 0; i < forest->n_trees && status == RF_OK; i++)
		status = rf_forest_writer_put(writer, &forest->trees[i], err);
	if (status == RF_OK)
		status = rf_forest_writer_finish(writer, err);
	rf_forest_writer_free(writer);
	return status;
}

static enum rf_status
unpack(const struct rf_run *run, struct rf_error *err)
{
	struct rf_input input = RF_INPUT_NONE;
	struct rf_forest forest = {0};
	enum rf_status status = rf_tool_input(
	    run, rf_tool_operand(run->options, 0), RF_BINARY, &input, err);

	if (status == RF_OK)
		status =
		    rf_model_load_fd(input.fd, input.name, true, &forest, err);
	if (status == RF_OK)
		status = write_stream(run, &forest, err);
	rf_forest_release(&forest);
	rf_input_close(&input);
	return status;
}

int
main(int argc, char **argv)
{
	struct rf_options options;
	struct settings settings = {0};
	struct rf_run run;
	struct rf_error err = {0};
	enum rf_status status;

	parse(&options, &settings, argc, argv);
	status = rf_tool_begin(&run, &options, RF_BINARY, &err);
	settings.merge.log = &run.log;
	if (status == RF_OK)
		status = settings.unpack ? unpack(&run, &err)
					 : pack(&run, &settings, &err);
	return rf_tool_finish(&run, status, &err);
}
