/*
 * Arrow's messages as FlatBuffers: numbers of their format, and the parts that
 * reader and writer share.  Private to lib/stream.
 *
 * Message.fbs, Schema.fbs of apache/arrow; rf-stream(5).
 */
#ifndef RF_STREAM_MESSAGE_H
#define RF_STREAM_MESSAGE_H

#include "stream/flatbuf.h"
#include "stream/schema.h"

#define RF_MESSAGE_MARKER    0xffffffffu
#define RF_MESSAGE_MAX_BYTES (256 << 20) /* metadata of one message */
#define RF_LEGACY_MAX_BYTES  (16 << 20)
#define RF_MAX_ROWS	     ((int64_t)1 << 48)
#define RF_MAX_DEPTH	     64

enum rf_message_kind {
	RF_MESSAGE_SCHEMA = 1,
	RF_MESSAGE_DICTIONARY = 2,
	RF_MESSAGE_BATCH = 3,
};

enum rf_wire_type {
	RF_WIRE_NULL = 1,
	RF_WIRE_INT = 2,
	RF_WIRE_FLOAT = 3,
	RF_WIRE_BINARY = 4,
	RF_WIRE_UTF8 = 5,
	RF_WIRE_BOOL = 6,
	RF_WIRE_DECIMAL = 7,
	RF_WIRE_DATE = 8,
	RF_WIRE_TIME = 9,
	RF_WIRE_TIMESTAMP = 10,
	RF_WIRE_INTERVAL = 11,
	RF_WIRE_LIST = 12,
	RF_WIRE_STRUCT = 13,
	RF_WIRE_UNION = 14,
	RF_WIRE_FIXED_BINARY = 15,
	RF_WIRE_FIXED_LIST = 16,
	RF_WIRE_MAP = 17,
	RF_WIRE_DURATION = 18,
	RF_WIRE_LARGE_BINARY = 19,
	RF_WIRE_LARGE_UTF8 = 20,
	RF_WIRE_LARGE_LIST = 21,
	RF_WIRE_RUN_END = 22,
	RF_WIRE_BINARY_VIEW = 23,
	RF_WIRE_UTF8_VIEW = 24,
	RF_WIRE_LIST_VIEW = 25,
	RF_WIRE_LARGE_LIST_VIEW = 26,
};

/* Reads a Schema table; out is empty before, and after an error. */
enum rf_status rf_schema_read(struct rf_flat *flat, uint32_t table,
    struct rf_schema *out, struct rf_error *err) RF_MUST_USE;
/* Reads a vector of KeyValue in that slot, likewise. */
enum rf_status rf_metadata_read(struct rf_flat *flat, uint32_t table, int slot,
    struct rf_metadata *out, struct rf_error *err) RF_MUST_USE;

/* Puts a Schema table; returns it.  A type that is not written: RF_EDATA. */
enum rf_status rf_schema_put(struct rf_flat_builder *builder,
    const struct rf_schema *schema, uint32_t *table,
    struct rf_error *err) RF_MUST_USE;
/* Puts a vector of KeyValue; 0 where there are none. */
uint32_t rf_metadata_put(
    struct rf_flat_builder *builder, const struct rf_metadata *metadata);

#endif
