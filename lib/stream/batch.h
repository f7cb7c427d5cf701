/*
 * Record batches and their columns, as they lie in memory.
 *
 * A column is a view of buffers in Arrow's layout, offset 0 always.  It owns
 * nothing: whoever made it says how long its buffers live (arrow_read.h: until
 * the next batch).  Values under a null are arbitrary.
 */
#ifndef RF_STREAM_BATCH_H
#define RF_STREAM_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/schema.h"

struct rf_bytes {
	const uint8_t *data;
	int64_t size;
};

struct rf_column {
	const struct rf_field *field;
	int64_t n_rows;
	int64_t n_nulls;	 /* -1: not counted */
	const uint8_t *validity; /* bit set = valid; NULL: all valid */
	/*
	 * Fixed width: the values (bool: bits).  Dictionary-encoded: the codes,
	 * of field->index_type.  Views: 16 bytes each.  Text, binary, lists:
	 * NULL.
	 */
	const void *values;
	/* Text, binary, lists: n_rows + 1 offsets, 32 or 64 bits by the type;
	 * may be NULL where n_rows is 0. */
	const void *offsets;
	struct rf_bytes data;		   /* text and binary: the bytes */
	const struct rf_bytes *views_data; /* views: their data buffers */
	int64_t n_views_data;
	/* The dictionary's values; NULL where the stream sent none.  Text has
	 * type large_utf8 there (see ->field), binary large_binary, all else
	 * field->type.  The serial is a hash of the content: an equal one
	 * means equal values, in another reader too. */
	const struct rf_column *dictionary;
	uint64_t dictionary_serial;
	const struct rf_column *children;
	size_t n_children;
};

struct rf_batch {
	int64_t n_rows;
	struct rf_column *columns; /* as the schema's fields */
	size_t n_columns;
	const struct rf_metadata *metadata; /* of the message; NULL: none */
};

static inline bool
rf_column_is_valid(const struct rf_column *column, int64_t row)
{
	return column->validity == NULL ||
	    (column->validity[row >> 3] >> (row & 7) & 1) != 0;
}

/* Counts the nulls where n_nulls is -1. */
int64_t rf_column_n_nulls(const struct rf_column *column);

/*
 * The code of a valid row of a dictionary-encoded column, or the value of an
 * integer column, as int64 (uint64 past 2^63 - 1 wraps: check the type first).
 */
int64_t rf_column_int(const struct rf_column *column, int64_t row);

/*
 * Text or binary of a valid row (text types, binary types, and through a
 * dictionary of such).  false: the row's dictionary entry is null, so the row
 * is missing.  The bytes live as long as the column's buffers.
 */
bool rf_column_text(
    const struct rf_column *column, int64_t row, struct rf_bytes *out);

/* First and end row of a list's elements in children[0]. */
void rf_column_list(
    const struct rf_column *column, int64_t row, int64_t *first, int64_t *end);

#endif
