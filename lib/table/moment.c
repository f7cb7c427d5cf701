#include "table/moment.h"

#include <string.h>

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
 * Byte i becomes the number of digits i and i + 1, where `digits` has 0xff for
 * both; false where one of those is no digit, or another byte is not that of
 * `form`.
 */
static bool
read_pairs(uint64_t text, uint64_t digits, uint64_t form, uint64_t *pairs)
{
	uint64_t v = (text ^ UINT64_C(0x3030303030303030)) & digits;

	*pairs = v * 10 + (v >> 8);
	return (text & ~digits) == form &&
	    ((v + UINT64_C(0x7676767676767676)) &
		UINT64_C(0x8080808080808080)) == 0 &&
	    (v & UINT64_C(0x8080808080808080)) == 0;
}

static unsigned
pair(uint64_t pairs, int i)
{
	return (unsigned)(pairs >> 8 * i) & 0xff;
}

/* Days from 1970 of the Gregorian calendar; the year is high * 100 + low. */
static bool
days_of(
    unsigned high, unsigned low, unsigned month, unsigned day, int32_t *days)
{
	static const uint8_t most[16] = {
	    0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	static const uint16_t before[16] = {
	    0, 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	unsigned past = high * 100 + low - 1, centuries = high - (low == 0);
	bool is_leap = low % 4 == 0 && (low != 0 || high % 4 == 0);

	if (high + low == 0 || month > 12 ||
	    day - 1 >= most[month] + (unsigned)(month == 2 && is_leap))
		return false;
	/* 719162 days from the 1st of January 0001 to 1970. */
	*days = (int32_t)(past * 365 + past / 4 - centuries + centuries / 4 +
		    before[month] + (month > 2 && is_leap) + day - 1) -
	    719162;
	return true;
}

static uint64_t
load(const char *text, size_t n)
{
	uint64_t bytes = 0;

	memcpy(&bytes, text, n);
	return bytes;
}

bool
rf_moment_days(const char *text, size_t size, int32_t *days)
{
	uint64_t month, day;

	return size == DATE_SIZE &&
	    read_pairs(load(text, 8), UINT64_C(0x00ffff00ffffffff),
		UINT64_C(0x2d00002d00000000), &month) &&
	    read_pairs(load(text + 8, 2), 0xffff, 0, &day) &&
	    days_of(pair(month, 0), pair(month, 2), pair(month, 5),
		pair(day, 0), days);
}

bool
rf_moment_seconds(const char *text, int64_t *seconds)
{
	/* "YYYY-MM-", "DDThh:mm" and ":ss"; a blank is as good as the T. */
	uint64_t date = load(text, 8), clock = load(text + 8, 8);
	uint64_t end = load(text + 16, 3), blank = (clock >> 16 & 0xff) == ' ';
	unsigned hour, minute, second;
	int32_t days;

	if (!read_pairs(date, UINT64_C(0x00ffff00ffffffff),
		UINT64_C(0x2d00002d00000000), &date) ||
	    !read_pairs(clock, UINT64_C(0xffff00ffff00ffff),
		blank ? UINT64_C(0x00003a0000200000)
		      : UINT64_C(0x00003a0000540000),
		&clock) ||
	    !read_pairs(end, UINT64_C(0xffff00), 0x3a, &end) ||
	    !days_of(pair(date, 0), pair(date, 2), pair(date, 5),
		pair(clock, 0), &days))
		return false;
	hour = pair(clock, 3);
	minute = pair(clock, 6);
	second = pair(end, 1);
	*seconds =
	    (int64_t)days * DAY_SECONDS + hour * 3600 + minute * 60 + second;
	return hour <= 23 && minute <= 59 && second <= 59;
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
