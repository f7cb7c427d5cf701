#include "stream/compress.h"

#include <lz4frame.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"

#define FIRST_STEP ((size_t)64 << 20)

void
rf_scratch_release(struct rf_scratch *scratch)
{
	for (size_t i = 0; i < scratch->n_blocks; i++)
		rf_free_aligned(scratch->blocks[i].data);
	free(scratch->blocks);
	*scratch = (struct rf_scratch){0};
}

void
rf_scratch_clear(struct rf_scratch *scratch)
{
	scratch->n_used = 0;
}

/* Room for size bytes in a block, of which the first n_kept stay. */
static bool
block_grow(struct rf_scratch_block *block, size_t size, size_t n_kept)
{
	uint8_t *grown;

	if (block->data != NULL && size <= block->capacity)
		return true;
	grown = rf_alloc_aligned(size + size / 8);
	if (grown == NULL)
		return false;
	if (n_kept != 0)
		memcpy(grown, block->data, n_kept);
	rf_free_aligned(block->data);
	block->data = grown;
	block->capacity = size + size / 8;
	return true;
}

static struct rf_scratch_block *
next_block(struct rf_scratch *scratch)
{
	void *blocks = scratch->blocks;

	if (scratch->n_used == scratch->n_blocks) {
		if (rf_grow(&blocks, &scratch->capacity, scratch->n_blocks + 1,
			sizeof(*scratch->blocks)) != 0)
			return NULL;
		scratch->blocks = blocks;
		scratch->blocks[scratch->n_blocks++] =
		    (struct rf_scratch_block){0};
	}
	return &scratch->blocks[scratch->n_used++];
}

void *
rf_scratch_take(struct rf_scratch *scratch, size_t size)
{
	struct rf_scratch_block *block = next_block(scratch);

	if (block == NULL || !block_grow(block, size, 0))
		return NULL;
	return block->data;
}

/* A decoder of either kind, fed from `in`. */
struct decoder {
	enum rf_codec codec;
	const uint8_t *in;
	size_t in_size;
	LZ4F_dctx *lz4;
	ZSTD_DCtx *zstd;
	bool is_done; /* the frame's end was seen */
};

static bool
decoder_open(struct decoder *decoder)
{
	if (decoder->codec == RF_CODEC_ZSTD) {
		decoder->zstd = ZSTD_createDCtx();
		return decoder->zstd != NULL;
	}
	return !LZ4F_isError(
	    LZ4F_createDecompressionContext(&decoder->lz4, LZ4F_VERSION));
}

static void
decoder_close(struct decoder *decoder)
{
	ZSTD_freeDCtx(decoder->zstd);
	if (decoder->lz4 != NULL)
		LZ4F_freeDecompressionContext(decoder->lz4);
}

/* Up to *size bytes to out, *size is then what came; false: a bad frame. */
static bool
decoder_step(struct decoder *decoder, uint8_t *out, size_t *size)
{
	size_t left, n_in = decoder->in_size;

	if (decoder->codec == RF_CODEC_ZSTD) {
		ZSTD_inBuffer in = {decoder->in, n_in, 0};
		ZSTD_outBuffer to = {out, *size, 0};

		left = ZSTD_decompressStream(decoder->zstd, &to, &in);
		if (ZSTD_isError(left))
			return false;
		n_in = in.pos;
		*size = to.pos;
	} else {
		left = LZ4F_decompress(
		    decoder->lz4, out, size, decoder->in, &n_in, NULL);
		if (LZ4F_isError(left))
			return false;
	}
	decoder->in += n_in;
	decoder->in_size -= n_in;
	decoder->is_done = left == 0;
	return true;
}

/* Exactly size bytes to the block, then the frame's end. */
static enum rf_status
decode(struct decoder *decoder, struct rf_scratch_block *block, size_t size,
    struct rf_error *err)
{
	size_t done = 0, room, n, n_in;
	uint8_t beyond;

	for (;;) {
		room = done < FIRST_STEP / 4 ? FIRST_STEP : 4 * done;
		if (room > size)
			room = size;
		if (!block_grow(block, room, done))
			return rf_error_memory(err, room, "a column");
		/* Past the end one byte more is asked for: it is not to come,
		 * yet the asking makes the decoder see the frame's end. */
		n = done < size ? room - done : 1;
		n_in = decoder->in_size;
		if (!decoder_step(decoder,
			done < size ? block->data + done : &beyond, &n))
			return rf_error_set(
			    err, RF_EDATA, "a compressed buffer is damaged");
		if (done == size && n != 0)
			return rf_error_set(err, RF_EDATA,
			    "a compressed buffer holds more than it says");
		done += n;
		if (decoder->is_done || (n == 0 && n_in == decoder->in_size))
			break;
	}
	if (done != size || !decoder->is_done || decoder->in_size != 0)
		return rf_error_set(err, RF_EDATA,
		    "a compressed buffer does not hold what it says");
	return RF_OK;
}

enum rf_status
rf_decompress(enum rf_codec codec, const uint8_t *data, int64_t size,
    int64_t limit, struct rf_scratch *scratch, const uint8_t **out,
    int64_t *out_size, struct rf_error *err)
{
	struct decoder decoder = {.codec = codec};
	struct rf_scratch_block *block;
	enum rf_status status;
	int64_t length;

	*out = data;
	*out_size = 0;
	if (size == 0)
		return RF_OK;
	if (size < 8)
		return rf_error_set(err, RF_EDATA,
		    "a compressed buffer of %d bytes", (int)size);
	memcpy(&length, data, sizeof(length));
	*out = data + 8;
	*out_size = size - 8;
	if (length == -1)
		return RF_OK;
	if (length < 0 || length > limit)
		return rf_error_set(err, RF_EDATA,
		    "a compressed buffer of %lld bytes where at most %lld fit",
		    (long long)length, (long long)limit);
	*out_size = length;
	if (length == 0)
		return RF_OK;
	decoder.in = data + 8;
	decoder.in_size = (size_t)size - 8;
	block = next_block(scratch);
	if (block == NULL || !decoder_open(&decoder))
		status = rf_error_memory(err, (size_t)length, "a column");
	else
		status = decode(&decoder, block, (size_t)length, err);
	decoder_close(&decoder);
	if (status == RF_OK)
		*out = block->data;
	return status;
}
