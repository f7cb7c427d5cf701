/*
 * From the cells of a record to the columns of a chunk.  Inside table/ only.
 */
#ifndef RF_TABLE_SLOT_H
#define RF_TABLE_SLOT_H

#include "table/chunk.h"

struct rf_slot {
	enum rf_cells cells;
	/* What a plain cell ends with, 16 times: delimiter, LF or CR. */
	char end[16];
	/* How run.h reads it; SKIP: not at all. */
	enum rf_cells fast;
	void *values;			/* of the column */
	struct rf_chunk_column *column; /* NULL: skipped */
	const struct rf_plan_column *plan;
};

static inline void
rf_slot_put_bit(uint8_t *bits, int64_t row, bool value)
{
	unsigned shift = (unsigned)row & 7;

	bits[row >> 3] = (uint8_t)((bits[row >> 3] & ~(1u << shift)) |
	    (unsigned)value << shift);
}

/* A missing cell. */
void rf_slot_null(struct rf_slot *slot, int64_t row);

/*
 * Stores the record at `at` as the chunk's next row.  Returns where it ends, or
 * NULL with the chunk's error set.
 */
char *rf_record_parse(struct rf_chunk *chunk, char *at, char *end);

/* The same for tables with ragged records, whose cells are counted first. */
char *rf_record_gather(struct rf_chunk *chunk, char *at, char *end);

#endif
