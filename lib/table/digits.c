#include "table/digits.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/decimal.h"

#define MOST_DIGITS 17 /* so many always read back */

/* A positive number: digits * 10^exponent. */
struct decimal {
	uint64_t digits;
	int exponent;
};

static const uint64_t power_of_10[20] = {UINT64_C(1), UINT64_C(10),
    UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
    UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000),
    UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000),
    UINT64_C(1000000000000), UINT64_C(10000000000000),
    UINT64_C(100000000000000), UINT64_C(1000000000000000),
    UINT64_C(10000000000000000), UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000), UINT64_C(10000000000000000000)};

size_t
rf_digits_uint(char *out, uint64_t value)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";
	char buffer[24];
	size_t at = sizeof(buffer);

	while (value >= 100) {
		at -= 2;
		memcpy(buffer + at, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		at -= 2;
		memcpy(buffer + at, pairs + value * 2, 2);
	} else {
		buffer[--at] = (char)('0' + value);
	}
	memcpy(out, buffer + at, sizeof(buffer) - at);
	return sizeof(buffer) - at;
}

size_t
rf_digits_int(char *out, int64_t value)
{
	if (value >= 0)
		return rf_digits_uint(out, (uint64_t)value);
	out[0] = '-';
	return 1 + rf_digits_uint(out + 1, 0 - (uint64_t)value);
}

/* The text of a decimal without zeros at its end. */
static size_t
put_decimal(char *out, struct decimal decimal)
{
	char digits[RF_DIGITS_SIZE];
	size_t n = rf_digits_uint(digits, decimal.digits), size = 0;
	int point = (int)n + decimal.exponent; /* digits before the point */

	if (point < -3 || point > 16) {
		out[size++] = digits[0];
		if (n > 1)
			out[size++] = '.';
		memcpy(out + size, digits + 1, n - 1);
		size += n - 1;
		return size +
		    (size_t)snprintf(out + size, 8, "e%c%02d",
			point < 1 ? '-' : '+', abs(point - 1));
	}
	if (point <= 0) {
		memcpy(out, "0.000", 5);
		size = 2 + (size_t)-point;
		memcpy(out + size, digits, n);
		return size + n;
	}
	if ((size_t)point >= n) {
		memcpy(out, digits, n);
		memset(out + n, '0', (size_t)point - n);
		return (size_t)point;
	}
	memcpy(out, digits, (size_t)point);
	out[point] = '.';
	memcpy(out + point + 1, digits + point, n - (size_t)point);
	return n + 1;
}

static double
decimal_value(struct decimal decimal)
{
	char text[48];

	if (decimal.exponent >= -19 && decimal.exponent <= 19)
		return rf_decimal_scale(decimal.digits, decimal.exponent);
	snprintf(text, sizeof(text), "%llue%d",
	    (unsigned long long)decimal.digits, decimal.exponent);
	return strtod(text, NULL);
}

