/*
 * The dictionaries that a reader has met.  Private to lib/stream.
 *
 * A dictionary keeps its own copy of the values, in one shape: text as
 * large_utf8, binary as large_binary, all else as it came.  Its serial is a
 * hash of the content, so that equal content has an equal one everywhere.
 */
#ifndef RF_STREAM_DICTIONARY_H
#define RF_STREAM_DICTIONARY_H

#include "stream/batch.h"
#include "stream/id_map.h"

struct rf_dictionary {
	int64_t id;
	struct rf_field source; /* of a values column as it arrives */
	struct rf_field field;	/* of values */
	bool is_usable;		/* false: nested values, stepped over */
	bool is_sent;
	struct rf_column values;
	uint64_t serial;
	/* what values points into */
	uint8_t *validity, *fixed, *text;
	int64_t *offsets;
	size_t validity_capacity, fixed_capacity, text_capacity;
	size_t offsets_capacity;
};

struct rf_dictionaries {
	struct rf_dictionary *items;
	size_t n_items, capacity;
	struct rf_id_map numbers; /* of the items, by their ids */
};

/* One for each id of the schema, nested columns' too; two fields of different
 * value types under one id are RF_EDATA. */
enum rf_status rf_dictionaries_init(struct rf_dictionaries *dictionaries,
    const struct rf_schema *schema, struct rf_error *err) RF_MUST_USE;
void rf_dictionaries_release(struct rf_dictionaries *dictionaries);
/* NULL where the schema has no such id. */
struct rf_dictionary *rf_dictionaries_find(
    const struct rf_dictionaries *dictionaries, int64_t id);

/* Replaces the values by those of `column` (of ->source), or appends them. */
enum rf_status rf_dictionary_take(struct rf_dictionary *dictionary,
    const struct rf_column *column, bool is_delta,
    struct rf_error *err) RF_MUST_USE;

#endif
