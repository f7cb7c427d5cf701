/*
 * Dates and times in text.  Expected values are Python's
 * (datetime.fromisoformat(t) - datetime(1970, 1, 1)).total_seconds(); those at
 * the ends of 64 bits are divided by hand.
 */
#include "table/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static bool
read_text(const char *text, struct rf_moment *moment)
{
	bool is_read = rf_moment_read(text, strlen(text), moment);

	if (!is_read)
		printf("# '%s' is neither date nor time\n", text);
	return is_read;
}

static void
test_dates(void)
{
	static const struct {
		const char *text;
		int32_t days;
	} dates[] = {{"0001-01-01", -719162}, {"1600-02-29", -135081},
	    {"1900-02-28", -25509}, {"1900-03-01", -25508}, {"1969-12-31", -1},
	    {"1970-01-01", 0}, {"2000-02-29", 11016}, {"2024-12-31", 20088},
	    {"9999-12-31", 2932896}};
	bool is_good = true;
	int32_t days;

	for (size_t i = 0; i < sizeof(dates) / sizeof(*dates); i++)
		is_good &= rf_moment_days(
			       dates[i].text, strlen(dates[i].text), &days) &&
		    days == dates[i].days;
	check(is_good, "dates are days since 1970");
}

static void
test_refused(void)
{
	static const char *const texts[] = {"", "2024", "2024-01-1",
	    "0000-01-01", "1900-02-29", "2023-02-29", "2024-02-30",
	    "2024-00-01", "2024-13-01", "2024-01-00", "2024-04-31",
	    "2024-01-01T", "2024-01-01T10", "2024-01-01T10:0",
	    "2024-01-01T24:00", "2024-01-01T10:60", "2024-01-01T10:00:60",
	    "2024-01-01T10:00:", "2024-01-01T10:00:00.",
	    "2024-01-01T10:00:00.1234567890", "2024-01-01T10:00+",
	    "2024-01-01T10:00+1", "2024-01-01T10:00+24",
	    "2024-01-01T10:00+01:60", "2024-01-01T10:00+01-00",
	    "2024-01-01T10:00ZZ", "0001-01-01T00:00+00:01",
	    "9999-12-31T23:59-00:01"};
	struct rf_moment moment;
	bool is_good = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		is_good &= !rf_moment_read(texts[i], strlen(texts[i]), &moment);
	check(is_good, "what no calendar or clock has is refused");
}

static void
test_times(void)
{
	struct rf_moment moment;

	check(read_text("2024-02-29T12:30", &moment) && moment.has_clock &&
		!moment.has_offset && moment.n_digits == 0 &&
		moment.seconds == 1709209800,
	    "seconds may lack");
	check(read_text("2024-02-29 12:30:15,25", &moment) &&
		moment.n_digits == 2 && moment.nanoseconds == 250000000 &&
		moment.seconds == 1709209815,
	    "a fraction follows a comma or a point");
	check(read_text("2024-02-29T12:30+05:30", &moment) &&
		moment.has_offset && moment.seconds == 1709190000,
	    "an offset is taken off");
	check(read_text("2024-02-29T12:30-0100", &moment) &&
		moment.seconds == 1709213400 &&
		read_text("2024-02-29T12:30-01", &moment) &&
		moment.seconds == 1709213400 &&
		read_text("2024-02-29T12:30Z", &moment) && moment.has_offset &&
		moment.seconds == 1709209800,
	    "offsets come in four forms");
}

static void
test_units(void)
{
	struct rf_moment moment;
	int64_t value;

	check(read_text("1969-12-31T23:59:59.999", &moment) &&
		rf_moment_value(&moment, RF_UNIT_MS, &value) && value == -1 &&
		!rf_moment_value(&moment, RF_UNIT_S, &value),
	    "a unit holds what is not finer");
	check(read_text("2262-04-11T23:47:16.854775807", &moment) &&
		rf_moment_value(&moment, RF_UNIT_NS, &value) &&
		value == INT64_MAX &&
		read_text("1677-09-21T00:12:43.145224192", &moment) &&
		rf_moment_value(&moment, RF_UNIT_NS, &value) &&
		value == INT64_MIN,
	    "nanoseconds reach the ends of 64 bits");
	check(read_text("2262-04-11T23:47:16.854775808", &moment) &&
		!rf_moment_value(&moment, RF_UNIT_NS, &value) &&
		read_text("1677-09-21T00:12:43.145224191", &moment) &&
		!rf_moment_value(&moment, RF_UNIT_NS, &value),
	    "and not beyond");
	check(rf_moment_unit(0) == RF_UNIT_S &&
		rf_moment_unit(1) == RF_UNIT_MS &&
		rf_moment_unit(3) == RF_UNIT_MS &&
		rf_moment_unit(4) == RF_UNIT_US &&
		rf_moment_unit(7) == RF_UNIT_NS,
	    "digits choose the unit");
}

/* Every text of 8 digits as a date, against the calendar's own rule. */
static void
test_calendar(void)
{
	static const int lengths[] = {
	    31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int32_t wanted = -719162, days;
	int64_t n_wrong = 0;
	char text[64];

	for (int year = 0; year < 10000; year++) {
		bool is_leap =
		    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

		for (int month = 0; month < 14; month++)
			for (int day = 0; day < 33; day++) {
				bool is_date = year > 0 && month >= 1 &&
				    month <= 12 && day >= 1 &&
				    day <= lengths[month - 1] +
					    (month == 2 && is_leap);

				snprintf(text, sizeof(text), "%04d-%02d-%02d",
				    year, month, day);
				n_wrong += rf_moment_days(text, 10, &days) !=
					is_date ||
				    (is_date && days != wanted);
				wanted += is_date;
			}
	}
	check(n_wrong == 0 && wanted == 2932897, "all dates, and no others");
}

/* The quick way takes what the other takes, of its form, and gives the same. */
static void
test_seconds(void)
{
	static const char bytes[] = "0123456789:-T ./;A\x7f\xff";
	int64_t n_read = 0, n_wrong = 0, seconds;
	struct rf_moment moment;
	char text[64];

	for (int turn = 0; turn < 300000; turn++) {
		bool is_read;

		snprintf(text, sizeof(text), "%04d-%02d-%02d%c%02d:%02d:%02d",
		    rand() % 10000, rand() % 14, rand() % 33, "T "[rand() % 2],
		    rand() % 25, rand() % 61, rand() % 61);
		if (rand() % 2 == 0)
			text[rand() % 19] =
			    bytes[(size_t)rand() % (sizeof(bytes) - 1)];
		/* "..T10:00-05" has 19 bytes too. */
		is_read =
		    rf_moment_read(text, 19, &moment) && !moment.has_offset;
		n_read += is_read;
		n_wrong += rf_moment_seconds(text, &seconds) != is_read ||
		    (is_read && seconds != moment.seconds);
	}
	check(n_wrong == 0 && n_read > 50000, "times of 19 bytes");
}

int
main(void)
{
	test_dates();
	test_refused();
	test_calendar();
	test_seconds();
	test_times();
	test_units();
	return unit_end();
}
