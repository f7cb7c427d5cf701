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

#include <stdbool.h>
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

/*
 * The common forms, read 8 digits at a time without a branch that the digits
 * decide: up to 15 bytes, with at most 7 of them after a point.
 *
 * These read up to RF_DECIMAL_FRONT bytes before the end of the cell, which
 * may be those of other cells, and return false for all other forms, which
 * rf_decimal_parse may still know.
 */
#define RF_DECIMAL_FRONT 17

#define RF_DECIMAL_LONGEST 15 /* bytes */

/* The last n of 8 bytes; all of them from 8 to RF_DECIMAL_LONGEST. */
static inline uint64_t
rf_decimal_last(size_t n)
{
	static const uint64_t masks[RF_DECIMAL_LONGEST + 1] = {0,
	    UINT64_C(0xff) << 56, UINT64_C(0xffff) << 48,
	    UINT64_C(0xffffff) << 40, UINT64_C(0xffffffff) << 32,
	    UINT64_C(0xffffffffff) << 24, UINT64_C(0xffffffffffff) << 16,
	    UINT64_C(0xffffffffffffff) << 8, UINT64_MAX, UINT64_MAX, UINT64_MAX,
	    UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};

	return masks[n];
}

static inline uint64_t
rf_decimal_load(const char *text)
{
	uint64_t bytes;

	memcpy(&bytes, text, sizeof(bytes));
	return bytes;
}

/* 8 bytes of values 0 to 9, most significant first; false: of others. */
static inline bool
rf_decimal_digits(uint64_t bytes, uint64_t *value)
{
	uint64_t v = bytes * 10 + (bytes >> 8);

	/* Pairs, then fours, then eight: each byte carries its weight. */
	v = (v & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
	    (v >> 16 & UINT64_C(0x000000FF000000FF)) *
		UINT64_C(0x0000271000000001);
	*value = v >> 32;
	return (((bytes + UINT64_C(0x7676767676767676)) | bytes) &
		   UINT64_C(0x8080808080808080)) == 0;
}

/* The digits from the 9th last on, where they are more than 8. */
static inline bool
rf_decimal_front(const char *before, size_t n_digits, uint64_t *value)
{
	uint64_t front = rf_decimal_load(before - 8);

	front = (front ^ UINT64_C(0x3030303030303030)) &
	    rf_decimal_last(n_digits - 8);
	if (!rf_decimal_digits(front, &front))
		return false;
	*value += front * 100000000;
	return true;
}

static inline bool
rf_decimal_fast_whole(const char *text, size_t size, int64_t *whole)
{
	int64_t sign = *text == '-';
	const char *end = text + size;
	size_t n = size - (size_t)sign;
	uint64_t last, value;

	if (n - 1 >= RF_DECIMAL_LONGEST)
		return false;
	last = rf_decimal_load(end - 8);
	last = (last ^ UINT64_C(0x3030303030303030)) & rf_decimal_last(n);
	if (!rf_decimal_digits(last, &value) ||
	    (n > 8 && !rf_decimal_front(end - 8, n, &value)))
		return false;
	*whole = ((int64_t)value ^ -sign) + sign;
	return true;
}

static inline bool
rf_decimal_fast_real(const char *text, size_t size, char point, double *real)
{
	/* The sign is the divisor's, so that -0 stays. */
	static const double power[2][8] = {
	    {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7},
	    {-1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7}};
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t sign = *text == '-', n = size - sign, n_after = 0;
	const char *end = text + size;
	uint64_t last, value, other, points, after;

	if (size > RF_DECIMAL_LONGEST)
		return false;
	last = rf_decimal_load(end - 8);
	/* Bytes that equal the point become 0, and then their top bit. */
	other = last ^ ones * (unsigned char)point;
	points = (other - ones) & ~other & ones << 7 & rf_decimal_last(size);
	if (points != 0) {
		/* What is before the point moves up over it. */
		n_after = 7 - ((size_t)__builtin_ctzll(points) >> 3);
		after = rf_decimal_last(n_after);
		last = (last & after) | (rf_decimal_load(end - 9) & ~after);
		n--;
		end--;
	}
	if (n - 1 >= RF_DECIMAL_LONGEST)
		return false;
	last = (last ^ UINT64_C(0x3030303030303030)) & rf_decimal_last(n);
	if (!rf_decimal_digits(last, &value) ||
	    (n > 8 && !rf_decimal_front(end - 8, n, &value)))
		return false;
	/* Both are exact, so the quotient is rounded once. */
	*real = (double)(int64_t)value / power[sign][n_after];
	return true;
}

#endif
