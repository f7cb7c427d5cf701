#include "predict/columns.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/pool.h"
#include "stream/slice.h"

/* Fewer cells than this are converted by one thread. */
#define PARALLEL_CELLS 65536

#define NO_FIELD -1

struct feature_column {
	const struct rf_forest_feature *feature;
	bool is_used;
	int64_t field;
	int unit; /* int64: of dates and timestamps; -1: as they come */
	struct rf_vocabulary *vocabulary; /* categories, ordinals */
	void *values;			  /* capacity rows of 8 bytes */
	uint8_t *is_missing;
	size_t capacity;
	bool has_overflown, was_said;
	bool has_failed; /* in the last conversion */
};

struct rf_inputs {
	struct rf_inputs_options options;
	const struct rf_schema *schema;
	int32_t n_features;
	struct feature_column *features;
	struct rf_walk_column *values;
	struct rf_pool *pool;
};

/* --- Matching -------------------------------------------------------------- */

/* The names of a schema's fields; codes count distinct names. */
struct names {
	struct rf_vocabulary *vocabulary;
	int64_t *fields; /* by code; -1: several */
};

static enum rf_status
index_names(
    struct names *names, const struct rf_schema *schema, struct rf_error *err)
{
	names->fields = rf_alloc(schema->n_fields, sizeof(*names->fields));
	if (names->fields == NULL)
		return rf_error_memory(err, 8 * schema->n_fields, "columns");
	RF_TRY(rf_vocabulary_new(&names->vocabulary, err));
	for (size_t i = 0; i < schema->n_fields; i++) {
		const char *name = schema->fields[i].name;
		int32_t n = rf_vocabulary_n(names->vocabulary), code;

		RF_TRY(rf_vocabulary_add(
		    names->vocabulary, name, strlen(name), &code, err));
		names->fields[code] = code == n ? (int64_t)i : -1;
	}
	return RF_OK;
}

static int
unit_of_origin(const char *origin)
{
	static const char *const units[] = {"s", "ms", "us", "ns"};
	const char *unit = origin == NULL ? NULL : strchr(origin, '[');
	size_t size;

	if (origin != NULL && strncmp(origin, "date", 4) == 0)
		return RF_UNIT_DAY;
	if (unit == NULL || strncmp(origin, "timestamp", 9) != 0)
		return -1;
	size = strcspn(++unit, ",]");
	for (int i = 0; i < 4; i++)
		if (strlen(units[i]) == size &&
		    strncmp(unit, units[i], size) == 0)
			return i;
	return -1;
}

static bool
wants_categories(const struct rf_forest_feature *feature)
{
	return feature->kind == RF_FEATURE_CATEGORICAL || feature->is_ordinal;
}

static enum rf_status
check_kind(const struct rf_forest_feature *feature,
    const struct rf_field *field, struct rf_error *err)
{
	static const char *const kinds[] = {
	    "a column of numbers", "a column of categories", "not usable"};
	enum rf_feature_kind wanted = wants_categories(feature)
	    ? RF_FEATURE_CATEGORICAL
	    : RF_FEATURE_NUMERIC;
	enum rf_feature_kind kind = rf_field_kind(field);
	char quoted[RF_QUOTED_SIZE];

	if (kind == wanted ||
	    (field->type == RF_TYPE_NULL && !field->is_dictionary))
		return RF_OK;
	return rf_error_set(err, RF_EDATA,
	    "column '%s' (type %s%s) is %s, for the model it is %s; try "
	    "csv2bin --like MODEL",
	    rf_text_quote(quoted, field->name, strlen(field->name)),
	    field->is_dictionary ? "dictionary of " : "",
	    rf_type_name(field->type), kinds[kind], kinds[wanted]);
}

/*
 * A date or timestamp would come to a column of numbers in whatever unit it
 * has, which need not be that of the numbers.
 */
