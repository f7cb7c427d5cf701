/* Compressed buffers: whole, raw, empty, and those that lie. */
#include "stream/compress.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "unit.h"

#define N_PLAIN 100000

static uint8_t plain[N_PLAIN];
static uint8_t packed[2 * N_PLAIN];
static struct rf_scratch scratch;

/* 8 bytes of length, then the frame; returns the size. */
static int64_t
pack(enum rf_codec codec, int64_t length, size_t n)
{
	size_t size;

	memcpy(packed, &length, sizeof(length));
	if (codec == RF_CODEC_ZSTD)
		size =
		    ZSTD_compress(packed + 8, sizeof(packed) - 8, plain, n, 1);
	else
		size = LZ4F_compressFrame(
		    packed + 8, sizeof(packed) - 8, plain, n, NULL);
	return (int64_t)size + 8;
}

static enum rf_status
unpack(enum rf_codec codec, int64_t size, int64_t limit, const uint8_t **out,
    int64_t *out_size)
{
	struct rf_error err;
	uint8_t *exact = rf_alloc((size_t)size, 1);
	enum rf_status status;

	if (exact == NULL)
		abort();
	memcpy(exact, packed, (size_t)size);
	rf_scratch_clear(&scratch);
	status = rf_decompress(
	    codec, exact, size, limit, &scratch, out, out_size, &err);
	/* Raw bytes stay where they are. */
	if (*out >= exact && *out < exact + size)
		*out = packed + (*out - exact);
	free(exact);
	return status;
}

static void
check_codec(enum rf_codec codec)
{
	const uint8_t *out;
	int64_t n, size = pack(codec, N_PLAIN, N_PLAIN);

	check(unpack(codec, size, N_PLAIN, &out, &n) == RF_OK && n == N_PLAIN &&
		memcmp(out, plain, N_PLAIN) == 0,
	    "a frame is unpacked");
	check_int(unpack(codec, size, N_PLAIN - 1, &out, &n), RF_EDATA,
	    "not past the limit");
	check_int(unpack(codec, size - 1, N_PLAIN, &out, &n), RF_EDATA,
	    "a cut frame is refused");
	packed[size] = 0;
	check_int(unpack(codec, size + 1, N_PLAIN, &out, &n), RF_EDATA,
	    "and bytes after it");
	size = pack(codec, N_PLAIN - 1, N_PLAIN);
	check_int(unpack(codec, size, N_PLAIN, &out, &n), RF_EDATA,
	    "a frame of more than it says is refused");
	size = pack(codec, N_PLAIN, N_PLAIN - 1);
	check_int(unpack(codec, size, N_PLAIN, &out, &n), RF_EDATA,
	    "one of less too");
	size = pack(codec, 8, N_PLAIN);
	check_int(unpack(codec, size, 8, &out, &n), RF_EDATA,
	    "one that would fill the memory too");
	size = pack(codec, -1, 100);
	check(unpack(codec, size, 0, &out, &n) == RF_OK && n == size - 8 &&
		memcmp(out, packed + 8, (size_t)n) == 0,
	    "a length of -1 means raw bytes");
	size = pack(codec, 0, 0);
	check(unpack(codec, size, 0, &out, &n) == RF_OK && n == 0,
	    "a length of 0 means none");
	check(
	    unpack(codec, 0, 0, &out, &n) == RF_OK && n == 0, "so do no bytes");
	check_int(
	    unpack(codec, 7, 100, &out, &n), RF_EDATA, "7 bytes are too few");
	size = pack(codec, -2, 100);
	check_int(unpack(codec, size, 100, &out, &n), RF_EDATA,
	    "a length of -2 is refused");
	size = pack(codec, INT64_MAX, 100);
	check_int(unpack(codec, size, INT64_MAX, &out, &n), RF_EDATA,
	    "a false length costs no memory");
}

int
main(void)
{
	for (int i = 0; i < N_PLAIN; i++)
		plain[i] = (uint8_t)(i / 300);
	check_codec(RF_CODEC_LZ4);
	check_codec(RF_CODEC_ZSTD);
	rf_scratch_release(&scratch);
	return unit_end();
}
