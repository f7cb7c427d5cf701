/* rf-fit: grows a forest from data streams.  rf-fit(1). */
#ifdef __linux__
# include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "options.h"
#include "tool.h"
#include "train/fit.h"

enum {
	O_MAX_FEATURES = RF_OPTION_OWN,
	O_MAX_DEPTH,
	O_MIN_SPLIT,
	O_MIN_LEAF,
	O_MIN_DECREASE,
	O_MAX_SAMPLES,
	O_NO_BOOTSTRAP,
	O_COUNT_CONSTANT,
	O_CRITERION,
	O_CLASS_WEIGHT,
	O_WEIGHT,
	O_TASK,
	O_ORDINAL,
	O_BINS,
	O_MIN_CATEGORY,
	O_MAX_CATEGORIES,
	O_FLOAT32,
	O_DROP_UNLABELLED,
	O_OOB,
	O_NO_STATS,
	O_TIER,
};

static const struct rf_option own[] = {
    {'n', 'n', "trees", "N|A:B[/TOTAL]",
	"trees to grow, or numbers A to B-1 of TOTAL [100]"},
    {O_TASK, 0, "task", "TASK",
	"classification or regression, where the label leaves it open"},
    {O_CRITERION, 0, "criterion", "NAME",
	"gini, entropy or squared_error [gini, squared_error]"},
    {O_MAX_FEATURES, 0, "max-features", "N",
	"features drawn: N, share, sqrt, log2, all "
	"[sqrt; regression: all]"},
    {O_MAX_DEPTH, 0, "max-depth", "N", "depth of leaves at most [no limit]"},
    {O_MIN_SPLIT, 0, "min-samples-split", "N",
	"rows, or fraction of all rows, of a node that is split [2]"},
    {O_MIN_LEAF, 0, "min-samples-leaf", "N",
	"rows, or fraction of all rows, of a leaf [1]"},
    {O_MIN_DECREASE, 0, "min-impurity-decrease", "X",
	"decrease of impurity that a split needs [0]"},
    {O_MAX_SAMPLES, 0, "max-samples", "N",
	"rows, or fraction of all rows, that a tree draws [all]"},
    {O_NO_BOOTSTRAP, 0, "no-bootstrap", NULL, "every tree has all rows"},
    {O_CLASS_WEIGHT, 0, "class-weight", "W",
	"balanced, or NAME=WEIGHT,NAME=WEIGHT.. [1 each]"},
    {O_WEIGHT, 0, "weight", "COLUMN", "weights of the rows [by rf.role]"},
    {O_BINS, 0, "bins", "N", "distinct values kept of a column [254]"},
    {O_ORDINAL, 0, "ordinal", "COLUMN",
	"a text column as the numbers of its sorted texts; may be repeated"},
    {O_MIN_CATEGORY, 0, "min-category-rows", "N",
	"rows that a category needs to be told apart [5]"},
    {O_MAX_CATEGORIES, 0, "max-categories", "N",
	"categories told apart in a column at most [253]"},
    {O_DROP_UNLABELLED, 0, "drop-unlabelled", NULL,
	"leave rows without a label out"},
    {O_COUNT_CONSTANT, 0, "count-constant", NULL,
	"constant features count as looked at, as in scikit-learn"},
    {O_FLOAT32, 0, "float32", NULL, "compare in float32, as scikit-learn does"},
    {O_OOB, 0, "oob", "[FILE]",
	"out-of-bag score on standard error; tallies to FILE"},
    {O_NO_STATS, 0, "no-stats", NULL, "leave gain and cover out"},
    {O_TIER, 0, "tier", "NAME", NULL},
    {0},
};

static const struct rf_tool tool = {
    .name = "rf-fit",
    .synopsis = "[options] [STREAM ...]",
    .summary = "grow a forest from data streams",
    .common = "olstD",
    .options = own,
    .max_operands = -1,
};

