#include "stream/arrow_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "rf.h"
#include "stream/batch_write.h"
#include "stream/id_map.h"
#include "stream/message.h"
#include "stream/pipe.h"

#define BATCH_BYTES ((size_t)1 << 20)
#define MAX_BYTES   ((size_t)16 << 20)

struct sent_dictionary {
	int64_t id;
	struct rf_field field; /* of the values; its parts are the schema's */
	bool is_sent;
	uint64_t serial; /* 0: not known */
};

struct rf_writer {
	int fd;
	char *name;
	struct rf_schema schema;
	struct sent_dictionary *dictionaries;
	size_t n_dictionaries, dictionaries_capacity;
	struct rf_id_map numbers; /* of them, by their ids */
	struct rf_flat_builder builder;
	struct rf_body body;
	int64_t n_rows, n_batches;
	bool has_begun; /* all dictionaries were sent once */
};

int64_t
rf_writer_batch_rows(size_t row_bytes)
{
	size_t rows = BATCH_BYTES / (row_bytes == 0 ? 1 : row_bytes);

	if (row_bytes > MAX_BYTES / 1024)
		return 64;
	return (int64_t)(rows < 1024 ? 1024 : rows / 1024 * 1024);
}

/* Puts an entry that is absent at place `at`. */
static enum rf_status
put_first(struct rf_metadata *metadata, size_t at, const char *key,
    const char *value, struct rf_error *err)
{
	struct rf_metadata_entry entry;

	if (rf_metadata_get(metadata, key, NULL) != NULL)
		return RF_OK;
	RF_TRY(rf_metadata_set(metadata, key, value, err));
	entry = metadata->entries[metadata->n_entries - 1];
	memmove(&metadata->entries[at + 1], &metadata->entries[at],
	    (metadata->n_entries - 1 - at) * sizeof(entry));
	metadata->entries[at] = entry;
	return RF_OK;
}

static enum rf_status add_dictionaries(struct rf_writer *writer,
    const struct rf_field *fields, size_t n_fields, struct rf_error *err);

static struct sent_dictionary *
find_dictionary(const struct rf_writer *writer, int64_t id)
{
	int64_t i = rf_id_map_find(&writer->numbers, id);

	return i < 0 ? NULL : &writer->dictionaries[i];
}

static enum rf_status
add_dictionary(struct rf_writer *writer, const struct rf_field *field,
    struct rf_error *err)
{
	void *grown = writer->dictionaries;
	struct sent_dictionary added = {
	    .id = field->dictionary_id, .field = *field};

	if (!field->is_dictionary ||
	    find_dictionary(writer, field->dictionary_id) != NULL)
		return RF_OK;
	added.field.is_dictionary = false;
	if (rf_grow(&grown, &writer->dictionaries_capacity,
		writer->n_dictionaries + 1, sizeof(added)) != 0)
		return rf_error_memory(err, sizeof(added), "a dictionary");
	writer->dictionaries = grown;
	RF_TRY(rf_id_map_add(&writer->numbers, added.id, err));
	writer->dictionaries[writer->n_dictionaries++] = added;
	return RF_OK;
}

static enum rf_status
add_dictionaries(struct rf_writer *writer, const struct rf_field *fields,
    size_t n_fields, struct rf_error *err)
{
	for (size_t i = 0; i < n_fields; i++) {
		RF_TRY(add_dictionary(writer, &fields[i], err));
		RF_TRY(add_dictionaries(
		    writer, fields[i].children, fields[i].n_children, err));
	}
	return RF_OK;
}

/* The Message around the header; the body's first parts are its frame. */
static enum rf_status
send_message(struct rf_writer *writer, enum rf_message_kind kind,
    uint32_t header, uint32_t metadata, struct rf_error *err)
{
	static const uint8_t zeros[64];
	struct rf_flat_builder *builder = &writer->builder;
	struct rf_body *body = &writer->body;
	uint32_t table, frame[2];
	size_t size, padding;
	const uint8_t *data;

	rf_flat_start(builder);
	rf_flat_put_int(builder, 3, body->size, 8);
	rf_flat_put_reference(builder, 4, metadata);
	rf_flat_put_reference(builder, 2, header);
	rf_flat_put_int(builder, 0, 4, 2);
	rf_flat_put_int(builder, 1, kind, 1);
	table = rf_flat_end(builder);
	data = rf_flat_finish(builder, table, &size);
	if (data == NULL || body->failed)
		return rf_error_memory(err, size, "a message");
	/* Every body begins at a multiple of 64 bytes. */
	padding = (64 - (size + 8) % 64) % 64;
	frame[0] = RF_MESSAGE_MARKER;
	frame[1] = (uint32_t)(size + padding);
	body->parts[0] = (struct iovec){frame, sizeof(frame)};
	body->parts[1] = (struct iovec){(void *)(uintptr_t)data, size};
	body->parts[2] = (struct iovec){(void *)(uintptr_t)zeros, padding};
	return rf_write_all(writer->fd, body->parts, body->n_parts, err);
}

