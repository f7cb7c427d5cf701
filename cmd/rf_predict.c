#include <string.h>

#include "base/text.h"
#include "forest/pack.h"
#include "options.h"
#include "predict/predict.h"
#include "tool.h"

enum {
	O_VOTE = RF_OPTION_OWN,
	O_LEAVES,
	O_KEEP,
	O_ROW0,
	O_MISSING_OK,
	O_NO_EOS,
};

static const struct rf_option own[] = {
    {'n', 'n', "trees", "A:B", "use only trees A to B - 1 of the model [all]"},
    {O_VOTE, 0, "vote", "HOW", "soft: shares of leaves; hard: 1 a tree [soft]"},
    {O_LEAVES, 0, "leaves", NULL, "the number of each tree's leaf, no tallies"},
    {O_KEEP, 0, "keep", "WHICH",
	"pass on all, none or NAMES [id, label, weight, fold]"},
    {O_ROW0, 0, "row0", "N", "number of the first row [the stream's, or 0]"},
    {O_MISSING_OK, 0, "missing-ok", NULL,
	"take columns that are not there as missing"},
    {O_NO_EOS, 0, "no-eos", NULL, "take a stream without an end mark"},
    {0},
};

static const struct rf_tool tool = {
    .name = "rf-predict",
    .synopsis = "[options] MODEL [DATA]",
    .summary = "tally a forest's votes on a data stream",
    .common = "otD",
    .options = own,
    .min_operands = 1,
    .max_operands = 2,
};

/* "A:B", or "B" for 0:B. */
static void
parse_trees(const struct rf_options *options, const char *value,
    struct rf_predict_options *predict)
{
	const char *colon = strchr(value, ':');
	char first[24] = "0", quoted[RF_QUOTED_SIZE];
	size_t size = colon == NULL ? 0 : (size_t)(colon - value);

	if (colon != NULL && (size == 0 || size >= sizeof(first)))
		rf_options_fail(options, "--trees: '%s' is not A:B",
		    rf_text_quote(quoted, value, strlen(value)));
	if (colon != NULL) {
		memcpy(first, value, size);
		first[size] = '\0';
	}
	predict->has_trees = true;
	predict->first_tree = rf_options_int(options, first, 0, INT32_MAX - 1);
	predict->end_tree =
	    rf_options_int(options, colon == NULL ? value : colon + 1,
		predict->first_tree + 1, INT32_MAX);
}

static void
parse(struct rf_options *options, struct rf_predict_options *predict,
    bool *no_eos, int argc, char **argv)
{
	const char *value;
	int id;

	rf_options_init(options, &tool, argc, argv);
	while ((id = rf_options_next(options, &value)) > 0)
		switch (id) {
		case 'n':
			parse_trees(options, value, predict);
			break;
		case O_VOTE:
			predict->vote = (enum rf_vote)rf_options_word(
			    options, value, "soft|hard");
			break;
		case O_LEAVES:
			predict->wants_leaves = true;
			break;
		case O_KEEP:
			predict->keep = value;
			break;
		case O_ROW0:
			predict->row0 =
			    rf_options_int(options, value, 0, INT64_MAX);
			break;
		case O_MISSING_OK:
			predict->missing_ok = true;
			break;
		case O_NO_EOS:
			*no_eos = true;
			break;
		}
	predict->device = options->common.device;
	predict->n_threads = options->common.threads;
	predict->verbose = options->common.verbose;
}

static enum rf_status
run_all(struct rf_run *run, struct rf_predict_options *predict, bool no_eos,
    struct rf_error *err)
{
	const struct rf_options *options = run->options;
	struct rf_reader_options reading = {
	    .log = &run->log,
	    .no_eos = no_eos,
	    .kind = "data",
	    .want_foreign = true,
	    .want_dense = true,
	};
	struct rf_input input = RF_INPUT_NONE;
	struct rf_forest forest = {0};
	struct rf_reader *reader = NULL;
	enum rf_status status;

	predict->log = &run->log;
	status = rf_model_load_parallel(
	    options->operands[0], predict->n_threads, &forest, err);
	if (status == RF_OK)
		status = rf_tool_input(
		    run, rf_tool_operand(options, 1), RF_BINARY, &input, err);
	if (status == RF_OK)
		status = rf_reader_open(
		    &reader, input.fd, input.name, &reading, err);
	if (status == RF_OK)
		status = rf_predict(
		    &forest, reader, run->fd, run->name, predict, err);
	rf_reader_close(reader);
	rf_input_close(&input);
	rf_forest_release(&forest);
	return status;
}

int
main(int argc, char **argv)
{
	struct rf_predict_options predict = {
	    .vote = RF_VOTE_SOFT, .row0 = -1, .device = "auto"};
	struct rf_options options;
	struct rf_run run;
	struct rf_error err = {0};
	enum rf_status status;
	bool no_eos = false;

	parse(&options, &predict, &no_eos, argc, argv);
	status = rf_tool_begin(&run, &options, RF_BINARY, &err);
	if (status == RF_OK)
		status = run_all(&run, &predict, no_eos, &err);
	return rf_tool_finish(&run, status, &err);
}
