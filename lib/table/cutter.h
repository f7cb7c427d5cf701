/*
 * Cuts a table's text into chunks of whole records.
 *
 * The cuts depend on the bytes alone: a chunk has the given count of records,
 * or ends at the first record past max_bytes.  So every reader, thread count
 * and size of reads gives the same chunks, and a chunk becomes a batch.
 *
 *	struct rf_cutter cutter = {.dialect = d, .max_records = 1024, ...};
 *	at = rf_cutter_scan(&cutter, text, from, to);
 */
#ifndef RF_TABLE_CUTTER_H
#define RF_TABLE_CUTTER_H

#include "table/dialect.h"

enum rf_cutter_state { RF_CUT_OUTSIDE, RF_CUT_INSIDE, RF_CUT_AFTER_QUOTE };

struct rf_cutter {
	struct rf_dialect dialect;
	int64_t max_records;
	size_t max_bytes;
	/* All that follows is 0 where a chunk begins, and kept by the scan. */
	enum rf_cutter_state state;
	int64_t n_records; /* begun in this chunk, blank lines not counted */
	bool in_record;	   /* the last byte was no line end */
	size_t last_start; /* of the last record begun */
	size_t open_quote; /* where the quoted cell began */
	/* May be set where the bytes lie in the next chunk already. */
	bool has_quote, has_carriage_return, has_high, has_zero;
};

/*
 * Looks at text[from, to); text is where the chunk begins and from where the
 * last scan of it ended.  Returns where the next chunk begins, with the cutter
 * ready for it once rf_cutter_restart is called; or `to` where none does yet.
 */
size_t rf_cutter_scan(
    struct rf_cutter *cutter, const char *text, size_t from, size_t to);

/* Begins the next chunk: forgets what the last one was like. */
void rf_cutter_restart(struct rf_cutter *cutter);

#endif
