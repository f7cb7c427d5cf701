/*
 * A chunk of whole records on its way from text to columns.
 *
 * The cutter fills the text, one thread parses it, and the columns go out as
 * one batch.  Codes of categories are the chunk's own until rf_chunk_settle
 * has turned them into the plan's, chunk after chunk in the order of the file.
 */
#ifndef RF_TABLE_CHUNK_H
#define RF_TABLE_CHUNK_H

#include "stream/batch.h"
#include "table/plan.h"

struct rf_chunk_column {
	void *values;	/* int64, double, int32, or bits */
	uint8_t *nulls; /* a bit a row, set: missing */
	int64_t n_nulls;
	/* CATEGORY: the chunk's own, kept from chunk to chunk while they are
	 * few, and the plan's codes of the first of them. */
	struct rf_words words;
	int32_t *codes;
	size_t n_codes, codes_capacity;
	bool has_others; /* codes that are not the same as the chunk's */
	/* TEXT */
	int32_t *offsets;
	char *data;
	size_t data_size, data_capacity;
};

/* Cells of a column that are not of its type and taken as missing. */
struct rf_bad_cells_of {
	int64_t n;
	struct rf_cell first; /* in the chunk's text */
};

struct rf_slot;

struct rf_chunk {
	const struct rf_plan *plan;
	int64_t max_rows;
	/* Given: the text, with RF_TEXT_PADDING bytes of room after its own
	 * line feed and RF_DECIMAL_FRONT before it, and what the cutter knows
	 * of it. */
	char *memory, *text;
	size_t size, capacity;
	size_t part; /* the file it is of */
	bool has_quote, has_carriage_return, has_high, has_zero;
	/* Made. */
	int64_t n_rows, n_lines, n_dropped, n_padded;
	struct rf_chunk_column *columns; /* of the columns that are sent */
	size_t n_columns;
	enum rf_status status;
	int64_t error_line;    /* from the chunk's first, which is 1 */
	struct rf_error error; /* what follows "line N" */

	struct rf_bad_cells_of *bad; /* of the file's columns; NULL: errors */

	struct rf_slot *slots; /* a column of the file each */
	bool has_avx2;	       /* run.h */
	struct rf_cell *cells; /* of a record, where they are gathered */
	void *slab;
};

/* Room for max_rows rows of the plan, which must outlive the chunk; to be
 * zeroed before, and released in any case. */
enum rf_status rf_chunk_init(struct rf_chunk *chunk, const struct rf_plan *plan,
    int64_t max_rows, struct rf_error *err) RF_MUST_USE;
void rf_chunk_release(struct rf_chunk *chunk);

/* Makes the columns of the text; what fails stands in the chunk.  A chunk whose
 * status is not RF_OK is left as it is. */
void rf_chunk_parse(struct rf_chunk *chunk);

/*
 * Gives the plan the categories that are new, in the order of rows, and the
 * rows their codes.
 */
enum rf_status rf_chunk_settle(struct rf_chunk *chunk, struct rf_plan *plan,
    struct rf_error *err) RF_MUST_USE;

/* Views of the chunk's columns, plan->columns that are sent in turn. */
void rf_chunk_columns(struct rf_chunk *chunk, struct rf_column *columns);

/* Bytes of memory a chunk of so many rows takes, but for its text. */
size_t rf_chunk_bytes(const struct rf_plan *plan, int64_t max_rows);

#endif
