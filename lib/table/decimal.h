/*
 * Numbers in text, correctly rounded and independent of the locale.
 *
 * A number is a sign or none, digits with at most one decimal point among or
 * around them, and an exponent or none: "12", "-.5", "428.E+03".  Also "inf"
 * and "infinity" in any case, with a sign or none.  Nothing else is: no
 * blanks, hexadecimal forms or digit groups.
 */
#ifndef RF_TABLE_DECIMAL_H
#define RF_TABLE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum rf_number {
	RF_NUMBER_NONE,
	RF_NUMBER_WHOLE, /* neither point nor exponent, and an int64 */
	RF_NUMBER_REAL,
};

/*
 * Reads all of text as a number with the given decimal point.  WHOLE sets both
 * results, REAL only *real; too large a number is inf, too small a one 0.
 */
enum rf_number rf_decimal_parse(
    const char *text, size_t size, char point, int64_t *whole, double *real);

/*
 * mantissa * 10^exponent, rounded to nearest, ties to even; only for exponents
 * from -19 to 19.
 */
double rf_decimal_scale(uint64_t mantissa, int exponent);

/* How many of the 8 bytes, from the first, are digits. */
static inline unsigned
rf_decimal_n_digits(uint64_t bytes)
{
	uint64_t low = bytes ^ UINT64_C(0x3030303030303030);
	uint64_t other = ((low + UINT64_C(0x7676767676767676)) | low) &
	    UINT64_C(0x8080808080808080);

	return other == 0 ? 8 : (unsigned)__builtin_ctzll(other) >> 3;
}

/* The value of the first n of 8 bytes, n digits from 1 to 8. */
static inline uint64_t
rf_decimal_value(uint64_t bytes, unsigned n)
{
	uint64_t v = (bytes ^ UINT64_C(0x3030303030303030)) << (64 - 8 * n);

	/* Pairs, then fours, then eight: each byte carries its weight. */
	v = v * 10 + (v >> 8);
	v = (v & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
	    (v >> 16 & UINT64_C(0x000000FF000000FF)) *
		UINT64_C(0x0000271000000001);
	return v >> 32;
}

/*
 * The common forms without a branch a digit: up to 7 digits, then perhaps a
 * point and up to 7 more, read from 8 bytes at a time.  Reads up to 24 bytes
 * from text.  Returns what follows the number, or NULL where the form is
 * another (which rf_decimal_parse may still know).
 */
static inline const char *
rf_decimal_fast_real(const char *text, char point, double *real)
{
	static const double power[8] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
	static const uint64_t whole_power[8] = {
	    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
	uint64_t bytes, mantissa, sign = *text == '-';
	unsigned n;

	text += sign;
	memcpy(&bytes, text, 8);
	n = rf_decimal_n_digits(bytes);
	if (n - 1 > 6)
		return NULL;
	mantissa = rf_decimal_value(bytes, n);
	text += n;
	n = 0;
	if (*text == point) {
		memcpy(&bytes, text + 1, 8);
		n = rf_decimal_n_digits(bytes);
		if (n - 1 > 6)
			return NULL;
		mantissa =
		    mantissa * whole_power[n] + rf_decimal_value(bytes, n);
		text += n + 1;
	}
	/* Both are exact, so the quotient is rounded once. */
	*real = (double)(int64_t)mantissa / power[n];
	memcpy(&bytes, real, 8);
	bytes |= sign << 63;
	memcpy(real, &bytes, 8);
	return text;
}

/* The same for whole numbers of up to 7 digits. */
static inline const char *
rf_decimal_fast_whole(const char *text, int64_t *whole)
{
	uint64_t bytes;
	int64_t value, sign = *text == '-';
	unsigned n;

	text += sign;
	memcpy(&bytes, text, 8);
	n = rf_decimal_n_digits(bytes);
	if (n - 1 > 6)
		return NULL;
	value = (int64_t)rf_decimal_value(bytes, n);
	*whole = (value ^ -sign) + sign;
	return text + n;
}

#endif
