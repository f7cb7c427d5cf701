/*
 * A small stream of ours with every kind of column, and a reader that touches
 * all that it gets; for tests of damaged input.
 */
#ifndef STREAM_SAMPLE_H
#define STREAM_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/arrow_read.h"
#include "stream/arrow_write.h"
#include "stream/convert.h"

/* All bytes of a descriptor from its start. */
static inline void
sample_read_all(int fd, struct rf_text *out)
{
	char block[65536];
	ssize_t n;

	rf_text_clear(out);
	while ((n = read(fd, block, sizeof(block))) > 0)
		rf_text_append(out, block, (size_t)n);
}

static const int32_t sample_int32[] = {1, -2, 3, 4, 5};
static const double sample_float64[] = {0.5, -1e300, 3, 4, 5};
static const uint8_t sample_bits[] = {0x15};
static const uint8_t sample_valid[] = {0x1d}; /* row 1 is null */
static const int32_t sample_offsets[] = {0, 1, 3, 3, 7, 9};
static const char sample_text[] = "abbdddd\xc3\xa9";
static const int32_t sample_list[] = {0, 2, 2, 2, 4, 5};
static const int32_t sample_codes[] = {0, 99, 4, 1, 2};

static inline struct rf_field *
sample_field(struct rf_schema *schema, const char *name, enum rf_type type)
{
	struct rf_field *field = NULL;
	struct rf_error err = {0};

	if (rf_schema_add(schema, name, type, true, &field, &err) != RF_OK)
		abort();
	return field;
}

static inline void
sample_schema(struct rf_schema *schema)
{
	struct rf_field *field;
	struct rf_error err = {0};

	sample_field(schema, "i", RF_TYPE_INT32);
	sample_field(schema, "x", RF_TYPE_FLOAT64);
	sample_field(schema, "b", RF_TYPE_BOOL);
	sample_field(schema, "t", RF_TYPE_UTF8);
	field = sample_field(schema, "c", RF_TYPE_UTF8);
	field->is_dictionary = true;
	field->index_type = RF_TYPE_INT32;
	field->dictionary_id = 7;
	field = sample_field(schema, "leaf", RF_TYPE_LIST);
	if (rf_field_add_children(field, 1, &err) != RF_OK)
		abort();
	field->children[0].name = rf_strdup("item");
	field->children[0].type = RF_TYPE_STRUCT;
	if (rf_field_add_children(&field->children[0], 2, &err) != RF_OK)
		abort();
	field->children[0].children[0].name = rf_strdup("class");
	field->children[0].children[0].type = RF_TYPE_INT32;
	field->children[0].children[1].name = rf_strdup("value");
	field->children[0].children[1].type = RF_TYPE_FLOAT64;
	field = sample_field(schema, "when", RF_TYPE_TIMESTAMP);
	field->unit = RF_UNIT_US;
	field->timezone = rf_strdup("UTC");
	sample_field(schema, "nothing", RF_TYPE_NULL);
	if (rf_metadata_set(&schema->metadata, "rf.kind", "data", &err) !=
		RF_OK ||
	    rf_metadata_set(
		&schema->fields[0].metadata, "rf.role", "label", &err) != RF_OK)
		abort();
}

struct sample_columns {
	struct rf_column all[8], structs, parts[2], texts;
	struct rf_field texts_field;
	int64_t when[5];
};

static inline void
sample_batch(struct sample_columns *c, const struct rf_schema *schema)
{
	static const uint8_t all[] = {0x1f};

	*c = (struct sample_columns){.when = {-1, 0, 1, 1000000, INT64_MAX}};
	for (size_t i = 0; i < 8; i++) {
		c->all[i].field = &schema->fields[i];
		c->all[i].n_rows = 5;
		c->all[i].n_nulls = i % 2 == 0 ? -1 : 1;
		c->all[i].validity = i == 2 ? all : sample_valid;
	}
	c->all[0].values = sample_int32;
	c->all[1].values = sample_float64;
	c->all[2].values = sample_bits;
	c->all[3].offsets = sample_offsets;
	c->all[3].data = (struct rf_bytes){(const uint8_t *)sample_text, 9};
	c->all[4].values = sample_codes;
	c->all[5].offsets = sample_list;
	c->all[5].children = &c->structs;
	c->all[5].n_children = 1;
	c->structs = (struct rf_column){.field = schema->fields[5].children,
	    .n_rows = 5,
	    .children = c->parts,
	    .n_children = 2};
	c->parts[0] = (struct rf_column){
	    .field = &schema->fields[5].children[0].children[0],
	    .n_rows = 5,
	    .values = sample_int32};
	c->parts[1] = (struct rf_column){
	    .field = &schema->fields[5].children[0].children[1],
	    .n_rows = 5,
	    .values = sample_float64};
	c->all[6].values = c->when;
	c->texts_field = (struct rf_field){.type = RF_TYPE_UTF8};
	c->texts = c->all[3];
	c->texts.field = &c->texts_field;
	c->texts.validity = NULL;
	c->texts.n_nulls = 0;
}

