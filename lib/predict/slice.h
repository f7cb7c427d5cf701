/*
 * Rows of a column, as a column.
 */
#ifndef RF_PREDICT_SLICE_H
#define RF_PREDICT_SLICE_H

#include "stream/batch.h"

/* A view of rows first .. first + n_rows - 1; first is a multiple of 8, the
 * type not nested. */
struct rf_column rf_column_slice(
    const struct rf_column *column, int64_t first, int64_t n_rows);

#endif
