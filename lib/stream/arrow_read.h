/*
 * Reading Arrow IPC streams and files.
 *
 *	struct rf_reader *reader = NULL;
 *	RF_TRY(rf_reader_open(&reader, 0, "<stdin>", &options, err));
 *	while ((status = rf_reader_next(reader, &batch, err)) == RF_OK &&
 *	    batch.columns != NULL)
 *		use(&batch);
 *	rf_reader_close(reader);
 *
 * Every length in the input is checked before use; memory grows with the bytes
 * that have arrived, never with what they claim.  The end is only reported
 * where it is a good one: rf-stream(5), End.
 */
#ifndef RF_STREAM_ARROW_READ_H
#define RF_STREAM_ARROW_READ_H

#include "base/log.h"
#include "stream/batch.h"

struct rf_reader;

struct rf_reader_options {
	const struct rf_log *log; /* warnings of foreign streams; NULL: none */
	bool no_eos;		  /* a missing end is a warning only */
	/* Wanted rf.kind ("data", "forest", ..), or NULL for any.  A stream of
	 * ours of another kind is RF_EDATA, by name; one without rf.kind
	 * passes only where want_foreign is set. */
	const char *kind;
	bool want_foreign;
	/* Sparse columns come as the dense ones they stand for, a batch in
	 * slices (stream/sparse.h); else as the lists that they are. */
	bool want_dense;
	/* Body and metadata buffers are got here where not NULL (pinned
	 * memory); else by rf_alloc_aligned. */
	void *(*allocate)(void *context, size_t size_bytes);
	void (*release)(void *context, void *memory);
	void *allocate_context;
};

/*
 * Reads up to the schema.  fd stays the caller's; name stands in messages.
 * Knows streams, legacy streams and, on a regular file, Arrow files; CSV,
 * gzip, zstd, Parquet, a packed forest and the like are RF_EDATA that names
 * what they are.  *out is to be closed on success only.
 */
enum rf_status rf_reader_open(struct rf_reader **out, int fd, const char *name,
    const struct rf_reader_options *options, struct rf_error *err) RF_MUST_USE;
/* The same over memory that the caller keeps until the close. */
enum rf_status rf_reader_open_memory(struct rf_reader **out, const void *data,
    size_t size_bytes, const char *name,
    const struct rf_reader_options *options, struct rf_error *err) RF_MUST_USE;

/* The same from a source (stream/pipe.h), of which bytes may be peeked. */
struct rf_source;
enum rf_status rf_reader_open_source(struct rf_reader **out,
    const struct rf_source *source, const char *name,
    const struct rf_reader_options *options, struct rf_error *err) RF_MUST_USE;

const struct rf_schema *rf_reader_schema(const struct rf_reader *reader);
const char *rf_reader_name(const struct rf_reader *reader);

/*
 * The next batch with rows or message metadata; it lives until the next call.
 * At a good end batch->columns is NULL (and stays so).  Empty batches of 0
 * rows are given too, but for the end batch (rf_reader_end_metadata).
 */
enum rf_status rf_reader_next(struct rf_reader *reader, struct rf_batch *batch,
    struct rf_error *err) RF_MUST_USE;

/* Rows so far; bytes read so far (for progress). */
int64_t rf_reader_n_rows(const struct rf_reader *reader);
int64_t rf_reader_n_bytes(const struct rf_reader *reader);
/* After the end: metadata of the end batch (rf.end.rows, rf.forest ..), or an
 * empty one. */
const struct rf_metadata *rf_reader_end_metadata(
    const struct rf_reader *reader);

void rf_reader_close(struct rf_reader *reader); /* NULL allowed */

#endif
