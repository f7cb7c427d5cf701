#include "stream/sparse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/slice.h"

#define KEY_WIDTH "rf.sparse"
#define KEY_FIRST "rf.sparse.first"

struct rf_dense {
	const struct rf_schema *from;
	struct rf_schema schema;
	struct rf_column *columns; /* of a slice */
	int64_t max_rows;	   /* of a slice; a multiple of 8 */
	int64_t *widths;	   /* a field of `from`; 0: no sparse one */
	double **values;	   /* a sparse field; max_rows a column */
	uint8_t **validity;	   /* the same; NULL until one is missing */
	/* The batch given. */
	struct rf_batch batch;
	int64_t row; /* rows taken of it */
	bool is_given;
};

/* --- The layout ------------------------------------------------------------ */

static enum rf_status
set_number(struct rf_metadata *metadata, const char *key, int64_t number,
    struct rf_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, number);
	return rf_metadata_set(metadata, key, text, err);
}

static enum rf_status
name_child(struct rf_field *child, const char *name, enum rf_type type,
    bool nullable, struct rf_error *err)
{
	child->name = rf_strdup(name);
	child->type = type;
	child->nullable = nullable;
	return child->name != NULL ? RF_OK
				   : rf_error_memory(err, strlen(name), name);
}

enum rf_status
rf_sparse_add(struct rf_schema *schema, const char *name, int64_t width,
    int64_t first, struct rf_error *err)
{
	struct rf_field *field, *pair;

	RF_TRY(rf_schema_add(schema, name, RF_TYPE_LIST, false, &field, err));
	RF_TRY(rf_field_add_children(field, 1, err));
	pair = &field->children[0];
	RF_TRY(name_child(pair, "item", RF_TYPE_STRUCT, false, err));
	RF_TRY(rf_field_add_children(pair, 2, err));
	RF_TRY(name_child(
	    &pair->children[0], "column", RF_TYPE_INT32, false, err));
	RF_TRY(name_child(
	    &pair->children[1], "value", RF_TYPE_FLOAT64, true, err));
	RF_TRY(set_number(&field->metadata, KEY_WIDTH, width, err));
	return set_number(&field->metadata, KEY_FIRST, first, err);
}

int64_t
rf_sparse_width(const struct rf_field *field)
{
	const char *text = rf_metadata_get(&field->metadata, KEY_WIDTH, NULL);
	long long width;

	if (text == NULL ||
	    rf_text_to_int(text, 1, INT64_MAX, KEY_WIDTH, &width, NULL) !=
		RF_OK)
		return 0;
	return width;
}

bool
rf_schema_has_sparse(const struct rf_schema *schema)
{
	for (size_t i = 0; i < schema->n_fields; i++)
		if (rf_metadata_get(
			&schema->fields[i].metadata, KEY_WIDTH, NULL) != NULL)
			return true;
	return false;
}

static bool
is_number(const struct rf_field *field, enum rf_type type)
{
	return field->type == type && !field->is_dictionary;
}

static enum rf_status
check_layout(const struct rf_field *field, int64_t *first, struct rf_error *err)
{
	const char *text = rf_metadata_get(&field->metadata, KEY_FIRST, NULL);
	const struct rf_field *pair = field->children;
	int64_t width = rf_sparse_width(field);
	long long number = 0;

	if (field->is_dictionary ||
	    (field->type != RF_TYPE_LIST &&
		field->type != RF_TYPE_LARGE_LIST) ||
	    field->n_children != 1 || pair->type != RF_TYPE_STRUCT ||
	    pair->n_children != 2 ||
	    !is_number(&pair->children[0], RF_TYPE_INT32) ||
	    !is_number(&pair->children[1], RF_TYPE_FLOAT64))
		return rf_error_set(err, RF_EDATA,
		    "a sparse column is list<struct<column: int32, value: "
		    "float64>>, rf-stream(5)");
	if (width == 0 || width > RF_SPARSE_MOST)
		return rf_error_set(err, RF_EDATA,
		    "%s is not 1 to %" PRId64 " columns", KEY_WIDTH,
		    RF_SPARSE_MOST);
	if (text != NULL &&
	    rf_text_to_int(text, 0, INT32_MAX, KEY_FIRST, &number, err) !=
		RF_OK)
		return RF_EDATA;
	*first = number;
	return RF_OK;
}

static enum rf_status
add_dense(struct rf_schema *schema, const struct rf_field *field, int64_t first,
    struct rf_error *err)
{
	const char *role = rf_field_role(field);
	int64_t width = rf_sparse_width(field);
	struct rf_field *added;
	char name[32];

	for (int64_t i = 0; i < width; i++) {
		snprintf(name, sizeof(name), "f%" PRId64, first + i);
		RF_TRY(rf_schema_add(
		    schema, name, RF_TYPE_FLOAT64, true, &added, err));
		if (role[0] != '\0')
			RF_TRY(rf_metadata_set(
			    &added->metadata, "rf.role", role, err));
	}
	return RF_OK;
}

