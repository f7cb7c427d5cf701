/*
 * Fills chunks with the records of a table, first from its sample, then from
 * its reader.
 */
#ifndef RF_TABLE_FEED_H
#define RF_TABLE_FEED_H

#include "table/chunk.h"
#include "table/cutter.h"
#include "table/sample.h"

struct rf_feed {
	struct rf_text_reader *reader;
	struct rf_sample *sample; /* released once it is used up */
	struct rf_cutter cutter;
	char *rest; /* read, and of the next chunk */
	size_t rest_size, rest_capacity;
	bool at_end; /* of the reader */
};

/* Begins with what the sample holds; reader and sample stay the caller's, who
 * zeroes the feed before and releases it in any case. */
enum rf_status rf_feed_init(struct rf_feed *feed, struct rf_text_reader *reader,
    struct rf_sample *sample, const struct rf_cutter *cutter,
    struct rf_error *err) RF_MUST_USE;

/*
 * Puts the next records into the chunk's text, none at the end.  What fails
 * stands in the chunk, with error_line 0 where the message is whole.
 */
void rf_feed_fill(struct rf_feed *feed, struct rf_chunk *chunk);

/* Nothing is left, or something has failed. */
static inline bool
rf_feed_is_done(const struct rf_feed *feed)
{
	return feed->at_end && feed->rest_size == 0;
}

void rf_feed_release(struct rf_feed *feed);

#endif