static enum rf_status
check_time(const struct feature_column *column, const struct rf_field *field,
    struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	if (column->unit >= 0 || field->is_dictionary ||
	    (field->type != RF_TYPE_DATE32 && field->type != RF_TYPE_DATE64 &&
		field->type != RF_TYPE_TIMESTAMP))
		return RF_OK;
	return rf_error_set(err, RF_EDATA,
	    "column '%s' (type %s) is a point in time, for the model it is "
	    "a number without a unit; cast it as in training",
	    rf_text_quote(quoted, field->name, strlen(field->name)),
	    rf_type_name(field->type));
}

static enum rf_status
fill_vocabulary(struct feature_column *column, struct rf_error *err)
{
	RF_TRY(rf_vocabulary_new(&column->vocabulary, err));
	for (int32_t i = 0; i < column->feature->n_levels; i++) {
		const char *text = column->feature->levels[i];
		int32_t code;

		RF_TRY(rf_vocabulary_add(
		    column->vocabulary, text, strlen(text), &code, err));
		if (code != i)
			return rf_error_set(
			    err, RF_EDATA, "the model has a category twice");
	}
	return RF_OK;
}

static enum rf_status
match_feature(struct rf_inputs *columns, const struct names *names,
    struct feature_column *column, struct rf_error *err)
{
	const char *name = column->feature->name;
	int32_t code =
	    rf_vocabulary_find(names->vocabulary, name, strlen(name));
	char quoted[RF_QUOTED_SIZE];

	rf_text_quote(quoted, name, strlen(name));
	column->field = NO_FIELD;
	column->unit = unit_of_origin(column->feature->origin);
	if (code < 0 && columns->options.missing_ok)
		return RF_OK;
	if (code < 0)
		return rf_error_set(err, RF_EDATA,
		    "column '%s' of the model is not in the data; "
		    "--missing-ok takes it as missing",
		    quoted);
	if (names->fields[code] < 0)
		return rf_error_set(err, RF_EDATA,
		    "column '%s' of the model is there more than once", quoted);
	column->field = names->fields[code];
	RF_TRY(check_kind(
	    column->feature, &columns->schema->fields[column->field], err));
	RF_TRY(
	    check_time(column, &columns->schema->fields[column->field], err));
	if (column->is_used && wants_categories(column->feature))
		return fill_vocabulary(column, err);
	return RF_OK;
}

static enum rf_status
match_all(struct rf_inputs *columns, const struct rf_forest_header *header,
    const struct rf_walk_feature *features, const struct names *names,
    struct rf_error *err)
{
	for (int32_t f = 0; f < header->n_features; f++) {
		columns->features[f].feature = &header->features[f];
		columns->features[f].is_used = features[f].is_used;
		RF_TRY(
		    match_feature(columns, names, &columns->features[f], err));
	}
	return RF_OK;
}

enum rf_status
rf_inputs_open(struct rf_inputs **out, const struct rf_forest_header *header,
    const struct rf_walk_feature *features, const struct rf_schema *schema,
    const struct rf_inputs_options *options, struct rf_error *err)
{
	struct rf_inputs *columns = rf_alloc_zero(1, sizeof(*columns));
	size_t n = (size_t)header->n_features;
	struct names names = {0};
	enum rf_status status = RF_OK;

	if (columns == NULL)
		return rf_error_memory(err, sizeof(*columns), "columns");
	columns->options = *options;
	if (options->n_threads <= 0)
		columns->options.n_threads = omp_get_num_procs();
	columns->schema = schema;
	columns->n_features = header->n_features;
	columns->features = rf_alloc_zero(n, sizeof(*columns->features));
	columns->values = rf_alloc_zero(n, sizeof(*columns->values));
	if (columns->features == NULL || columns->values == NULL)
		status = rf_error_memory(
		    err, n * sizeof(*columns->features), "columns");
	if (status == RF_OK)
		status = rf_pool_open(
		    &columns->pool, columns->options.n_threads, err);
	if (status == RF_OK)
		status = index_names(&names, schema, err);
	if (status == RF_OK)
		status = match_all(columns, header, features, &names, err);
	rf_vocabulary_free(names.vocabulary);
	free(names.fields);
	if (status != RF_OK) {
		rf_inputs_free(columns);
		return status;
	}
	*out = columns;
	return RF_OK;
}

