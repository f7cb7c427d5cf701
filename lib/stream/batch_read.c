#include "stream/batch_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/column_check.h"
#include "stream/message.h"

/* A batch may have so many rows that no byte stands for (null columns). */
#define MAX_BARE_ROWS  ((int64_t)1 << 24)
#define MAX_TEXT_BYTES ((int64_t)16 << 30) /* a compressed column's text */
/* How often a body may be read over; one that is small, as if it were so big. */
#define MAX_SHARING ((int64_t)16)
#define SMALL_BODY  ((int64_t)4096)

/* What is left of a RecordBatch's nodes, buffers and counts. */
struct cursor {
	const struct rf_batch_source *source;
	uint32_t node, n_nodes;
	uint32_t buffer, n_buffers;
	uint32_t count, n_counts;
	enum rf_codec codec;
	int64_t n_packed; /* bytes of all buffers so far, as in the body */
	int64_t n_bytes;  /* the same, unpacked */
};

static bool
has_children(enum rf_type type)
{
	return type == RF_TYPE_LIST || type == RF_TYPE_LARGE_LIST ||
	    type == RF_TYPE_STRUCT;
}

struct rf_column *
rf_columns_new(const struct rf_field *fields, size_t n)
{
	struct rf_column *columns = rf_alloc_zero(n, sizeof(*columns));

	if (columns == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		struct rf_column *children;

		columns[i].field = &fields[i];
		if (fields[i].is_dictionary || !has_children(fields[i].type))
			continue;
		children =
		    rf_columns_new(fields[i].children, fields[i].n_children);
		if (children == NULL) {
			rf_columns_free(columns, n);
			return NULL;
		}
		columns[i].children = children;
		columns[i].n_children = fields[i].n_children;
	}
	return columns;
}