static enum rf_status
add_copy(struct rf_schema *schema, const struct rf_field *field,
    struct rf_error *err)
{
	struct rf_field copy = {0}, *added;
	enum rf_status status = rf_field_copy(&copy, field, err);

	if (status == RF_OK)
		status = rf_schema_add(
		    schema, field->name, field->type, false, &added, err);
	if (status != RF_OK) {
		rf_field_release(&copy);
		return status;
	}
	rf_field_release(added);
	*added = copy;
	return RF_OK;
}

/* A struct's children would have to be cut as well. */
static enum rf_status
add_field(struct rf_schema *schema, const struct rf_field *field,
    struct rf_error *err)
{
	char name[RF_QUOTED_SIZE], place[RF_QUOTED_SIZE + 16];
	enum rf_status status;
	int64_t first = 0;

	rf_text_quote(name, field->name, strlen(field->name));
	snprintf(place, sizeof(place), "column \"%s\"", name);
	if (rf_metadata_get(&field->metadata, KEY_WIDTH, NULL) != NULL) {
		status = check_layout(field, &first, err);
		if (status != RF_OK)
			return rf_error_prefix(err, status, place);
		return add_dense(schema, field, first, err);
	}
	if (field->type == RF_TYPE_STRUCT)
		return rf_error_set(err, RF_EDATA,
		    "%s: type struct is not supported beside a sparse column",
		    place);
	return add_copy(schema, field, err);
}

/* --- Dense columns --------------------------------------------------------- */

static int64_t
slice_rows(const struct rf_schema *schema, size_t slice_bytes)
{
	int64_t width = 1, rows;

	for (size_t i = 0; i < schema->n_fields; i++)
		width += rf_sparse_width(&schema->fields[i]);
	rows = (int64_t)(slice_bytes / 8) / width;
	rows = rows < 64 ? rows / 8 * 8 : rows / 64 * 64;
	return rows < 8 ? 8 : rows;
}

static enum rf_status
make_dense(struct rf_dense *dense, const struct rf_schema *schema,
    size_t slice_bytes, struct rf_error *err)
{
	size_t n = schema->n_fields;

	dense->from = schema;
	dense->max_rows = slice_rows(schema, slice_bytes);
	dense->widths = rf_alloc_zero(n, sizeof(*dense->widths));
	dense->values = rf_alloc_zero(n, sizeof(*dense->values));
	dense->validity = rf_alloc_zero(n, sizeof(*dense->validity));
	if (dense->widths == NULL || dense->values == NULL ||
	    dense->validity == NULL)
		return rf_error_memory(err, n * 8, "columns");
	RF_TRY(
	    rf_metadata_copy(&dense->schema.metadata, &schema->metadata, err));
	for (size_t i = 0; i < n; i++)
		RF_TRY(add_field(&dense->schema, &schema->fields[i], err));
	for (size_t i = 0; i < n; i++) {
		size_t width = (size_t)rf_sparse_width(&schema->fields[i]);

		dense->widths[i] = (int64_t)width;
		if (width == 0)
			continue;
		dense->values[i] = rf_alloc(width * (size_t)dense->max_rows, 8);
		if (dense->values[i] == NULL)
			return rf_error_memory(err,
			    width * (size_t)dense->max_rows * 8,
			    "dense columns");
	}
	n = dense->schema.n_fields;
	dense->columns = rf_alloc_zero(n, sizeof(*dense->columns));
	return dense->columns != NULL
	    ? RF_OK
	    : rf_error_memory(err, n * sizeof(*dense->columns), "columns");
}

enum rf_status
rf_dense_new(struct rf_dense **out, const struct rf_schema *schema,
    size_t slice_bytes, struct rf_error *err)
{
	struct rf_dense *dense = rf_alloc_zero(1, sizeof(*dense));
	enum rf_status status;

	if (dense == NULL)
		return rf_error_memory(err, sizeof(*dense), "dense columns");
	status = make_dense(dense, schema, slice_bytes, err);
	if (status != RF_OK) {
		rf_dense_free(dense);
		return status;
	}
	*out = dense;
	return RF_OK;
}

void
rf_dense_free(struct rf_dense *dense)
{
	if (dense == NULL)
		return;
	for (size_t i = 0; i < dense->from->n_fields; i++) {
		if (dense->values != NULL)
			free(dense->values[i]);
		if (dense->validity != NULL)
			free(dense->validity[i]);
	}
	free(dense->widths);
	free(dense->values);
	free(dense->validity);
	free(dense->columns);
	rf_schema_release(&dense->schema);
	free(dense);
}

const struct rf_schema *
rf_dense_schema(const struct rf_dense *dense)
{
	return &dense->schema;
}

