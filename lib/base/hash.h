/*
 * Hashes that find accidents, not forgery: XXH3-128 in hexadecimal.
 */
#ifndef RF_BASE_HASH_H
#define RF_BASE_HASH_H

#include <stddef.h>

#define RF_HASH_HEX 33 /* 32 digits and a NUL */

void rf_hash_hex(const void *bytes, size_t size, char out[RF_HASH_HEX]);

#endif
