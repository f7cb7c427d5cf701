#include "train/params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/hash.h"
#include "base/text.h"
#include "train/load.h"

void
rf_params_init(struct rf_params *params)
{
	*params = (struct rf_params){
	    .end = 100,
	    .total_trees = 100,
	    .criterion = -1,
	    .max_depth = INT32_MAX,
	    .bootstrap = true,
	    .bins = 254,
	    .min_category_rows = 5,
	    .max_categories = 253,
	    .min_samples_split = {RF_AMOUNT_COUNT, 2, 0},
	    .min_samples_leaf = {RF_AMOUNT_COUNT, 1, 0},
	};
}

/* --- Texts --------------------------------------------------------------- */

/* A number up to `end` of the text. */
static enum rf_status
parse_bound(const char *text, const char *end, long long low, int64_t *out,
    struct rf_error *err)
{
	char copy[32];
	size_t size = (size_t)(end - text);
	long long number;

	if (size >= sizeof(copy))
		size = sizeof(copy) - 1;
	memcpy(copy, text, size);
	copy[size] = '\0';
	RF_TRY(
	    rf_text_to_int(copy, low, RF_TREES_MAX, "--trees", &number, err));
	*out = number;
	return RF_OK;
}

enum rf_status
rf_trees_parse(const char *text, struct rf_params *params, struct rf_error *err)
{
	const char *colon = strchr(text, ':'), *end = text + strlen(text);
	const char *slash = strchr(text, '/');

	if (colon == NULL) {
		params->first = 0;
		RF_TRY(parse_bound(text, end, 1, &params->end, err));
		params->total_trees = params->end;
		return RF_OK;
	}
	RF_TRY(parse_bound(text, colon, 0, &params->first, err));
	RF_TRY(parse_bound(colon + 1, slash != NULL ? slash : end,
	    params->first + 1, &params->end, err));
	params->total_trees = 0;
	if (slash != NULL)
		RF_TRY(parse_bound(
		    slash + 1, end, params->end, &params->total_trees, err));
	return RF_OK;
}

static bool
parse_word(const char *text, struct rf_amount *out)
{
	static const char *const words[] = {"sqrt", "log2", "all"};
	static const enum rf_amount_kind kinds[] = {
	    RF_AMOUNT_SQRT, RF_AMOUNT_LOG2, RF_AMOUNT_ALL};

	for (size_t i = 0; i < 3; i++)
		if (strcmp(text, words[i]) == 0) {
			*out = (struct rf_amount){.kind = kinds[i]};
			return true;
		}
	return false;
}

enum rf_status
rf_amount_parse(const char *text, const char *option, int low, bool words,
    struct rf_amount *out, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];
	struct rf_error none = {0};
	long long count;
	double fraction;

	if (words && parse_word(text, out))
		return RF_OK;
	if (text[strcspn(text, ".eE")] == '\0') {
		RF_TRY(
		    rf_text_to_int(text, low, INT32_MAX, option, &count, err));
		*out = (struct rf_amount){RF_AMOUNT_COUNT, count, 0};
		return RF_OK;
	}
	if (rf_text_to_double(text, 0, 1, option, &fraction, &none) != RF_OK ||
	    !(fraction > 0))
		return rf_error_set(err, RF_EUSAGE,
		    "%s: '%s' is neither a count from %d on nor a fraction "
		    "above 0 and up to 1",
		    option, rf_text_quote(quoted, text, strlen(text)), low);
	*out = (struct rf_amount){RF_AMOUNT_FRACTION, 0, fraction};
	return RF_OK;
}

/* --- Rules --------------------------------------------------------------- */

/* floor(sqrt(n)) and floor(log2(n)), at least 1 */
static int64_t
root_of(int64_t n)
{
	int64_t root = 1;

	while ((root + 1) * (root + 1) <= n)
		root++;
	return root;
}

static int64_t
log_of(int64_t n)
{
	int bits = rf_bit_length((uint64_t)n);

	return bits > 2 ? bits - 1 : 1;
}

