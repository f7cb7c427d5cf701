/*
 * Single values of numeric columns.  Private to lib/stream.
 */
#ifndef RF_STREAM_VALUE_H
#define RF_STREAM_VALUE_H

#include "stream/batch.h"

/*
 * The first null row at or after `row`, or n_rows: for loops that first go over
 * all values, in vector registers, and then over the nulls.
 */
static inline int64_t
rf_next_null(const struct rf_column *column, int64_t row)
{
	const uint8_t *bits = column->validity;

	if (bits == NULL)
		return column->n_rows;
	while (row < column->n_rows) {
		if ((row & 7) == 0 && bits[row >> 3] == 0xff)
			row += 8;
		else if ((bits[row >> 3] >> (row & 7) & 1) == 0)
			return row;
		else
			row++;
	}
	return column->n_rows;
}

/* Whether an int8 column is the extension arrow.bool8: not 0 is true. */
bool rf_field_is_bool8(const struct rf_field *field);

/* RF_EDATA: the column's type is not a number. */
enum rf_status rf_field_not_numeric(
    const struct rf_field *field, struct rf_error *err) RF_MUST_USE;

/* Half precision to single, exact; NaN stays NaN. */
float rf_half(uint16_t bits);
/* A row of a float16, float32 or float64 column. */
double rf_float_at(const struct rf_column *column, int64_t row);

/* Seconds, and other units, in a second; unit is RF_UNIT_S .. RF_UNIT_NS. */
int64_t rf_unit_per_second(enum rf_time_unit unit);

/* 10^scale for 0 <= scale <= 38, rounded to nearest. */
double rf_power10(int32_t scale);

/* Largest whole number not above value; sticks at the ends of int64; of NaN
 * 0. */
int64_t rf_floor_int64(double value);
/* a * b that sticks at the ends of int64, b > 0. */
int64_t rf_saturating_mul(int64_t a, int64_t b);

#endif
