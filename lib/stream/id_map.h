/*
 * Numbers 0, 1, .. of ids in the order in which they were added, found by hash:
 * a hostile schema gives its dictionaries any ids.  Private to lib/stream.
 */
#ifndef RF_STREAM_ID_MAP_H
#define RF_STREAM_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Zero: empty. */
struct rf_id_map {
	int64_t *ids;
	size_t n_ids, capacity;
	uint32_t *places; /* by the hash: number + 1, or 0 where free */
	size_t n_places;  /* 0 or a power of 2, of which half are free */
};

void rf_id_map_release(struct rf_id_map *map);
/* The id's number; -1: it is not there. */
int64_t rf_id_map_find(const struct rf_id_map *map, int64_t id);
/* Gives an id that is not there the next number; at most 2^32 - 1 of them. */
enum rf_status rf_id_map_add(
    struct rf_id_map *map, int64_t id, struct rf_error *err) RF_MUST_USE;

#endif
