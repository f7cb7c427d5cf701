/*
 * Rows of a column, as a column.
 */
#ifndef RF_STREAM_SLICE_H
#define RF_STREAM_SLICE_H

#include "stream/batch.h"

/*
 * A view of rows first .. first + n_rows - 1; first is a multiple of 8.  Of a
 * list the elements stay where they are; the type is no struct, whose children
 * would have to be cut as well.
 */
struct rf_column rf_column_slice(
    const struct rf_column *column, int64_t first, int64_t n_rows);

#endif
