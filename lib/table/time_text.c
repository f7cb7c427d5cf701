#include <inttypes.h>
#include <string.h>

#include "table/cell_text.h"

#define DAY_SECONDS 86400
#define LIMBS	    8 /* of 32 bits: decimal256 */

static const int64_t per_second[] = {[RF_UNIT_S] = 1,
    [RF_UNIT_MS] = 1000,
    [RF_UNIT_US] = 1000000,
    [RF_UNIT_NS] = 1000000000};
static const int unit_digits[] = {
    [RF_UNIT_S] = 0, [RF_UNIT_MS] = 3, [RF_UNIT_US] = 6, [RF_UNIT_NS] = 9};

/* Quotient rounded down, so that the rest is never negative. */
static int64_t
divide(int64_t value, int64_t by, int64_t *rest)
{
	int64_t quotient = value / by;

	*rest = value % by;
	if (*rest < 0) {
		*rest += by;
		quotient--;
	}
	return quotient;
}

/*
 * The proleptic Gregorian calendar, by 400 years of 146097 days that begin on
 * the 1st of March 0000.
 */
void
rf_date_text(struct rf_text *out, int64_t days)
{
	int64_t day, era, year_of_era, day_of_year, month, year;

	era = divide(days, 146097, &day);
	/* 719468 days from then to 1970. */
	day += 719468;
	era += day / 146097;
	day %= 146097;
	year_of_era = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	day_of_year =
	    day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	month = (5 * day_of_year + 2) / 153;
	year = era * 400 + year_of_era + (month >= 10);
	rf_text_printf(out, "%s%04" PRId64 "-%02" PRId64 "-%02" PRId64,
	    year < 0 ? "-" : "", year < 0 ? -year : year,
	    month < 10 ? month + 3 : month - 9,
	    day_of_year - (153 * month + 2) / 5 + 1);
}

static void
put_fraction(struct rf_text *out, int64_t fraction, enum rf_time_unit unit)
{
	if (fraction != 0)
		rf_text_printf(out, ".%0*" PRId64, unit_digits[unit], fraction);
}

/* Seconds of a day and a fraction in units. */
static void
put_clock(struct rf_text *out, int64_t seconds, int64_t fraction,
    enum rf_time_unit unit)
{
	rf_text_printf(out, "%02" PRId64 ":%02" PRId64 ":%02" PRId64,
	    seconds / 3600, seconds / 60 % 60, seconds % 60);
	put_fraction(out, fraction, unit);
}

void
rf_time_text(struct rf_text *out, int64_t value, enum rf_time_unit unit)
{
	int64_t fraction, seconds = divide(value, per_second[unit], &fraction);

	if (seconds < 0)
		rf_text_printf(out, "%" PRId64, value);
	else
		put_clock(out, seconds, fraction, unit);
}

void
rf_timestamp_text(
    struct rf_text *out, int64_t value, enum rf_time_unit unit, bool has_zone)
{
	int64_t fraction, second;
	int64_t seconds = divide(value, per_second[unit], &fraction);

	rf_date_text(out, divide(seconds, DAY_SECONDS, &second));
	rf_text_puts(out, "T");
	put_clock(out, second, fraction, unit);
	if (has_zone)
		rf_text_puts(out, "Z");
}

void
rf_duration_text(struct rf_text *out, int64_t value, enum rf_time_unit unit)
{
	/* Away from zero, so that the sign stands once in front. */
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	uint64_t per = (uint64_t)per_second[unit];

	rf_text_printf(out, "%sPT%" PRIu64, value < 0 ? "-" : "", size / per);
	put_fraction(out, (int64_t)(size % per), unit);
	rf_text_puts(out, "S");
}

/* Divides by 10 in place; returns the rest. */
static unsigned
divide_by_10(uint32_t limbs[LIMBS])
{
	uint64_t rest = 0;

	for (int i = LIMBS - 1; i >= 0; i--) {
		rest = rest << 32 | limbs[i];
		limbs[i] = (uint32_t)(rest / 10);
		rest %= 10;
	}
	return (unsigned)rest;
}

static bool
is_zero(const uint32_t limbs[LIMBS])
{
	uint32_t any = 0;

	for (int i = 0; i < LIMBS; i++)
		any |= limbs[i];
	return any == 0;
}

void
rf_big_decimal_text(
    struct rf_text *out, const uint8_t *bytes, size_t n, int32_t scale)
{
	bool is_negative = bytes[n - 1] >> 7 != 0;
	uint32_t limbs[LIMBS];
	/* 78 digits of 256 bits; a scale beyond them is written otherwise. */
	char digits[176];
	size_t at = sizeof(digits);
	uint64_t carry = is_negative;
	int32_t n_digits = 0;

	memset(limbs, is_negative ? 0xff : 0, sizeof(limbs));
	memcpy(limbs, bytes, n);
	for (int i = 0; i < LIMBS && is_negative; i++) {
		carry += (uint32_t)~limbs[i];
		limbs[i] = (uint32_t)carry;
		carry >>= 32;
	}
	while (!is_zero(limbs) || n_digits == 0 ||
	    (scale > 0 && scale <= 80 && n_digits <= scale)) {
		if (n_digits == scale && scale > 0 && scale <= 80)
			digits[--at] = '.';
		digits[--at] = (char)('0' + divide_by_10(limbs));
		n_digits++;
	}
	if (is_negative)
		digits[--at] = '-';
	rf_text_append(out, digits + at, sizeof(digits) - at);
	if (scale < 0 || scale > 80)
		rf_text_printf(out, "e%" PRId64, -(int64_t)scale);
}
