/*
 * A set of 64-bit keys, numbered in the order in which they came.
 */
#ifndef RF_PREDICT_KEY_SET_H
#define RF_PREDICT_KEY_SET_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed: the empty set. */
struct rf_key_set {
	uint64_t *keys; /* by number */
	int32_t *slots; /* numbers, -1: free */
	uint32_t n, n_slots, capacity;
};

/* The number of a key, which is added where new; -1: no memory. */
int32_t rf_key_set_add(struct rf_key_set *set, uint64_t key);
/* -1 where absent. */
int32_t rf_key_set_find(const struct rf_key_set *set, uint64_t key);
void rf_key_set_release(struct rf_key_set *set);

#endif
