/* Digits in groups of three; expected values by hand. */
#include "table/groups.h"

#include "unit.h"

static const struct rf_dialect english = {.point = '.', .thousands = ','};

static enum rf_number
parse(const struct rf_dialect *dialect, const char *text, double *real)
{
	int64_t whole = 0;
	enum rf_number number =
	    rf_number_parse(dialect, text, strlen(text), &whole, real);

	if (number == RF_NUMBER_WHOLE)
		*real = (double)whole;
	return number;
}

static void
test_numbers(void)
{
	static const struct rf_dialect german = {
	    .point = ',', .thousands = '.'};
	double real;

	check(parse(&english, "1,234", &real) == RF_NUMBER_WHOLE &&
		real == 1234.0 &&
		parse(&english, "-12,345,678", &real) == RF_NUMBER_WHOLE &&
		real == -12345678.0,
	    "groups of three are whole numbers");
	check(parse(&english, "+123,456.5", &real) == RF_NUMBER_REAL &&
		real == 123456.5 &&
		parse(&english, "1,234e3", &real) == RF_NUMBER_REAL &&
		real == 1234000.0 &&
		parse(&german, "1.234,5", &real) == RF_NUMBER_REAL &&
		real == 1234.5,
	    "a point or exponent may follow");
	check(parse(&english, "1234", &real) == RF_NUMBER_WHOLE &&
		parse(&english, "0.5", &real) == RF_NUMBER_REAL,
	    "groups need not be");
}

static void
test_refused(void)
{
	static const char *const texts[] = {"", ",", "1,", ",123", "1,2",
	    "1,23", "1,2345", "1234,567", "0,123", "1,,234", "1,234,",
	    "1,234,56", "1.5,123", "1e3,000", "-,123", "1,23a", "1 234"};
	char longest[160];
	bool is_good = true;
	double real;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		is_good &= parse(&english, texts[i], &real) == RF_NUMBER_NONE;
	check(is_good, "all else is no number");
	memset(longest, '1', sizeof(longest));
	longest[1] = ',';
	longest[sizeof(longest) - 1] = '\0';
	check(parse(&english, longest, &real) == RF_NUMBER_NONE,
	    "nor is a text too long");
}

static void
test_signs(void)
{
	static const struct rf_dialect plain = {.point = '.'};

	check(rf_groups_sign(&plain, "1,234", 5) == ',' &&
		rf_groups_sign(&plain, "1'234.5", 7) == '\'' &&
		rf_groups_sign(&plain, "1 234", 5) == ' ' &&
		rf_groups_sign(&plain, "1.234", 5) == 0 &&
		rf_groups_sign(&plain, "1,23", 4) == 0,
	    "the sign of groups is found, and is not the point");
}

int
main(void)
{
	test_numbers();
	test_refused();
	test_signs();
	return unit_end();
}
