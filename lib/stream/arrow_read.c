#include "stream/arrow_read.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/message.h"
#include "stream/reader.h"
#include "stream/sparse.h"

#define OUR_VERSION 1

struct rf_reader {
	struct rf_reader_options options;
	char *name;
	struct rf_message_source messages;
	bool is_file;
	struct rf_footer footer;
	struct rf_schema schema;
	bool is_ours; /* the schema has rf.version */
	bool is_at_end;
	struct rf_dictionaries dictionaries;
	struct rf_column *columns;
	struct rf_dense *dense; /* NULL: batches go as they come */
	struct rf_scratch scratch;
	struct rf_metadata metadata; /* of the batch given last */
	struct rf_metadata end;	     /* of the last one with rf.end.rows */
	int64_t n_rows;
};

/* Puts file and place in front of the message. */
static enum rf_status
at_message(
    const struct rf_reader *reader, enum rf_status status, struct rf_error *err)
{
	char place[64];

	if (status == RF_OK)
		return RF_OK;
	snprintf(place, sizeof(place), "message %lld at byte %lld",
	    (long long)reader->messages.n_messages,
	    (long long)reader->messages.start);
	return rf_error_prefix(err, status, place);
}

static enum rf_status
check_version(struct rf_reader *reader, struct rf_error *err)
{
	const char *version =
	    rf_metadata_get(&reader->schema.metadata, "rf.version", NULL);
	long long number;

	reader->is_ours = version != NULL;
	if (version == NULL)
		return RF_OK;
	if (rf_text_to_int(version, 1, INT_MAX, "rf.version", &number, err) !=
	    RF_OK)
		return RF_EDATA;
	if (number > OUR_VERSION)
		return rf_error_set(err, RF_EDATA,
		    "a stream of version %lld; this program reads up to %d",
		    number, OUR_VERSION);
	return RF_OK;
}

static enum rf_status
read_schema(struct rf_reader *reader, struct rf_error *err)
{
	struct rf_message message;
	enum rf_end end;

	RF_TRY(rf_message_read(&reader->messages, &message, &end, err));
	if (end != RF_END_NONE)
		return rf_error_set(
		    err, RF_EDATA, "the input ends before a schema");
	if (message.kind != RF_MESSAGE_SCHEMA || message.body_size != 0)
		return rf_error_set(
		    err, RF_EDATA, "the first message is not a schema");
	return rf_schema_read(
	    &message.flat, message.header, &reader->schema, err);
}

/* An Arrow file on a pipe: its magic is skipped, with zeros up to a marker. */
static enum rf_status
skip_magic(struct rf_reader *reader, struct rf_error *err)
{
	struct rf_source *source = &reader->messages.source;
	uint8_t bytes[RF_PEEK_BYTES];
	uint32_t word = 0;
	size_t got;

	reader->messages.is_piped_file = true;
	RF_TRY(rf_source_read(source, bytes, sizeof(bytes), &got, err));
	for (;;) {
		RF_TRY(rf_source_peek(source, bytes, &got, err));
		if (got >= sizeof(word))
			memcpy(&word, bytes, sizeof(word));
		if (got < sizeof(word) || word != 0)
			break;
		RF_TRY(rf_source_read(source, bytes, 4, &got, err));
	}
	if (got < sizeof(word) || word != RF_MESSAGE_MARKER)
		return rf_error_set(err, RF_EDATA,
		    "Arrow file without leading schema: give it as a file, "
		    "not on a pipe");
	return RF_OK;
}

static enum rf_status
open_schema(struct rf_reader *reader, struct rf_error *err)
{
	struct rf_message_source *messages = &reader->messages;

	RF_TRY(rf_source_recognise(&messages->source, &reader->is_file, err));
	if (reader->is_file && messages->source.size >= 0)
		return rf_footer_read(
		    messages, &reader->footer, &reader->schema, err);
	if (reader->is_file) {
		reader->is_file = false;
		RF_TRY(skip_magic(reader, err));
	}
	return at_message(reader, read_schema(reader, err), err);
}

