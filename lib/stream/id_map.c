#include "stream/id_map.h"

#include <stdlib.h>

#include "base/alloc.h"

#define FIRST_PLACES 16

void
rf_id_map_release(struct rf_id_map *map)
{
	free(map->ids);
	free(map->places);
	*map = (struct rf_id_map){0};
}

/* The id's place, or the free one where it belongs. */
static size_t
place_of(const struct rf_id_map *map, int64_t id)
{
	uint64_t hash = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
	size_t mask = map->n_places - 1, at = (size_t)(hash >> 32) & mask;

	while (map->places[at] != 0 && map->ids[map->places[at] - 1] != id)
		at = (at + 1) & mask;
	return at;
}

int64_t
rf_id_map_find(const struct rf_id_map *map, int64_t id)
{
	return map->n_places == 0 ? -1
				  : (int64_t)map->places[place_of(map, id)] - 1;
}

static enum rf_status
grow_places(struct rf_id_map *map, struct rf_error *err)
{
	size_t n = map->n_places == 0 ? FIRST_PLACES : map->n_places * 2;
	uint32_t *places;

	if (map->n_ids * 2 < map->n_places)
		return RF_OK;
	places = rf_alloc_zero(n, sizeof(*places));
	if (places == NULL)
		return rf_error_memory(
		    err, n * sizeof(*places), "dictionaries");
	free(map->places);
	map->places = places;
	map->n_places = n;
	for (size_t i = 0; i < map->n_ids; i++)
		places[place_of(map, map->ids[i])] = (uint32_t)i + 1;
	return RF_OK;
}

enum rf_status
rf_id_map_add(struct rf_id_map *map, int64_t id, struct rf_error *err)
{
	void *ids = map->ids;

	if (map->n_ids >= UINT32_MAX)
		return rf_error_set(err, RF_EDATA, "too many dictionaries");
	RF_TRY(grow_places(map, err));
	if (rf_grow(&ids, &map->capacity, map->n_ids + 1, sizeof(*map->ids)) !=
	    0)
		return rf_error_memory(err, map->n_ids, "dictionaries");
	map->ids = ids;
	map->ids[map->n_ids++] = id;
	map->places[place_of(map, id)] = (uint32_t)map->n_ids;
	return RF_OK;
}
