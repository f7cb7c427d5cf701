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
		if (!rf_decimal_fast_whole(at, size, &whole))
			return false;
		((int64_t *)slot->values)[row] = whole;
	}
	return true;
}

static char *
store_quoted(struct rf_slot *slot, char *at, char point, int64_t row)
{
	static const char quotes[16] = {'"', '"', '"', '"', '"', '"', '"', '"',
	    '"', '"', '"', '"', '"', '"', '"', '"'};
	unsigned size = rf_find_near(at + 1, quotes);

	return size < 16 && at[size + 2] == slot->end[0] &&
		store_plain(slot, at + 1, size, point, row)
	    ? at + size + 3
	    : NULL;
}

/*
 * Stores cells from column c on while they are numbers of the common forms, and
 * moves *at past them; returns the first column that is another.
 *
 * A cell's end is looked for apart from its number, so that the next cell need
 * not wait for the digits.
 */
size_t
rf_run_plain(struct rf_slot *slots, size_t c, size_t n, char **at, char point,
    int64_t row)
{
	char *p = *at;

	for (; c < n && slots[c].fast != RF_CELLS_SKIP; c++) {
		struct rf_slot *slot = &slots[c];
		unsigned size;

		if (*p == '"') {
			char *after = store_quoted(slot, p, point, row);

			if (after == NULL)
				break;
			p = after;
			continue;
		}
		size = rf_find_near(p, slot->end);
		if (size == 16 || !store_plain(slot, p, size, point, row))
			break;
		p += size + 1;
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
