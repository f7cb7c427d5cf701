/*
 * Writing Arrow IPC streams: rf-stream(5), Messages.
 *
 *	RF_TRY(rf_writer_open(&writer, 1, "<stdout>", &schema, err));
 *	RF_TRY(rf_writer_dictionary(writer, 0, &texts, err));
 *	RF_TRY(rf_writer_batch(writer, &batch, err));
 *	RF_TRY(rf_writer_finish(writer, NULL, err));
 *	rf_writer_free(writer);
 *
 * Equal calls give equal bytes.  Nothing but rf_writer_finish writes the end
 * mark, so a stream that was given up is never taken for whole.
 */
#ifndef RF_STREAM_ARROW_WRITE_H
#define RF_STREAM_ARROW_WRITE_H

#include "stream/batch.h"

struct rf_writer;

/* Rows a batch should have: a body of about 1 MiB of row_bytes each, a
 * multiple of 1024 (of 64 where 1024 rows would pass 16 MiB); at least 64. */
int64_t rf_writer_batch_rows(size_t row_bytes);

/*
 * Writes the schema (copied) with the first message.  fd stays the caller's.
 * rf.version and rf.producer are put first in the metadata where absent.
 */
enum rf_status rf_writer_open(struct rf_writer **out, int fd, const char *name,
    const struct rf_schema *schema, struct rf_error *err) RF_MUST_USE;

/*
 * Sends the whole dictionary `id` (first, or in place of the one before).
 * Dictionaries of the schema that were not sent before the first batch go out
 * there: with the column's own dictionary, or empty.
 */
enum rf_status rf_writer_dictionary(struct rf_writer *writer, int64_t id,
    const struct rf_column *values, struct rf_error *err) RF_MUST_USE;

/*
 * Writes a batch.  Column types are the schema's; n_nulls -1 is counted.
 * Values under nulls go out as 0; buffers of views are joined to text first
 * (large_utf8, large_binary).  Without a metadata, batches of 0 rows are left
 * out; entries rf.end.* are dropped.
 * A column that brings its dictionary with a serial other than 0 (as a
 * reader's do) needs no rf_writer_dictionary: it is sent where it is new.
 */
enum rf_status rf_writer_batch(struct rf_writer *writer,
    const struct rf_batch *batch, struct rf_error *err) RF_MUST_USE;

/*
 * The end batch of 0 rows with rf.end.rows, rf.end.batches and the entries of
 * `end` (NULL allowed), then the end mark.  The last act of a tool that has
 * seen a good end of its own input.
 */
enum rf_status rf_writer_finish(struct rf_writer *writer,
    const struct rf_metadata *end, struct rf_error *err) RF_MUST_USE;

void rf_writer_free(struct rf_writer *writer); /* NULL allowed */

#endif
