/*
 * Rows of libsvm as batches of a stream, sparse or dense.  Inside table/ only.
 *
 *	RF_TRY(rf_libsvm_writer_open(&writer, 1, "<stdout>", &schema, has_qid,
 *	    is_sparse, err));
 *	if (rf_libsvm_is_full(&writer, &rows))
 *		RF_TRY(rf_libsvm_send(&writer, &rows, err));
 *	RF_TRY(rf_libsvm_finish(&writer, &rows, err));
 *	rf_libsvm_writer_release(&writer);
 */
#ifndef RF_TABLE_LIBSVM_WRITE_H
#define RF_TABLE_LIBSVM_WRITE_H

#include "stream/arrow_write.h"
#include "stream/sparse.h"
#include "table/libsvm_rows.h"

struct rf_libsvm_writer {
	const struct rf_schema *schema; /* label, qid or none, sparse column */
	struct rf_writer *writer;
	struct rf_dense *dense; /* NULL: as a sparse column */
	int64_t max_rows;	/* of a batch of dense columns */
	bool has_qid;
	uint8_t *validity; /* of values, where one is missing */
	size_t validity_capacity;
};

enum rf_status rf_libsvm_writer_open(struct rf_libsvm_writer *writer, int fd,
    const char *name, const struct rf_schema *schema, bool has_qid,
    bool is_sparse, struct rf_error *err) RF_MUST_USE;

/* Whether the rows make a batch. */
bool rf_libsvm_is_full(
    const struct rf_libsvm_writer *writer, const struct rf_libsvm_rows *rows);

/* Writes the rows as a batch and clears them. */
enum rf_status rf_libsvm_send(struct rf_libsvm_writer *writer,
    struct rf_libsvm_rows *rows, struct rf_error *err) RF_MUST_USE;

/* The last rows and the end. */
enum rf_status rf_libsvm_finish(struct rf_libsvm_writer *writer,
    struct rf_libsvm_rows *rows, struct rf_error *err) RF_MUST_USE;

void rf_libsvm_writer_release(struct rf_libsvm_writer *writer);

#endif