struct settings {
	struct rf_fit_options fit;
	struct rf_table_choice choice;
	const char **ordinal;
	const char *oob_file;
};

static void
parse_amount(const struct rf_options *options, const char *value, int low,
    bool words, struct rf_amount *amount)
{
	struct rf_error err = {0};
	char name[64] = "--";

	strcat(name, options->current->name);
	if (rf_amount_parse(value, name, low, words, amount, &err) != RF_OK)
		rf_options_fail(options, "%s", err.message);
}

static void
parse_trees(const struct rf_options *options, const char *value,
    struct rf_params *params)
{
	struct rf_error err = {0};

	if (rf_trees_parse(value, params, &err) != RF_OK)
		rf_options_fail(options, "%s", err.message);
}

static void
add_ordinal(const struct rf_options *options, const char *value,
    struct settings *settings)
{
	size_t n = (size_t)settings->choice.n_ordinal + 1;
	const char **more =
	    rf_realloc(settings->ordinal, n, sizeof(*settings->ordinal));

	if (more == NULL)
		rf_options_fail(options, "out of memory");
	more[n - 1] = value;
	settings->ordinal = more;
	settings->choice.ordinal = more;
	settings->choice.n_ordinal = (int32_t)n;
}

/* Options of the data; false: not one of them. */
static bool
parse_data(const struct rf_options *options, int id, const char *value,
    struct settings *settings)
{
	struct rf_params *params = &settings->fit.params;

	switch (id) {
	case 'l':
		settings->choice.label = value;
		return true;
	case O_WEIGHT:
		settings->choice.weight = value;
		return true;
	case O_TASK:
		settings->choice.task = rf_options_word(
		    options, value, "classification|regression");
		return true;
	case O_ORDINAL:
		add_ordinal(options, value, settings);
		return true;
	case O_BINS:
		params->bins =
		    (int32_t)rf_options_int(options, value, 2, 65535);
		return true;
	case O_MIN_CATEGORY:
		params->min_category_rows =
		    rf_options_int(options, value, 1, INT32_MAX);
		return true;
	case O_MAX_CATEGORIES:
		params->max_categories =
		    (int32_t)rf_options_int(options, value, 1, 65535);
		return true;
	case O_FLOAT32:
		return params->is_float32 = true;
	case O_DROP_UNLABELLED:
		return params->drop_unlabelled = true;
	case O_CLASS_WEIGHT:
		params->class_weight = value;
		return true;
	}
	return false;
}

static bool
parse_output(const struct rf_options *options, int id, const char *value,
    struct settings *settings)
{
	switch (id) {
	case O_OOB:
		settings->fit.with_oob = true;
		settings->oob_file = value;
		return true;
	case O_NO_STATS:
		settings->fit.with_stats = false;
		return true;
	case O_TIER:
		settings->fit.tier = (enum rf_tier)rf_options_word(
		    options, value, "auto|level|block|warp|lane");
		return true;
	}
	return false;
}

static void
parse_growth(const struct rf_options *options, int id, const char *value,
    struct rf_params *params)
{
	switch (id) {
	case 'n':
		parse_trees(options, value, params);
		break;
	case O_CRITERION:
		params->criterion = rf_options_word(
		    options, value, "gini|entropy|squared_error");
		break;
	case O_MAX_FEATURES:
		parse_amount(options, value, 1, true, &params->max_features);
		break;
	case O_MAX_DEPTH:
		params->max_depth =
		    (int32_t)rf_options_int(options, value, 0, INT32_MAX);
		break;
	case O_MIN_SPLIT:
		parse_amount(
		    options, value, 2, false, &params->min_samples_split);
		break;
	case O_MIN_LEAF:
		parse_amount(
		    options, value, 1, false, &params->min_samples_leaf);
		break;
	case O_MIN_DECREASE:
		params->min_impurity_decrease =
		    rf_options_double(options, value, 0, 1e300);
		break;
	case O_MAX_SAMPLES:
		parse_amount(options, value, 1, false, &params->max_samples);
		break;
	case O_NO_BOOTSTRAP:
		params->bootstrap = false;
		break;
	case O_COUNT_CONSTANT:
		params->count_constant = true;
		break;
	}
}