void
rf_dense_give(struct rf_dense *dense, const struct rf_batch *batch)
{
	dense->batch = *batch;
	dense->row = 0;
	dense->is_given = true;
}

/* --- Slices ---------------------------------------------------------------- */

static enum rf_status
refuse_cell(const struct rf_column *column, int64_t row, const char *what,
    struct rf_error *err)
{
	char name[RF_QUOTED_SIZE];

	return rf_error_set(err, RF_EDATA,
	    "column \"%s\", row %" PRId64 " of the batch: %s",
	    rf_text_quote(
		name, column->field->name, strlen(column->field->name)),
	    row + 1, what);
}

/* Bits of all columns set, but for the missing ones of later. */
static enum rf_status
all_valid(struct rf_dense *dense, size_t i, struct rf_error *err)
{
	size_t size = (size_t)(dense->widths[i] * dense->max_rows / 8);

	if (dense->validity[i] == NULL)
		dense->validity[i] = rf_alloc(size, 1);
	if (dense->validity[i] == NULL)
		return rf_error_memory(err, size, "dense columns");
	memset(dense->validity[i], 0xff, size);
	return RF_OK;
}

/* The cells of a row of the batch, at place `at` of the slice. */
static enum rf_status
put_row(struct rf_dense *dense, size_t i, int64_t row, int64_t at,
    bool *has_nulls, struct rf_error *err)
{
	const struct rf_column *column = &dense->batch.columns[i];
	const struct rf_column *pair = column->children;
	const int32_t *columns = pair->children[0].values;
	const double *values = pair->children[1].values;
	int64_t width = dense->widths[i], last = -1, first, end;

	if (!rf_column_is_valid(column, row))
		return refuse_cell(column, row, "a null list", err);
	rf_column_list(column, row, &first, &end);
	for (int64_t e = first; e < end; e++) {
		if (!rf_column_is_valid(pair, e) ||
		    !rf_column_is_valid(&pair->children[0], e))
			return refuse_cell(column, row, "a null column", err);
		if (columns[e] >= width || columns[e] <= last)
			return refuse_cell(column, row,
			    columns[e] < 0 || columns[e] >= width
				? "a column out of range"
				: "columns that do not ascend",
			    err);
		last = columns[e];
		if (rf_column_is_valid(&pair->children[1], e)) {
			dense->values[i][last * dense->max_rows + at] =
			    values[e];
			continue;
		}
		if (!*has_nulls)
			RF_TRY(all_valid(dense, i, err));
		*has_nulls = true;
		dense->validity[i][(last * dense->max_rows + at) / 8] &=
		    (uint8_t) ~(1u << at % 8);
	}
	return RF_OK;
}

/* The columns that sparse field i stands for, put at `to`. */
static enum rf_status
expand(struct rf_dense *dense, size_t i, int64_t n, struct rf_column *to,
    const struct rf_field *fields, struct rf_error *err)
{
	int64_t width = dense->widths[i];
	int64_t max_rows = dense->max_rows;
	bool has_nulls = false;

	for (int64_t c = 0; c < width; c++)
		memset(dense->values[i] + c * max_rows, 0, (size_t)n * 8);
	for (int64_t row = 0; row < n; row++)
		RF_TRY(
		    put_row(dense, i, dense->row + row, row, &has_nulls, err));
	for (int64_t c = 0; c < width; c++) {
		to[c] = (struct rf_column){.field = &fields[c],
		    .n_rows = n,
		    .n_nulls = has_nulls ? -1 : 0,
		    .values = dense->values[i] + c * max_rows};
		if (has_nulls)
			to[c].validity = dense->validity[i] + c * max_rows / 8;
	}
	return RF_OK;
}

enum rf_status
rf_dense_next(
    struct rf_dense *dense, struct rf_batch *slice, struct rf_error *err)
{
	int64_t n = dense->batch.n_rows - dense->row;
	size_t at = 0;

	*slice = (struct rf_batch){0};
	if (!dense->is_given)
		return RF_OK;
	n = n < dense->max_rows ? n : dense->max_rows;
	for (size_t i = 0; i < dense->from->n_fields; i++) {
		int64_t width = dense->widths[i];

		if (width == 0) {
			dense->columns[at] = rf_column_slice(
			    &dense->batch.columns[i], dense->row, n);
			dense->columns[at].field = &dense->schema.fields[at];
			at++;
			continue;
		}
		RF_TRY(expand(dense, i, n, dense->columns + at,
		    dense->schema.fields + at, err));
		at += (size_t)width;
	}
	slice->n_rows = n;
	slice->columns = dense->columns;
	slice->n_columns = at;
	slice->metadata = dense->row == 0 ? dense->batch.metadata : NULL;
	dense->row += n;
	dense->is_given = dense->row < dense->batch.n_rows;
	return RF_OK;
}
