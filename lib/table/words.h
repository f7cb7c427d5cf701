/*
 * A set of texts with a code each, counted from 0 in order of arrival.
 *
 * Two kinds: `owns` keeps copies, one after the other (the values of a
 * dictionary); else the texts lie at offsets from `base`, which the caller
 * keeps (the cells of a chunk).
 */
#ifndef RF_TABLE_WORDS_H
#define RF_TABLE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct rf_word {
	uint32_t offset, size;
	uint32_t hash;
};

struct rf_words {
	bool owns;
	const char *base; /* of all texts */
	char *data;	  /* the copies, if owns: base is the same */
	size_t data_size, data_capacity;
	struct rf_word *words;
	size_t n_words, capacity;
	uint32_t *slots; /* code + 1, 0: free */
	size_t n_slots;	 /* 0 or a power of 2 */
};

/* What find and add want to be told of a text. */
uint32_t rf_words_hash(const void *text, size_t size);

/* The code, or -1. */
int32_t rf_words_find(
    const struct rf_words *words, const char *text, size_t size, uint32_t hash);

/*
 * The code of text, which is added where new.  Where the set does not own its
 * texts, text lies at base or after, within 4 GiB.  RF_ENOMEM, or RF_EDATA
 * where the copies would pass 2 GiB.
 */
enum rf_status rf_words_add(struct rf_words *words, const char *text,
    size_t size, uint32_t hash, int32_t *code,
    struct rf_error *err) RF_MUST_USE;

static inline const char *
rf_words_text(const struct rf_words *words, size_t code)
{
	return words->base + words->words[code].offset;
}

void rf_words_clear(struct rf_words *words, const char *base); /* memory kept */
void rf_words_release(struct rf_words *words);

#endif
