/*
 * The fast path of a record: cells one after another that are numbers of the
 * common forms.  Inside table/ only.
 *
 * A number of the common forms is a sign or none and up to 15 digits, with a
 * point among them or none, in at most 15 bytes; quotes may be around it.  Its
 * value is a whole number below 2^53 over a power of ten, both exact, so one
 * division rounds it correctly.
 */
#ifndef RF_TABLE_RUN_H
#define RF_TABLE_RUN_H

#include "table/slot.h"

/*
 * Stores cells of row `row` from slot c on while they are such numbers, and
 * moves *at past them; returns the first slot whose cell is another, or n.
 * Reads from RF_DECIMAL_FRONT bytes before *at on.
 */
size_t rf_run_plain(struct rf_slot *slots, size_t c, size_t n, char **at,
    char point, int64_t row);
#ifdef __x86_64__
size_t rf_run_avx2(struct rf_slot *slots, size_t c, size_t n, char **at,
    char point, int64_t row);
#endif
/* Whether this machine runs the latter. */
bool rf_run_has_avx2(void);

/* The faster of them, of the chunk's next row. */
static inline size_t
rf_run(struct rf_chunk *chunk, size_t c, char **at)
{
	size_t n = chunk->plan->n_columns;
	char point = chunk->plan->dialect.point;

#ifdef __x86_64__
	if (chunk->has_avx2)
		return rf_run_avx2(
		    chunk->slots, c, n, at, point, chunk->n_rows);
#endif
	return rf_run_plain(chunk->slots, c, n, at, point, chunk->n_rows);
}

#endif
