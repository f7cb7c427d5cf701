/*
 * A vocabulary's inside.  Private to lib/stream; convert.h has the functions.
 *
 * Texts lie one after the other, entries in the order of their codes; slots is
 * a hash table of codes with open addressing, -1 where free.
 */
#ifndef RF_STREAM_VOCABULARY_H
#define RF_STREAM_VOCABULARY_H

#include "stream/convert.h"

struct rf_vocabulary {
	uint8_t *texts;
	size_t texts_size, texts_capacity;
	struct rf_vocabulary_entry {
		uint64_t hash;
		size_t start, size;
	} * entries;
	size_t entries_capacity;
	int32_t n;
	int32_t *slots;
	size_t n_slots; /* a power of two */
	/*
	 * Codes of the dictionary that was met last, so that one that comes
	 * with every batch is looked up once.  Good while the serial is the
	 * same and no text was added since.
	 */
	int32_t *known;
	size_t known_capacity;
	uint64_t known_serial; /* 0: none */
	int32_t known_n;       /* n at that time */
	bool known_grown;      /* its texts were added */
};

#endif
