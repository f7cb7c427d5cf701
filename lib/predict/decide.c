#include "predict/decide.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "predict/ratio.h"

/* --- Classes as they came -------------------------------------------------- */

/* The class's text as a whole number, or as 0 or 1; false: it is neither. */
static bool
value_of_class(const char *text, enum rf_label_type type, int64_t *value)
{
	long long whole;

	if (type == RF_LABEL_BOOL) {
		*value = strcmp(text, "true") == 0;
		return *value == 1 || strcmp(text, "false") == 0;
	}
	if (rf_text_to_int(
		text, LLONG_MIN, LLONG_MAX, "a class", &whole, NULL) != RF_OK)
		return false;
	*value = whole;
	return true;
}

static enum rf_status
find_values(struct rf_decider *decider, struct rf_error *err)
{
	const struct rf_tally_header *header = decider->header;

	if (header->label_type != RF_LABEL_INT &&
	    header->label_type != RF_LABEL_BOOL)
		return RF_OK;
	decider->values =
	    rf_alloc((size_t)header->n_classes, sizeof(*decider->values));
	if (decider->values == NULL)
		return rf_error_memory(
		    err, 8 * (size_t)header->n_classes, "classes");
	decider->type = header->label_type;
	for (int32_t k = 0; k < header->n_classes; k++)
		if (!value_of_class(header->classes[k], header->label_type,
			&decider->values[k]))
			decider->type = RF_LABEL_TEXT;
	return RF_OK;
}

enum rf_status
rf_decider_init(struct rf_decider *decider,
    const struct rf_tally_header *header, bool with_probabilities,
    struct rf_error *err)
{
	memset(decider, 0, sizeof(*decider));
	decider->header = header;
	decider->type = RF_LABEL_TEXT;
	if (header->task == RF_TASK_REGRESSION) {
		decider->type = RF_LABEL_FLOAT;
		return RF_OK;
	}
	decider->with_probabilities = with_probabilities;
	return find_values(decider, err);
}

void
rf_decider_release(struct rf_decider *decider)
{
	free(decider->values);
	free(decider->predictions);
	free(decider->confidence);
	free(decider->probabilities);
	free(decider->validity);
	memset(decider, 0, sizeof(*decider));
}

size_t
rf_decider_n_columns(const struct rf_decider *decider)
{
	if (decider->header->task == RF_TASK_REGRESSION)
		return 1;
	return 2 +
	    (decider->with_probabilities ? (size_t)decider->header->n_classes
					 : 0);
}

/* --- Fields ---------------------------------------------------------------- */

static enum rf_status
add_field(struct rf_schema *schema, const char *prefix, const char *name,
    const char *class, const char *role, enum rf_type type,
    struct rf_field **field, struct rf_error *err)
{
	struct rf_text text = {0};
	char quoted[RF_QUOTED_SIZE];
	enum rf_status status;

	rf_text_puts(&text, prefix);
	rf_text_puts(&text, name);
	rf_text_puts(&text, class);
	if (text.failed)
		status = rf_error_memory(err, text.size, "a name");
	else if (rf_schema_find(schema, text.data) != -1)
		status = rf_error_set(err, RF_EUSAGE,
		    "column '%s' is there already; --prefix gives the new "
		    "columns other names",
		    rf_text_quote(quoted, text.data, text.size));
	else
		status =
		    rf_schema_add(schema, text.data, type, true, field, err);
	rf_text_release(&text);
	if (status == RF_OK)
		status =
		    rf_metadata_set(&(*field)->metadata, "rf.role", role, err);
	return status;
}

enum rf_status
rf_decider_fields(const struct rf_decider *decider, const char *prefix,
    int64_t dictionary_id, struct rf_schema *schema, struct rf_error *err)
{
	static const enum rf_type types[] = {[RF_LABEL_TEXT] = RF_TYPE_UTF8,
	    [RF_LABEL_INT] = RF_TYPE_INT64,
	    [RF_LABEL_BOOL] = RF_TYPE_BOOL,
	    [RF_LABEL_FLOAT] = RF_TYPE_FLOAT64};
	const struct rf_tally_header *header = decider->header;
	struct rf_field *field;

	RF_TRY(add_field(schema, prefix, "prediction", "", "prediction",
	    types[decider->type], &field, err));
	if (decider->type == RF_LABEL_TEXT) {
		field->is_dictionary = true;
		field->dictionary_id = dictionary_id;
		field->index_type = RF_TYPE_INT32;
	}
	if (header->task == RF_TASK_REGRESSION)
		return RF_OK;
	RF_TRY(add_field(schema, prefix, "confidence", "", "confidence",
	    RF_TYPE_FLOAT64, &field, err));
	for (int32_t k = 0;
	     decider->with_probabilities && k < header->n_classes; k++)
		RF_TRY(add_field(schema, prefix, "probability.",
		    header->classes[k], "probability", RF_TYPE_FLOAT64, &field,
		    err));
	return RF_OK;
}

