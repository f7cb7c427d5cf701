#include "base/hash.h"

#include <stdio.h>
#include <xxhash.h>

void
rf_hash_hex(const void *bytes, size_t size, char out[RF_HASH_HEX])
{
	XXH128_hash_t hash = XXH3_128bits(bytes, size);

	snprintf(out, RF_HASH_HEX, "%016llx%016llx",
	    (unsigned long long)hash.high64, (unsigned long long)hash.low64);
}
