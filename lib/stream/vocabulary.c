#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "stream/vocabulary.h"

enum rf_status
rf_vocabulary_new(struct rf_vocabulary **out, struct rf_error *err)
{
	*out = rf_alloc_zero(1, sizeof(**out));
	if (*out == NULL)
		return rf_error_memory(err, sizeof(**out), "a vocabulary");
	return RF_OK;
}

void
rf_vocabulary_free(struct rf_vocabulary *vocabulary)
{
	if (vocabulary == NULL)
		return;
	free(vocabulary->texts);
	free(vocabulary->entries);
	free(vocabulary->slots);
	free(vocabulary->known);
	free(vocabulary);
}

int32_t
rf_vocabulary_n(const struct rf_vocabulary *vocabulary)
{
	return vocabulary->n;
}

struct rf_bytes
rf_vocabulary_text(const struct rf_vocabulary *vocabulary, int32_t code)
{
	const struct rf_vocabulary_entry *entry = &vocabulary->entries[code];

	return (struct rf_bytes){
	    vocabulary->texts + entry->start, (int64_t)entry->size};
}

/* The slot of the text, or the free one where it would go. */
static size_t
find_slot(const struct rf_vocabulary *vocabulary, uint64_t hash,
    const void *text, size_t size)
{
	size_t mask = vocabulary->n_slots - 1;
	size_t slot = (size_t)hash & mask;

	for (;; slot = (slot + 1) & mask) {
		int32_t code = vocabulary->slots[slot];
		const struct rf_vocabulary_entry *entry;

		if (code < 0)
			return slot;
		entry = &vocabulary->entries[code];
		if (entry->hash == hash && entry->size == size &&
		    (size == 0 ||
			memcmp(vocabulary->texts + entry->start, text, size) ==
			    0))
			return slot;
	}
}

int32_t
rf_vocabulary_find(
    const struct rf_vocabulary *vocabulary, const void *text, size_t size)
{
	if (vocabulary->n == 0)
		return -1;
	return vocabulary
	    ->slots[find_slot(vocabulary, XXH3_64bits(text, size), text, size)];
}

/* Twice the slots, so that at most half of them are taken. */
static bool
grow_slots(struct rf_vocabulary *vocabulary)
{
	size_t n_slots =
	    vocabulary->n_slots == 0 ? 64 : 2 * vocabulary->n_slots;
	int32_t *slots = rf_alloc(n_slots, sizeof(*slots));

	if (slots == NULL)
		return false;
	memset(slots, 0xff, n_slots * sizeof(*slots));
	for (int32_t code = 0; code < vocabulary->n; code++) {
		size_t slot =
		    (size_t)vocabulary->entries[code].hash & (n_slots - 1);

		while (slots[slot] >= 0)
			slot = (slot + 1) & (n_slots - 1);
		slots[slot] = code;
	}
	free(vocabulary->slots);
	vocabulary->slots = slots;
	vocabulary->n_slots = n_slots;
	return true;
}

static bool
make_room(struct rf_vocabulary *vocabulary, size_t size)
{
	void *texts = vocabulary->texts, *entries = vocabulary->entries;

	if (rf_grow(&texts, &vocabulary->texts_capacity,
		vocabulary->texts_size + size, 1) != 0)
		return false;
	vocabulary->texts = texts;
	if (rf_grow(&entries, &vocabulary->entries_capacity,
		(size_t)vocabulary->n + 1, sizeof(*vocabulary->entries)) != 0)
		return false;
	vocabulary->entries = entries;
	return (size_t)vocabulary->n < vocabulary->n_slots / 2 ||
	    grow_slots(vocabulary);
}

enum rf_status
rf_vocabulary_add(struct rf_vocabulary *vocabulary, const void *text,
    size_t size, int32_t *code, struct rf_error *err)
{
	uint64_t hash = XXH3_64bits(text, size);
	size_t slot;

	if (vocabulary->n_slots != 0) {
		slot = find_slot(vocabulary, hash, text, size);
		*code = vocabulary->slots[slot];
		if (*code >= 0)
			return RF_OK;
	}
	if (vocabulary->n == INT32_MAX)
		return rf_error_set(
		    err, RF_EDATA, "more than 2^31 - 1 categories");
	if (!make_room(vocabulary, size))
		return rf_error_memory(
		    err, vocabulary->texts_size + size, "a vocabulary");
	slot = find_slot(vocabulary, hash, text, size);
	*code = vocabulary->n;
	vocabulary->slots[slot] = *code;
	vocabulary->entries[*code] =
	    (struct rf_vocabulary_entry){hash, vocabulary->texts_size, size};
	if (size != 0)
		memcpy(vocabulary->texts + vocabulary->texts_size, text, size);
	vocabulary->texts_size += size;
	vocabulary->n++;
	return RF_OK;
}
