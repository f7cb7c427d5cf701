/*
 * Numbers of the packed file, for its writer and reader.  Private to
 * lib/forest; rf-forest(5), Packed file.
 */
#ifndef RF_FOREST_PACK_FORMAT_H
#define RF_FOREST_PACK_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "forest/forest.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "files are little-endian, and arrays are written as they are");

#define RF_PACK_VERSION 1
#define RF_PACK_ALIGN	64

/* The head: magic, u32 version, u32 number of sections, u64 size of the file,
 * u64 XXH3-64 of head and table with these 8 bytes as 0, zeros. */
#define RF_PACK_HEAD_SIZE     64
#define RF_PACK_AT_VERSION    8
#define RF_PACK_AT_N_SECTIONS 12
#define RF_PACK_AT_FILE_SIZE  16
#define RF_PACK_AT_CHECKSUM   24
/* An entry of the table: u32 type, u32 encoding, u64 offset, u64 size,
 * u64 stored size, u64 XXH3-64 of what is stored. */
#define RF_PACK_ENTRY_SIZE 40

/* In the order of the file. */
enum rf_pack_type {
	RF_PACK_HEADER = 1, /* u32 n; n x (u32, u32 sizes; key; value) */
	RF_PACK_TREES,	    /* (i64 tree, i64 nodes) a tree */
	RF_PACK_FEATURE,
	RF_PACK_THRESHOLD,
	RF_PACK_THRESHOLD_INT, /* only with int64 features */
	RF_PACK_LEFT,
	RF_PACK_MISSING_LEFT,
	RF_PACK_CATS_FIRST, /* i64, nodes + 1 a tree; only with categories */
	RF_PACK_CATS,
	RF_PACK_LEAF_FIRST, /* i64, nodes + 1 a tree */
	RF_PACK_LEAF_CLASS,
	RF_PACK_LEAF_VALUE,
	RF_PACK_GAIN, /* these two may be absent */
	RF_PACK_COVER,
	RF_PACK_TYPES
};

enum rf_pack_encoding { RF_PACK_RAW, RF_PACK_DEFLATE };

struct rf_pack_section {
	uint32_t type, encoding;
	uint64_t offset, size, stored, checksum;
};

static inline enum rf_pack_encoding
rf_pack_encoding_of(enum rf_pack_type type)
{
	return type == RF_PACK_HEADER || type >= RF_PACK_GAIN ? RF_PACK_DEFLATE
							      : RF_PACK_RAW;
}

static inline uint64_t
rf_pack_align(uint64_t size)
{
	return (size + RF_PACK_ALIGN - 1) / RF_PACK_ALIGN * RF_PACK_ALIGN;
}

/* A section's array in a tree: bytes an element, and how many. */
struct rf_pack_array {
	const void *data;
	size_t size_bytes;
};

#endif
