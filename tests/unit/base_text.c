#include "base/text.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void
check_append(void)
{
	struct rf_text text = {0};
	char wide[600];

	rf_text_append(&text, NULL, 0);
	check(!text.failed && text.size == 0, "nothing can be appended");
	rf_text_puts(&text, "ab");
	rf_text_append(&text, "c\0d", 3);
	check_int(text.size, 5, "a NUL is a byte like others");
	check(memcmp(text.data, "abc\0d", 6) == 0, "the end is a NUL");
	rf_text_clear(&text);
	check(text.size == 0 && text.data[0] == '\0', "cleared is empty");
	memset(wide, 'x', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	rf_text_printf(&text, "%d-%s", 7, wide);
	check_int(text.size, 601, "rf_text_printf is not bound to a buffer");
	check(strncmp(text.data, "7-xxx", 5) == 0, "and formats");
	rf_text_release(&text);
	check(text.data == NULL && text.capacity == 0, "released is empty");
}

/* Bounds of Unicode 15, table 3-7. */
static void
check_utf8(void)
{
	static const char *const good[] = {"", "a", "\x7f", "\xc2\x80",
	    "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
	    "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
	static const char *const bad[] = {"\x80", "\xc0\x80", "\xc1\xbf",
	    "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82", "a\xff",
	    "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
	    "\xc2\x41"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		check(rf_text_is_utf8(good[i], strlen(good[i])),
		    "UTF-8 is known");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(!rf_text_is_utf8(bad[i], strlen(bad[i])),
		    "what is not UTF-8 is known");
}

/* Far from the beginning, among ASCII of any length. */
static void
check_utf8_far(void)
{
	static const char *const texts[] = {"a", "\xc3\xb6", "\xe2\x82\xac",
	    "\xf0\x9f\x8c\xb2", "\x80", "\xc3", "\xe2\x82", "\xff"};
	char text[160];
	bool is_ok = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t before = 0; before < 140; before++)
			for (size_t after = 0; after < 16; after++) {
				size_t n = strlen(texts[i]);

				memset(text, 'x', sizeof(text));
				memcpy(text + before, texts[i], n);
				is_ok &= rf_text_is_utf8(text,
					     before + n + after) == (i < 4);
			}
	check(is_ok, "UTF-8 is known wherever it stands");
}

static void
check_quote(void)
{
	char out[RF_QUOTED_SIZE], many[1000];

	check_text(rf_text_quote(out, "12x", 3), "12x", "plain stays plain");
	check_text(rf_text_quote(out, "\xe2\x82\xac", 3), "\xe2\x82\xac",
	    "UTF-8 stays");
	check_text(rf_text_quote(out, "a\0\n\x1b\x7f\xff", 6),
	    "a\\x00\\x0a\\x1b\\x7f\\xff", "the rest is in hexadecimal");
	memset(many, 0xff, sizeof(many));
	rf_text_quote(out, many, sizeof(many));
	check_int(strlen(out), 60 * 4 + 3, "a long one is cut");
	check_text(out + 240, "...", "and says so");
	for (size_t i = 0; i < sizeof(many); i += 4)
		memcpy(many + i, "\xf0\x9f\x98\x80", 4);
	rf_text_quote(out, many, sizeof(many));
	check(strlen(out) < RF_QUOTED_SIZE && rf_text_is_utf8(out, strlen(out)),
	    "wide characters fit");
}

static void
check_int_option(void)
{
	static const char *const bad[] = {"", " 1", "\t1", "\n1", "1 ", "1x",
	    "x", "1.0", "1e3", "0x10", "9223372036854775808", "-", "101", "-1"};
	struct rf_error err = {0};
	long long value = -5;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(rf_text_to_int(bad[i], 0, 100, "--trees", &value, &err) ==
			RF_EUSAGE,
		    "what is no whole number of the range is refused");
	check_int(value, -5, "and changes nothing");
	check_text(err.message,
	    "--trees: '-1' is not a whole number from 0 "
	    "to 100",
	    "the message names option, culprit and range");
	check(rf_text_to_int("100", 0, 100, "x", &value, &err) == RF_OK &&
		value == 100,
	    "the upper end is in");
	check(rf_text_to_int("0", 0, 100, "x", &value, NULL) == RF_OK &&
		value == 0,
	    "the lower end is in");
	check(rf_text_to_int("-9223372036854775808", LLONG_MIN, LLONG_MAX, "x",
		  &value, &err) == RF_OK &&
		value == LLONG_MIN,
	    "the least number is one");
}

static void
check_double_option(void)
{
	static const char *const bad[] = {"", " 1", "\v1", "1,5", "1.5x", "nan",
	    "inf", "-inf", "0x1p3", "1.01", "-1e-300"};
	struct rf_error err = {0};
	double value = -5;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(rf_text_to_double(bad[i], 0, 1, "--max-samples", &value,
			  &err) == RF_EUSAGE,
		    "what is no number of the range is refused");
	check(value == -5, "and changes nothing");
	check(rf_text_to_double("1", 0, 1, "x", &value, &err) == RF_OK &&
		value == 1,
	    "the upper end is in");
	check(rf_text_to_double(".5e0", 0, 1, "x", &value, &err) == RF_OK &&
		value == 0.5,
	    "an exponent is allowed");
}

/* Python: repr(x). */
static void
check_shortest(void)
{
	static const struct {
		double value;
		const char *text;
	} known[] = {{0.1, "0.1"}, {1e300, "1e+300"}, {-0.0, "-0"},
	    {1.0 / 3, "0.3333333333333333"}, {5e-324, "5e-324"},
	    {DBL_MAX, "1.7976931348623157e+308"},
	    {2.2250738585072014e-308, "2.2250738585072014e-308"},
	    {9007199254740993.0, "9007199254740992"}, {0.3, "0.3"},
	    {100, "100"}, {-123456, "-123456"}, {1e-310, "1e-310"}};
	char out[32];
	uint64_t bits = 1;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		rf_text_double(out, known[i].value);
		check_text(out, known[i].text, "the shortest digits");
	}
	check_int(rf_text_double(out, (double)NAN), 3, "nan has a length");
	check_text(out, "nan", "and a name");
	rf_text_double(out, -(double)INFINITY);
	check_text(out, "-inf", "as has infinity");
	for (int i = 0; i < 20000; i++) {
		double value, back;

		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&value, &bits, 8);
		if (isnan(value))
			continue;
		rf_text_double(out, value);
		back = strtod(out, NULL);
		if (memcmp(&back, &value, 8) != 0) {
			check_text(out, "", "a number reads back equal");
			return;
		}
	}
	check(true, "20000 random doubles read back equal");
}

int
main(void)
{
	check_append();
	check_utf8();
	check_utf8_far();
	check_quote();
	check_int_option();
	check_double_option();
	check_shortest();
	return unit_end();
}
