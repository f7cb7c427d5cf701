/*
 * Schemas of Arrow streams: fields, types and metadata in memory.
 *
 * A schema owns all that it points to.  Names and metadata keys are UTF-8
 * without NUL; metadata values are bytes with a length (a NUL follows that is
 * not counted).
 * Arrow columnar format 1.5; rf-stream(5).
 */
#ifndef RF_STREAM_SCHEMA_H
#define RF_STREAM_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum rf_type {
	RF_TYPE_NULL,
	RF_TYPE_BOOL,
	RF_TYPE_INT8,
	RF_TYPE_INT16,
	RF_TYPE_INT32,
	RF_TYPE_INT64,
	RF_TYPE_UINT8,
	RF_TYPE_UINT16,
	RF_TYPE_UINT32,
	RF_TYPE_UINT64,
	RF_TYPE_FLOAT16,
	RF_TYPE_FLOAT32,
	RF_TYPE_FLOAT64,
	RF_TYPE_UTF8,
	RF_TYPE_LARGE_UTF8,
	RF_TYPE_UTF8_VIEW,
	RF_TYPE_BINARY,
	RF_TYPE_LARGE_BINARY,
	RF_TYPE_BINARY_VIEW,
	RF_TYPE_FIXED_BINARY,
	RF_TYPE_DECIMAL, /* width_bits 32, 64, 128 or 256 */
	RF_TYPE_DATE32,
	RF_TYPE_DATE64,
	RF_TYPE_TIME32,
	RF_TYPE_TIME64,
	RF_TYPE_TIMESTAMP,
	RF_TYPE_DURATION,
	RF_TYPE_INTERVAL,
	RF_TYPE_LIST,
	RF_TYPE_LARGE_LIST,
	RF_TYPE_FIXED_LIST,
	RF_TYPE_STRUCT,
	RF_TYPE_MAP,
	RF_TYPE_UNION,
	RF_TYPE_RUN_END,
	RF_TYPE_LIST_VIEW,
	RF_TYPE_LARGE_LIST_VIEW,
	RF_TYPE_INT128, /* polars; stepped over */
};

enum rf_time_unit { RF_UNIT_S, RF_UNIT_MS, RF_UNIT_US, RF_UNIT_NS };

struct rf_metadata_entry {
	char *key;
	char *value;
	size_t value_size;
};

/* In the order of the stream; keys may repeat in foreign streams. */
struct rf_metadata {
	struct rf_metadata_entry *entries;
	size_t n_entries, capacity;
};

struct rf_field {
	char *name;
	/* of the values; of a dictionary-encoded field, of its dictionary */
	enum rf_type type;
	bool nullable;
	bool is_dictionary, is_ordered;
	int64_t dictionary_id;
	enum rf_type index_type; /* of the codes, if is_dictionary */
	enum rf_time_unit unit; /* time, timestamp, duration; interval's 0..2 */
	char *timezone;		/* timestamp; NULL: none */
	int32_t width_bits;	/* decimal; else 0 */
	int32_t precision, scale; /* decimal */
	int32_t size;  /* fixed binary: bytes; fixed list: elements */
	bool is_dense; /* union */
	struct rf_field *children;
	size_t n_children;
	struct rf_metadata metadata;
};

struct rf_schema {
	struct rf_field *fields;
	size_t n_fields, capacity;
	struct rf_metadata metadata;
};

/* "int64", "list" ..: Arrow's own name of the type, for messages. */
const char *rf_type_name(enum rf_type type);
/* Bytes a value; 0 where not whole bytes (bool) or not of fixed width. */
size_t rf_type_width(enum rf_type type);
/* The same of a field: also decimal, fixed binary and interval. */
size_t rf_field_width(const struct rf_field *field);
bool rf_type_is_text(enum rf_type type);
bool rf_type_is_integer(enum rf_type type);
bool rf_type_is_nested(enum rf_type type);

/* The first value of that key, or NULL; value_size NULL allowed. */
const char *rf_metadata_get(
    const struct rf_metadata *metadata, const char *key, size_t *value_size);
/* Replaces the first entry of that key or appends; copies both. */
enum rf_status rf_metadata_set(struct rf_metadata *metadata, const char *key,
    const char *value, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_metadata_set_bytes(struct rf_metadata *metadata,
    const char *key, const void *value, size_t value_size,
    struct rf_error *err) RF_MUST_USE;
/* Appends without a look at what is there; neither needs a NUL. */
enum rf_status rf_metadata_append(struct rf_metadata *metadata, const void *key,
    size_t key_size, const void *value, size_t value_size,
    struct rf_error *err) RF_MUST_USE;
/* *to is filled anew: it is to be empty before. */
enum rf_status rf_metadata_copy(struct rf_metadata *to,
    const struct rf_metadata *from, struct rf_error *err) RF_MUST_USE;
void rf_metadata_release(struct rf_metadata *metadata);

/*
 * Appends a field, name copied; *field (NULL allowed) points to it until the
 * next append, for the caller to fill in what the type needs.
 */
enum rf_status rf_schema_add(struct rf_schema *schema, const char *name,
    enum rf_type type, bool nullable, struct rf_field **field,
    struct rf_error *err) RF_MUST_USE;
/* What rf.role says of a field; "" where it says nothing. */
const char *rf_field_role(const struct rf_field *field);
bool rf_field_has_role(const struct rf_field *field, const char *role);
/* Gives field n_children zeroed children. */
enum rf_status rf_field_add_children(struct rf_field *field, size_t n_children,
    struct rf_error *err) RF_MUST_USE;
enum rf_status rf_field_copy(struct rf_field *to, const struct rf_field *from,
    struct rf_error *err) RF_MUST_USE;
enum rf_status rf_schema_copy(struct rf_schema *to,
    const struct rf_schema *from, struct rf_error *err) RF_MUST_USE;
/* Index of the only field of that name; -1 none, -2 several. */
int64_t rf_schema_find(const struct rf_schema *schema, const char *name);
void rf_field_release(struct rf_field *field);
void rf_schema_release(struct rf_schema *schema);

#endif
