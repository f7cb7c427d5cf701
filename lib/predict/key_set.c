#include "predict/key_set.h"

#include <stdlib.h>
#include <string.h>

#include "arith/rng.h"
#include "base/alloc.h"

#define FIRST_SLOTS 64

static uint32_t
first_slot(const struct rf_key_set *set, uint64_t key)
{
	/* Thresholds differ in few bits at the top or in the middle. */
	return (uint32_t)((key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15) >>
		   32) &
	    (set->n_slots - 1);
}

static uint32_t
find_slot(const struct rf_key_set *set, uint64_t key)
{
	uint32_t slot = first_slot(set, key);

	while (set->slots[slot] >= 0 && set->keys[set->slots[slot]] != key)
		slot = (slot + 1) & (set->n_slots - 1);
	return slot;
}

/* Twice the slots, and keys for half of them. */
static int
grow(struct rf_key_set *set)
{
	uint32_t n_slots = set->n_slots ? 2 * set->n_slots : FIRST_SLOTS;
	int32_t *slots = rf_alloc(n_slots, sizeof(*slots));
	uint64_t *keys = rf_realloc(set->keys, n_slots / 2, sizeof(*keys));

	if (keys != NULL)
		set->keys = keys;
	if (slots == NULL || keys == NULL) {
		free(slots);
		return -1;
	}
	free(set->slots);
	set->slots = slots;
	set->n_slots = n_slots;
	set->capacity = n_slots / 2;
	memset(slots, 0xff, n_slots * sizeof(*slots));
	for (uint32_t i = 0; i < set->n; i++)
		slots[find_slot(set, keys[i])] = (int32_t)i;
	return 0;
}

int32_t
rf_key_set_add(struct rf_key_set *set, uint64_t key)
{
	uint32_t slot;

	if (set->n == set->capacity &&
	    (set->n_slots > UINT32_MAX / 2 || grow(set) != 0))
		return -1;
	slot = find_slot(set, key);
	if (set->slots[slot] < 0) {
		set->keys[set->n] = key;
		set->slots[slot] = (int32_t)set->n++;
	}
	return set->slots[slot];
}

int32_t
rf_key_set_find(const struct rf_key_set *set, uint64_t key)
{
	return set->n_slots == 0 ? -1 : set->slots[find_slot(set, key)];
}

void
rf_key_set_release(struct rf_key_set *set)
{
	free(set->keys);
	free(set->slots);
	memset(set, 0, sizeof(*set));
}