void
rf_columns_free(struct rf_column *columns, size_t n)
{
	if (columns == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		rf_columns_free(
		    (struct rf_column *)(uintptr_t)columns[i].children,
		    columns[i].n_children);
	free(columns);
}

static enum rf_status
malformed(struct rf_error *err)
{
	return rf_error_set(err, RF_EDATA, "malformed record batch");
}

static enum rf_status
read_codec(struct rf_flat *flat, uint32_t table, enum rf_codec *codec,
    struct rf_error *err)
{
	uint32_t compression = rf_flat_table(flat, table, 3);
	uint8_t number;

	*codec = RF_CODEC_NONE;
	if (compression == 0)
		return flat->bad ? malformed(err) : RF_OK;
	number = rf_flat_uint8(flat, compression, 0, 0);
	if (rf_flat_uint8(flat, compression, 1, 0) != 0 || number > 1)
		return rf_error_set(
		    err, RF_EDATA, "compression %d is unknown", number);
	*codec = number == 0 ? RF_CODEC_LZ4 : RF_CODEC_ZSTD;
	return flat->bad ? malformed(err) : RF_OK;
}

static enum rf_status
open_cursor(struct cursor *cursor, const struct rf_batch_source *source,
    int64_t *n_rows, struct rf_error *err)
{
	struct rf_flat *flat = source->flat;
	uint32_t table = source->table;

	*cursor = (struct cursor){.source = source};
	*n_rows = rf_flat_int64(flat, table, 0, 0);
	cursor->node = rf_flat_vector(flat, table, 1, 16, &cursor->n_nodes);
	cursor->buffer = rf_flat_vector(flat, table, 2, 16, &cursor->n_buffers);
	cursor->count = rf_flat_vector(flat, table, 4, 8, &cursor->n_counts);
	if (flat->bad)
		return malformed(err);
	if (*n_rows < 0 || *n_rows > RF_MAX_ROWS)
		return rf_error_set(err, RF_EDATA,
		    "a record batch of %lld rows", (long long)*n_rows);
	return read_codec(flat, table, &cursor->codec, err);
}

static enum rf_status
take_node(struct cursor *cursor, int64_t *n_rows, int64_t *n_nulls,
    struct rf_error *err)
{
	const struct rf_flat *flat = cursor->source->flat;

	if (cursor->n_nodes == 0)
		return rf_error_set(err, RF_EDATA, "too few nodes");
	*n_rows = rf_flat_at(flat, cursor->node);
	*n_nulls = rf_flat_at(flat, cursor->node + 8);
	cursor->node += 16;
	cursor->n_nodes--;
	if (*n_rows < 0 || *n_rows > RF_MAX_ROWS || *n_nulls > *n_rows)
		return rf_error_set(err, RF_EDATA,
		    "a node of %lld rows with %lld nulls", (long long)*n_rows,
		    (long long)*n_nulls);
	return RF_OK;
}

/*
 * Buffers may overlap, yet when thousands are the same few bytes, work and
 * memory are not by what has arrived.  A compressed one can be far larger than
 * it looks, so that small bodies are no exception there.
 */
static enum rf_status
pay_for_buffer(struct cursor *cursor, int64_t size, struct rf_error *err)
{
	int64_t body = cursor->source->body_size;

	if (cursor->codec == RF_CODEC_NONE && body < SMALL_BODY)
		body = SMALL_BODY;
	cursor->n_packed += size;
	if (cursor->n_packed / MAX_SHARING <= body)
		return RF_OK;
	return rf_error_set(err, RF_EDATA,
	    "buffers that together are more than %d times their body of %lld "
	    "bytes",
	    (int)MAX_SHARING, (long long)cursor->source->body_size);
}

/* The next buffer, unpacked; `limit` bounds what a compressed one holds. */
static enum rf_status
take_buffer(struct cursor *cursor, int64_t limit, struct rf_bytes *out,
    struct rf_error *err)
{
	const struct rf_batch_source *source = cursor->source;
	int64_t offset, size;

	if (cursor->n_buffers == 0)
		return rf_error_set(err, RF_EDATA, "too few buffers");
	offset = rf_flat_at(source->flat, cursor->buffer);
	size = rf_flat_at(source->flat, cursor->buffer + 8);
	cursor->buffer += 16;
	cursor->n_buffers--;
	if (offset < 0 || size < 0 || offset > source->body_size ||
	    size > source->body_size - offset || (size != 0 && offset % 8 != 0))
		return rf_error_set(err, RF_EDATA,
		    "a buffer at %lld of %lld bytes in a body of %lld",
		    (long long)offset, (long long)size,
		    (long long)source->body_size);
	RF_TRY(pay_for_buffer(cursor, size, err));
	*out = (struct rf_bytes){source->body + offset, size};
	if (cursor->codec != RF_CODEC_NONE)
		RF_TRY(rf_decompress(cursor->codec, out->data, size, limit,
		    source->scratch, &out->data, &out->size, err));
	if (out->size > INT64_MAX / 16 - cursor->n_bytes)
		return rf_error_set(err, RF_EDATA, "buffers of 2^59 bytes");
	cursor->n_bytes += out->size;
	return RF_OK;
}

/* At least n values of width bytes; limit allows for padding. */
static enum rf_status
take_values(struct cursor *cursor, int64_t n, int64_t width,
    struct rf_bytes *out, struct rf_error *err)
{
	int64_t limit = MAX_TEXT_BYTES;

	if (width != 0 && n < (MAX_TEXT_BYTES - 64) / width)
		limit = n * width + 64;
	RF_TRY(take_buffer(cursor, limit, out, err));
	if (width != 0 && n > out->size / width)
		return rf_error_set(err, RF_EDATA,
		    "%lld rows of %lld bytes in a buffer of %lld", (long long)n,
		    (long long)width, (long long)out->size);
	return RF_OK;
}

static enum rf_status
take_bits(struct cursor *cursor, int64_t n, struct rf_bytes *out,
    struct rf_error *err)
{
	return take_values(cursor, (n + 7) / 8, 1, out, err);
}

static enum rf_status
take_validity(
    struct cursor *cursor, struct rf_column *column, struct rf_error *err)
{
	struct rf_bytes bits;

	RF_TRY(take_buffer(cursor, column->n_rows / 8 + 65, &bits, err));
	column->validity = NULL;
	if (column->n_nulls < 0 && bits.size == 0)
		column->n_nulls = 0;
	if (column->n_nulls == 0)
		return RF_OK;
	if (bits.size < (column->n_rows + 7) / 8)
		return rf_error_set(err, RF_EDATA,
		    "a bitmap of %lld bytes for %lld rows",
		    (long long)bits.size, (long long)column->n_rows);
	column->validity = bits.data;
	return RF_OK;
}

/* The offsets; *end is the last of them, the size of what they point into. */
static enum rf_status
take_offsets(struct cursor *cursor, struct rf_column *column, bool is_large,
    int64_t *end, struct rf_error *err)
{
	struct rf_bytes offsets;
	int64_t n = column->n_rows;
	int64_t width = is_large ? 8 : 4;

	*end = 0;
	if (n == 0) {
		column->offsets = NULL;
		return take_buffer(cursor, 64 + width, &offsets, err);
	}
	RF_TRY(take_values(cursor, n + 1, width, &offsets, err));
	column->offsets = offsets.data;
	if (is_large ? !rf_check_offsets64(column->offsets, n, end)
		     : !rf_check_offsets32(column->offsets, n, end))
		return rf_error_set(err, RF_EDATA, "offsets that fall");
	return RF_OK;
}

static enum rf_status
read_text(struct cursor *cursor, struct rf_column *column, struct rf_error *err)
{
	bool is_large = column->field->type == RF_TYPE_LARGE_UTF8 ||
	    column->field->type == RF_TYPE_LARGE_BINARY;
	int64_t end;

	RF_TRY(take_validity(cursor, column, err));
	RF_TRY(take_offsets(cursor, column, is_large, &end, err));
	RF_TRY(take_buffer(cursor, MAX_TEXT_BYTES, &column->data, err));
	if (end > column->data.size)
		return rf_error_set(err, RF_EDATA,
		    "text that ends at %lld in a buffer of %lld bytes",
		    (long long)end, (long long)column->data.size);
	return RF_OK;
}

static enum rf_status
take_count(struct cursor *cursor, int64_t *count, struct rf_error *err)
{
	if (cursor->n_counts == 0)
		return rf_error_set(
		    err, RF_EDATA, "too few counts of view buffers");
	*count = rf_flat_at(cursor->source->flat, cursor->count);
	cursor->count += 8;
	cursor->n_counts--;
	if (*count < 0 || *count > cursor->n_buffers)
		return rf_error_set(
		    err, RF_EDATA, "%lld view buffers", (long long)*count);
	return RF_OK;
}

static enum rf_status
read_views(
    struct cursor *cursor, struct rf_column *column, struct rf_error *err)
{
	struct rf_bytes views, *buffers;
	int64_t count = 0;

	RF_TRY(take_validity(cursor, column, err));
	RF_TRY(take_values(cursor, column->n_rows, 16, &views, err));
	RF_TRY(take_count(cursor, &count, err));
	buffers = rf_scratch_take(
	    cursor->source->scratch, (size_t)count * sizeof(*buffers));
	if (buffers == NULL)
		return rf_error_memory(
		    err, (size_t)count * sizeof(*buffers), "view buffers");
	for (int64_t i = 0; i < count; i++)
		RF_TRY(take_buffer(cursor, MAX_TEXT_BYTES, &buffers[i], err));
	column->values = views.data;
	column->views_data = buffers;
	column->n_views_data = count;
	if (!rf_check_views(column))
		return rf_error_set(
		    err, RF_EDATA, "a view that points outside its buffers");
	return RF_OK;
}

static enum rf_status
read_codes(
    struct cursor *cursor, struct rf_column *column, struct rf_error *err)
{
	const struct rf_dictionary *dictionary = rf_dictionaries_find(
	    cursor->source->dictionaries, column->field->dictionary_id);
	struct rf_bytes codes;
	int64_t n = 0;

	RF_TRY(take_validity(cursor, column, err));
	RF_TRY(take_values(cursor, column->n_rows,
	    (int64_t)rf_type_width(column->field->index_type), &codes, err));
	column->values = codes.data;
	column->dictionary = NULL;
	column->dictionary_serial = 0;
	if (dictionary == NULL || !dictionary->is_usable)
		return RF_OK;
	if (dictionary->is_sent) {
		column->dictionary = &dictionary->values;
		column->dictionary_serial = dictionary->serial;
		n = dictionary->values.n_rows;
	}
	if (!rf_check_codes(column, n))
		return rf_error_set(err, RF_EDATA,
		    "a code outside its dictionary of %lld entries",
		    (long long)n);
	return RF_OK;
}

/* Steps over a field that is not read, by its counts. */
static enum rf_status
skip_field(
    struct cursor *cursor, const struct rf_field *field, struct rf_error *err)
{
	int64_t n_rows, n_nulls, n_views = 0;
	uint32_t n_buffers = rf_field_n_buffers(field, cursor->source->version);

	RF_TRY(take_node(cursor, &n_rows, &n_nulls, err));
	if (!field->is_dictionary &&
	    (field->type == RF_TYPE_UTF8_VIEW ||
		field->type == RF_TYPE_BINARY_VIEW))
		RF_TRY(take_count(cursor, &n_views, err));
	n_buffers += (uint32_t)n_views;
	if (n_buffers > cursor->n_buffers)
		return rf_error_set(err, RF_EDATA, "too few buffers");
	cursor->buffer += 16 * n_buffers;
	cursor->n_buffers -= n_buffers;
	if (field->is_dictionary)
		return RF_OK;
	for (size_t i = 0; i < field->n_children; i++)
		RF_TRY(skip_field(cursor, &field->children[i], err));
	return RF_OK;
}

/*
 * A column has a bit a row at least: more rows are a mere claim, over which the
 * reader's users would loop.
 */
static enum rf_status
check_claim(const struct cursor *cursor, int64_t n_rows, struct rf_error *err)
{
	int64_t n_bytes = cursor->n_bytes + cursor->source->body_size;

	if (n_rows - MAX_BARE_ROWS <= 8 * n_bytes)
		return RF_OK;
	return rf_error_set(err, RF_EDATA, "%lld rows that no data stand for",
	    (long long)n_rows);
}

static enum rf_status read_column(
    struct cursor *cursor, struct rf_column *column, struct rf_error *err);

static enum rf_status
read_children(struct cursor *cursor, const struct rf_column *column,
    int64_t n_least, bool is_exact, struct rf_error *err)
{
	for (size_t i = 0; i < column->n_children; i++) {
		struct rf_column *child =
		    (struct rf_column *)(uintptr_t)&column->children[i];

		RF_TRY(read_column(cursor, child, err));
		RF_TRY(check_claim(cursor, child->n_rows, err));
		if (child->n_rows < n_least ||
		    (is_exact && child->n_rows != n_least))
			return rf_error_set(err, RF_EDATA,
			    "%lld elements where %lld are used",
			    (long long)child->n_rows, (long long)n_least);
	}
	return RF_OK;
}

static enum rf_status
read_list(struct cursor *cursor, struct rf_column *column, struct rf_error *err)
{
	bool is_large = column->field->type == RF_TYPE_LARGE_LIST;
	int64_t end;

	RF_TRY(take_validity(cursor, column, err));
	RF_TRY(take_offsets(cursor, column, is_large, &end, err));
	return read_children(cursor, column, end, false, err);
}

static enum rf_status
read_fixed(
    struct cursor *cursor, struct rf_column *column, struct rf_error *err)
{
	struct rf_bytes values;

	RF_TRY(take_validity(cursor, column, err));
	if (column->field->type == RF_TYPE_BOOL)
		RF_TRY(take_bits(cursor, column->n_rows, &values, err));
	else
		RF_TRY(take_values(cursor, column->n_rows,
		    (int64_t)rf_field_width(column->field), &values, err));
	column->values = values.data;
	return RF_OK;
}

static enum rf_status
read_content(
    struct cursor *cursor, struct rf_column *column, struct rf_error *err)
{
	if (column->field->is_dictionary)
		return read_codes(cursor, column, err);
	switch ((int)column->field->type) {
	case RF_TYPE_NULL:
		column->validity = NULL;
		column->n_nulls = column->n_rows;
		return RF_OK;
	case RF_TYPE_UTF8:
	case RF_TYPE_LARGE_UTF8:
	case RF_TYPE_BINARY:
	case RF_TYPE_LARGE_BINARY:
		return read_text(cursor, column, err);
	case RF_TYPE_UTF8_VIEW:
	case RF_TYPE_BINARY_VIEW:
		return read_views(cursor, column, err);
	case RF_TYPE_LIST:
	case RF_TYPE_LARGE_LIST:
		return read_list(cursor, column, err);
	case RF_TYPE_STRUCT:
		RF_TRY(take_validity(cursor, column, err));
		return read_children(cursor, column, column->n_rows, true, err);
	}
	return read_fixed(cursor, column, err);
}

static enum rf_status
read_column(
    struct cursor *cursor, struct rf_column *column, struct rf_error *err)
{
	const struct cursor before = *cursor;

	RF_TRY(take_node(cursor, &column->n_rows, &column->n_nulls, err));
	if (column->field->is_dictionary ||
	    !rf_type_is_nested(column->field->type) ||
	    has_children(column->field->type))
		return read_content(cursor, column, err);
	*cursor = before;
	return skip_field(cursor, column->field, err);
}

enum rf_status
rf_batch_read(const struct rf_batch_source *source, struct rf_column *columns,
    size_t n_columns, int64_t *n_rows, struct rf_error *err)
{
	struct cursor cursor;
	char quoted[RF_QUOTED_SIZE], place[RF_QUOTED_SIZE + 16];

	RF_TRY(open_cursor(&cursor, source, n_rows, err));
	for (size_t i = 0; i < n_columns; i++) {
		const char *name = columns[i].field->name;
		enum rf_status status = read_column(&cursor, &columns[i], err);

		if (status == RF_OK && columns[i].n_rows != *n_rows)
			status = rf_error_set(err, RF_EDATA,
			    "%lld rows in a batch of %lld",
			    (long long)columns[i].n_rows, (long long)*n_rows);
		if (status == RF_OK)
			continue;
		rf_text_quote(quoted, name, strlen(name));
		snprintf(place, sizeof(place), "column '%s'", quoted);
		return rf_error_prefix(err, status, place);
	}
	return check_claim(&cursor, *n_rows, err);
}
