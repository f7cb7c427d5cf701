/*
 * Record batches from messages.  Private to lib/stream.
 */
#ifndef RF_STREAM_BATCH_READ_H
#define RF_STREAM_BATCH_READ_H

#include "stream/batch.h"
#include "stream/compress.h"
#include "stream/dictionary.h"
#include "stream/flatbuf.h"

/* Columns for the fields, children of lists and structs too; zeroed but for
 * ->field and ->children.  NULL: no memory. */
struct rf_column *rf_columns_new(const struct rf_field *fields, size_t n);
void rf_columns_free(struct rf_column *columns, size_t n);

struct rf_batch_source {
	struct rf_flat *flat;
	uint32_t table;	     /* RecordBatch */
	int16_t version;     /* of the message's metadata */
	const uint8_t *body; /* at a 64-byte boundary */
	int64_t body_size;
	const struct rf_dictionaries *dictionaries;
	struct rf_scratch *scratch;
};

/*
 * Fills columns, made by rf_columns_new, and *n_rows.  They point into body,
 * scratch and dictionaries.  Fields that are stepped over (rf-stream(5)) have
 * a column with nothing but its rows.
 */
enum rf_status rf_batch_read(const struct rf_batch_source *source,
    struct rf_column *columns, size_t n_columns, int64_t *n_rows,
    struct rf_error *err) RF_MUST_USE;

#endif