static int64_t
features_of(struct rf_amount amount, enum rf_task task, int64_t n)
{
	switch (amount.kind) {
	case RF_AMOUNT_DEFAULT:
		return task == RF_TASK_CLASSIFICATION ? root_of(n) : n;
	case RF_AMOUNT_SQRT:
		return root_of(n);
	case RF_AMOUNT_LOG2:
		return log_of(n);
	case RF_AMOUNT_COUNT:
		return amount.count;
	case RF_AMOUNT_FRACTION:
		return (int64_t)(amount.fraction * (double)n);
	case RF_AMOUNT_ALL:
		break;
	}
	return n;
}

/* A fraction of the rows is rounded up, as scikit-learn does. */
static int64_t
rows_of(struct rf_amount amount, int64_t n_rows, int64_t low)
{
	int64_t count = amount.count;

	if (amount.kind == RF_AMOUNT_FRACTION)
		count = (int64_t)ceil(amount.fraction * (double)n_rows);
	return count > low ? count : low;
}

static enum rf_status
draws_of(const struct rf_params *params, int64_t n_rows, int64_t *out,
    struct rf_error *err)
{
	struct rf_amount amount = params->max_samples;

	*out = n_rows;
	if (amount.kind == RF_AMOUNT_DEFAULT)
		return RF_OK;
	if (!params->bootstrap)
		return rf_error_set(err, RF_EUSAGE,
		    "--max-samples has no meaning with --no-bootstrap");
	*out = amount.count;
	if (amount.kind == RF_AMOUNT_FRACTION)
		*out = (int64_t)nearbyint(amount.fraction * (double)n_rows);
	if (*out > n_rows)
		return rf_error_set(err, RF_EUSAGE,
		    "--max-samples %lld: there are only %lld rows",
		    (long long)*out, (long long)n_rows);
	if (*out < 1)
		*out = 1;
	return RF_OK;
}

static enum rf_status
criterion_of(const struct rf_params *params, enum rf_task task,
    enum rf_criterion *out, struct rf_error *err)
{
	bool is_regression = task == RF_TASK_REGRESSION;

	*out = is_regression ? RF_CRITERION_SQUARED_ERROR : RF_CRITERION_GINI;
	if (params->criterion < 0)
		return RF_OK;
	if ((params->criterion == RF_CRITERION_SQUARED_ERROR) != is_regression)
		return rf_error_set(err, RF_EUSAGE,
		    "--criterion %s does not fit %s",
		    rf_criterion_name((enum rf_criterion)params->criterion),
		    is_regression ? "regression" : "classification");
	*out = (enum rf_criterion)params->criterion;
	return RF_OK;
}

enum rf_status
rf_rules_make(const struct rf_params *params, enum rf_task task,
    int32_t n_features, int64_t n_rows, const struct rf_log *log,
    struct rf_rules *rules, struct rf_error *err)
{
	int64_t n = features_of(params->max_features, task, n_features);

	if (n > n_features && n_features > 0 &&
	    params->max_features.kind == RF_AMOUNT_COUNT)
		rf_note(log, "--max-features %lld: all %d features are used",
		    (long long)n, n_features);
	n = n > n_features ? n_features : n;
	*rules = (struct rf_rules){
	    .seed = params->seed,
	    .max_features = n < 1 ? 1 : (int32_t)n,
	    .max_depth = params->max_depth,
	    .min_samples_split = rows_of(params->min_samples_split, n_rows, 2),
	    .min_samples_leaf = rows_of(params->min_samples_leaf, n_rows, 1),
	    .min_impurity_decrease = params->min_impurity_decrease,
	    .count_constant = params->count_constant,
	    .bootstrap = params->bootstrap,
	};
	RF_TRY(criterion_of(params, task, &rules->criterion, err));
	return draws_of(params, n_rows, &rules->n_draws, err);
}

/* --- Description --------------------------------------------------------- */

const char *
rf_criterion_name(enum rf_criterion criterion)
{
	switch (criterion) {
	case RF_CRITERION_GINI:
		return "gini";
	case RF_CRITERION_ENTROPY:
		return "entropy";
	case RF_CRITERION_SQUARED_ERROR:
		break;
	}
	return "squared_error";
}

