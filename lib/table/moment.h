/*
 * Dates and times in text, by ISO 8601.
 *
 * A date is YYYY-MM-DD, of the years 0001 to 9999 of the Gregorian calendar.  A
 * time is a date, 'T' or one blank, hh:mm, :ss or none, and after seconds a
 * point or comma and 1 to 9 digits, or none; then none, 'Z', or an offset from
 * UTC, +hh:mm, +hhmm or +hh.  24:00 and leap seconds are none.
 *
 *	if (rf_moment_read(text, size, &moment) &&
 *	    rf_moment_value(&moment, RF_UNIT_MS, &value))
 */
#ifndef RF_TABLE_MOMENT_H
#define RF_TABLE_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/schema.h"

struct rf_moment {
	int64_t seconds; /* since 1970, in UTC where it has an offset */
	int32_t nanoseconds;
	int n_digits; /* written after the seconds */
	bool has_clock, has_offset;
};

/* false: the text is neither date nor time. */
bool rf_moment_read(const char *text, size_t size, struct rf_moment *moment);

/* The days of a date since 1970; false: the text is no date. */
bool rf_moment_days(const char *text, size_t size, int32_t *days);

/*
 * The seconds since 1970 of the 19 bytes of a time without fraction and offset;
 * false: the text does not begin with one.
 */
bool rf_moment_seconds(const char *text, int64_t *seconds);

/* The time in units since 1970; false: it is finer, or 64 bits are too few. */
bool rf_moment_value(
    const struct rf_moment *moment, enum rf_time_unit unit, int64_t *value);

/* The coarsest unit that has so many digits. */
enum rf_time_unit rf_moment_unit(int n_digits);

#endif
