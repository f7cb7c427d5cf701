/*
 * The fast path of a record: cells one after another of the common forms.
 * Inside table/ only.
 *
 * Those are empty cells, numbers of the common forms, dates, times of whole
 * seconds without an offset, booleans, categories of few bytes that the chunk
 * has seen before, and texts of up to RF_RUN_TEXT bytes; all of them plain or in
 * quotes, without a quote among them.
 *
 * A number of the common forms is a minus or none and up to 15 digits, with a
 * point among them or none, in at most 15 bytes.  Its value is a whole number
 * below 2^53 over a power of ten, both exact, so one division rounds it
 * correctly.  A whole number is "0" or begins with another digit, since 007 may
 * be a code.
 */
#ifndef RF_TABLE_RUN_H
#define RF_TABLE_RUN_H

#include "table/evidence.h"
#include "table/moment.h"
#include "table/slot.h"

#define RF_RUN_TEXT 31

/*
 * Stores cells of row `row` from slot c on while they are such, and moves *at
 * past them; returns the first slot whose cell is another, or the count of the
 * plan's columns.  Reads from RF_DECIMAL_FRONT bytes before *at on.
 */
size_t rf_run_plain(struct rf_slot *slots, const struct rf_plan *plan, size_t c,
    char **at, int64_t row);
#ifdef __x86_64__
size_t rf_run_avx2(struct rf_slot *slots, const struct rf_plan *plan, size_t c,
    char **at, int64_t row);
#endif
/* Whether this machine runs the latter. */
bool rf_run_has_avx2(void);

/* A category or text of size bytes; false: not stored, and nothing said. */
static inline bool
rf_run_store_text(struct rf_slot *slot, const struct rf_missing *missing,
    const char *at, size_t size, int64_t row)
{
	struct rf_chunk_column *column = slot->column;
	int32_t code;

	if (slot->fast == RF_CELLS_CATEGORY) {
		/* No word that means missing is among them. */
		code = rf_words_short(&column->words, at, size);
		((int32_t *)slot->values)[row] = code;
		return code >= 0;
	}
	if (size > RF_RUN_TEXT || rf_missing_has(missing, at, size) ||
	    column->data_capacity - column->data_size < RF_RUN_TEXT + 1)
		return false;
	memcpy(column->data + column->data_size, at, RF_RUN_TEXT + 1);
	column->data_size += size;
	column->offsets[row + 1] = (int32_t)column->data_size;
	return true;
}

/*
 * A date, time or boolean, whose form tells its size, which is returned; 0: the
 * cell is another, or a word for missing.  Reads 19 bytes.
 */
static inline size_t
rf_run_store_formed(const struct rf_slot *slot,
    const struct rf_missing *missing, const char *at, int64_t row)
{
	size_t size = 0;
	int value;

	switch (slot->fast) {
	case RF_CELLS_DATE:
		if (rf_moment_days(at, 10, &((int32_t *)slot->values)[row]))
			size = 10;
		break;
	case RF_CELLS_TIME:
		if (rf_moment_seconds(at, &((int64_t *)slot->values)[row]))
			size = 19;
		break;
	case RF_CELLS_BOOLEAN:
		size = (at[3] | 0x20) == 'e' ? 4 : 5;
		value = rf_boolean(at, size);
		if (value < 0)
			return 0;
		rf_slot_put_bit(slot->values, row, value != 0);
		break;
	case RF_CELLS_WHOLE:
	case RF_CELLS_REAL:
	case RF_CELLS_CATEGORY:
	case RF_CELLS_TEXT:
	case RF_CELLS_SKIP:
		break;
	}
	return size == 0 || rf_missing_has(missing, at, size) ? 0 : size;
}

/* The faster of them, of the chunk's next row. */
static inline size_t
rf_run(struct rf_chunk *chunk, size_t c, char **at)
{
#ifdef __x86_64__
	if (chunk->has_avx2)
		return rf_run_avx2(
		    chunk->slots, chunk->plan, c, at, chunk->n_rows);
#endif
	return rf_run_plain(chunk->slots, chunk->plan, c, at, chunk->n_rows);
}

#endif
