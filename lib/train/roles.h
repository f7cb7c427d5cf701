/*
 * What each column of a data stream is to a training run.
 */
#ifndef RF_TRAIN_ROLES_H
#define RF_TRAIN_ROLES_H

#include "train/load.h"

/*
 * Fills label, weight, task, columns and of_field of a table whose schema is
 * there: by rf.role and rf.type of the fields, overruled by the choice.
 */
enum rf_status rf_table_roles(
    struct rf_table *table, struct rf_error *err) RF_MUST_USE;

#endif
