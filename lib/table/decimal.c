#include "table/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* More digits than any double's half-way point has (767), so that one more
 * stands for all that follow. */
#define KEPT_DIGITS	800
#define EXPONENT_LIMIT	100000000
#define MANTISSA_DIGITS 19 /* any 19 digits fit 64 bits */
#define LARGEST_SCALE	19 /* 10^19 fits 64 bits */

struct parts {
	bool is_negative, is_whole;
	bool has_more; /* digits past the mantissa's that are not 0 */
	const char *digits, *digits_end; /* with the point among them */
	uint64_t mantissa;
	int n_digits;	  /* in the mantissa, from its first that is not 0 */
	int64_t exponent; /* value = mantissa * 10^exponent, but for has_more */
};

static const uint64_t power_of_10[LARGEST_SCALE + 1] = {UINT64_C(1),
    UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000),
    UINT64_C(100000), UINT64_C(1000000), UINT64_C(10000000),
    UINT64_C(100000000), UINT64_C(1000000000), UINT64_C(10000000000),
    UINT64_C(100000000000), UINT64_C(1000000000000), UINT64_C(10000000000000),
    UINT64_C(100000000000000), UINT64_C(1000000000000000),
    UINT64_C(10000000000000000), UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000), UINT64_C(10000000000000000000)};

/* bits * 2^exponent, bits with the top bit set; sticky: something not 0 lies
 * below them.  No result here is near a double's ends. */
static double
round_to_double(uint64_t bits, bool sticky, int exponent)
{
	uint64_t kept = bits >> 11, rest = bits & 0x7ff, power;
	double scale;

	if (rest > 0x400 || (rest == 0x400 && (sticky || (kept & 1) != 0)))
		kept++;
	power = (uint64_t)(1023 + exponent + 11) << 52;
	memcpy(&scale, &power, sizeof(scale));
	return (double)kept * scale;
}

static double
scale_up(uint64_t mantissa, uint64_t power)
{
	__extension__ unsigned __int128 product = mantissa;
	int shift;

	product *= power;
	if (product >> 64 == 0)
		return (double)(uint64_t)product;
	shift = __builtin_clzll((uint64_t)(product >> 64));
	product <<= shift;
	return round_to_double(
	    (uint64_t)(product >> 64), (uint64_t)product != 0, 64 - shift);
}

static double
scale_down(uint64_t mantissa, uint64_t power)
{
	int mantissa_shift = __builtin_clzll(mantissa);
	int power_shift = __builtin_clzll(power), shift;
	__extension__ unsigned __int128 dividend = mantissa << mantissa_shift;
	uint64_t divisor = power << power_shift, quotient;
	bool sticky;

	/* Half of it is below the divisor, so the quotient has 64 bits. */
	dividend <<= 63;
	quotient = (uint64_t)(dividend / divisor);
	sticky = dividend % divisor != 0;
	shift = __builtin_clzll(quotient); /* 0 or 1 */
	return round_to_double(quotient << shift, sticky,
	    power_shift - mantissa_shift - 63 - shift);
}

double
rf_decimal_scale(uint64_t mantissa, int exponent)
{
	if (mantissa == 0)
		return 0.0;
	if (exponent == 0)
		return (double)mantissa;
	return exponent > 0 ? scale_up(mantissa, power_of_10[exponent])
			    : scale_down(mantissa, power_of_10[-exponent]);
}

static bool
is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Takes a digit into the mantissa, or notes what it leaves out. */
static void
take_digit(struct parts *parts, char c, bool in_fraction)
{
	unsigned digit = (unsigned char)(c - '0');

	if (parts->n_digits < MANTISSA_DIGITS) {
		parts->mantissa = parts->mantissa * 10 + digit;
		parts->n_digits += parts->mantissa != 0;
		parts->exponent -= in_fraction;
		return;
	}
	parts->has_more |= digit != 0;
	parts->exponent += !in_fraction;
}

