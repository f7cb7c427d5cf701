/*
 * Single values of numeric columns.  Private to lib/stream.
 */
#ifndef RF_STREAM_NUMBER_H
#define RF_STREAM_NUMBER_H

#include "stream/batch.h"

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
/* a / b downwards, b > 0. */
int64_t rf_floor_div(int64_t a, int64_t b);
/* a * b that sticks at the ends of int64, b > 0. */
int64_t rf_saturating_mul(int64_t a, int64_t b);

#endif