static enum rf_status
clear_message(struct rf_writer *writer, struct rf_error *err)
{
	struct rf_body *body = &writer->body;
	void *parts = body->parts;

	rf_flat_builder_clear(&writer->builder);
	rf_body_clear(body);
	if (rf_grow(&parts, &body->parts_capacity, RF_BODY_HEAD,
		sizeof(*body->parts)) != 0)
		return rf_error_memory(err, RF_BODY_HEAD, "a message");
	body->parts = parts;
	return RF_OK;
}

static enum rf_status
send_schema(struct rf_writer *writer, struct rf_error *err)
{
	uint32_t table;

	RF_TRY(clear_message(writer, err));
	RF_TRY(rf_schema_put(&writer->builder, &writer->schema, &table, err));
	return send_message(writer, RF_MESSAGE_SCHEMA, table, 0, err);
}

static enum rf_status
open_parts(struct rf_writer *writer, const struct rf_schema *schema,
    struct rf_error *err)
{
	struct rf_metadata *metadata = &writer->schema.metadata;
	char producer[64];

	snprintf(producer, sizeof(producer), "rf-tools %s", rf_version());
	RF_TRY(rf_schema_copy(&writer->schema, schema, err));
	RF_TRY(put_first(metadata, 0, "rf.version", "1", err));
	RF_TRY(put_first(metadata, 1, "rf.producer", producer, err));
	RF_TRY(add_dictionaries(
	    writer, writer->schema.fields, writer->schema.n_fields, err));
	return send_schema(writer, err);
}

enum rf_status
rf_writer_open(struct rf_writer **out, int fd, const char *name,
    const struct rf_schema *schema, struct rf_error *err)
{
	struct rf_writer *writer = rf_alloc_zero(1, sizeof(*writer));
	enum rf_status status;

	if (writer == NULL)
		return rf_error_memory(err, sizeof(*writer), "a writer");
	writer->fd = fd;
	writer->name = rf_strdup(name);
	rf_pipe_widen(fd);
	if (writer->name == NULL)
		status = rf_error_memory(err, strlen(name), "a name");
	else
		status = open_parts(writer, schema, err);
	if (status != RF_OK) {
		rf_writer_free(writer);
		return rf_error_prefix(err, status, name);
	}
	*out = writer;
	return RF_OK;
}

static enum rf_status
send_dictionary(struct rf_writer *writer, struct sent_dictionary *dictionary,
    const struct rf_column *values, struct rf_error *err)
{
	uint32_t batch, table;
	int64_t n_rows = values == NULL ? 0 : values->n_rows;

	RF_TRY(clear_message(writer, err));
	RF_TRY(rf_body_add(&writer->body, &dictionary->field, values, err));
	batch = rf_body_put(&writer->body, &writer->builder, n_rows);
	rf_flat_start(&writer->builder);
	rf_flat_put_int(&writer->builder, 0, dictionary->id, 8);
	rf_flat_put_reference(&writer->builder, 1, batch);
	table = rf_flat_end(&writer->builder);
	dictionary->is_sent = true;
	dictionary->serial = 0;
	return send_message(writer, RF_MESSAGE_DICTIONARY, table, 0, err);
}

enum rf_status
rf_writer_dictionary(struct rf_writer *writer, int64_t id,
    const struct rf_column *values, struct rf_error *err)
{
	struct sent_dictionary *dictionary = find_dictionary(writer, id);
	enum rf_status status;

	if (dictionary == NULL)
		return rf_error_set(err, RF_EBUG,
		    "dictionary %" PRId64 " is not in the schema", id);
	status = send_dictionary(writer, dictionary, values, err);
	if (status != RF_OK)
		return rf_error_prefix(err, status, writer->name);
	return RF_OK;
}

/* Dictionaries that came with the columns, where they are not the last. */
static enum rf_status
send_column_dictionaries(struct rf_writer *writer,
    const struct rf_column *columns, const struct rf_field *fields, size_t n,
    struct rf_error *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct rf_column *column = &columns[i];
		struct sent_dictionary *dictionary;
		uint64_t serial = column->dictionary_serial;

		RF_TRY(send_column_dictionaries(writer, column->children,
		    fields[i].children, column->n_children, err));
		if (!fields[i].is_dictionary || column->dictionary == NULL ||
		    serial == 0)
			continue;
		dictionary = find_dictionary(writer, fields[i].dictionary_id);
		if (dictionary->is_sent && dictionary->serial == serial)
			continue;
		RF_TRY(send_dictionary(
		    writer, dictionary, column->dictionary, err));
		dictionary->serial = serial;
	}
	return RF_OK;
}

