#include "table/run.h"

#include "table/decimal.h"
#include "table/masks.h"

/* A number of the common forms; false where the cell is another. */
static inline bool
store_plain(
    struct rf_slot *slot, const char *at, size_t size, char point, int64_t row)
{
	int64_t whole;
	double real;

	if (slot->fast == RF_CELLS_REAL) {
		if (!rf_decimal_fast_real(at, size, point, &real))
			return false;
		((double *)slot->values)[row] = real;
	} else {
		if (!rf_decimal_fast_whole(at, size, &whole) ||
		    (at[*at == '-'] == '0' && size > 1))
			return false;
		((int64_t *)slot->values)[row] = whole;
	}
	return true;
}

static const char quotes[16] = {'"', '"', '"', '"', '"', '"', '"', '"', '"',
    '"', '"', '"', '"', '"', '"', '"'};

/*
 * Stores a cell that ends with a byte of `end`; returns where, or NULL.
 *
 * A cell's end is looked for apart from its number, so that the next cell need
 * not wait for the digits.
 */
static inline char *
store_cell(struct rf_slot *slot, const struct rf_plan *plan, char *at,
    const char end[16], int64_t row)
{
	const char *stop;
	unsigned size;
	bool is_stored;

	switch (slot->fast) {
	case RF_CELLS_REAL:
	case RF_CELLS_WHOLE:
		size = rf_find_near(at, end);
		is_stored = size < 16 &&
		    store_plain(slot, at, size, plan->dialect.point, row);
		return is_stored ? at + size : NULL;
	case RF_CELLS_CATEGORY:
	case RF_CELLS_TEXT:
		stop = end == quotes ? at + rf_find_near(at, end)
				     : rf_find_end(at, plan->dialect.delimiter);
		/* A quote that is one of two in a row does not end it. */
		is_stored = *stop == *end &&
		    (end != quotes || stop[1] == *slot->end) &&
		    rf_run_store_text(
			slot, &plan->missing, at, (size_t)(stop - at), row);
		return is_stored ? at + (stop - at) : NULL;
	case RF_CELLS_BOOLEAN:
	case RF_CELLS_DATE:
	case RF_CELLS_TIME:
		size = (unsigned)rf_run_store_formed(
		    slot, &plan->missing, at, row);
		return size != 0 && at[size] == *end ? at + size : NULL;
	case RF_CELLS_SKIP:
		break;
	}
	return NULL;
}

size_t
rf_run_plain(struct rf_slot *slots, const struct rf_plan *plan, size_t c,
    char **at, int64_t row)
{
	char *p = *at;

	for (; c < plan->n_columns && slots[c].fast != RF_CELLS_SKIP; c++) {
		struct rf_slot *slot = &slots[c];
		char *after;

		if (*p == '"') {
			after = store_cell(slot, plan, p + 1, quotes, row);
			if (after == NULL || after[1] != *slot->end)
				break;
			p = after + 2;
			continue;
		}
		after = store_cell(slot, plan, p, slot->end, row);
		if (after == NULL && *p == *slot->end) {
			rf_slot_null(slot, row);
			after = p;
		}
		if (after == NULL)
			break;
		p = after + 1;
	}
	*at = p;
	return c;
}

bool
rf_run_has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
	return false;
#endif
}
