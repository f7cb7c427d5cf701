#include <string.h>

#include "base/text.h"
#include "table/plan.h"

static int64_t
find_name(const struct rf_plan *plan, const char *name)
{
	size_t size = strlen(name);

	return rf_words_find(
	    &plan->names, name, size, rf_words_hash(name, size));
}

static enum rf_status
take_words(struct rf_plan_column *column, const struct rf_bytes *words,
    size_t n, struct rf_error *err)
{
	int32_t code;

	for (size_t i = 0; i < n; i++) {
		const char *text = (const char *)words[i].data;
		size_t size = (size_t)words[i].size;

		RF_TRY(rf_words_add(&column->words, text, size,
		    rf_words_hash(text, size), &code, err));
	}
	return RF_OK;
}

static enum rf_status
like_feature(struct rf_plan *plan, const struct rf_like_feature *feature,
    struct rf_error *err)
{
	int64_t at = find_name(plan, feature->name);
	char quoted[RF_QUOTED_SIZE];
	struct rf_plan_column *column;

	if (at < 0)
		return rf_error_set(err, RF_EDATA,
		    "no column '%s', which the model has as a feature; without "
		    "--like, rf-predict --missing-ok does without it",
		    rf_text_quote(
			quoted, feature->name, strlen(feature->name)));
	column = &plan->columns[at];
	column->is_left_out = false;
	if (feature->kind == RF_FEATURE_CATEGORICAL) {
		column->wish = RF_WISH_CATEGORY;
		return take_words(
		    column, feature->words, feature->n_words, err);
	}
	if (feature->origin != NULL) {
		column->wish = RF_WISH_MOMENT;
		return RF_OK;
	}
	column->wish = feature->precision == RF_PRECISION_INT64
	    ? RF_WISH_ANY_NUMBER
	    : RF_WISH_NUMBER;
	column->takes_booleans = true;
	return RF_OK;
}

/* The label's type, where no option says another. */
static enum rf_status
like_classes(struct rf_plan_column *column, const struct rf_like *like,
    struct rf_error *err)
{
	if (column->wish != RF_WISH_NONE)
		return RF_OK;
	if (rf_type_is_text(like->label_type)) {
		column->wish = RF_WISH_CATEGORY;
		return take_words(column, like->classes, like->n_classes, err);
	}
	if (like->label_type == RF_TYPE_BOOL) {
		column->wish = RF_WISH_BOOLEAN;
	} else if (rf_type_is_integer(like->label_type)) {
		column->wish = RF_WISH_INTEGER;
		column->takes_whole_reals = true;
	} else if (like->label_type == RF_TYPE_FLOAT64) {
		column->wish = RF_WISH_NUMBER;
	}
	return RF_OK;
}

static enum rf_status
like_label(struct rf_plan *plan, const struct rf_csv_options *options,
    struct rf_error *err)
{
	const struct rf_like *like = options->like;
	int64_t at = -1;

	if (plan->task == NULL)
		plan->task = like->task;
	if (like->label != NULL && options->label == NULL) {
		at = find_name(plan, like->label);
		if (at >= 0 && plan->columns[at].role == RF_ROLE_FEATURE)
			RF_TRY(rf_plan_role(
			    plan, "--like", (size_t)at, RF_ROLE_LABEL, err));
	}
	if (plan->label < 0)
		return RF_OK;
	return like_classes(&plan->columns[plan->label], like, err);
}

/* Tells of the columns that the model does not have, the first by name. */
static void
note_left_out(const struct rf_plan *plan, const struct rf_log *log)
{
	char quoted[RF_QUOTED_SIZE];
	struct rf_bytes first = {0};
	size_t n = 0;

	for (size_t c = 0; c < plan->n_columns; c++) {
		if (!plan->columns[c].is_left_out ||
		    plan->columns[c].role != RF_ROLE_FEATURE)
			continue;
		if (n++ == 0)
			first = rf_plan_name(plan, c);
	}
	if (n > 0)
		rf_note(log,
		    "%zu column%s that the model lacks left out: '%s'%s", n,
		    RF_PLURAL(n),
		    rf_text_quote(quoted, first.data, (size_t)first.size),
		    n == 1 ? "" : " first");
}

enum rf_status
rf_plan_like(struct rf_plan *plan, const struct rf_csv_options *options,
    struct rf_error *err)
{
	const struct rf_like *like = options->like;

	for (size_t c = 0; c < plan->n_columns; c++)
		plan->columns[c].is_left_out = true;
	for (size_t i = 0; i < like->n_features; i++)
		RF_TRY(like_feature(plan, &like->features[i], err));
	RF_TRY(like_label(plan, options, err));
	note_left_out(plan, options->log);
	return RF_OK;
}

/* The number n of a name "Vn"; 0: it is no such name. */
static size_t
number_of(const char *name, size_t size)
{
	size_t number = 0;

	if (size < 2 || size > 9 || name[0] != 'V' || name[1] == '0')
		return 0;
	for (size_t i = 1; i < size; i++) {
		if (name[i] < '0' || name[i] > '9')
			return 0;
		number = number * 10 + (size_t)(name[i] - '0');
	}
	return number;
}

bool
rf_like_has_no_header(
    const struct rf_like *like, const struct rf_cell *cells, size_t n_cells)
{
	for (size_t i = 0; i < like->n_features; i++) {
		const char *name = like->features[i].name;
		size_t number = number_of(name, strlen(name));

		if (number == 0 || number > n_cells)
			return false;
	}
	for (size_t c = 0; c < n_cells; c++)
		if (number_of(cells[c].text, cells[c].size) != 0)
			return false;
	return like->n_features > 0;
}