/* Foreign readers want every dictionary before the first batch. */
static enum rf_status
send_missing_dictionaries(struct rf_writer *writer, struct rf_error *err)
{
	if (writer->has_begun)
		return RF_OK;
	writer->has_begun = true;
	for (size_t i = 0; i < writer->n_dictionaries; i++)
		if (!writer->dictionaries[i].is_sent)
			RF_TRY(send_dictionary(
			    writer, &writer->dictionaries[i], NULL, err));
	return RF_OK;
}

/* A batch of the columns, NULL: of 0 rows. */
static enum rf_status
build_batch(struct rf_writer *writer, const struct rf_column *columns,
    int64_t n_rows, uint32_t *table, struct rf_error *err)
{
	const struct rf_schema *schema = &writer->schema;

	RF_TRY(clear_message(writer, err));
	for (size_t i = 0; i < schema->n_fields; i++)
		RF_TRY(rf_body_add(&writer->body, &schema->fields[i],
		    columns == NULL ? NULL : &columns[i], err));
	*table = rf_body_put(&writer->body, &writer->builder, n_rows);
	return RF_OK;
}

/* What the end batch of another stream said does not hold for this one. */
static enum rf_status
copy_without_end(struct rf_metadata *to, const struct rf_metadata *from,
    struct rf_error *err)
{
	for (size_t i = 0; from != NULL && i < from->n_entries; i++) {
		const struct rf_metadata_entry *entry = &from->entries[i];

		if (strncmp(entry->key, "rf.end.", 7) != 0)
			RF_TRY(rf_metadata_append(to, entry->key,
			    strlen(entry->key), entry->value, entry->value_size,
			    err));
	}
	return RF_OK;
}

static enum rf_status
write_batch(struct rf_writer *writer, const struct rf_batch *batch,
    const struct rf_metadata *metadata, struct rf_error *err)
{
	uint32_t table;

	if (batch->n_columns != writer->schema.n_fields)
		return rf_error_set(err, RF_EBUG,
		    "a batch of %zu columns in a schema of %zu",
		    batch->n_columns, writer->schema.n_fields);
	if (batch->n_rows == 0 && metadata->n_entries == 0)
		return RF_OK;
	RF_TRY(send_column_dictionaries(writer, batch->columns,
	    writer->schema.fields, batch->n_columns, err));
	RF_TRY(send_missing_dictionaries(writer, err));
	RF_TRY(build_batch(writer, batch->columns, batch->n_rows, &table, err));
	writer->n_rows += batch->n_rows;
	writer->n_batches++;
	return send_message(writer, RF_MESSAGE_BATCH, table,
	    rf_metadata_put(&writer->builder, metadata), err);
}

enum rf_status
rf_writer_batch(struct rf_writer *writer, const struct rf_batch *batch,
    struct rf_error *err)
{
	struct rf_metadata metadata = {0};
	enum rf_status status;

	status = copy_without_end(&metadata, batch->metadata, err);
	if (status == RF_OK)
		status = write_batch(writer, batch, &metadata, err);
	rf_metadata_release(&metadata);
	if (status != RF_OK)
		return rf_error_prefix(err, status, writer->name);
	return RF_OK;
}

static enum rf_status
make_end(const struct rf_writer *writer, const struct rf_metadata *end,
    struct rf_metadata *metadata, struct rf_error *err)
{
	char number[32];

	snprintf(number, sizeof(number), "%" PRId64, writer->n_rows);
	RF_TRY(rf_metadata_set(metadata, "rf.end.rows", number, err));
	snprintf(number, sizeof(number), "%" PRId64, writer->n_batches);
	RF_TRY(rf_metadata_set(metadata, "rf.end.batches", number, err));
	return copy_without_end(metadata, end, err);
}

static enum rf_status
write_end(struct rf_writer *writer, const struct rf_metadata *metadata,
    struct rf_error *err)
{
	static const uint32_t mark[2] = {RF_MESSAGE_MARKER, 0};
	uint32_t table;

	RF_TRY(send_missing_dictionaries(writer, err));
	RF_TRY(build_batch(writer, NULL, 0, &table, err));
	rf_body_append(&writer->body, mark, sizeof(mark));
	return send_message(writer, RF_MESSAGE_BATCH, table,
	    rf_metadata_put(&writer->builder, metadata), err);
}

enum rf_status
rf_writer_finish(struct rf_writer *writer, const struct rf_metadata *end,
    struct rf_error *err)
{
	struct rf_metadata metadata = {0};
	enum rf_status status = make_end(writer, end, &metadata, err);

	if (status == RF_OK)
		status = write_end(writer, &metadata, err);
	rf_metadata_release(&metadata);
	if (status != RF_OK)
		return rf_error_prefix(err, status, writer->name);
	return RF_OK;
}

void
rf_writer_free(struct rf_writer *writer)
{
	if (writer == NULL)
		return;
	rf_schema_release(&writer->schema);
	free(writer->dictionaries);
	rf_id_map_release(&writer->numbers);
	rf_flat_builder_release(&writer->builder);
	rf_body_release(&writer->body);
	free(writer->name);
	free(writer);
}