enum rf_status
rf_decider_dictionary(const struct rf_decider *decider, int64_t dictionary_id,
    struct rf_writer *writer, struct rf_error *err)
{
	const struct rf_tally_header *header = decider->header;
	const struct rf_field field = {
	    .name = (char[]){"prediction"}, .type = RF_TYPE_UTF8};
	struct rf_column column = {
	    .field = &field, .n_rows = header->n_classes};
	size_t n = (size_t)header->n_classes;
	struct rf_text texts = {0};
	int32_t *offsets;
	enum rf_status status;

	if (decider->type != RF_LABEL_TEXT)
		return RF_OK;
	offsets = rf_alloc_zero(n + 1, sizeof(*offsets));
	for (size_t k = 0; offsets != NULL && k < n; k++) {
		rf_text_puts(&texts, header->classes[k]);
		offsets[k + 1] = (int32_t)texts.size;
	}
	column.offsets = offsets;
	column.data =
	    (struct rf_bytes){(const uint8_t *)texts.data, (int64_t)texts.size};
	if (offsets == NULL || texts.failed)
		status = rf_error_memory(err, texts.size, "classes");
	else if (texts.size > INT32_MAX)
		status = rf_error_set(
		    err, RF_EDATA, "class texts of more than 2 GiB");
	else
		status =
		    rf_writer_dictionary(writer, dictionary_id, &column, err);
	rf_text_release(&texts);
	free(offsets);
	return status;
}

/* --- Rows ------------------------------------------------------------------ */

static enum rf_status
make_room(struct rf_decider *decider, size_t n, struct rf_error *err)
{
	size_t n_classes = decider->with_probabilities
	    ? (size_t)decider->header->n_classes
	    : 0;

	decider->n_nulls = 0;
	if (n > decider->capacity) {
		free(decider->predictions);
		free(decider->confidence);
		free(decider->probabilities);
		free(decider->validity);
		decider->capacity = 0;
		decider->predictions = rf_alloc(n, sizeof(int64_t));
		decider->confidence = rf_alloc(n, sizeof(double));
		decider->probabilities =
		    rf_alloc(n, n_classes * sizeof(double));
		decider->validity = rf_alloc(n / 8 + 1, 1);
		if (decider->predictions == NULL ||
		    decider->confidence == NULL ||
		    decider->probabilities == NULL || decider->validity == NULL)
			return rf_error_memory(
			    err, n * (n_classes + 2) * 8, "predictions");
		decider->capacity = n;
	}
	memset(decider->validity, 0xff, n / 8 + 1);
	if (decider->type == RF_LABEL_BOOL)
		memset(decider->predictions, 0, n / 8 + 1);
	return RF_OK;
}

static void
put_null(struct rf_decider *decider, int64_t row)
{
	decider->validity[row >> 3] &= (uint8_t) ~(1u << (row & 7));
	decider->n_nulls++;
	decider->confidence[row] = 0;
	if (decider->type == RF_LABEL_TEXT)
		((int32_t *)decider->predictions)[row] = 0;
	else if (decider->type != RF_LABEL_BOOL)
		((int64_t *)decider->predictions)[row] = 0;
}

static void
put_class(struct rf_decider *decider, int64_t row, int32_t class)
{
	switch (decider->type) {
	case RF_LABEL_TEXT:
		((int32_t *)decider->predictions)[row] = class;
		break;
	case RF_LABEL_INT:
		((int64_t *)decider->predictions)[row] = decider->values[class];
		break;
	case RF_LABEL_BOOL:
		((uint8_t *)decider->predictions)[row >> 3] |=
		    (uint8_t)(decider->values[class] << (row & 7));
		break;
	case RF_LABEL_FLOAT:
		break;
	}
}

/* What the sums of a row add up to. */
static int64_t
total_of(const struct rf_merge *merge, int64_t row)
{
	const struct rf_tally_header *header = &merge->lead->header;
	int64_t n = header->is_oob ? merge->n[row] : merge->n_trees;

	return header->vote == RF_VOTE_SOFT ? n * RF_SHARE_ONE : n;
}

