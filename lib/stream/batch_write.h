/*
 * The body of a record batch, as parts for writev(2).  Private to lib/stream.
 *
 * Buffers that can go out as they are are only pointed to; those that cannot
 * (values under nulls, text that does not start at 0) are copied to scratch.
 */
#ifndef RF_STREAM_BATCH_WRITE_H
#define RF_STREAM_BATCH_WRITE_H

#include <sys/uio.h>

#include "stream/batch.h"
#include "stream/compress.h"
#include "stream/flatbuf.h"

struct rf_body_pair {
	int64_t first, second; /* Buffer: offset, size; node: rows, nulls */
};

struct rf_body {
	struct rf_body_pair *nodes, *buffers;
	size_t n_nodes, nodes_capacity, n_buffers, buffers_capacity;
	/* The first RF_BODY_HEAD are left free for the message's head. */
	struct iovec *parts;
	size_t n_parts, parts_capacity;
	int64_t size; /* bytes, a multiple of 64 */
	struct rf_scratch scratch;
	bool failed; /* out of memory */
};

#define RF_BODY_HEAD 3

void rf_body_release(struct rf_body *body);
void rf_body_clear(struct rf_body *body);

/*
 * Appends a column, written as `field` says; NULL: one of 0 rows.  The
 * column's type may differ in the width of its offsets, and be a view.
 */
enum rf_status rf_body_add(struct rf_body *body, const struct rf_field *field,
    const struct rf_column *column, struct rf_error *err) RF_MUST_USE;
/* More bytes after the body. */
void rf_body_append(struct rf_body *body, const void *data, size_t size);

/* Puts a RecordBatch table of the body. */
uint32_t rf_body_put(const struct rf_body *body,
    struct rf_flat_builder *builder, int64_t n_rows);

#endif
