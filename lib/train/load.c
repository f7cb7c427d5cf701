#include "train/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/arrow_read.h"
#include "train/roles.h"

/* Dictionaries of numbers are resolved to these. */
static const struct rf_field plain_float64 = {
    .name = (char[]){"number"},
    .type = RF_TYPE_FLOAT64,
};

void
rf_table_init(struct rf_table *table, const struct rf_table_choice *choice,
    const struct rf_log *log)
{
	*table = (struct rf_table){.choice = *choice, .log = log};
}

static enum rf_status
no_memory(size_t size_bytes, struct rf_error *err)
{
	return rf_error_memory(err, size_bytes, "the rows read so far");
}

static enum rf_status
add_part(struct rf_stored *stored, struct rf_part **part, struct rf_error *err)
{
	size_t n = stored->capacity > 0 ? 2 * stored->capacity : 1;
	struct rf_part *parts;

	/* Many columns mostly have one batch; rf_grow would begin with more. */
	if (stored->n_parts == stored->capacity) {
		parts = rf_realloc(stored->parts, n, sizeof(*parts));
		if (parts == NULL)
			return no_memory(n * sizeof(*parts), err);
		stored->parts = parts;
		stored->capacity = n;
	}
	*part = &stored->parts[stored->n_parts++];
	**part = (struct rf_part){0};
	return RF_OK;
}

/* --- Numbers ------------------------------------------------------------- */

static size_t
bytes_of_bits(int64_t n)
{
	return ((size_t)n + 7) / 8;
}

static size_t
value_bytes(const struct rf_column *column)
{
	const struct rf_field *field = column->field;

	if (column->values == NULL)
		return 0;
	if (field->type == RF_TYPE_BOOL)
		return bytes_of_bits(column->n_rows);
	if (field->type == RF_TYPE_DECIMAL)
		return (size_t)column->n_rows * (size_t)field->width_bits / 8;
	return (size_t)column->n_rows * rf_type_width(field->type);
}

/* Values first, as they want the alignment, then the validity. */
static enum rf_status
copy_numbers(
    const struct rf_column *column, struct rf_part *part, struct rf_error *err)
{
	size_t n_values = value_bytes(column), n_bits = 0;

	if (column->validity != NULL)
		n_bits = bytes_of_bits(column->n_rows);
	part->memory = rf_alloc(n_values + n_bits, 1);
	if (part->memory == NULL)
		return no_memory(n_values + n_bits, err);
	part->column = (struct rf_column){
	    .field = column->field,
	    .n_rows = column->n_rows,
	    .n_nulls = column->n_nulls,
	};
	if (n_values > 0) {
		memcpy(part->memory, column->values, n_values);
		part->column.values = part->memory;
	}
	if (n_bits > 0) {
		uint8_t *bits = (uint8_t *)part->memory + n_values;

		memcpy(bits, column->validity, n_bits);
		part->column.validity = bits;
	}
	return RF_OK;
}

static enum rf_status
resolve_numbers(
    const struct rf_column *column, struct rf_part *part, struct rf_error *err)
{
	double *values = rf_alloc((size_t)column->n_rows, sizeof(*values));

	if (values == NULL)
		return no_memory((size_t)column->n_rows * sizeof(*values), err);
	part->memory = values;
	part->column = (struct rf_column){
	    .field = &plain_float64,
	    .n_rows = column->n_rows,
	    .values = values,
	};
	return rf_column_to_float64(column, values, NULL, err);
}

/* --- Categories ---------------------------------------------------------- */

/* Codes in 1, 2 or 4 bytes, in place; all ones stand for missing. */
static int
narrow_codes(int32_t *codes, int64_t n, int32_t n_levels)
{
	uint8_t *bytes = (uint8_t *)codes;
	int width = n_levels < 0xff ? 1 : n_levels < 0xffff ? 2 : 4;

	for (int64_t i = 0; i < n && width < 4; i++) {
		uint32_t code = (uint32_t)codes[i];
		uint16_t half = (uint16_t)code;

		if (width == 1)
			bytes[i] = (uint8_t)code;
		else
			memcpy(bytes + 2 * i, &half, 2);
	}
	return width;
}

/* Entries of a dictionary count as levels even where no row has them. */
static enum rf_status
take_dictionary(struct rf_stored *stored, const struct rf_column *column,
    struct rf_error *err)
{
	const struct rf_column *dictionary = column->dictionary;
	enum rf_status status;
	int32_t *codes;

	if (dictionary == NULL || dictionary->n_rows == 0 ||
	    column->dictionary_serial == stored->dictionary_serial)
		return RF_OK;
	codes = rf_alloc((size_t)dictionary->n_rows, sizeof(*codes));
	if (codes == NULL)
		return no_memory(
		    (size_t)dictionary->n_rows * sizeof(*codes), err);
	status = rf_column_to_codes(
	    dictionary, stored->vocabulary, true, codes, err);
	stored->dictionary_serial = column->dictionary_serial;
	free(codes);
	return status;
}