/* --- Conversion ------------------------------------------------------------ */

static enum rf_status
make_room(struct feature_column *column, size_t n_rows, struct rf_error *err)
{
	if (n_rows <= column->capacity)
		return RF_OK;
	free(column->values);
	free(column->is_missing);
	column->capacity = 0;
	column->values = rf_alloc(n_rows, sizeof(int64_t));
	column->is_missing = rf_alloc(n_rows, 1);
	if (column->values == NULL || column->is_missing == NULL)
		return rf_error_memory(err, 9 * n_rows, "values");
	column->capacity = n_rows;
	return RF_OK;
}

/* Whether the values can be used where they lie. */
static bool
is_ready(const struct feature_column *column, const struct rf_column *input)
{
	enum rf_type type = input->field->type;

	if (wants_categories(column->feature) || input->field->is_dictionary ||
	    input->n_rows == 0 || rf_column_n_nulls(input) != 0)
		return false;
	switch (column->feature->precision) {
	case RF_PRECISION_FLOAT32:
		return type == RF_TYPE_FLOAT32;
	case RF_PRECISION_FLOAT64:
		return type == RF_TYPE_FLOAT64;
	case RF_PRECISION_INT64:
		return type == RF_TYPE_INT64;
	}
	return false;
}

static void
all_missing(struct feature_column *column, int64_t n_rows)
{
	bool is_category = column->feature->kind == RF_FEATURE_CATEGORICAL;

	for (int64_t row = 0; row < n_rows; row++)
		if (is_category)
			((int32_t *)column->values)[row] = -1;
		else if (column->feature->precision == RF_PRECISION_INT64)
			((int64_t *)column->values)[row] = 0;
		else if (column->feature->precision == RF_PRECISION_FLOAT64)
			((double *)column->values)[row] = (double)NAN;
		else
			((float *)column->values)[row] = NAN;
	memset(column->is_missing, 1, (size_t)n_rows);
}

/* Codes become values in place: from the end, where these are wider. */
static void
codes_to_values(struct feature_column *column, int64_t n_rows)
{
	bool is_double = column->feature->precision != RF_PRECISION_FLOAT32;
	char *values = column->values;

	for (int64_t row = n_rows - 1; row >= 0; row--) {
		int32_t code;
		double wide;
		float narrow;

		memcpy(&code, values + row * 4, sizeof(code));
		wide = code < 0 ? (double)NAN : code;
		narrow = (float)wide;
		if (is_double)
			memcpy(values + row * 8, &wide, sizeof(wide));
		else
			memcpy(values + row * 4, &narrow, sizeof(narrow));
	}
}

/* A finite double that float32 lacks has become infinite. */
static void
look_for_overflow(struct feature_column *column, const struct rf_column *input)
{
	const double *wide = input->values;
	const float *narrow = column->values;
	bool has_overflown = false;

	if (input->field->type != RF_TYPE_FLOAT64 ||
	    input->field->is_dictionary)
		return;
	for (int64_t row = 0; row < input->n_rows; row++)
		has_overflown |= isinf(narrow[row]) && !isinf(wide[row]);
	column->has_overflown |= has_overflown;
}

static enum rf_status
convert_numbers(struct feature_column *column, const struct rf_column *input,
    struct rf_error *err)
{
	switch (column->feature->precision) {
	case RF_PRECISION_FLOAT32:
		RF_TRY(rf_column_to_float32(input, column->values, err));
		look_for_overflow(column, input);
		break;
	case RF_PRECISION_FLOAT64:
		return rf_column_to_float64(input, column->values, NULL, err);
	case RF_PRECISION_INT64:
		return rf_column_to_int64(input, column->unit, column->values,
		    column->is_missing, err);
	}
	return RF_OK;
}

