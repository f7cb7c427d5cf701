/*
 * FlatBuffers, as much as Arrow's messages need.
 *
 * Reading checks every access against the buffer.  An error is sticky: `bad`
 * is set, positions come back as 0 and numbers as their defaults, so that a
 * run of reads is checked once at its end.  Each reference that is followed
 * and each 16 bytes of text cost one unit of `budget`, as tables may be shared
 * and a small buffer could expand without bound otherwise.
 *
 *	struct rf_flat flat;
 *	uint32_t message = rf_flat_open(&flat, data, size);
 *	length = rf_flat_int64(&flat, message, 3, 0);
 *	if (flat.bad) ...
 *
 * Writing builds the buffer from its end, children before parents; objects
 * are named by their distance from the end, 0 is null.  `failed` is sticky.
 *
 * FlatBuffers internals (flatbuffers.dev/internals); rf-stream(5).
 */
#ifndef RF_STREAM_FLATBUF_H
#define RF_STREAM_FLATBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rf_flat {
	const uint8_t *data;
	uint32_t size;
	int64_t budget;
	bool bad;
};

/* Starts reading; returns the root table.  size is at most 2^31. */
uint32_t rf_flat_open(struct rf_flat *flat, const uint8_t *data, size_t size);

/* Numbers of a table's slot; `absent` where the table has none. */
uint8_t rf_flat_uint8(
    struct rf_flat *flat, uint32_t table, int slot, uint8_t absent);
int16_t rf_flat_int16(
    struct rf_flat *flat, uint32_t table, int slot, int16_t absent);
int32_t rf_flat_int32(
    struct rf_flat *flat, uint32_t table, int slot, int32_t absent);
int64_t rf_flat_int64(
    struct rf_flat *flat, uint32_t table, int slot, int64_t absent);

/* The table that a slot refers to; 0 where absent. */
uint32_t rf_flat_table(struct rf_flat *flat, uint32_t table, int slot);
/* First element of a vector, 0 where absent; *count elements are inside. */
uint32_t rf_flat_vector(struct rf_flat *flat, uint32_t table, int slot,
    uint32_t element_size, uint32_t *count);
/* Table at element i of a vector of references. */
uint32_t rf_flat_element(struct rf_flat *flat, uint32_t vector, uint32_t i);
/* Bytes of a string; NULL where absent. */
const char *rf_flat_string(
    struct rf_flat *flat, uint32_t table, int slot, uint32_t *size);
/* An int64 at a byte that a vector's check has covered. */
int64_t rf_flat_at(const struct rf_flat *flat, uint32_t position);

#define RF_FLAT_SLOTS 8

struct rf_flat_builder {
	uint8_t *data; /* filled from its end */
	size_t size, capacity;
	size_t table_start;
	uint32_t at[RF_FLAT_SLOTS];
	int n_slots;
	bool failed;
};

void rf_flat_builder_release(struct rf_flat_builder *builder);
void rf_flat_builder_clear(struct rf_flat_builder *builder);

/* What a reference points to: put before the table that refers to it. */
uint32_t rf_flat_put_string(
    struct rf_flat_builder *builder, const void *text, size_t size);
/* A vector of n structs of 8-byte members, or of n int64. */
uint32_t rf_flat_put_vector(struct rf_flat_builder *builder,
    const void *elements, size_t n, size_t element_size);
uint32_t rf_flat_put_references(
    struct rf_flat_builder *builder, const uint32_t *objects, size_t n);

/* A table: start, slots in falling order of size, end. */
void rf_flat_start(struct rf_flat_builder *builder);
void rf_flat_put_int(
    struct rf_flat_builder *builder, int slot, int64_t value, size_t size);
void rf_flat_put_reference(
    struct rf_flat_builder *builder, int slot, uint32_t object);
uint32_t rf_flat_end(struct rf_flat_builder *builder);

/* Puts the root in front; the buffer is then *size bytes (a multiple of 8) at
 * the returned place, the builder's until its next use. */
const uint8_t *rf_flat_finish(
    struct rf_flat_builder *builder, uint32_t root, size_t *size);

#endif
