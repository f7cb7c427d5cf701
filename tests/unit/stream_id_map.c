/* Ids get numbers in turn, whatever they are. */
#include "stream/id_map.h"

#include "unit.h"

#define N INT64_C(100000)

/* Falling, spread by 2^32, and at the ends of 64 bits. */
static int64_t
id_of(int64_t i)
{
	if (i % 3 == 0)
		return -i;
	if (i % 3 == 1)
		return (int64_t)((uint64_t)i << 32);
	return INT64_MAX - i;
}

int
main(void)
{
	struct rf_id_map map = {0};
	struct rf_error err;
	int64_t n_wrong = 0;

	check_int(rf_id_map_find(&map, 0), -1, "an empty map has none");
	for (int64_t i = 0; i < N; i++)
		n_wrong += rf_id_map_find(&map, id_of(i)) != -1 ||
		    rf_id_map_add(&map, id_of(i), &err) != RF_OK;
	for (int64_t i = 0; i < N; i++)
		n_wrong += rf_id_map_find(&map, id_of(i)) != i;
	check_int(n_wrong, 0, "each id has the number of its turn");
	check_int(rf_id_map_find(&map, -1), -1, "another has none");
	rf_id_map_release(&map);
	check_int(rf_id_map_find(&map, 0), -1, "a released map has none");
	return unit_end();
}