static enum rf_status
open_parts(struct rf_reader *reader, struct rf_error *err)
{
	RF_TRY(open_schema(reader, err));
	RF_TRY(check_version(reader, err));
	RF_TRY(rf_stream_check_kind(&reader->schema.metadata,
	    reader->options.kind, reader->options.want_foreign, err));
	RF_TRY(
	    rf_dictionaries_init(&reader->dictionaries, &reader->schema, err));
	reader->columns =
	    rf_columns_new(reader->schema.fields, reader->schema.n_fields);
	if (reader->columns == NULL)
		return rf_error_memory(err,
		    reader->schema.n_fields * sizeof(*reader->columns),
		    "columns");
	if (reader->options.want_dense && rf_schema_has_sparse(&reader->schema))
		return rf_dense_new(
		    &reader->dense, &reader->schema, RF_DENSE_BYTES, err);
	return RF_OK;
}

enum rf_status
rf_reader_open_source(struct rf_reader **out, const struct rf_source *source,
    const char *name, const struct rf_reader_options *options,
    struct rf_error *err)
{
	struct rf_reader *reader = rf_alloc_zero(1, sizeof(*reader));
	enum rf_status status;

	if (reader == NULL)
		return rf_error_memory(err, sizeof(*reader), "a reader");
	if (options != NULL)
		reader->options = *options;
	reader->messages.source = *source;
	reader->messages.body.allocate = reader->options.allocate;
	reader->messages.body.release = reader->options.release;
	reader->messages.body.context = reader->options.allocate_context;
	reader->messages.metadata = reader->messages.body;
	reader->name = rf_strdup(name);
	if (reader->name == NULL)
		status = rf_error_memory(err, strlen(name), "a name");
	else
		status = open_parts(reader, err);
	if (status != RF_OK) {
		rf_reader_close(reader);
		return rf_error_prefix(err, status, name);
	}
	*out = reader;
	return RF_OK;
}

enum rf_status
rf_reader_open(struct rf_reader **out, int fd, const char *name,
    const struct rf_reader_options *options, struct rf_error *err)
{
	struct rf_source source;

	rf_source_init(&source, fd);
	rf_pipe_widen(fd);
	return rf_reader_open_source(out, &source, name, options, err);
}

enum rf_status
rf_reader_open_memory(struct rf_reader **out, const void *data,
    size_t size_bytes, const char *name,
    const struct rf_reader_options *options, struct rf_error *err)
{
	struct rf_source source;

	rf_source_init_memory(&source, data, size_bytes);
	return rf_reader_open_source(out, &source, name, options, err);
}

const struct rf_schema *
rf_reader_schema(const struct rf_reader *reader)
{
	return reader->dense != NULL ? rf_dense_schema(reader->dense)
				     : &reader->schema;
}

const char *
rf_reader_name(const struct rf_reader *reader)
{
	return reader->name;
}

/* A dictionary of nested values is stepped over: its columns are unusable. */
static enum rf_status
take_dictionary(
    struct rf_reader *reader, struct rf_message *message, struct rf_error *err)
{
	struct rf_flat *flat = &message->flat;
	int64_t id = rf_flat_int64(flat, message->header, 0, 0);
	uint32_t data = rf_flat_table(flat, message->header, 1);
	bool is_delta = rf_flat_uint8(flat, message->header, 2, 0) != 0;
	struct rf_dictionary *dictionary =
	    rf_dictionaries_find(&reader->dictionaries, id);
	struct rf_column column = {0};
	struct rf_batch_source source = {flat, data, message->version,
	    message->body, message->body_size, &reader->dictionaries,
	    &reader->scratch};
	int64_t n_rows;

