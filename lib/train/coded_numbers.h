/*
 * A numeric column as one array, in the precision in which it compares.
 */
#ifndef RF_TRAIN_CODED_NUMBERS_H
#define RF_TRAIN_CODED_NUMBERS_H

#include "train/coded.h"

struct rf_number_slot {
	struct rf_coding *coding;
	void *values;	     /* room of 9 bytes a row of the table */
	uint8_t *is_missing; /* int64: a byte a row, in the same room */
	bool has_overflow;   /* of a cast to float32 */
};

/*
 * Reads the column, gives its parts back, hashes all rows into the coding's
 * digest and leaves those that train in slot->values.  Whole numbers beyond
 * 2^53 turn the coding's precision to int64.
 */
enum rf_status rf_numbers_read(struct rf_number_slot *slot, int64_t n_rows,
    const struct rf_rows *rows, struct rf_error *err) RF_MUST_USE;

#endif
