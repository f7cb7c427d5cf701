/* Expected rules are scikit-learn's where a comment does not say otherwise. */
#include "train/params.h"

#include "unit.h"

static struct rf_params
params_of(const char *max_features, const char *split, const char *leaf,
    const char *samples)
{
	struct rf_params params;
	struct rf_error err = {0};
	int failed = 0;

	rf_params_init(&params);
	if (max_features != NULL)
		failed |= rf_amount_parse(max_features, "-", 1, true,
			      &params.max_features, &err) != RF_OK;
	if (split != NULL)
		failed |= rf_amount_parse(split, "-", 2, false,
			      &params.min_samples_split, &err) != RF_OK;
	if (leaf != NULL)
		failed |= rf_amount_parse(leaf, "-", 1, false,
			      &params.min_samples_leaf, &err) != RF_OK;
	if (samples != NULL)
		failed |= rf_amount_parse(samples, "-", 1, false,
			      &params.max_samples, &err) != RF_OK;
	check(!failed, "the texts are understood");
	return params;
}

static struct rf_rules
rules_of(const struct rf_params *params, enum rf_task task, int32_t n_features,
    int64_t n_rows)
{
	struct rf_rules rules = {0};
	struct rf_error err = {0};

	if (rf_rules_make(
		params, task, n_features, n_rows, NULL, &rules, &err) != RF_OK)
		rules.max_features = -1;
	return rules;
}

static void
features(void)
{
	static const struct {
		const char *text;
		enum rf_task task;
		int32_t n, expected;
	} cases[] = {
	    {NULL, RF_TASK_CLASSIFICATION, 54, 7},
	    {NULL, RF_TASK_REGRESSION, 54, 54},
	    {"sqrt", RF_TASK_REGRESSION, 99, 9},
	    {"sqrt", RF_TASK_REGRESSION, 100, 10},
	    {"log2", RF_TASK_REGRESSION, 54, 5},
	    {"log2", RF_TASK_REGRESSION, 64, 6},
	    {"log2", RF_TASK_REGRESSION, 1, 1},
	    {"all", RF_TASK_CLASSIFICATION, 54, 54},
	    {"0.3", RF_TASK_CLASSIFICATION, 54, 16},
	    {"1e-3", RF_TASK_CLASSIFICATION, 54, 1},
	    {"1.0", RF_TASK_CLASSIFICATION, 54, 54},
	    {"1", RF_TASK_CLASSIFICATION, 54, 1},
	    {"60", RF_TASK_CLASSIFICATION, 54, 54}, /* clamped */
	    {NULL, RF_TASK_CLASSIFICATION, 0, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rf_params params =
		    params_of(cases[i].text, NULL, NULL, NULL);

		check_int(rules_of(&params, cases[i].task, cases[i].n, 100)
			      .max_features,
		    cases[i].expected,
		    cases[i].text != NULL ? cases[i].text : "default");
	}
}

static void
rows(void)
{
	struct rf_params params = params_of(NULL, "0.1", "0.05", "0.5");
	struct rf_rules rules =
	    rules_of(&params, RF_TASK_CLASSIFICATION, 4, 151);

	check_int(rules.min_samples_split, 16, "ceil(15.1)");
	check_int(rules.min_samples_leaf, 8, "ceil(7.55)");
	check_int(rules.n_draws, 76, "75.5 rounds to even");
	params = params_of(NULL, "0.001", "3", "1e-4");
	rules = rules_of(&params, RF_TASK_CLASSIFICATION, 4, 151);
	check_int(rules.min_samples_split, 2, "at least 2");
	check_int(rules.min_samples_leaf, 3, "a count");
	check_int(rules.n_draws, 1, "at least 1 row");
	params = params_of(NULL, NULL, NULL, "152");
	check_int(
	    rules_of(&params, RF_TASK_CLASSIFICATION, 4, 151).max_features, -1,
	    "more rows than there are");
}

static void
refused(void)
{
	static const char *const texts[] = {"", "0", "-1", "1.5", "0.0", "-0.5",
	    "x", "1x", "nan", "inf", "1e9", "all", "99999999999"};
	struct rf_amount amount;
	struct rf_error err = {0};
	struct rf_params params;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check(rf_amount_parse(texts[i], "--x", 1, false, &amount,
			  &err) == RF_EUSAGE,
		    texts[i]);
	rf_params_init(&params);
	params.criterion = RF_CRITERION_SQUARED_ERROR;
	check_int(rules_of(&params, RF_TASK_CLASSIFICATION, 4, 10).max_features,
	    -1, "squared error of classes");
}

static void
trees(void)
{
	struct rf_params params;

	rf_params_init(&params);
	check(
	    params.first == 0 && params.end == 100 && params.total_trees == 100,
	    "100 trees");
	check(rf_trees_parse("7", &params, NULL) == RF_OK && params.end == 7 &&
		params.total_trees == 7,
	    "a count");
	check(rf_trees_parse("2:5", &params, NULL) == RF_OK &&
		params.first == 2 && params.end == 5 && params.total_trees == 0,
	    "a range of an unknown whole");
	check(rf_trees_parse("2:5/9", &params, NULL) == RF_OK &&
		params.total_trees == 9,
	    "a range of 9");
	check(rf_trees_parse("5:5", &params, NULL) == RF_EUSAGE &&
		rf_trees_parse("5:9/8", &params, NULL) == RF_EUSAGE &&
		rf_trees_parse("4194305", &params, NULL) == RF_EUSAGE,
	    "no trees, too few in all, too many");
}

int
main(void)
{
	features();
	rows();
	refused();
	trees();
	return unit_end();
}