	if (flat->bad || data == 0)
		return rf_error_set(
		    err, RF_EDATA, "malformed dictionary batch");
	if (dictionary == NULL)
		return rf_error_set(err, RF_EDATA,
		    "dictionary %lld is not in the schema", (long long)id);
	if (!dictionary->is_usable)
		return RF_OK;
	if (is_delta && !dictionary->is_sent)
		return rf_error_set(err, RF_EDATA,
		    "dictionary %lld grows before it was sent", (long long)id);
	if (reader->is_file && !is_delta && dictionary->is_sent)
		return rf_error_set(err, RF_EDATA,
		    "dictionary %lld is replaced, in a file", (long long)id);
	column.field = &dictionary->source;
	rf_scratch_clear(&reader->scratch);
	RF_TRY(rf_batch_read(&source, &column, 1, &n_rows, err));
	return rf_dictionary_take(dictionary, &column, is_delta, err);
}

/* *is_end: the end batch, which is not for the caller. */
static enum rf_status
take_batch(struct rf_reader *reader, struct rf_message *message,
    struct rf_batch *batch, bool *is_end, struct rf_error *err)
{
	struct rf_batch_source source = {&message->flat, message->header,
	    message->version, message->body, message->body_size,
	    &reader->dictionaries, &reader->scratch};

	rf_metadata_release(&reader->metadata);
	RF_TRY(rf_metadata_read(
	    &message->flat, message->table, 4, &reader->metadata, err));
	rf_scratch_clear(&reader->scratch);
	RF_TRY(rf_batch_read(&source, reader->columns, reader->schema.n_fields,
	    &batch->n_rows, err));
	if (batch->n_rows > INT64_MAX - reader->n_rows)
		return rf_error_set(err, RF_EDATA, "more than 2^63 rows");
	reader->n_rows += batch->n_rows;
	*is_end = false;
	if (rf_metadata_get(&reader->metadata, "rf.end.rows", NULL) != NULL) {
		rf_metadata_release(&reader->end);
		RF_TRY(rf_metadata_copy(&reader->end, &reader->metadata, err));
		*is_end = batch->n_rows == 0;
	}
	batch->columns = reader->columns;
	batch->n_columns = reader->schema.n_fields;
	if (reader->metadata.n_entries != 0)
		batch->metadata = &reader->metadata;
	return RF_OK;
}

/* After the end mark nothing may come, but a file's footer. */
static enum rf_status
check_rest(struct rf_reader *reader, struct rf_error *err)
{
	uint8_t bytes[4096];
	size_t got;

	if (reader->is_file)
		return RF_OK;
	do {
		RF_TRY(rf_source_read(
		    &reader->messages.source, bytes, sizeof(bytes), &got, err));
		if (got != 0 && !reader->messages.is_piped_file)
			return rf_error_set(
			    err, RF_EDATA, "data after the end of the stream");
	} while (got == sizeof(bytes));
	return RF_OK;
}

static enum rf_status
check_end_rows(
    const struct rf_reader *reader, const char *rows, struct rf_error *err)
{
	long long number;

	if (rf_text_to_int(rows, 0, LLONG_MAX, "rf.end.rows", &number, err) !=
	    RF_OK)
		return RF_EDATA;
	if (number != reader->n_rows)
		return rf_error_set(err, RF_EDATA,
		    "%lld rows came where %lld were sent",
		    (long long)reader->n_rows, number);
	return RF_OK;
}

/* A filter that is not ours has passed the schema on, but not the end. */
static enum rf_status
lost_end(const struct rf_reader *reader, struct rf_error *err)
{
	const char *kind =
	    rf_metadata_get(&reader->schema.metadata, "rf.kind", NULL);

	if (kind != NULL &&
	    (strcmp(kind, "forest") == 0 || strcmp(kind, "prediction") == 0))
		return rf_error_set(err, RF_EDATA,
		    "the %s stream lost its end batch: it may be incomplete",
		    kind);
	rf_note(reader->options.log,
	    "%s: the stream has lost its row count on the way; a failure "
	    "before would not show here (set -o pipefail)",
	    reader->name);
	return RF_OK;
}

