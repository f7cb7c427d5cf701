#include "predict/tally_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define ABSENT SIZE_MAX

static enum rf_status
fail(const struct rf_tally_input *input, const char *what, struct rf_error *err)
{
	return rf_error_set(
	    err, RF_EDATA, "%s: %s", rf_reader_name(input->reader), what);
}

enum rf_status
rf_tally_input_fail(const struct rf_tally_input *input, int64_t row,
    const char *what, struct rf_error *err)
{
	return rf_error_set(err, RF_EDATA, "%s: row %" PRIu64 ": %s",
	    rf_reader_name(input->reader), (uint64_t)row + 1, what);
}

static bool
is_whole(const struct rf_field *field)
{
	return !field->is_dictionary &&
	    (field->type == RF_TYPE_INT64 || field->type == RF_TYPE_INT32);
}

static bool
is_sums_list(const struct rf_field *field)
{
	return field->type == RF_TYPE_LIST && field->n_children == 1 &&
	    field->children[0].type == RF_TYPE_STRUCT &&
	    field->children[0].n_children == 2 &&
	    is_whole(&field->children[0].children[0]) &&
	    is_whole(&field->children[0].children[1]);
}

/* K of "rf.sum.K", or -1. */
static int64_t
number_of_sum(const char *name)
{
	long long k;

	if (strncmp(name, "rf.sum.", 7) != 0 ||
	    rf_text_to_int(name + 7, 0, INT32_MAX, name, &k, NULL) != RF_OK)
		return -1;
	return k;
}

/* Takes a column of the tallies; false: none that is known here. */
static bool
take_column(
    struct rf_tally_input *input, const struct rf_field *field, size_t i)
{
	int64_t k = number_of_sum(field->name);
	size_t *place = NULL;

	if (strcmp(field->name, "rf.row") == 0 && is_whole(field))
		place = &input->row_field;
	else if (strcmp(field->name, "rf.n") == 0 && is_whole(field))
		place = &input->n_field;
	else if (strcmp(field->name, "rf.sums") == 0 && is_sums_list(field))
		place = &input->list_field;
	else if (k >= 0 && k < input->n_sums && !input->is_sparse &&
	    is_whole(field))
		place = &input->sum_fields[k];
	if (place == NULL || *place != ABSENT)
		return false;
	*place = i;
	return true;
}

static enum rf_status
find_columns(struct rf_tally_input *input, struct rf_error *err)
{
	const struct rf_schema *schema = rf_reader_schema(input->reader);
	char quoted[RF_QUOTED_SIZE];

	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct rf_field *field = &schema->fields[i];

		rf_text_quote(quoted, field->name, strlen(field->name));
		if (strncmp(field->name, "rf.", 3) == 0) {
			if (!take_column(input, field, i))
				return rf_error_set(err, RF_EDATA,
				    "%s: column '%s' of type %s is not one "
				    "of such tallies",
				    rf_reader_name(input->reader), quoted,
				    rf_type_name(field->type));
			continue;
		}
		if (rf_type_is_nested(field->type))
			return rf_error_set(err, RF_EDATA,
			    "%s: column '%s': type %s is not supported",
			    rf_reader_name(input->reader), quoted,
			    rf_type_name(field->type));
		input->kept[input->n_kept++] = i;
	}
	return RF_OK;
}

static enum rf_status
check_columns(const struct rf_tally_input *input, struct rf_error *err)
{
	bool is_whole_set = input->row_field != ABSENT &&
	    (input->n_field != ABSENT) == input->header.is_oob &&
	    (input->list_field != ABSENT) == input->is_sparse;

	for (int32_t k = 0; !input->is_sparse && k < input->n_sums; k++)
		is_whole_set &= input->sum_fields[k] != ABSENT;
	return is_whole_set
	    ? RF_OK
	    : fail(input,
		  "lacks columns of the tallies: rf.row, rf.n, rf.sum.0 ..",
		  err);
}

static enum rf_status
read_header(struct rf_tally_input *input, struct rf_error *err)
{
	const struct rf_schema *schema = rf_reader_schema(input->reader);
	size_t n_columns;
	enum rf_status status;

	status = rf_tally_header_get(&input->header, &schema->metadata, err);
	if (status != RF_OK)
		return rf_error_prefix(
		    err, status, rf_reader_name(input->reader));
	if (input->header.vote == RF_VOTE_LEAF)
		return fail(input,
		    "leaf numbers have no votes: rf-predict without --leaves",
		    err);
	input->n_sums = rf_tally_header_n_sums(&input->header);
	input->is_sparse = input->n_sums > RF_TALLY_COLUMNS_MOST;
	n_columns = input->is_sparse ? 0 : (size_t)input->n_sums;
	input->sum_fields = rf_alloc(n_columns, sizeof(*input->sum_fields));
	input->kept = rf_alloc(schema->n_fields, sizeof(*input->kept));
	if (input->sum_fields == NULL || input->kept == NULL)
		return rf_error_memory(err, 8 * schema->n_fields, "columns");
	for (size_t k = 0; k < n_columns; k++)
		input->sum_fields[k] = ABSENT;
	return RF_OK;
}

