/*
 * Out-of-bag tallies as a prediction stream: rf-stream(5), prediction.
 *
 * Columns: the label as it came, with its role, so that the stream can be
 * scored; rf.row, the row's number in the input; rf.n, its number of trees;
 * and the sums.
 */
#ifndef RF_TRAIN_OOB_WRITE_H
#define RF_TRAIN_OOB_WRITE_H

#include "train/fit_header.h"
#include "train/oob.h"

/* Writes the whole stream to fd, named `name` in messages; RF_EIO, RF_ENOMEM. */
enum rf_status rf_oob_write(const struct rf_oob *oob,
    const struct rf_fit_facts *facts, const struct rf_forest_header *forest,
    int fd, const char *name, struct rf_error *err) RF_MUST_USE;

#endif
