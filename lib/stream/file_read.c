#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stream/message.h"
#include "stream/reader.h"

#define TAIL_BYTES  10 /* i32 size of the footer, "ARROW1" */
#define BLOCK_BYTES 24

static enum rf_status
malformed(struct rf_error *err)
{
	return rf_error_set(err, RF_EDATA, "malformed footer of an Arrow file");
}

/* The footer's bytes, in the metadata buffer. */
static enum rf_status
read_footer_bytes(struct rf_message_source *messages, const uint8_t **data,
    int64_t *size, struct rf_error *err)
{
	struct rf_source *source = &messages->source;
	uint8_t tail[TAIL_BYTES];
	int32_t n;
	size_t got;

	if (source->size < 8 + TAIL_BYTES)
		return rf_error_set(
		    err, RF_EDATA, "truncated Arrow file: no footer");
	RF_TRY(rf_source_seek(source, source->size - TAIL_BYTES, err));
	RF_TRY(rf_source_read(source, tail, sizeof(tail), &got, err));
	if (got < sizeof(tail) || memcmp(tail + 4, "ARROW1", 6) != 0)
		return rf_error_set(
		    err, RF_EDATA, "truncated Arrow file: no footer");
	memcpy(&n, tail, sizeof(n));
	if (n < 16 || n > RF_MESSAGE_MAX_BYTES ||
	    n > source->size - 8 - TAIL_BYTES)
		return malformed(err);
	messages->start = source->size - TAIL_BYTES - n;
	RF_TRY(rf_source_seek(source, messages->start, err));
	*size = n;
	return rf_source_fill(source, &messages->metadata, n, data, err);
}

static void
read_blocks(const struct rf_flat *flat, uint32_t vector, uint32_t n,
    struct rf_block *blocks)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = vector + i * BLOCK_BYTES;
		int64_t size = rf_flat_at(flat, at + 8);

		blocks[i].offset = rf_flat_at(flat, at);
		/* 4 bytes of size, 4 of padding */
		memcpy(&blocks[i].metadata_size, &size, sizeof(int32_t));
		blocks[i].body_size = rf_flat_at(flat, at + 16);
	}
}

enum rf_status
rf_footer_read(struct rf_message_source *messages, struct rf_footer *footer,
    struct rf_schema *schema, struct rf_error *err)
{
	struct rf_flat flat;
	const uint8_t *data;
	int64_t size = 0;
	uint32_t table, header, dictionaries, batches, n_dictionaries, n;

	*footer = (struct rf_footer){0};
	RF_TRY(read_footer_bytes(messages, &data, &size, err));
	table = rf_flat_open(&flat, data, (size_t)size);
	header = rf_flat_table(&flat, table, 1);
	dictionaries =
	    rf_flat_vector(&flat, table, 2, BLOCK_BYTES, &n_dictionaries);
	batches = rf_flat_vector(&flat, table, 3, BLOCK_BYTES, &n);
	if (flat.bad || header == 0)
		return malformed(err);
	footer->n_dictionaries = n_dictionaries;
	footer->n_blocks = (size_t)n_dictionaries + n;
	footer->blocks = rf_alloc(footer->n_blocks, sizeof(*footer->blocks));
	if (footer->blocks == NULL)
		return rf_error_memory(err,
		    footer->n_blocks * sizeof(*footer->blocks), "a footer");
	read_blocks(&flat, dictionaries, n_dictionaries, footer->blocks);
	read_blocks(&flat, batches, n, footer->blocks + n_dictionaries);
	return rf_schema_read(&flat, header, schema, err);
}

/* The body follows the metadata at the place that the block gives. */
enum rf_status
rf_footer_next(struct rf_message_source *messages, struct rf_footer *footer,
    struct rf_message *message, enum rf_end *end, struct rf_error *err)
{
	struct rf_source *source = &messages->source;
	const struct rf_block *block;
	int wanted;

	*end = RF_END_MARK;
	if (footer->next == footer->n_blocks)
		return RF_OK;
	block = &footer->blocks[footer->next];
	wanted = footer->next < footer->n_dictionaries ? RF_MESSAGE_DICTIONARY
						       : RF_MESSAGE_BATCH;
	footer->next++;
	messages->start = block->offset;
	if (block->offset < 8 || block->offset % 8 != 0 ||
	    block->metadata_size < 16 || block->body_size < 0)
		return malformed(err);
	RF_TRY(rf_source_seek(source, block->offset, err));
	RF_TRY(rf_message_read(messages, message, end, err));
	if (*end != RF_END_NONE || message->kind != wanted ||
	    message->body_size != block->body_size ||
	    source->position - message->body_size !=
		block->offset + block->metadata_size)
		return rf_error_set(err, RF_EDATA,
		    "the footer does not fit the message that it points to");
	return RF_OK;
}

void
rf_footer_release(struct rf_footer *footer)
{
	free(footer->blocks);
	*footer = (struct rf_footer){0};
}