/* The exponent at p (after the e); false where there is none. */
static bool
take_exponent(struct parts *parts, const char *p, const char *end)
{
	bool is_negative = false;
	int64_t exponent = 0;

	if (p < end && (*p == '-' || *p == '+'))
		is_negative = *p++ == '-';
	if (p == end)
		return false;
	for (; p < end; p++) {
		if (!is_digit(*p))
			return false;
		if (exponent < EXPONENT_LIMIT)
			exponent = exponent * 10 + (*p - '0');
	}
	parts->exponent += is_negative ? -exponent : exponent;
	return true;
}

static bool
take_apart(struct parts *parts, const char *p, const char *end, char point)
{
	bool in_fraction = false, has_digit = false;

	parts->digits = p;
	parts->is_whole = true;
	for (; p < end; p++) {
		if (is_digit(*p)) {
			take_digit(parts, *p, in_fraction);
			has_digit = true;
		} else if (*p == point && !in_fraction) {
			in_fraction = true;
			parts->is_whole = false;
		} else {
			break;
		}
	}
	parts->digits_end = p;
	if (!has_digit)
		return false;
	if (p == end)
		return true;
	parts->is_whole = false;
	return (*p == 'e' || *p == 'E') && take_exponent(parts, p + 1, end);
}

/*
 * Through strtod, as whole digits with an exponent, so that no locale's point
 * has a part in it.
 */
static double
scale_slowly(const struct parts *parts)
{
	char buffer[KEPT_DIGITS + 40];
	int64_t exponent = parts->exponent;
	bool has_more = false;
	size_t n = 0;

	for (const char *p = parts->digits; p < parts->digits_end; p++) {
		if (!is_digit(*p) || (n == 0 && *p == '0'))
			continue;
		if (n < KEPT_DIGITS)
			buffer[n++] = *p;
		else
			has_more |= *p != '0';
	}
	if (has_more)
		buffer[n++] = '1';
	/* The exponent is that of the digits which the mantissa has. */
	exponent -= (int64_t)n - parts->n_digits;
	snprintf(buffer + n, 40, "e%lld", (long long)exponent);
	return strtod(buffer, NULL);
}

static enum rf_number
parse_infinity(const char *p, size_t size, bool is_negative, double *real)
{
	static const char word[] = "infinity";

	if (size != 3 && size != 8)
		return RF_NUMBER_NONE;
	for (size_t i = 0; i < size; i++)
		if ((p[i] | 0x20) != word[i])
			return RF_NUMBER_NONE;
	*real = is_negative ? -HUGE_VAL : HUGE_VAL;
	return RF_NUMBER_REAL;
}

enum rf_number
rf_decimal_parse(
    const char *text, size_t size, char point, int64_t *whole, double *real)
{
	const char *p = text, *end = text + size;
	struct parts parts = {0};
	double value;

	/* Most words end here, at a letter. */
	if (p == end || (*p >= 'A' && (*p | 0x20) != 'i' && *p != point))
		return RF_NUMBER_NONE;
	if (p < end && (*p == '-' || *p == '+'))
		parts.is_negative = *p++ == '-';
	if (p == end)
		return RF_NUMBER_NONE;
	if ((*p | 0x20) == 'i')
		return parse_infinity(
		    p, (size_t)(end - p), parts.is_negative, real);
	if (!take_apart(&parts, p, end, point))
		return RF_NUMBER_NONE;
	if (parts.mantissa == 0)
		value = 0.0;
	else if (!parts.has_more && parts.exponent >= -LARGEST_SCALE &&
	    parts.exponent <= LARGEST_SCALE)
		value = rf_decimal_scale(parts.mantissa, (int)parts.exponent);
	else
		value = scale_slowly(&parts);
	*real = parts.is_negative ? -value : value;
	if (!parts.is_whole || parts.exponent != 0 || parts.has_more ||
	    parts.mantissa > (uint64_t)INT64_MAX + parts.is_negative)
		return RF_NUMBER_REAL;
	*whole =
	    (int64_t)(parts.is_negative ? 0 - parts.mantissa : parts.mantissa);
	return RF_NUMBER_WHOLE;
}
