/*
 * Numbers in text, both ways.  Expected values are Python's float() and repr(),
 * whose conversions are correctly rounded and shortest.
 */
#include "table/decimal.h"

#include <math.h>

#include "table/digits.h"
#include "unit.h"

static const char *
shortest(double value)
{
	static char text[RF_DIGITS_SIZE + 1];

	text[rf_digits_double(text, value)] = '\0';
	return text;
}

static double
real_of(const char *text)
{
	int64_t whole;
	double real = -1;

	if (rf_decimal_parse(text, strlen(text), '.', &whole, &real) ==
	    RF_NUMBER_NONE)
		printf("# '%s' is no number\n", text);
	return real;
}

static enum rf_number
kind_of(const char *text)
{
	int64_t whole;
	double real;

	return rf_decimal_parse(text, strlen(text), '.', &whole, &real);
}

static void
test_kinds(void)
{
	static const char *const wholes[] = {"0", "-0", "007", "+5",
	    "9223372036854775807", "-9223372036854775808",
	    "00000000000000000000000000000012"};
	static const char *const reals[] = {"1.", ".5", "-.5e3", "1E5",
	    "9223372036854775808", "-9223372036854775809", "inf", "-Infinity",
	    "428.E+03", "100000000000000000000"};
	static const char *const others[] = {"", "-", ".", "e5", "1e", "1e+",
	    "1 ", " 1", "0x10", "1_0", "--1", "1.2.3", "nan", "infi", "1,5",
	    "+-1", "1e5.0"};
	bool is_ok = true;

	for (size_t i = 0; i < sizeof(wholes) / sizeof(*wholes); i++)
		is_ok &= kind_of(wholes[i]) == RF_NUMBER_WHOLE;
	check(is_ok, "whole numbers");
	is_ok = true;
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++)
		is_ok &= kind_of(reals[i]) == RF_NUMBER_REAL;
	check(is_ok, "other numbers");
	is_ok = true;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		is_ok &= kind_of(others[i]) == RF_NUMBER_NONE;
	check(is_ok, "no numbers");
}

static void
test_rounding(void)
{
	/* 1 + 2^-53 lies half-way between 1 and 1 + 2^-52. */
	check(real_of(
		  "1.00000000000000011102230246251565404236316680908203125") ==
		1.0,
	    "half-way goes to even");
	check(real_of("1.0000000000000001110223024625156540423631668090820312"
		      "50000000000000000000000000001") == 0x1.0000000000001p0,
	    "a digit more tips it");
	check(real_of("9007199254740993") == 9007199254740992.0,
	    "half-way, whole");
	check(real_of("9007199254740993.00000000000000000000000000000001") ==
		9007199254740994.0,
	    "tipped, whole");
	check(real_of("2.4703282292062327e-324") == 0.0, "below the least");
	check(real_of("2.4703282292062328e-324") == 0x1p-1074, "the least");
	check(real_of("1.7976931348623157e308") == 0x1.fffffffffffffp1023,
	    "the largest");
	check(real_of("1e309") == (double)INFINITY, "past the largest");
	check(real_of("10E-999999999999999999") == 0.0, "a huge exponent");
	check(real_of("0.000000000000000000000000000001e30") == 1.0,
	    "zeros before the digits");
}

static void
test_scale(void)
{
	check(rf_decimal_scale(1, -1) == 0.1, "1e-1");
	check(rf_decimal_scale(UINT64_MAX, 19) == 18446744073709551615e19,
	    "the largest mantissa and power");
	check(rf_decimal_scale(UINT64_MAX, -19) == 18446744073709551615e-19,
	    "the largest mantissa, the least power");
	check(rf_decimal_scale(0, -19) == 0.0, "nothing");
}

/* The fast forms agree with the slow one wherever they read at all. */
static void
test_fast(void)
{
	static const char *const cells[] = {"1", "-1", "12345678", "123456789",
	    "123456789012345", "1234567890123456", "0.5", "-0.5", "5.", ".5",
	    "-.5", ".", "-", "", "1.2.3", "12.3456789", "1234567.1234567",
	    "12345678.1234567", "1234567.12345678", "-0.000000", "1a", "1e5",
	    "+1", "99999999.9"};
	static const char before[] = "1.1.1.1.1.1.1.1.1,9";
	char buffer[64];
	bool is_ok = true;
	int n_read = 0;

	for (size_t i = 0; i < sizeof(cells) / sizeof(*cells); i++) {
		size_t size = strlen(cells[i]);
		char *text = buffer + sizeof(before) - 1;
		int64_t whole, fast_whole;
		double real, fast;
		enum rf_number kind;

		memcpy(buffer, before, sizeof(before));
		memset(text, 0, 24);
		memcpy(text, cells[i], size);
		kind = rf_decimal_parse(text, size, '.', &whole, &real);
		if (rf_decimal_fast_whole(text, size, &fast_whole)) {
			is_ok &= kind == RF_NUMBER_WHOLE && whole == fast_whole;
			n_read++;
		}
		if (rf_decimal_fast_real(text, size, '.', &fast)) {
			is_ok &= kind != RF_NUMBER_NONE &&
			    memcmp(&real, &fast, sizeof(real)) == 0;
			n_read++;
		}
	}
	check(is_ok, "fast and slow readers agree");
	check(n_read >= 16, "and the fast one knows the common forms");
}

static void
test_shortest(void)
{
	char text[RF_DIGITS_SIZE + 1];

	check_text(shortest(0.1), "0.1", "0.1");
	check_text(shortest(-1.0 / 3), "-0.3333333333333333", "a third");
	check_text(shortest(2.0 / 3), "0.6666666666666666", "two thirds");
	check_text(shortest(0x1p-44), "5.684341886080802e-14",
	    "above a power of 2 the farther reads back");
	check_text(shortest(5e-324), "5e-324", "the least");
	check_text(shortest(0x1.fffffffffffffp1023), "1.7976931348623157e+308",
	    "the largest");
	check_text(shortest(1e16), "1e+16", "1e16 has an exponent");
	check_text(shortest(1e15), "1000000000000000", "1e15 has none");
	check_text(shortest(0.0001), "0.0001", "1e-4 has none");
	check_text(shortest(0.00001), "1e-05", "1e-5 has one");
	check_text(shortest(123456789012345680.0), "1.2345678901234568e+17",
	    "17 digits");
	check_text(shortest(-0.0), "-0", "a negative zero");
	text[rf_digits_float(text, 0.1f)] = '\0';
	check_text(text, "0.1", "0.1 as a float");
	text[rf_digits_float(text, 0x1p-96f)] = '\0';
	check_text(text, "1.2621775e-29", "a float's power of 2");
	text[rf_digits_int(text, INT64_MIN)] = '\0';
	check_text(text, "-9223372036854775808", "the least integer");
	text[rf_digits_uint(text, UINT64_MAX)] = '\0';
	check_text(text, "18446744073709551615", "the largest integer");
}

int
main(void)
{
	test_kinds();
	test_rounding();
	test_scale();
	test_fast();
	test_shortest();
	return unit_end();
}
