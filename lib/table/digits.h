/*
 * Numbers as text: the fewest digits that read back to the same value.
 */
#ifndef RF_TABLE_DIGITS_H
#define RF_TABLE_DIGITS_H

#include <stddef.h>
#include <stdint.h>

#define RF_DIGITS_SIZE 32 /* the room that any of them may need */

/*
 * Each writes to out, without a NUL, and returns the length.  Numbers from
 * 1e-4 to below 1e16 come without an exponent, the others as "1.5e+300"; also
 * "NaN", "inf", "-inf", "-0".  Of several shortest texts it is the one nearest
 * to the value.
 */
size_t rf_digits_double(char *out, double value);
size_t rf_digits_float(char *out, float value);
size_t rf_digits_int(char *out, int64_t value);
size_t rf_digits_uint(char *out, uint64_t value);

#endif