/* rf-stream(5), End. */
static enum rf_status
check_end(struct rf_reader *reader, enum rf_end end, struct rf_error *err)
{
	const char *rows = rf_metadata_get(&reader->end, "rf.end.rows", NULL);

	if (end == RF_END_OF_INPUT && reader->is_ours &&
	    !reader->options.no_eos)
		return rf_error_set(err, RF_EDATA,
		    "the stream has no end mark: it is incomplete");
	if (end == RF_END_OF_INPUT)
		rf_note(reader->options.log,
		    "%s: the stream has no end mark: it may be incomplete",
		    reader->name);
	else
		RF_TRY(check_rest(reader, err));
	if (rows != NULL)
		return check_end_rows(reader, rows, err);
	if (reader->is_ours && end == RF_END_MARK)
		return lost_end(reader, err);
	return RF_OK;
}

static enum rf_status
next_message(struct rf_reader *reader, struct rf_message *message,
    enum rf_end *end, struct rf_error *err)
{
	if (reader->is_file)
		return rf_footer_next(
		    &reader->messages, &reader->footer, message, end, err);
	return rf_message_read(&reader->messages, message, end, err);
}

static enum rf_status
read_batch(
    struct rf_reader *reader, struct rf_batch *batch, struct rf_error *err)
{
	struct rf_message message = {0};
	enum rf_end end;
	bool is_end = true;

	while (is_end || message.kind != RF_MESSAGE_BATCH) {
		RF_TRY(next_message(reader, &message, &end, err));
		if (end != RF_END_NONE) {
			*batch = (struct rf_batch){0};
			reader->is_at_end = true;
			return check_end(reader, end, err);
		}
		if (message.kind == RF_MESSAGE_SCHEMA)
			return rf_error_set(err, RF_EDATA, "a second schema");
		if (message.kind == RF_MESSAGE_DICTIONARY)
			RF_TRY(take_dictionary(reader, &message, err));
		else
			RF_TRY(
			    take_batch(reader, &message, batch, &is_end, err));
	}
	return RF_OK;
}

/* A batch, or the next slice of one that has sparse columns. */
static enum rf_status
read_dense(
    struct rf_reader *reader, struct rf_batch *batch, struct rf_error *err)
{
	if (reader->dense == NULL)
		return read_batch(reader, batch, err);
	RF_TRY(rf_dense_next(reader->dense, batch, err));
	if (batch->columns != NULL)
		return RF_OK;
	RF_TRY(read_batch(reader, batch, err));
	if (batch->columns == NULL)
		return RF_OK;
	rf_dense_give(reader->dense, batch);
	return rf_dense_next(reader->dense, batch, err);
}

enum rf_status
rf_reader_next(
    struct rf_reader *reader, struct rf_batch *batch, struct rf_error *err)
{
	enum rf_status status;

	*batch = (struct rf_batch){0};
	if (reader->is_at_end)
		return RF_OK;
	status = read_dense(reader, batch, err);
	if (status == RF_OK)
		return RF_OK;
	*batch = (struct rf_batch){0};
	if (!reader->is_at_end)
		status = at_message(reader, status, err);
	return rf_error_prefix(err, status, reader->name);
}

int64_t
rf_reader_n_rows(const struct rf_reader *reader)
{
	return reader->n_rows;
}

int64_t
rf_reader_n_bytes(const struct rf_reader *reader)
{
	return reader->messages.source.position;
}

const struct rf_metadata *
rf_reader_end_metadata(const struct rf_reader *reader)
{
	return &reader->end;
}

void
rf_reader_close(struct rf_reader *reader)
{
	if (reader == NULL)
		return;
	rf_metadata_release(&reader->end);
	rf_metadata_release(&reader->metadata);
	rf_dense_free(reader->dense);
	rf_scratch_release(&reader->scratch);
	rf_columns_free(reader->columns, reader->schema.n_fields);
	rf_dictionaries_release(&reader->dictionaries);
	rf_schema_release(&reader->schema);
	rf_footer_release(&reader->footer);
	rf_buffer_release(&reader->messages.metadata);
	rf_buffer_release(&reader->messages.body);
	free(reader->name);
	free(reader);
}