enum rf_status
rf_tally_input_init(struct rf_tally_input *input, struct rf_reader *reader,
    struct rf_error *err)
{
	memset(input, 0, sizeof(*input));
	input->reader = reader;
	input->row_field = input->n_field = input->list_field = ABSENT;
	input->last_row = -1;
	RF_TRY(read_header(input, err));
	RF_TRY(find_columns(input, err));
	return check_columns(input, err);
}

void
rf_tally_input_release(struct rf_tally_input *input)
{
	rf_tally_header_release(&input->header);
	free(input->sum_fields);
	free(input->kept);
	memset(input, 0, sizeof(*input));
}

/* --- Rows ------------------------------------------------------------------ */

/* A foreign filter may have made nulls. */
static enum rf_status
check_nulls(const struct rf_tally_input *input, struct rf_error *err)
{
	const struct rf_schema *schema = rf_reader_schema(input->reader);

	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct rf_column *column = &input->batch.columns[i];
		int64_t n_nulls = 0;

		if (strncmp(schema->fields[i].name, "rf.", 3) != 0)
			continue;
		n_nulls = rf_column_n_nulls(column);
		for (size_t k = 0; column->n_children > 0 && k < 2; k++)
			n_nulls +=
			    rf_column_n_nulls(&column->children[0].children[k]);
		if (column->n_children > 0)
			n_nulls += rf_column_n_nulls(&column->children[0]);
		if (n_nulls > 0)
			return fail(input, "nulls among the tallies", err);
	}
	return RF_OK;
}

enum rf_status
rf_tally_input_fill(struct rf_tally_input *input, struct rf_error *err)
{
	while (!input->has_ended && input->first >= input->batch.n_rows) {
		RF_TRY(rf_reader_next(input->reader, &input->batch, err));
		input->first = 0;
		input->has_ended = input->batch.columns == NULL;
		if (!input->has_ended)
			RF_TRY(check_nulls(input, err));
	}
	return RF_OK;
}

static int64_t
whole_at(const struct rf_column *column, int64_t row)
{
	return column->field->type == RF_TYPE_INT64
	    ? ((const int64_t *)column->values)[row]
	    : ((const int32_t *)column->values)[row];
}

int64_t
rf_tally_input_row(const struct rf_tally_input *input, int64_t i)
{
	return whole_at(
	    &input->batch.columns[input->row_field], input->first + i);
}

int64_t
rf_tally_input_n(const struct rf_tally_input *input, int64_t i)
{
	return whole_at(
	    &input->batch.columns[input->n_field], input->first + i);
}

void
rf_tally_input_add(
    const struct rf_tally_input *input, int32_t k, int64_t n, int64_t *sums)
{
	const struct rf_column *column =
	    &input->batch.columns[input->sum_fields[k]];
	const int64_t *wide = (const int64_t *)column->values + input->first;
	const int32_t *narrow = (const int32_t *)column->values + input->first;

	/* Unsigned: sums that a hostile stream makes overflow are found when
	 * they do not come out as they should. */
	if (column->field->type == RF_TYPE_INT64)
		for (int64_t i = 0; i < n; i++)
			sums[i] =
			    (int64_t)((uint64_t)sums[i] + (uint64_t)wide[i]);
	else
		for (int64_t i = 0; i < n; i++)
			sums[i] =
			    (int64_t)((uint64_t)sums[i] + (uint64_t)narrow[i]);
}

void
rf_tally_input_list(
    const struct rf_tally_input *input, int64_t i, int64_t *first, int64_t *end)
{
	rf_column_list(&input->batch.columns[input->list_field],
	    input->first + i, first, end);
}

void
rf_tally_input_entry(const struct rf_tally_input *input, int64_t at,
    int64_t *class, int64_t *sum)
{
	const struct rf_column *entries =
	    &input->batch.columns[input->list_field].children[0];

	*class = whole_at(&entries->children[0], at);
	*sum = whole_at(&entries->children[1], at);
}
