#include <string.h>

#include "stream/message.h"
#include "stream/reader.h"

static enum rf_status
inside(struct rf_error *err)
{
	return rf_error_set(
	    err, RF_EDATA, "truncated stream: the input ends inside a message");
}

/*
 * The framing: marker and size, or, before Arrow 0.15, the size alone.  A size
 * of 0 is the end mark; in a file on a pipe the footer is the end too.
 */
static enum rf_status
read_size(struct rf_message_source *messages, uint32_t *size, enum rf_end *end,
    struct rf_error *err)
{
	struct rf_source *source = &messages->source;
	uint32_t word;
	size_t got;
	bool is_legacy;

	RF_TRY(rf_source_read(source, &word, sizeof(word), &got, err));
	if (got == 0) {
		*end = RF_END_OF_INPUT;
		return RF_OK;
	}
	if (got < sizeof(word))
		return inside(err);
	is_legacy = word != RF_MESSAGE_MARKER;
	if (!is_legacy) {
		RF_TRY(rf_source_read(source, &word, sizeof(word), &got, err));
		if (got < sizeof(word))
			return inside(err);
	}
	*size = word;
	if (word == 0 || (is_legacy && messages->is_piped_file))
		*end = RF_END_MARK;
	else if (word < 16 ||
	    word > (is_legacy ? RF_LEGACY_MAX_BYTES : RF_MESSAGE_MAX_BYTES))
		return rf_error_set(err, RF_EDATA,
		    "a message of %lu bytes: damaged, or no Arrow stream",
		    (unsigned long)word);
	return RF_OK;
}

/* The Message table; the body is still to come. */
static enum rf_status
parse(struct rf_message *message, const uint8_t *data, uint32_t size,
    struct rf_error *err)
{
	struct rf_flat *flat = &message->flat;

	message->table = rf_flat_open(flat, data, size);
	message->version = rf_flat_int16(flat, message->table, 0, 0);
	message->kind = rf_flat_uint8(flat, message->table, 1, 0);
	message->header = rf_flat_table(flat, message->table, 2);
	message->body_size = rf_flat_int64(flat, message->table, 3, 0);
	if (flat->bad)
		return rf_error_set(err, RF_EDATA, "malformed message");
	if (message->version != 3 && message->version != 4)
		return rf_error_set(err, RF_EDATA,
		    "Arrow metadata version V%d is not read",
		    message->version + 1);
	if (message->kind < RF_MESSAGE_SCHEMA ||
	    message->kind > RF_MESSAGE_BATCH)
		return rf_error_set(
		    err, RF_EDATA, "a message of kind %d", message->kind);
	if (message->header == 0 || message->body_size < 0 ||
	    message->body_size > RF_MAX_ROWS)
		return rf_error_set(err, RF_EDATA, "malformed message");
	return RF_OK;
}

enum rf_status
rf_message_read(struct rf_message_source *messages, struct rf_message *message,
    enum rf_end *end, struct rf_error *err)
{
	struct rf_source *source = &messages->source;
	const uint8_t *metadata;
	uint32_t size = 0;

	*end = RF_END_NONE;
	messages->start = source->position;
	RF_TRY(read_size(messages, &size, end, err));
	if (*end != RF_END_NONE)
		return RF_OK;
	messages->n_messages++;
	RF_TRY(
	    rf_source_fill(source, &messages->metadata, size, &metadata, err));
	RF_TRY(parse(message, metadata, size, err));
	return rf_source_fill(
	    source, &messages->body, message->body_size, &message->body, err);
}

/* What files begin with that are often given by mistake. */
static const struct {
	const char *magic;
	size_t size;
	const char *what;
} foreign[] = {
    {"\x1f\x8b", 2, "gzip data: gunzip it first"},
    {"\x28\xb5\x2f\xfd", 4, "zstd data: unpack it with zstd -d first"},
    {"\x04\x22\x4d\x18", 4, "lz4 data: unpack it with lz4 -d first"},
    {"BZh", 3, "bzip2 data: bunzip2 it first"},
    {"\xfd"
     "7zXZ",
	5, "xz data: unpack it with xz -d first"},
    {"PK\x03\x04", 4, "a zip archive"},
    {"PAR1", 4, "a Parquet file"},
    {"FEA1", 4, "a Feather file of version 1"},
    {"\x89HDF", 4, "an HDF5 file"},
    {"\x89RFB", 4, "a packed forest, a model file"},
    {"\x93NUMPY", 6, "a NumPy file"},
};

/*
 * The size of a legacy message is at most 16 MiB, so its fourth byte is 0 or
 * 1, which is no text.
 */
static bool
looks_like_text(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\r' &&
			bytes[i] != '\t') ||
		    bytes[i] == 0x7f || bytes[i] == 0xff)
			return false;
	return true;
}

enum rf_status
rf_source_recognise(
    struct rf_source *source, bool *is_file, struct rf_error *err)
{
	uint8_t bytes[RF_PEEK_BYTES];
	size_t got;

	*is_file = false;
	RF_TRY(rf_source_peek(source, bytes, &got, err));
	if (got == 0)
		return rf_error_set(err, RF_EDATA, "empty input");
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (got >= foreign[i].size &&
		    memcmp(bytes, foreign[i].magic, foreign[i].size) == 0)
			return rf_error_set(err, RF_EDATA,
			    "not an Arrow stream but %s", foreign[i].what);
	if (got == sizeof(bytes) && memcmp(bytes, "ARROW1\0\0", 8) == 0)
		*is_file = true;
	else if (looks_like_text(bytes, got))
		return rf_error_set(
		    err, RF_EDATA, "text, not an Arrow stream: csv2bin first?");
	return RF_OK;
}