static enum rf_status
take_codes(struct rf_stored *stored, const struct rf_column *column,
    struct rf_part *part, struct rf_error *err)
{
	int32_t *codes = rf_alloc((size_t)column->n_rows, sizeof(*codes));
	void *less;

	if (codes == NULL)
		return no_memory((size_t)column->n_rows * sizeof(*codes), err);
	part->memory = codes;
	part->column.n_rows = column->n_rows;
	RF_TRY(
	    rf_column_to_codes(column, stored->vocabulary, true, codes, err));
	part->code_bytes = narrow_codes(
	    codes, column->n_rows, rf_vocabulary_n(stored->vocabulary));
	less =
	    rf_realloc(codes, (size_t)column->n_rows, (size_t)part->code_bytes);
	if (less != NULL)
		part->memory = less;
	return RF_OK;
}

static enum rf_status
keep_categories(struct rf_table *table, struct rf_stored *stored,
    const struct rf_column *column, struct rf_error *err)
{
	bool is_label = stored == &table->columns[table->label];
	char quoted[RF_QUOTED_SIZE];
	struct rf_part *part = NULL;

	if (stored->vocabulary == NULL)
		RF_TRY(rf_vocabulary_new(&stored->vocabulary, err));
	if (is_label || stored->is_ordinal)
		RF_TRY(take_dictionary(stored, column, err));
	RF_TRY(add_part(stored, &part, err));
	RF_TRY(take_codes(stored, column, part, err));
	if (is_label || rf_vocabulary_n(stored->vocabulary) <= RF_LEVELS_MAX)
		return RF_OK;
	rf_note(table->log,
	    "column '%s' is left out: it has more than %d different texts",
	    rf_text_quote(
		quoted, stored->field->name, strlen(stored->field->name)),
	    RF_LEVELS_MAX);
	stored->is_dropped = true;
	rf_stored_clear(stored);
	return RF_OK;
}

/* --- Streams ------------------------------------------------------------- */

static enum rf_status
keep_batch(struct rf_table *table, struct rf_batch *batch, struct rf_error *err)
{
	for (size_t i = 0; i < batch->n_columns; i++) {
		int64_t at = table->of_field[i];
		struct rf_column *column = &batch->columns[i];
		struct rf_stored *stored = &table->columns[at < 0 ? 0 : at];
		struct rf_part *part = NULL;

		if (at < 0 || stored->is_dropped)
			continue;
		column->field = stored->field;
		if (stored->kind == RF_FEATURE_CATEGORICAL) {
			RF_TRY(keep_categories(table, stored, column, err));
			continue;
		}
		RF_TRY(add_part(stored, &part, err));
		RF_TRY(column->field->is_dictionary
			? resolve_numbers(column, part, err)
			: copy_numbers(column, part, err));
	}
	table->n_rows += batch->n_rows;
	return RF_OK;
}

static enum rf_status
check_fields(const struct rf_table *table, const struct rf_schema *other,
    struct rf_error *err)
{
	const struct rf_schema *schema = &table->schema;
	char quoted[RF_QUOTED_SIZE];

	if (other->n_fields != schema->n_fields)
		return rf_error_set(err, RF_EDATA,
		    "%zu columns, the first stream has %zu", other->n_fields,
		    schema->n_fields);
	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct rf_field *a = &schema->fields[i];
		const struct rf_field *b = &other->fields[i];

		if (strcmp(a->name, b->name) == 0 && a->type == b->type &&
		    a->unit == b->unit && a->scale == b->scale &&
		    a->width_bits == b->width_bits &&
		    a->is_dictionary == b->is_dictionary)
			continue;
		return rf_error_set(err, RF_EDATA,
		    "column %zu '%s' differs in name or type from that of the "
		    "first stream",
		    i + 1, rf_text_quote(quoted, b->name, strlen(b->name)));
	}
	return RF_OK;
}

static enum rf_status
take_schema(struct rf_table *table, const struct rf_schema *schema,
    struct rf_error *err)
{
	const char *row0;
	long long number = 0;

	if (table->has_schema)
		return check_fields(table, schema, err);
	RF_TRY(rf_schema_copy(&table->schema, schema, err));
	table->has_schema = true;
	row0 = rf_metadata_get(&schema->metadata, "rf.row0", NULL);
	if (row0 != NULL &&
	    rf_text_to_int(
		row0, 0, INT64_C(1) << 48, "rf.row0", &number, err) != RF_OK)
		return RF_EDATA;
	table->row0 = (int64_t)number;
	return rf_table_roles(table, err);
}