static enum rf_status
convert_feature(struct feature_column *column, const struct rf_column *whole,
    int64_t first, int64_t n_rows, struct rf_walk_column *out,
    struct rf_error *err)
{
	struct rf_column input;

	out->is_missing = NULL;
	if (whole != NULL) {
		input = rf_column_slice(whole, first, n_rows);
		out->values = input.values;
		if (is_ready(column, &input))
			return RF_OK;
	}
	RF_TRY(make_room(column, (size_t)n_rows, err));
	out->values = column->values;
	if (column->feature->precision == RF_PRECISION_INT64 &&
	    !wants_categories(column->feature))
		out->is_missing = column->is_missing;
	if (whole == NULL ||
	    (input.field->type == RF_TYPE_NULL && !input.field->is_dictionary))
		all_missing(column, n_rows);
	else if (!wants_categories(column->feature))
		return convert_numbers(column, &input, err);
	else {
		RF_TRY(rf_column_to_codes(
		    &input, column->vocabulary, false, column->values, err));
		if (column->feature->is_ordinal)
			codes_to_values(column, n_rows);
	}
	return RF_OK;
}

static void
say_overflow(struct rf_inputs *columns)
{
	char quoted[RF_QUOTED_SIZE];

	for (int32_t f = 0; f < columns->n_features; f++) {
		struct feature_column *column = &columns->features[f];
		const char *name = column->feature->name;

		if (!column->has_overflown || column->was_said)
			continue;
		column->was_said = true;
		rf_note(columns->options.log,
		    "column '%s': numbers beyond float32, in which the "
		    "model compares it, count as infinite",
		    rf_text_quote(quoted, name, strlen(name)));
	}
}

/* A conversion under way. */
struct job {
	struct rf_inputs *columns;
	const struct rf_batch *batch;
	int64_t first, n_rows;
};

static enum rf_status
convert_by_number(const struct job *job, int32_t f, struct rf_error *err)
{
	struct feature_column *column = &job->columns->features[f];
	const struct rf_column *whole =
	    column->field < 0 ? NULL : &job->batch->columns[column->field];

	if (!column->is_used)
		return RF_OK;
	return convert_feature(column, whole, job->first, job->n_rows,
	    &job->columns->values[f], err);
}

static void
convert_item(void *context, int64_t item, int thread)
{
	const struct job *job = context;

	(void)thread;
	job->columns->features[item].has_failed =
	    convert_by_number(job, (int32_t)item, NULL) != RF_OK;
}

enum rf_status
rf_inputs_convert(struct rf_inputs *columns, const struct rf_batch *batch,
    int64_t first, int64_t n_rows, struct rf_error *err)
{
	struct job job = {columns, batch, first, n_rows};

	if (n_rows * columns->n_features > PARALLEL_CELLS)
		rf_pool_run(
		    columns->pool, columns->n_features, convert_item, &job);
	else
		for (int32_t f = 0; f < columns->n_features; f++)
			convert_item(&job, f, 0);
	/* The first that failed fails again, with its message. */
	for (int32_t f = 0; f < columns->n_features; f++)
		if (columns->features[f].has_failed)
			RF_TRY(convert_by_number(&job, f, err));
	say_overflow(columns);
	return RF_OK;
}

const struct rf_walk_column *
rf_inputs_values(const struct rf_inputs *columns)
{
	return columns->values;
}

void
rf_inputs_free(struct rf_inputs *columns)
{
	if (columns == NULL)
		return;
	for (int32_t f = 0;
	     columns->features != NULL && f < columns->n_features; f++) {
		rf_vocabulary_free(columns->features[f].vocabulary);
		free(columns->features[f].values);
		free(columns->features[f].is_missing);
	}
	free(columns->features);
	free(columns->values);
	rf_pool_close(columns->pool);
	free(columns);
}
