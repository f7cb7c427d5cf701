#include "train/coded_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "train/levels.h"

/* Rows of each level among those that train. */
static void
count_levels(const int32_t *codes, const struct rf_rows *rows, int64_t *n_of)
{
	for (int64_t i = 0; i < rows->n_rows; i++) {
		int32_t code = codes[rows->kept != NULL ? rows->kept[i] : i];

		if (code >= 0)
			n_of[code]++;
	}
}

static enum rf_status
sort_all(struct rf_coding *coding, struct rf_error *err)
{
	coding->n_levels = rf_vocabulary_n(coding->stored->vocabulary);
	RF_TRY(rf_levels_sort(coding->stored->vocabulary, coding->order, err));
	for (int32_t i = 0; i < coding->n_levels; i++)
		coding->code_of[coding->order[i]] = i;
	return RF_OK;
}

static enum rf_status
keep_frequent(struct rf_coding *coding, const int32_t *codes,
    const struct rf_rows *rows, const struct rf_params *params,
    struct rf_error *err)
{
	size_t n = (size_t)rf_vocabulary_n(coding->stored->vocabulary);
	int64_t *n_of = rf_alloc_zero(n, sizeof(*n_of));
	enum rf_status status;

	if (n_of == NULL)
		return rf_error_memory(err, n * sizeof(*n_of), "levels");
	count_levels(codes, rows, n_of);
	status = rf_levels_keep(coding->stored->vocabulary, n_of,
	    params->min_category_rows, params->max_categories, coding->code_of,
	    coding->order, &coding->n_levels, err);
	free(n_of);
	return status;
}

static enum rf_status
plan_levels(struct rf_coding *coding, int32_t *codes,
    const struct rf_rows *rows, const struct rf_params *params,
    struct rf_error *err)
{
	struct rf_stored *stored = coding->stored;
	size_t n;

	if (stored->vocabulary == NULL)
		RF_TRY(rf_vocabulary_new(&stored->vocabulary, err));
	n = (size_t)rf_vocabulary_n(stored->vocabulary);
	coding->code_of = rf_alloc(n, sizeof(*coding->code_of));
	coding->order = rf_alloc(n, sizeof(*coding->order));
	if (coding->code_of == NULL || coding->order == NULL)
		return rf_error_memory(
		    err, n * sizeof(*coding->order), "levels");
	if (stored->is_ordinal)
		return sort_all(coding, err);
	rf_stored_codes(stored, codes);
	return keep_frequent(coding, codes, rows, params, err);
}

static void
plan_numbers(struct rf_coding *coding, const struct rf_params *params)
{
	coding->kind = RF_FEATURE_NUMERIC;
	coding->precision = coding->stored->is_ordinal
	    ? RF_PRECISION_FLOAT64
	    : rf_field_precision(coding->stored->field);
	if (params->is_float32 && coding->precision == RF_PRECISION_FLOAT64)
		coding->precision = RF_PRECISION_FLOAT32;
}

static void
release_levels(struct rf_coding *coding)
{
	free(coding->code_of);
	free(coding->order);
	*coding = (struct rf_coding){0};
}

static enum rf_status
plan_column(struct rf_coded *coded, struct rf_stored *stored, int32_t *codes,
    const struct rf_table *table, const struct rf_rows *rows,
    const struct rf_params *params, struct rf_error *err)
{
	struct rf_coding *coding = &coded->codings[coded->n_features++];
	char quoted[RF_QUOTED_SIZE];

	*coding = (struct rf_coding){.stored = stored, .kind = stored->kind};
	if (stored->kind == RF_FEATURE_NUMERIC || stored->is_ordinal)
		plan_numbers(coding, params);
	if (stored->kind == RF_FEATURE_NUMERIC)
		return RF_OK;
	RF_TRY(plan_levels(coding, codes, rows, params, err));
	if (coding->n_levels > 0 || stored->is_ordinal)
		return RF_OK;
	rf_note(table->log,
	    "column '%s' is left out: no text in it has %lld rows",
	    rf_text_quote(
		quoted, stored->field->name, strlen(stored->field->name)),
	    (long long)params->min_category_rows);
	release_levels(coding);
	coded->n_features--;
	rf_stored_clear(stored);
	return RF_OK;
}

enum rf_status
rf_coded_plan(struct rf_coded *coded, struct rf_table *table,
    const struct rf_rows *rows, const struct rf_params *params,
    struct rf_error *err)
{
	size_t n = (size_t)table->n_features;
	int32_t *codes = rf_alloc((size_t)table->n_rows, sizeof(*codes));
	enum rf_status status = RF_OK;

	coded->codings = rf_alloc_zero(n, sizeof(*coded->codings));
	if (codes == NULL || coded->codings == NULL)
		status = rf_error_memory(
		    err, n * sizeof(*coded->codings), "features");
	for (size_t i = 0; i < n && status == RF_OK; i++)
		if (!table->columns[i].is_dropped)
			status = plan_column(coded, &table->columns[i], codes,
			    table, rows, params, err);
	free(codes);
	return status;
}
