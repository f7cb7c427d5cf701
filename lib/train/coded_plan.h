/*
 * Which columns become features, and the levels of those with texts.
 */
#ifndef RF_TRAIN_CODED_PLAN_H
#define RF_TRAIN_CODED_PLAN_H

#include "train/coded.h"

/*
 * Fills codings and n_features, bins and digests aside.  Columns without a
 * level that is kept are left out with a note.
 */
enum rf_status rf_coded_plan(struct rf_coded *coded, struct rf_table *table,
    const struct rf_rows *rows, const struct rf_params *params,
    struct rf_error *err) RF_MUST_USE;

#endif