/* Two batches with a dictionary each, and the end. */
static inline void
sample_stream(struct rf_text *out)
{
	struct rf_schema schema = {0};
	struct sample_columns columns;
	struct rf_batch batch = {5, columns.all, 8, NULL};
	struct rf_writer *writer;
	struct rf_error err = {0};
	FILE *file = tmpfile();

	if (file == NULL)
		abort();
	sample_schema(&schema);
	sample_batch(&columns, &schema);
	if (rf_writer_open(&writer, fileno(file), "sample", &schema, &err) !=
		RF_OK ||
	    rf_writer_dictionary(writer, 7, &columns.texts, &err) != RF_OK ||
	    rf_writer_batch(writer, &batch, &err) != RF_OK ||
	    rf_writer_dictionary(writer, 7, &columns.texts, &err) != RF_OK ||
	    rf_writer_batch(writer, &batch, &err) != RF_OK ||
	    rf_writer_finish(writer, NULL, &err) != RF_OK) {
		fprintf(stderr, "%s\n", err.message);
		abort();
	}
	rf_writer_free(writer);
	rf_schema_release(&schema);
	rewind(file);
	sample_read_all(fileno(file), out);
	fclose(file);
}

static inline uint64_t
sample_touch_text(const struct rf_column *column)
{
	uint64_t sum = 0;
	struct rf_bytes text;

	for (int64_t row = 0; row < column->n_rows; row++) {
		if (!rf_column_is_valid(column, row) ||
		    !rf_column_text(column, row, &text))
			continue;
		for (int64_t i = 0; i < text.size; i++)
			sum += text.data[i];
	}
	return sum;
}

/* Uses every value by every function; memory checkers do the rest. */
static inline uint64_t
sample_touch(const struct rf_column *column)
{
	uint64_t sum = (uint64_t)rf_column_n_nulls(column);
	size_t n = (size_t)column->n_rows;
	const struct rf_field *field = column->field;
	struct rf_vocabulary *words = NULL;
	struct rf_error err;
	double *out;
	uint8_t *is_missing;

	for (size_t i = 0; i < column->n_children; i++)
		sum += sample_touch(&column->children[i]);
	if (field->type == RF_TYPE_LIST || field->type == RF_TYPE_LARGE_LIST)
		for (int64_t row = 0; row < column->n_rows; row++) {
			int64_t first, end;

			rf_column_list(column, row, &first, &end);
			sum += (uint64_t)(end - first);
		}
	if (n > 100000 || field->type == RF_TYPE_INT128)
		return sum;
	if (!field->is_dictionary || column->dictionary != NULL)
		sum += sample_touch_text(column);
	out = rf_alloc_zero(n, sizeof(*out));
	is_missing = rf_alloc_zero(n, 1);
	if (out == NULL || is_missing == NULL ||
	    rf_vocabulary_new(&words, &err) != RF_OK)
		abort();
	if (rf_column_to_float64(column, out, NULL, &err) == RF_OK)
		for (size_t i = 0; i < n; i++)
			sum += out[i] > 0.0;
	if (rf_column_to_float32(column, (float *)(void *)out, &err) == RF_OK)
		sum++;
	if (rf_column_to_int64(column, RF_UNIT_S, (int64_t *)(void *)out,
		is_missing, &err) == RF_OK)
		sum++;
	if (rf_column_to_codes(
		column, words, true, (int32_t *)(void *)out, &err) == RF_OK)
		sum++;
	rf_vocabulary_free(words);
	free(out);
	free(is_missing);
	return sum;
}

static inline enum rf_status
sample_use(const void *data, size_t size, struct rf_error *err)
{
	struct rf_reader *reader;
	struct rf_batch batch;
	enum rf_status status;
	static volatile uint64_t sink;

	status = rf_reader_open_memory(&reader, data, size, "s", NULL, err);
	if (status != RF_OK)
		return status;
	do {
		status = rf_reader_next(reader, &batch, err);
		for (size_t i = 0; status == RF_OK && i < batch.n_columns; i++)
			sink = sink + sample_touch(&batch.columns[i]);
	} while (status == RF_OK && batch.columns != NULL);
	rf_reader_close(reader);
	return status;
}

#endif