/* Rows have 31-bit numbers in the growers. */
static enum rf_status
read_batches(
    struct rf_table *table, struct rf_reader *reader, struct rf_error *err)
{
	struct rf_batch batch = {0};

	for (size_t i = 0; i < table->schema.n_fields; i++)
		if (table->of_field[i] >= 0)
			table->columns[table->of_field[i]].dictionary_serial =
			    0;
	for (;;) {
		RF_TRY(rf_reader_next(reader, &batch, err));
		if (batch.columns == NULL)
			return RF_OK;
		if (batch.n_rows > INT32_MAX - table->n_rows)
			return rf_error_set(
			    err, RF_EDATA, "more than %d rows", INT32_MAX);
		if (batch.n_rows > 0)
			RF_TRY(keep_batch(table, &batch, err));
		rf_progress(table->log, "rows read", table->n_rows, 0);
	}
}

enum rf_status
rf_table_read(
    struct rf_table *table, int fd, const char *name, struct rf_error *err)
{
	struct rf_reader_options options = {.log = table->log,
	    .kind = "data",
	    .want_foreign = true,
	    .want_dense = true};
	struct rf_reader *reader = NULL;
	enum rf_status status;

	RF_TRY(rf_reader_open(&reader, fd, name, &options, err));
	status = take_schema(table, rf_reader_schema(reader), err);
	if (status != RF_OK)
		status = rf_error_prefix(err, status, name);
	else
		status = read_batches(table, reader, err);
	table->n_bytes += rf_reader_n_bytes(reader);
	rf_reader_close(reader);
	return status;
}

enum rf_status
rf_table_end(const struct rf_table *table, struct rf_error *err)
{
	if (table->n_rows == 0)
		return rf_error_set(err, RF_EDATA, "the input has no rows");
	return RF_OK;
}

/* --- Whole columns ------------------------------------------------------- */

void
rf_stored_clear(struct rf_stored *stored)
{
	for (size_t i = 0; i < stored->n_parts; i++)
		free(stored->parts[i].memory);
	free(stored->parts);
	stored->parts = NULL;
	stored->n_parts = stored->capacity = 0;
}

static int32_t
code_at(const struct rf_part *part, int64_t row)
{
	if (part->code_bytes == 1) {
		uint8_t code = ((const uint8_t *)part->memory)[row];

		return code == 0xff ? -1 : code;
	}
	if (part->code_bytes == 2) {
		uint16_t code = ((const uint16_t *)part->memory)[row];

		return code == 0xffff ? -1 : code;
	}
	return ((const int32_t *)part->memory)[row];
}

void
rf_stored_codes(const struct rf_stored *stored, int32_t *out)
{
	for (size_t i = 0; i < stored->n_parts; i++) {
		const struct rf_part *part = &stored->parts[i];

		for (int64_t row = 0; row < part->column.n_rows; row++)
			*out++ = code_at(part, row);
	}
}

enum rf_status
rf_stored_float64(const struct rf_stored *stored, double *out,
    bool *beyond_2_53, struct rf_error *err)
{
	enum rf_status status = RF_OK;

	for (size_t i = 0; i < stored->n_parts && status == RF_OK; i++) {
		const struct rf_column *column = &stored->parts[i].column;
		bool beyond = false;

		status = rf_column_to_float64(column, out, &beyond, err);
		if (beyond && beyond_2_53 != NULL)
			*beyond_2_53 = true;
		out += column->n_rows;
	}
	return status;
}

enum rf_status
rf_stored_float32(
    const struct rf_stored *stored, float *out, struct rf_error *err)
{
	enum rf_status status = RF_OK;

	for (size_t i = 0; i < stored->n_parts && status == RF_OK; i++) {
		const struct rf_column *column = &stored->parts[i].column;

		status = rf_column_to_float32(column, out, err);
		out += column->n_rows;
	}
	return status;
}

enum rf_status
rf_stored_int64(const struct rf_stored *stored, int64_t *out,
    uint8_t *is_missing, struct rf_error *err)
{
	enum rf_status status = RF_OK;

	for (size_t i = 0; i < stored->n_parts && status == RF_OK; i++) {
		const struct rf_column *column = &stored->parts[i].column;

		status = rf_column_to_int64(column, -1, out, is_missing, err);
		out += column->n_rows;
		is_missing += column->n_rows;
	}
	return status;
}

void
rf_table_release(struct rf_table *table)
{
	for (int64_t i = 0; i < table->n_columns; i++) {
		rf_stored_clear(&table->columns[i]);
		rf_vocabulary_free(table->columns[i].vocabulary);
	}
	free(table->columns);
	free(table->of_field);
	rf_schema_release(&table->schema);
	*table = (struct rf_table){0};
}
