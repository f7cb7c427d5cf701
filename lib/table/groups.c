#include "table/groups.h"

#define LONGEST 128 /* bytes of a grouped number */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Copies the text without its signs; the size, or 0 where they stand wrongly
 * or are none. */
static size_t
ungroup(const char *text, size_t size, char sign, char *out)
{
	size_t at = 0, n_digits = 0, n_out = 0;

	if (size > LONGEST || memchr(text, sign, size) == NULL)
		return 0;
	if (size > 0 && (text[0] == '-' || text[0] == '+'))
		out[n_out++] = text[at++];
	while (at + n_digits < size && is_digit(text[at + n_digits]))
		n_digits++;
	if (n_digits == 0 || n_digits > 3 || text[at] == '0')
		return 0;
	memcpy(out + n_out, text + at, n_digits);
	n_out += n_digits;
	at += n_digits;
	while (at < size && text[at] == sign) {
		if (size - at < 4 || !is_digit(text[at + 1]) ||
		    !is_digit(text[at + 2]) || !is_digit(text[at + 3]))
			return 0;
		memcpy(out + n_out, text + at + 1, 3);
		n_out += 3;
		at += 4;
	}
	/* A digit more, or a sign further on, is no number's. */
	if ((at < size && is_digit(text[at])) ||
	    memchr(text + at, sign, size - at) != NULL)
		return 0;
	memcpy(out + n_out, text + at, size - at);
	return n_out + size - at;
}

static enum rf_number
parse_grouped(const char *text, size_t size, char point, char sign,
    int64_t *whole, double *real)
{
	char digits[LONGEST];
	size_t n = ungroup(text, size, sign, digits);

	return n == 0 ? RF_NUMBER_NONE
		      : rf_decimal_parse(digits, n, point, whole, real);
}

enum rf_number
rf_number_parse(const struct rf_dialect *dialect, const char *text, size_t size,
    int64_t *whole, double *real)
{
	enum rf_number number =
	    rf_decimal_parse(text, size, dialect->point, whole, real);

	if (number != RF_NUMBER_NONE || dialect->thousands == 0)
		return number;
	return parse_grouped(
	    text, size, dialect->point, dialect->thousands, whole, real);
}

char
rf_groups_sign(const struct rf_dialect *dialect, const char *text, size_t size)
{
	static const char signs[] = ",. '";
	int64_t whole;
	double real;

	for (const char *sign = signs; *sign != '\0'; sign++)
		if (*sign != dialect->point &&
		    parse_grouped(text, size, dialect->point, *sign, &whole,
			&real) != RF_NUMBER_NONE)
			return *sign;
	return 0;
}
