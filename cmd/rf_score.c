#include <stdio.h>

#include "options.h"
#include "score/score.h"
#include "tool.h"

enum { O_TRUTH = RF_OPTION_OWN, O_WEIGHT, O_JSON };

static const struct rf_option own[] = {
    {O_TRUTH, 0, "truth", "NAME", "column of the truth [that of the label]"},
    {O_WEIGHT, 0, "weight", "NAME",
	"column of sample weights [by role, else none]"},
    {O_JSON, 0, "json", NULL, "one line of JSON for programs"},
    {0},
};

static const struct rf_tool tool = {
    .name = "rf-score",
    .synopsis = "[options] [STREAM ...]",
    .summary = "score decided streams of rf-vote against the truth",
    .common = "o",
    .options = own,
    .max_operands = -1,
};

static enum rf_status
read_operand(const struct rf_run *run, struct rf_scorer *score,
    const char *operand, struct rf_error *err)
{
	struct rf_input input = RF_INPUT_NONE;
	enum rf_status status;

	RF_TRY(rf_tool_input(run, operand, RF_BINARY, &input, err));
	status = rf_scorer_read(score, input.fd, input.name, err);
	rf_input_close(&input);
	return status;
}

static enum rf_status
print(struct rf_scorer *score, bool as_json, struct rf_error *err)
{
	const struct rf_scorer_report *report = NULL;
	struct rf_text text = {0};
	enum rf_status status;

	RF_TRY(rf_scorer_finish(score, &report, err));
	status = as_json ? rf_scorer_json(report, &text, err)
			 : rf_scorer_text(report, &text, err);
	if (status == RF_OK)
		(void)fwrite(text.data, 1, text.size, stdout);
	rf_text_release(&text);
	return status;
}

static enum rf_status
score_all(const struct rf_run *run, struct rf_scorer_options *options,
    bool as_json, struct rf_error *err)
{
	struct rf_scorer *score = NULL;
	enum rf_status status;
	int i = 0;

	options->log = &run->log;
	RF_TRY(rf_scorer_new(&score, options, err));
	do
		status = read_operand(
		    run, score, rf_tool_operand(run->options, i), err);
	while (status == RF_OK && ++i < run->options->n_operands);
	if (status == RF_OK)
		status = print(score, as_json, err);
	rf_scorer_free(score);
	return status;
}

int
main(int argc, char **argv)
{
	struct rf_options options;
	struct rf_scorer_options score = {0};
	struct rf_run run;
	struct rf_error err = {0};
	enum rf_status status;
	const char *value;
	bool as_json = false;
	int id;

	rf_options_init(&options, &tool, argc, argv);
	while ((id = rf_options_next(&options, &value)) > 0) {
		if (id == O_TRUTH)
			score.truth = value;
		else if (id == O_WEIGHT)
			score.weight = value;
		else if (id == O_JSON)
			as_json = true;
	}
	status = rf_tool_begin(&run, &options, RF_TEXT, &err);
	if (status == RF_OK)
		status = score_all(&run, &score, as_json, &err);
	return rf_tool_finish(&run, status, &err);
}