static void
parse(struct rf_options *options, int argc, char **argv,
    struct settings *settings)
{
	const char *value;
	int id;

	rf_params_init(&settings->fit.params);
	settings->choice.task = -1;
	rf_options_init(options, &tool, argc, argv);
	while ((id = rf_options_next(options, &value)) > 0)
		if (!parse_data(options, id, value, settings) &&
		    !parse_output(options, id, value, settings))
			parse_growth(options, id, value, &settings->fit.params);
	settings->fit.params.seed = options->common.seed;
	settings->fit.params.choice = &settings->choice;
	settings->fit.device = options->common.device;
	settings->fit.n_threads = options->common.threads;
	settings->fit.verbose = options->common.verbose;
}

static enum rf_status
read_streams(
    const struct rf_run *run, struct rf_table *table, struct rf_error *err)
{
	int n = run->options->n_operands;
	enum rf_status status = RF_OK;

	for (int i = 0; i < (n > 0 ? n : 1) && status == RF_OK; i++) {
		struct rf_input input = RF_INPUT_NONE;

		status = rf_tool_input(run, rf_tool_operand(run->options, i),
		    RF_BINARY, &input, err);
		if (status == RF_OK)
			status =
			    rf_table_read(table, input.fd, input.name, err);
		rf_input_close(&input);
	}
	return status == RF_OK ? rf_table_end(table, err) : status;
}

/*
 * Large arrays get pages of their own, which end with them and grow without a
 * copy.  Left alone, glibc begins to keep and copy them with the first that is
 * freed: 434 MB where 311 do, 4 trees of 900 000 nodes on 4 threads.
 */
static void
keep_memory_tight(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}

/* The file of --oob must be another than that of the forest. */
static enum rf_status
open_oob(const struct rf_run *run, struct settings *settings,
    struct rf_output *oob, struct rf_error *err)
{
	char standard[] = "/dev/stdout";
	struct rf_output forest = {.fd = run->fd, .path = standard};

	if (settings->oob_file == NULL)
		return RF_OK;
	RF_TRY(rf_output_open(oob, settings->oob_file, err));
	settings->fit.oob_fd = oob->fd;
	settings->fit.oob_name = settings->oob_file;
	if (run->file.fd >= 0)
		forest = run->file;
	if (rf_output_is_shared(&forest, oob))
		return rf_error_set(err, RF_EUSAGE,
		    "--oob=%s: the forest goes there", settings->oob_file);
	return RF_OK;
}

int
main(int argc, char **argv)
{
	struct settings settings = {.fit = {.with_stats = true, .oob_fd = -1}};
	struct rf_output oob = RF_OUTPUT_NONE;
	struct rf_table table = {0};
	struct rf_error err = {0};
	struct rf_options options;
	enum rf_status status;
	struct rf_run run;

	keep_memory_tight();
	parse(&options, argc, argv, &settings);
	status = rf_tool_begin(&run, &options, RF_BINARY, &err);
	settings.fit.log = &run.log;
	rf_table_init(&table, &settings.choice, &run.log);
	if (status == RF_OK)
		status = open_oob(&run, &settings, &oob, &err);
	if (status == RF_OK)
		status = read_streams(&run, &table, &err);
	if (status == RF_OK)
		status = rf_fit(&table, &settings.fit, run.fd, run.name, &err);
	if (status == RF_OK && oob.fd >= 0)
		status = rf_output_commit(&oob, &err);
	rf_output_drop(&oob);
	rf_table_release(&table);
	free(settings.ordinal);
	return rf_tool_finish(&run, status, &err);
}