/* n significant digits, rounded correctly, by the library. */
static struct decimal
rounded(double value, int n)
{
	char text[48], digits[MOST_DIGITS + 1];
	struct decimal decimal;
	size_t n_digits = 0;

	snprintf(text, sizeof(text), "%.*e", n - 1, value);
	/* What stands at [1] is the locale's point. */
	for (const char *p = text; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			digits[n_digits++] = *p;
	digits[n_digits] = '\0';
	decimal.digits = strtoull(digits, NULL, 10);
	decimal.exponent = atoi(strchr(text, 'e') + 1) - (n - 1);
	return decimal;
}

/*
 * The 17 digits of a value from 1e-3 to below 1e17, in 128 bits; false where
 * the value is another.  value = mantissa * 2^exponent, exactly.
 */
static bool
rounded_17(double value, struct decimal *decimal)
{
	uint64_t bits, mantissa, digits;
	int exponent, places;

	if (!(value >= 1e-3) || !(value < 1e17))
		return false;
	memcpy(&bits, &value, sizeof(bits));
	mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	exponent = (int)(bits >> 52) - 1075;
	/* About 16 - log10(value); mended below where it is one off. */
	places = 16 - (((exponent + 52) * 1233) >> 12);
	if (places > 19)
		places = 19;
	for (;; places--) {
		__extension__ unsigned __int128 product = mantissa, rest;

		product *= power_of_10[places];
		if (exponent >= 0) {
			digits = (uint64_t)(product << exponent);
		} else {
			digits = (uint64_t)(product >> -exponent);
			rest = product << (128 + exponent);
			product = 1;
			product <<= 127;
			digits += rest > product ||
			    (rest == product && (digits & 1) != 0);
		}
		if (digits < power_of_10[17])
			break;
	}
	decimal->digits = digits;
	decimal->exponent = -places;
	return digits >= power_of_10[16];
}

static struct decimal
strip_zeros(struct decimal decimal)
{
	while (decimal.digits % 10 == 0 && decimal.digits != 0) {
		decimal.digits /= 10;
		decimal.exponent++;
	}
	return decimal;
}

/* Without its last n digits, rounded up or not. */
static struct decimal
shorten(struct decimal decimal, int n, bool up)
{
	return (struct decimal){
	    decimal.digits / power_of_10[n] + up, decimal.exponent + n};
}

/*
 * The shortest for a positive normal value with these 17 digits.  Any decimal
 * of up to 15 digits is the nearest of 15 digits to the double it reads as, and
 * the 17 digits are too near it for rounding twice to matter.
 */
static struct decimal
shortest(double value, struct decimal all)
{
	struct decimal best = shorten(all, 2, all.digits % 100 >= 50);
	unsigned last = (unsigned)(all.digits % 10);
	bool up;

	if (decimal_value(best) == value)
		return strip_zeros(best);
	if (last == 5) {
		best = rounded(value, 16);
		up = best.digits > all.digits / 10;
	} else {
		up = last > 5;
		best = shorten(all, 1, up);
	}
	if (decimal_value(best) == value)
		return best;
	/* Below a power of 2 doubles are denser: the farther may be the one
	 * that reads back. */
	best = shorten(all, 1, !up);
	if (decimal_value(best) == value)
		return best;
	return strip_zeros(all);
}

static size_t
put_special(char *out, double value)
{
	if (isnan(value)) {
		memcpy(out, "NaN", 3);
		return 3;
	}
	if (value == 0.0) {
		memcpy(out, "-0", 2);
		if (signbit(value))
			return 2;
		out[0] = '0';
		return 1;
	}
	memcpy(out, "-inf", 4);
	if (value < 0)
		return 4;
	memcpy(out, "inf", 3);
	return 3;
}

/* Whole numbers below 10^15 need no search. */
static bool
is_small_whole(double value)
{
	return value < 1e15 && value == (double)(int64_t)value;
}

size_t
rf_digits_double(char *out, double value)
{
	struct decimal decimal;
	size_t size = 0;

	if (value == 0.0 || !isfinite(value))
		return put_special(out, value);
	if (value < 0) {
		out[size++] = '-';
		value = -value;
	}
	if (is_small_whole(value))
		return size + rf_digits_uint(out + size, (uint64_t)value);
	if (value < DBL_MIN) {
		/* Subnormal: fewer digits count. */
		for (int n = 1; n <= MOST_DIGITS; n++) {
			decimal = rounded(value, n);
			if (decimal_value(decimal) == value)
				break;
		}
		return size + put_decimal(out + size, strip_zeros(decimal));
	}
	if (!rounded_17(value, &decimal))
		decimal = rounded(value, MOST_DIGITS);
	return size + put_decimal(out + size, shortest(value, decimal));
}

static bool
reads_as_float(struct decimal decimal, float value)
{
	char text[48];

	snprintf(text, sizeof(text), "%llue%d",
	    (unsigned long long)decimal.digits, decimal.exponent);
	return strtof(text, NULL) == value;
}

size_t
rf_digits_float(char *out, float value)
{
	struct decimal decimal = {0};
	double wide = (double)value;
	size_t size = 0;

	if (wide == 0.0 || !isfinite(wide))
		return put_special(out, wide);
	if (wide < 0) {
		out[size++] = '-';
		wide = -wide;
		value = -value;
	}
	if (is_small_whole(wide) && wide < 0x1p24)
		return size + rf_digits_uint(out + size, (uint64_t)wide);
	for (int n = value < FLT_MIN ? 1 : 6; n <= 9; n++) {
		decimal = rounded(wide, n);
		if (reads_as_float(decimal, value))
			break;
		/* As with doubles, above a power of 2. */
		decimal.digits++;
		if (reads_as_float(decimal, value))
			break;
	}
	return size + put_decimal(out + size, strip_zeros(decimal));
}
