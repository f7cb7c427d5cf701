/*
 * Fills chunks with the records of a table, file after file; of each first from
 * its sample, then from its reader.  A chunk has records of one file.
 */
#ifndef RF_TABLE_FEED_H
#define RF_TABLE_FEED_H

#include "table/chunk.h"
#include "table/cutter.h"
#include "table/part.h"

/* How parts are opened that the sample did not reach. */
struct rf_feed_opening {
	const struct rf_csv_options *options;
	const struct rf_header *header; /* NULL: no part has one */
	const char *first_name;
};

struct rf_feed {
	struct rf_part *parts;
	size_t n_parts, part; /* the one that is read */
	struct rf_feed_opening opening;
	struct rf_cutter cutter;
	char *rest; /* read, and of the next chunk */
	size_t rest_size, rest_capacity;
	bool at_end; /* of the part's reader */
};

/*
 * The first parts are begun, and each is closed once it is used up.  All that
 * is given stays the caller's, who zeroes the feed before and releases it in
 * any case.
 */
enum rf_status rf_feed_init(struct rf_feed *feed, struct rf_part *parts,
    size_t n_parts, const struct rf_feed_opening *opening,
    const struct rf_cutter *cutter, struct rf_error *err) RF_MUST_USE;

/*
 * Puts the next records into the chunk's text, none at the end of a part.  What fails
 * stands in the chunk, with error_line 0 where the message is whole.
 */
void rf_feed_fill(struct rf_feed *feed, struct rf_chunk *chunk);

/* Nothing is left, or something has failed. */
static inline bool
rf_feed_is_done(const struct rf_feed *feed)
{
	return feed->at_end && feed->rest_size == 0 &&
	    feed->part + 1 >= feed->n_parts;
}

void rf_feed_release(struct rf_feed *feed);

#endif
