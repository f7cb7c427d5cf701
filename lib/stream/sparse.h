/*
 * Sparse columns: many features of which a row has few that are not 0, as one
 * column of lists; and the dense columns that they stand for.
 *
 *	RF_TRY(rf_sparse_add(&schema, "features", 123, 1, err));
 *
 *	RF_TRY(rf_dense_new(&dense, &schema, RF_DENSE_BYTES, err));
 *	rf_dense_give(dense, &batch);
 *	while (rf_dense_next(dense, &slice, err) == RF_OK && slice.columns)
 *		use(&slice);
 *	rf_dense_free(dense);
 *
 * The layout is that of rf-stream(5), data: list<struct<column: int32, value:
 * float64>>, columns counted from 0 and ascending in a row, a null value is
 * missing, what is not there is 0.
 */
#ifndef RF_STREAM_SPARSE_H
#define RF_STREAM_SPARSE_H

#include "stream/batch.h"

/* The widest column that is written or read. */
#define RF_SPARSE_MOST (INT64_C(1) << 20)

/* What a slice's dense columns take in memory, about, but 8 rows at least. */
#define RF_DENSE_BYTES ((size_t)4 << 20)

/*
 * Appends a sparse column for `width` features, called f and a number, from
 * `first` on.
 */
enum rf_status rf_sparse_add(struct rf_schema *schema, const char *name,
    int64_t width, int64_t first, struct rf_error *err) RF_MUST_USE;

/* The features that a column stands for; 0: it is no sparse one. */
int64_t rf_sparse_width(const struct rf_field *field);

bool rf_schema_has_sparse(const struct rf_schema *schema);

struct rf_dense;

/*
 * For batches of the schema, which the caller keeps; slice_bytes as above.
 * RF_EDATA where a sparse column is not of the layout, or too wide.
 */
enum rf_status rf_dense_new(struct rf_dense **out,
    const struct rf_schema *schema, size_t slice_bytes,
    struct rf_error *err) RF_MUST_USE;

/* Its sparse columns replaced, where they stand, by those they stand for. */
const struct rf_schema *rf_dense_schema(const struct rf_dense *dense);

/* The next batch, which is to live until all its slices were taken. */
void rf_dense_give(struct rf_dense *dense, const struct rf_batch *batch);

/*
 * The next rows of the batch given, dense; they live until the next call.
 * slice->columns is NULL where there are no more.  The message's metadata come
 * with the first slice.  RF_EDATA where a cell's column is null, out of range
 * or not after the one before.
 */
enum rf_status rf_dense_next(struct rf_dense *dense, struct rf_batch *slice,
    struct rf_error *err) RF_MUST_USE;

void rf_dense_free(struct rf_dense *dense); /* NULL allowed */

#endif
