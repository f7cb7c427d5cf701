#include "table/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "table/decimal.h"

/* Small, so that what is read is still in the cache when it is cut. */
#define READ_SIZE ((size_t)1 << 16)
/* Of a part that the types were not taken from. */
#define SAMPLE_SIZE ((size_t)1 << 20)

enum rf_status
rf_feed_init(struct rf_feed *feed, struct rf_part *parts, size_t n_parts,
    const struct rf_feed_opening *opening, const struct rf_cutter *cutter,
    struct rf_error *err)
{
	feed->parts = parts;
	feed->n_parts = n_parts;
	feed->opening = *opening;
	feed->cutter = *cutter;
	feed->rest = rf_alloc(READ_SIZE, 1);
	if (feed->rest == NULL)
		return rf_error_memory(err, READ_SIZE, "reading");
	feed->rest_capacity = READ_SIZE;
	return RF_OK;
}

void
rf_feed_release(struct rf_feed *feed)
{
	free(feed->rest);
	memset(feed, 0, sizeof(*feed));
}

static enum rf_status
make_room(struct rf_chunk *chunk, size_t size)
{
	void *memory = chunk->memory;

	if (rf_grow(&memory, &chunk->capacity,
		RF_DECIMAL_FRONT + chunk->size + size + 1 + RF_TEXT_PADDING,
		1) != 0) {
		chunk->error_line = 0;
		return rf_error_memory(
		    &chunk->error, chunk->size + size, "a batch's text");
	}
	chunk->memory = memory;
	chunk->text = chunk->memory + RF_DECIMAL_FRONT;
	memset(chunk->memory, 0, RF_DECIMAL_FRONT);
	return RF_OK;
}

/* From the sample while it lasts, then from the reader. */
static enum rf_status
add_bytes(struct rf_feed *feed, struct rf_chunk *chunk)
{
	struct rf_part *part = &feed->parts[feed->part];
	struct rf_sample *sample = &part->sample;
	size_t got = sample->size - sample->at;

	RF_TRY(make_room(chunk, READ_SIZE));
	if (got > 0) {
		got = got < READ_SIZE ? got : READ_SIZE;
		memcpy(
		    chunk->text + chunk->size, sample->text + sample->at, got);
		sample->at += got;
	} else {
		if (sample->text != NULL) {
			feed->at_end = sample->is_whole;
			rf_sample_release(sample);
		}
		if (feed->at_end)
			return RF_OK;
		chunk->error_line = 0;
		RF_TRY(rf_text_reader_read(part->reader,
		    chunk->text + chunk->size, READ_SIZE, &got, &chunk->error));
		feed->at_end = got < READ_SIZE;
	}
	chunk->size += got;
	return RF_OK;
}

/* The cut is at `at`: what follows waits for the next chunk. */
static enum rf_status
keep_rest(struct rf_feed *feed, struct rf_chunk *chunk, size_t at)
{
	void *rest = feed->rest;
	size_t size = chunk->size - at;

	if (rf_grow(&rest, &feed->rest_capacity, size, 1) != 0) {
		chunk->error_line = 0;
		return rf_error_memory(&chunk->error, size, "reading");
	}
	feed->rest = rest;
	memcpy(feed->rest, chunk->text + at, size);
	feed->rest_size = size;
	chunk->size = at;
	return RF_OK;
}

static enum rf_status
take_rest(struct rf_feed *feed, struct rf_chunk *chunk)
{
	chunk->size = 0;
	RF_TRY(make_room(chunk, feed->rest_size));
	memcpy(chunk->text, feed->rest, feed->rest_size);
	chunk->size = feed->rest_size;
	feed->rest_size = 0;
	return RF_OK;
}

static enum rf_status
refuse_long(const struct rf_cutter *cutter, struct rf_chunk *chunk)
{
	bool is_open = cutter->state == RF_CUT_INSIDE;
	size_t at = is_open ? cutter->open_quote : cutter->last_start;

	chunk->error_line = 1 + rf_count_lines(chunk->text, chunk->text + at);
	return rf_error_set(&chunk->error, RF_EDATA,
	    ": a record of more than 64 MiB%s",
	    is_open ? "; the quote that opens here is never closed?" : "");
}

static void
pass_flags(struct rf_cutter *cutter, struct rf_chunk *chunk)
{
	chunk->has_quote = cutter->has_quote;
	chunk->has_carriage_return = cutter->has_carriage_return;
	chunk->has_high = cutter->has_high;
	chunk->has_zero = cutter->has_zero;
	rf_cutter_restart(cutter);
}

static enum rf_status
fill(struct rf_feed *feed, struct rf_chunk *chunk)
{
	struct rf_cutter *cutter = &feed->cutter;
	size_t scanned = 0, at;

	RF_TRY(take_rest(feed, chunk));
	for (;;) {
		at = rf_cutter_scan(cutter, chunk->text, scanned, chunk->size);
		if (at < chunk->size) {
			RF_TRY(keep_rest(feed, chunk, at));
			break;
		}
		if (feed->at_end)
			break;
		scanned = chunk->size;
		if (chunk->size - cutter->last_start > RF_RECORD_MOST)
			return refuse_long(cutter, chunk);
		RF_TRY(add_bytes(feed, chunk));
	}
	pass_flags(cutter, chunk);
	return RF_OK;
}

/* Begins the next part, where this one is used up. */
static enum rf_status
next_part(struct rf_feed *feed, struct rf_chunk *chunk)
{
	struct rf_part *part;

	if (!feed->at_end || feed->rest_size > 0)
		return RF_OK;
	rf_part_close(&feed->parts[feed->part]);
	part = &feed->parts[++feed->part];
	feed->at_end = false;
	if (part->is_open)
		return RF_OK;
	chunk->error_line = 0;
	return rf_part_begin(part, feed->opening.options, &feed->cutter.dialect,
	    feed->opening.header, feed->opening.first_name, SAMPLE_SIZE,
	    &chunk->error);
}

void
rf_feed_fill(struct rf_feed *feed, struct rf_chunk *chunk)
{
	chunk->status = next_part(feed, chunk);
	chunk->part = feed->part;
	if (chunk->status == RF_OK)
		chunk->status = fill(feed, chunk);
	if (chunk->status != RF_OK) {
		feed->part = feed->n_parts - 1;
		feed->at_end = true;
		feed->rest_size = 0;
	}
}
