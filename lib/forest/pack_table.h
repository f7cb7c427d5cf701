/*
 * The table of a packed file: what lies where, and is it whole.  Private to
 * lib/forest.
 */
#ifndef RF_FOREST_PACK_TABLE_H
#define RF_FOREST_PACK_TABLE_H

#include "forest/pack_format.h"

#define RF_PACK_MOST_SECTIONS (RF_PACK_TYPES - 1)

struct rf_pack_table {
	const uint8_t *data; /* the file, or its front */
	size_t size;
	uint32_t n_sections;
	uint32_t order[RF_PACK_MOST_SECTIONS];		/* types as they lie */
	struct rf_pack_section sections[RF_PACK_TYPES]; /* type 0: absent */
};

/*
 * Reads and checks head and table from the front of a file; all sections lie
 * within the size that the head states.  true_size: of the file; 0: unknown.
 */
enum rf_status rf_pack_table_read(struct rf_pack_table *table,
    const uint8_t *data, size_t size, uint64_t true_size,
    struct rf_error *err) RF_MUST_USE;

/* Checksum of the section that lies at place `number`, and the padding before
 * it; of the last one also that behind it. */
enum rf_status rf_pack_table_verify(const struct rf_pack_table *table,
    uint32_t number, struct rf_error *err) RF_MUST_USE;

/* A verified, deflated section into out, of its size. */
enum rf_status rf_pack_table_inflate(const struct rf_pack_table *table,
    enum rf_pack_type type, uint8_t *out, struct rf_error *err) RF_MUST_USE;

/* The header from its verified section; out is the caller's to release. */
enum rf_status rf_pack_table_header(const struct rf_pack_table *table,
    struct rf_forest_header *out, char fingerprint[33],
    struct rf_error *err) RF_MUST_USE;

#endif