/* A line each; fractions as C99 hexadecimal, which loses nothing. */
static void
put_amount(struct rf_text *text, const char *name, struct rf_amount amount)
{
	switch (amount.kind) {
	case RF_AMOUNT_DEFAULT:
	case RF_AMOUNT_ALL:
		rf_text_printf(text, "%s=all\n", name);
		break;
	case RF_AMOUNT_COUNT:
		rf_text_printf(
		    text, "%s=%lld\n", name, (long long)amount.count);
		break;
	case RF_AMOUNT_FRACTION:
		rf_text_printf(text, "%s=%a\n", name, amount.fraction);
		break;
	case RF_AMOUNT_SQRT:
	case RF_AMOUNT_LOG2:
		break;
	}
}

/* What decides a tree, but for the data and its number. */
static void
put_canonical(struct rf_text *text, const struct rf_params *params,
    const struct rf_rules *rules)
{
	const struct rf_table_choice *choice = params->choice;

	rf_text_printf(text, "criterion=%s\nmax_features=%d\nmax_depth=%d\n",
	    rf_criterion_name(rules->criterion), rules->max_features,
	    rules->max_depth);
	put_amount(text, "min_samples_split", params->min_samples_split);
	put_amount(text, "min_samples_leaf", params->min_samples_leaf);
	rf_text_printf(
	    text, "min_impurity_decrease=%a\n", params->min_impurity_decrease);
	if (params->bootstrap)
		put_amount(text, "max_samples", params->max_samples);
	rf_text_printf(text,
	    "bootstrap=%d\ncount_constant=%d\nseed=%llu\nbins=%d\n"
	    "min_category_rows=%lld\nmax_categories=%d\n"
	    "drop_unlabelled=%d\nfloat32=%d\nclass_weight=%s\n",
	    params->bootstrap, params->count_constant,
	    (unsigned long long)params->seed, params->bins,
	    (long long)params->min_category_rows, params->max_categories,
	    params->drop_unlabelled, params->is_float32,
	    params->class_weight != NULL ? params->class_weight : "");
	if (choice != NULL && choice->weight != NULL)
		rf_text_printf(text, "weight=%s\n", choice->weight);
	for (int32_t i = 0; choice != NULL && i < choice->n_ordinal; i++)
		rf_text_printf(text, "ordinal=%s\n", choice->ordinal[i]);
}

static enum rf_status
set_number(struct rf_metadata *metadata, const char *key, long long number,
    struct rf_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", number);
	return rf_metadata_set(metadata, key, text, err);
}

static enum rf_status
set_sampling(const struct rf_params *params, const struct rf_rules *rules,
    struct rf_metadata *metadata, struct rf_error *err)
{
	char text[64];

	if (!params->bootstrap)
		return rf_metadata_set(metadata, "rf.sampling", "none", err);
	snprintf(
	    text, sizeof(text), "bootstrap %lld", (long long)rules->n_draws);
	return rf_metadata_set(metadata, "rf.sampling", text, err);
}

enum rf_status
rf_params_describe(const struct rf_params *params, const struct rf_rules *rules,
    struct rf_metadata *metadata, struct rf_error *err)
{
	struct rf_text text = {0};
	char hash[33], seed[32];

	put_canonical(&text, params, rules);
	if (text.failed) {
		rf_text_release(&text);
		return rf_error_memory(err, 1024, "parameters");
	}
	rf_hash_hex(text.data, text.size, hash);
	rf_text_release(&text);
	RF_TRY(rf_metadata_set(metadata, "rf.criterion",
	    rf_criterion_name(rules->criterion), err));
	RF_TRY(rf_metadata_set(metadata, "rf.gain", "weighted", err));
	RF_TRY(
	    set_number(metadata, "rf.max_features", rules->max_features, err));
	RF_TRY(set_number(
	    metadata, "rf.min_samples_leaf", rules->min_samples_leaf, err));
	if (rules->max_depth != INT32_MAX)
		RF_TRY(set_number(
		    metadata, "rf.max_depth", rules->max_depth, err));
	RF_TRY(set_sampling(params, rules, metadata, err));
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)params->seed);
	RF_TRY(rf_metadata_set(metadata, "rf.seed", seed, err));
	return rf_metadata_set(metadata, "rf.params.hash", hash, err);
}
