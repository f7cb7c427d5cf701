#include <stdlib.h>

#include "base/alloc.h"
#include "options.h"
#include "predict/vote.h"
#include "tool.h"

enum { O_PROBABILITIES = RF_OPTION_OWN, O_PREFIX, O_PARTIAL };

static const struct rf_option own[] = {
    {O_PROBABILITIES, 0, "probabilities", NULL, "a column a class as well"},
    {O_PREFIX, 0, "prefix", "TEXT",
	"put TEXT before the names of the new columns"},
    {O_PARTIAL, 0, "partial", NULL, "vote with the trees that are there"},
    {0},
};

static const struct rf_tool tool = {
    .name = "rf-vote",
    .synopsis = "[options] [TALLIES ...]",
    .summary = "decide by the tallies of rf-predict, or merge their parts",
    .common = "o",
    .options = own,
    .max_operands = -1,
};

/* The tallies, each opened and read up to its schema. */
struct parts {
	struct rf_input *inputs;
	struct rf_reader **readers;
	size_t n;
};

static enum rf_status
open_parts(struct rf_run *run, struct parts *parts, struct rf_error *err)
{
	const struct rf_options *options = run->options;
	const struct rf_reader_options reading = {
	    .log = &run->log, .kind = "prediction"};
	size_t n = options->n_operands > 0 ? (size_t)options->n_operands : 1;

	parts->inputs = rf_alloc_zero(n, sizeof(*parts->inputs));
	parts->readers = rf_alloc_zero(n, sizeof(struct rf_reader *));
	if (parts->inputs == NULL || parts->readers == NULL)
		return rf_error_memory(err, 16 * n, "inputs");
	for (; parts->n < n; parts->n++) {
		struct rf_input *input = &parts->inputs[parts->n];

		input->fd = -1;
		RF_TRY(
		    rf_tool_input(run, rf_tool_operand(options, (int)parts->n),
			RF_BINARY, input, err));
		/* Counted before it is read, so that it is closed. */
		if (rf_reader_open(&parts->readers[parts->n], input->fd,
			input->name, &reading, err) != RF_OK) {
			parts->n++;
			return err->status;
		}
	}
	return RF_OK;
}

static void
close_parts(struct parts *parts)
{
	for (size_t i = 0; i < parts->n; i++) {
		rf_reader_close(parts->readers[i]);
		rf_input_close(&parts->inputs[i]);
	}
	free(parts->inputs);
	free(parts->readers);
}

static void
parse(struct rf_options *options, struct rf_vote_options *vote, int argc,
    char **argv)
{
	const char *value;
	int id;

	rf_options_init(options, &tool, argc, argv);
	while ((id = rf_options_next(options, &value)) > 0)
		switch (id) {
		case O_PROBABILITIES:
			vote->with_probabilities = true;
			break;
		case O_PREFIX:
			vote->prefix = value;
			break;
		case O_PARTIAL:
			vote->partial_ok = true;
			break;
		}
	vote->verbose = options->common.verbose;
}

int
main(int argc, char **argv)
{
	struct rf_vote_options vote = {0};
	struct rf_options options;
	struct rf_run run;
	struct rf_error err = {0};
	struct parts parts = {0};
	enum rf_status status;

	parse(&options, &vote, argc, argv);
	status = rf_tool_begin(&run, &options, RF_BINARY, &err);
	vote.log = &run.log;
	if (status == RF_OK)
		status = open_parts(&run, &parts, &err);
	if (status == RF_OK)
		status = rf_vote(
		    parts.readers, parts.n, run.fd, run.name, &vote, &err);
	close_parts(&parts);
	return rf_tool_finish(&run, status, &err);
}