static enum rf_status
check_total(const struct rf_merge *merge, int64_t row, bool is_right,
    struct rf_error *err)
{
	return is_right
	    ? RF_OK
	    : rf_tally_input_fail(merge->lead,
		  rf_tally_input_row(merge->lead, row),
		  "the votes do not add up to those of its trees", err);
}

/* `best` of `total` votes are the winner's; no prediction where there are none.
 */
static void
put_winner(struct rf_decider *decider, int64_t row, int32_t winner,
    int64_t best, int64_t total)
{
	if (total == 0) {
		put_null(decider, row);
		return;
	}
	put_class(decider, row, winner);
	decider->confidence[row] = rf_ratio((uint64_t)best, (uint64_t)total);
}

/* The sums of a row lie merge->n_rows apart. */
static enum rf_status
decide_row(struct rf_decider *decider, const struct rf_merge *merge,
    int64_t row, struct rf_error *err)
{
	int64_t total = total_of(merge, row), n_rows = merge->n_rows, best = -1;
	const int64_t *sums = merge->sums + row;
	double *probabilities = decider->probabilities + row;
	uint64_t all = 0;
	bool is_right = true;
	int32_t winner = 0;

	for (int32_t k = 0; k < decider->header->n_classes; k++) {
		int64_t sum = sums[k * n_rows];

		is_right &= sum >= 0 && sum <= total;
		all += (uint64_t)sum;
		if (sum > best) {
			best = sum;
			winner = k;
		}
		if (decider->with_probabilities)
			probabilities[k * n_rows] = total > 0 && sum > 0
			    ? rf_ratio((uint64_t)sum, (uint64_t)total)
			    : 0;
	}
	RF_TRY(
	    check_total(merge, row, is_right && all == (uint64_t)total, err));
	put_winner(decider, row, winner, best, total);
	return RF_OK;
}

static enum rf_status
decide_list(struct rf_decider *decider, const struct rf_merge *merge,
    int64_t row, struct rf_error *err)
{
	const struct rf_sums *list = &merge->list;
	int64_t total = total_of(merge, row), best = 0;
	int32_t winner = 0;
	uint64_t all = 0;

	for (int32_t k = 0;
	     decider->with_probabilities && k < decider->header->n_classes; k++)
		decider->probabilities[k * merge->n_rows + row] = 0;
	for (int32_t i = list->offsets[row]; i < list->offsets[row + 1]; i++) {
		int64_t sum = list->sums[i];

		all += (uint64_t)sum;
		if (sum > best) {
			best = sum;
			winner = list->classes[i];
		}
		if (decider->with_probabilities && total > 0)
			decider
			    ->probabilities[list->classes[i] * merge->n_rows +
				row] = rf_ratio((uint64_t)sum, (uint64_t)total);
	}
	RF_TRY(check_total(
	    merge, row, best <= total && all == (uint64_t)total, err));
	put_winner(decider, row, winner, best, total);
	return RF_OK;
}

static void
decide_means(struct rf_decider *decider, const struct rf_merge *merge)
{
	double *means = decider->predictions;

	for (int64_t row = 0; row < merge->n_rows; row++) {
		int64_t n =
		    decider->header->is_oob ? merge->n[row] : merge->n_trees;

		if (n == 0)
			put_null(decider, row);
		else
			means[row] = rf_mean_of_units(merge->sums[row], n,
			    decider->header->unit_exponent);
	}
}

enum rf_status
rf_decider_rows(struct rf_decider *decider, const struct rf_merge *merge,
    struct rf_error *err)
{
	RF_TRY(make_room(decider, (size_t)merge->n_rows, err));
	if (decider->header->task == RF_TASK_REGRESSION) {
		decide_means(decider, merge);
		return RF_OK;
	}
	for (int64_t row = 0; row < merge->n_rows; row++)
		RF_TRY(merge->lead->is_sparse
			? decide_list(decider, merge, row, err)
			: decide_row(decider, merge, row, err));
	return RF_OK;
}

void
rf_decider_columns(const struct rf_decider *decider,
    const struct rf_field *fields, int64_t n_rows, struct rf_column *columns)
{
	size_t n = rf_decider_n_columns(decider);

	for (size_t i = 0; i < n; i++) {
		columns[i] = (struct rf_column){.field = &fields[i],
		    .n_rows = n_rows,
		    .n_nulls = decider->n_nulls,
		    .validity =
			decider->n_nulls > 0 ? decider->validity : NULL};
		if (i == 0)
			columns[i].values = decider->predictions;
		else if (i == 1)
			columns[i].values = decider->confidence;
		else
			columns[i].values =
			    decider->probabilities + (i - 2) * (size_t)n_rows;
	}
}
