/*
 * A set of texts with a code each, counted from 0 in order of arrival.
 *
 * It keeps copies, one after the other (the values of a dictionary).  Short
 * texts also stand in a table of their own, by their bytes: most cells of a
 * column of categories are found there by two loads and a comparison.
 */
#ifndef RF_TABLE_WORDS_H
#define RF_TABLE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

struct rf_word {
	uint32_t offset, size;
	uint32_t hash;
};

#define RF_WORDS_SHORT 15 /* bytes */

/* A short text in 16 bytes, the last one its size; all ones: free. */
struct rf_words_short {
	uint64_t low, high;
	int32_t code;
};

struct rf_words {
	char *data; /* the copies */
	size_t data_size, data_capacity;
	struct rf_word *words;
	size_t n_words, capacity;
	uint32_t *slots; /* code + 1, 0: free */
	size_t n_slots;	 /* 0 or a power of 2 */
	struct rf_words_short *shorts;
	size_t n_shorts, shorts_size; /* size: 0 or a power of 2 */
};

/* What find and add want to be told of a text. */
uint32_t rf_words_hash(const void *text, size_t size);

/* The code, or -1. */
int32_t rf_words_find(
    const struct rf_words *words, const char *text, size_t size, uint32_t hash);

/*
 * The code of text, which is added where new.  RF_ENOMEM, or RF_EDATA where the
 * copies would pass 2 GiB.
 */
enum rf_status rf_words_add(struct rf_words *words, const char *text,
    size_t size, uint32_t hash, int32_t *code,
    struct rf_error *err) RF_MUST_USE;

static inline const char *
rf_words_text(const struct rf_words *words, size_t code)
{
	return words->data + words->words[code].offset;
}

/*
 * The same for cells, of which most are short and seen before: 16 bytes from
 * text on can be read.  rf_words_short looks among the short ones alone; -1
 * says nothing.
 */
enum rf_status rf_words_code(struct rf_words *words, const char *text,
    size_t size, int32_t *code, struct rf_error *err) RF_MUST_USE;

static inline void
rf_words_key(const char *text, size_t size, uint64_t *low, uint64_t *high)
{
	static const uint8_t window[32] = {255, 255, 255, 255, 255, 255, 255,
	    255, 255, 255, 255, 255, 255, 255, 255, 255};
	uint64_t bytes[2], kept[2];

	memcpy(bytes, text, 16);
	memcpy(kept, window + 16 - size, 16);
	*low = bytes[0] & kept[0];
	*high = (bytes[1] & kept[1]) | (uint64_t)size << 56;
}

/* Where a search for it begins: the highest bits, on which all bytes act. */
static inline size_t
rf_words_place(const struct rf_words *words, uint64_t low, uint64_t high)
{
	uint64_t hash = low * UINT64_C(0x9E3779B97F4A7C15) +
	    high * UINT64_C(0xD6E8FEB86659FD93);

	return (size_t)(hash >> (__builtin_clzll(words->shorts_size) + 1));
}

static inline int32_t
rf_words_short(const struct rf_words *words, const char *text, size_t size)
{
	uint64_t low, high;

	if (size > RF_WORDS_SHORT || words->shorts_size == 0)
		return -1;
	rf_words_key(text, size, &low, &high);
	for (size_t i = rf_words_place(words, low, high);;
	     i = (i + 1) & (words->shorts_size - 1)) {
		const struct rf_words_short *at = &words->shorts[i];

		if (at->low == low && at->high == high)
			return at->code;
		if (at->high == UINT64_MAX)
			return -1;
	}
}

void rf_words_clear(struct rf_words *words); /* memory kept */
void rf_words_release(struct rf_words *words);

#endif
