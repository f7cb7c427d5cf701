#include "table/moment.h"

#define DATE_SIZE   10
#define DAY_SECONDS 86400

/* Two digits, or above 99. */
static unsigned
two(const char *text)
{
	unsigned tens = (unsigned)text[0] - '0', ones = (unsigned)text[1] - '0';

	return tens <= 9 && ones <= 9 ? tens * 10 + ones : 100;
}

/*
 * Days from 1970 of the Gregorian calendar, whose years begin in March here, so
 * that a leap day is the last one.
 */
static int32_t
days_from(unsigned year, unsigned month, unsigned day)
{
	unsigned n = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5;

	year -= month <= 2;
	n += 365 * year + year / 4 - year / 100 + year / 400 + day - 1;
	/* 719468 days from the 1st of March 0000 to 1970. */
	return (int32_t)n - 719468;
}

static unsigned
days_of(unsigned year, unsigned month)
{
	static const unsigned char days[13] = {
	    0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return month == 2 && is_leap ? 29 : days[month];
}

bool
rf_moment_days(const char *text, size_t size, int32_t *days)
{
	unsigned high, low, month, day;

	if (size != DATE_SIZE || text[4] != '-' || text[7] != '-')
		return false;
	high = two(text);
	low = two(text + 2);
	month = two(text + 5);
	day = two(text + 8);
	if (high > 99 || low > 99 || high + low == 0 || month - 1 > 11 ||
	    day - 1 >= days_of(high * 100 + low, month))
		return false;
	*days = days_from(high * 100 + low, month, day);
	return true;
}

/* Moves *at past the digits after the seconds; false: none, or too many. */
static bool
read_fraction(const char **at, const char *end, struct rf_moment *moment)
{
	const char *p = *at + 1;
	int32_t value = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (moment->n_digits == 9)
			return false;
		moment->n_digits++;
		value = value * 10 + (*p - '0');
	}
	for (int i = moment->n_digits; i < 9; i++)
		value *= 10;
	moment->nanoseconds = value;
	*at = p;
	return moment->n_digits > 0;
}

/* The rest of a time, from its sign or 'Z' on. */
static bool
read_offset(const char *at, size_t size, struct rf_moment *moment)
{
	unsigned hours, minutes = 0;
	int64_t seconds;

	moment->has_offset = true;
	if (at[0] == 'Z')
		return size == 1;
	if ((at[0] != '+' && at[0] != '-') ||
	    (size != 3 && size != 5 && size != 6))
		return false;
	hours = two(at + 1);
	if (size == 6 && at[3] != ':')
		return false;
	if (size > 3)
		minutes = two(at + size - 2);
	if (hours > 23 || minutes > 59)
		return false;
	seconds = (int64_t)hours * 3600 + (int64_t)minutes * 60;
	moment->seconds += at[0] == '-' ? seconds : -seconds;
	return true;
}

static bool
read_clock(const char *at, const char *end, struct rf_moment *moment)
{
	unsigned hours, minutes, seconds = 0;

	if (end - at < 6 || (at[0] != 'T' && at[0] != ' ') || at[3] != ':')
		return false;
	moment->has_clock = true;
	hours = two(at + 1);
	minutes = two(at + 4);
	at += 6;
	if (end - at >= 3 && at[0] == ':') {
		seconds = two(at + 1);
		at += 3;
		if (at < end && (*at == '.' || *at == ',') &&
		    !read_fraction(&at, end, moment))
			return false;
	}
	if (hours > 23 || minutes > 59 || seconds > 59)
		return false;
	moment->seconds += hours * 3600 + minutes * 60 + seconds;
	return at == end || read_offset(at, (size_t)(end - at), moment);
}

bool
rf_moment_read(const char *text, size_t size, struct rf_moment *moment)
{
	/* 0001-01-01 and 9999-12-31, which an offset may leave. */
	const int64_t first = INT64_C(-719162) * DAY_SECONDS,
		      end = INT64_C(2932897) * DAY_SECONDS;
	int32_t days;

	*moment = (struct rf_moment){0};
	if (size < DATE_SIZE || !rf_moment_days(text, DATE_SIZE, &days))
		return false;
	moment->seconds = (int64_t)days * DAY_SECONDS;
	return size == DATE_SIZE ||
	    (read_clock(text + DATE_SIZE, text + size, moment) &&
		moment->seconds >= first && moment->seconds < end);
}

bool
rf_moment_value(
    const struct rf_moment *moment, enum rf_time_unit unit, int64_t *value)
{
	static const int32_t per_second[] = {[RF_UNIT_S] = 1,
	    [RF_UNIT_MS] = 1000,
	    [RF_UNIT_US] = 1000000,
	    [RF_UNIT_NS] = 1000000000};
	int32_t nanoseconds = 1000000000 / per_second[unit];
	int64_t seconds = moment->seconds, rest = moment->nanoseconds;

	if (rest % nanoseconds != 0)
		return false;
	/* Towards zero, or the last second before 1677-09-21T00:12:44 would
	 * pass the range before its fraction is added. */
	if (seconds < 0 && rest > 0) {
		seconds++;
		rest -= 1000000000;
	}
	return !__builtin_mul_overflow(
		   seconds, (int64_t)per_second[unit], value) &&
	    !__builtin_add_overflow(*value, rest / nanoseconds, value);
}

enum rf_time_unit
rf_moment_unit(int n_digits)
{
	return n_digits == 0 ? RF_UNIT_S
	    : n_digits <= 3  ? RF_UNIT_MS
	    : n_digits <= 6  ? RF_UNIT_US
			     : RF_UNIT_NS;
}
