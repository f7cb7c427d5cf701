/*
 * The words that mean a missing cell.  A cell of blanks only is always one.
 */
#ifndef RF_TABLE_MISSING_H
#define RF_TABLE_MISSING_H

#include "base/error.h"
#include "base/text.h"
#include "table/words.h"

struct rf_missing {
	struct rf_words words;
	uint64_t first_bytes[4]; /* a bit for each first byte of a word */
	size_t longest;
	bool has_numbers; /* a word reads as a number */
	bool is_default;
};

/* With the default words (NA, N/A, NaN, nan, null, NULL, ?) or without. */
enum rf_status rf_missing_init(struct rf_missing *missing, bool with_defaults,
    struct rf_error *err) RF_MUST_USE;
enum rf_status rf_missing_add(struct rf_missing *missing, const char *word,
    size_t size, char point, struct rf_error *err) RF_MUST_USE;
/* The words of a JSON array of texts, as rf_missing_json writes it. */
enum rf_status rf_missing_add_json(struct rf_missing *missing, const char *json,
    char point, struct rf_error *err) RF_MUST_USE;
/* Appends all words as a JSON array. */
void rf_missing_json(const struct rf_missing *missing, struct rf_text *out);
void rf_missing_release(struct rf_missing *missing);

/* Whether the text is one of the words; rf_missing_has looks at less first. */
bool rf_missing_has_word(
    const struct rf_missing *missing, const char *text, size_t size);

static inline bool
rf_missing_has(const struct rf_missing *missing, const char *text, size_t size)
{
	unsigned char first;

	if (size == 0)
		return true;
	first = (unsigned char)text[0];
	if (first != ' ' && first != '\t' &&
	    (size > missing->longest ||
		(missing->first_bytes[first >> 6] >> (first & 63) & 1) == 0))
		return false;
	return rf_missing_has_word(missing, text, size);
}

#endif
