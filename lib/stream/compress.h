/*
 * Compressed buffers of record batches: LZ4 frames and Zstandard.
 * Private to lib/stream.
 */
#ifndef RF_STREAM_COMPRESS_H
#define RF_STREAM_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum rf_codec { RF_CODEC_NONE = -1, RF_CODEC_LZ4 = 0, RF_CODEC_ZSTD = 1 };

/* Memory that is used again from batch to batch. */
struct rf_scratch {
	struct rf_scratch_block {
		uint8_t *data;
		size_t capacity;
	} * blocks;
	size_t n_blocks, capacity, n_used;
};

void rf_scratch_release(struct rf_scratch *scratch);
void rf_scratch_clear(struct rf_scratch *scratch); /* all free again */
/* An aligned block, good until the next clear; NULL: no memory. */
void *rf_scratch_take(struct rf_scratch *scratch, size_t size);

/*
 * Unpacks a buffer (rf-stream(5), compression): 8 bytes of length, then a
 * frame, or raw bytes where the length is -1.  *out lies in the scratch or, if
 * raw, in the input.  A length above `limit`, or a frame that does not yield
 * exactly its length, is RF_EDATA; memory grows with the bytes that come out.
 */
enum rf_status rf_decompress(enum rf_codec codec, const uint8_t *data,
    int64_t size, int64_t limit, struct rf_scratch *scratch,
    const uint8_t **out, int64_t *out_size, struct rf_error *err) RF_MUST_USE;

#endif
