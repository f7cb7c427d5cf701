/*
 * Whether parts of a prediction came with the same rows of data.
 *
 *	RF_TRY(rf_same_data(lead, at, input, n_rows, err));
 *
 * Row numbers alone do not tell: any two tables begin with row 1.  The label,
 * id and other columns that rf-predict passed on do, where both parts have them
 * by the same name and type.
 */
#ifndef RF_PREDICT_SAME_DATA_H
#define RF_PREDICT_SAME_DATA_H

#include "predict/tally_read.h"

/*
 * n rows in hand of b, against those of a from the at-th in hand on.  RF_EDATA
 * names the first row and column that differ.
 */
enum rf_status rf_same_data(const struct rf_tally_input *a, int64_t at,
    const struct rf_tally_input *b, int64_t n,
    struct rf_error *err) RF_MUST_USE;

#endif
