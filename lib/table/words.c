#include "table/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_SLOTS 16
#define MOST_SHORTS 4096

static uint64_t
load(const char *p, size_t size)
{
	uint64_t bytes = 0;

	memcpy(&bytes, p, size);
	return bytes;
}

/* Up to 8 bytes as a number, without a call for each size. */
static uint64_t
short_text(const char *p, size_t size)
{
	if (size >= 8)
		return load(p, 8);
	if (size >= 4)
		return load(p, 4) << 32 | load(p + size - 4, 4);
	if (size == 0)
		return 0;
	return load(p, 1) << 16 | load(p + size / 2, 1) << 8 |
	    load(p + size - 1, 1);
}

static uint64_t
mix(uint64_t hash, uint64_t bytes)
{
	hash = (hash ^ bytes) * UINT64_C(0xD6E8FEB86659FD93);
	return hash ^ hash >> 32;
}

uint32_t
rf_words_hash(const void *text, size_t size)
{
	const char *p = text;
	uint64_t hash = size * UINT64_C(0x9E3779B97F4A7C15);

	for (; size > 8; p += 8, size -= 8)
		hash = mix(hash, load(p, 8));
	return (uint32_t)mix(hash, short_text(p, size));
}

static bool
is_same(const char *a, const char *b, size_t size)
{
	for (; size > 8; a += 8, b += 8, size -= 8)
		if (load(a, 8) != load(b, 8))
			return false;
	return short_text(a, size) == short_text(b, size);
}

int32_t
rf_words_find(
    const struct rf_words *words, const char *text, size_t size, uint32_t hash)
{
	size_t mask = words->n_slots - 1;

	if (words->n_slots == 0)
		return -1;
	for (size_t i = hash & mask; words->slots[i] != 0; i = (i + 1) & mask) {
		uint32_t code = words->slots[i] - 1;
		const struct rf_word *word = &words->words[code];

		if (word->hash == hash && word->size == size &&
		    is_same(words->data + word->offset, text, size))
			return (int32_t)code;
	}
	return -1;
}

static void
put_slot(struct rf_words *words, uint32_t code)
{
	size_t mask = words->n_slots - 1;
	size_t i = words->words[code].hash & mask;

	while (words->slots[i] != 0)
		i = (i + 1) & mask;
	words->slots[i] = code + 1;
}

static enum rf_status
grow_slots(struct rf_words *words, struct rf_error *err)
{
	size_t n = words->n_slots == 0 ? FIRST_SLOTS : words->n_slots * 2;
	uint32_t *slots;

	if (words->n_words * 2 < words->n_slots)
		return RF_OK;
	slots = rf_alloc_zero(n, sizeof(*slots));
	if (slots == NULL)
		return rf_error_memory(err, n * sizeof(*slots), "categories");
	free(words->slots);
	words->slots = slots;
	words->n_slots = n;
	for (size_t code = 0; code < words->n_words; code++)
		put_slot(words, (uint32_t)code);
	return RF_OK;
}

static enum rf_status
keep_copy(
    struct rf_words *words, const char *text, size_t size, struct rf_error *err)
{
	void *data = words->data;

	if (size > INT32_MAX - words->data_size)
		return rf_error_set(
		    err, RF_EDATA, "the texts of its categories pass 2 GiB");
	if (rf_grow(&data, &words->data_capacity, words->data_size + size + 1,
		1) != 0)
		return rf_error_memory(
		    err, words->data_size + size, "categories");
	words->data = data;
	memcpy(words->data + words->data_size, text, size);
	words->data_size += size;
	return RF_OK;
}

enum rf_status
rf_words_add(struct rf_words *words, const char *text, size_t size,
    uint32_t hash, int32_t *code, struct rf_error *err)
{
	size_t offset = words->data_size;
	void *array = words->words;

	*code = rf_words_find(words, text, size, hash);
	if (*code >= 0)
		return RF_OK;
	if (words->n_words >= INT32_MAX)
		return rf_error_set(err, RF_EDATA, "too many categories");
	RF_TRY(grow_slots(words, err));
	if (rf_grow(&array, &words->capacity, words->n_words + 1,
		sizeof(*words->words)) != 0)
		return rf_error_memory(err, words->n_words, "categories");
	words->words = array;
	RF_TRY(keep_copy(words, text, size, err));
	words->words[words->n_words] = (struct rf_word){
	    .offset = (uint32_t)offset, .size = (uint32_t)size, .hash = hash};
	put_slot(words, (uint32_t)words->n_words);
	*code = (int32_t)words->n_words++;
	return RF_OK;
}

static void
put_short(struct rf_words *words, const struct rf_words_short *word)
{
	size_t i = rf_words_place(words, word->low, word->high);

	while (words->shorts[i].high != UINT64_MAX)
		i = (i + 1) & (words->shorts_size - 1);
	words->shorts[i] = *word;
	words->n_shorts++;
}

/* Half of the places stay free. */
static enum rf_status
grow_shorts(struct rf_words *words, struct rf_error *err)
{
	size_t n = words->shorts_size, more = n == 0 ? FIRST_SLOTS : n * 2;
	struct rf_words_short *old = words->shorts;

	if (words->n_shorts * 2 < n)
		return RF_OK;
	words->shorts = rf_alloc(more, sizeof(*old));
	if (words->shorts == NULL) {
		words->shorts = old;
		return rf_error_memory(err, more * sizeof(*old), "categories");
	}
	memset(words->shorts, 0xff, more * sizeof(*old));
	words->shorts_size = more;
	words->n_shorts = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i].high != UINT64_MAX)
			put_short(words, &old[i]);
	free(old);
	return RF_OK;
}

enum rf_status
rf_words_code(struct rf_words *words, const char *text, size_t size,
    int32_t *code, struct rf_error *err)
{
	struct rf_words_short word;

	*code = rf_words_short(words, text, size);
	if (*code >= 0)
		return RF_OK;
	RF_TRY(rf_words_add(
	    words, text, size, rf_words_hash(text, size), code, err));
	if (size > RF_WORDS_SHORT || words->n_shorts >= MOST_SHORTS)
		return RF_OK;
	RF_TRY(grow_shorts(words, err));
	rf_words_key(text, size, &word.low, &word.high);
	word.code = *code;
	put_short(words, &word);
	return RF_OK;
}

void
rf_words_clear(struct rf_words *words)
{
	if (words->n_words > 0)
		memset(words->slots, 0, words->n_slots * sizeof(*words->slots));
	if (words->n_shorts > 0)
		memset(words->shorts, 0xff,
		    words->shorts_size * sizeof(*words->shorts));
	words->n_words = words->n_shorts = 0;
	words->data_size = 0;
}

void
rf_words_release(struct rf_words *words)
{
	free(words->data);
	free(words->words);
	free(words->slots);
	free(words->shorts);
	memset(words, 0, sizeof(*words));
}
