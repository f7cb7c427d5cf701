#include "predict/walk_top.h"

#include <string.h>

#define LARGEST_CODE 254
/* Of a node that sends every code left. */
#define BOUND_ALL INT8_MAX

bool
rf_walk_top_is_there(const struct rf_walk_layout *layout, uint32_t largest_code)
{
#if defined(__x86_64__)
	return layout->code_bytes == 1 && largest_code <= LARGEST_CODE &&
	    __builtin_cpu_supports("avx2");
#else
	(void)layout;
	(void)largest_code;
	return false;
#endif
}

static uint64_t
word_at(const struct rf_walk_layout *layout, int64_t node)
{
	return layout->node_bytes == 4
	    ? ((const uint32_t *)layout->nodes)[node]
	    : ((const uint64_t *)layout->nodes)[node];
}

void
rf_walk_top_fill(struct rf_walk_top *top, const struct rf_walk_layout *layout,
    int64_t tree, size_t column_bytes)
{
	uint64_t column_mask =
	    (UINT64_C(1) << (layout->offset_shift - layout->column_shift)) - 1;
	uint64_t rank_mask = (UINT64_C(1) << layout->column_shift) - 1;
	uint32_t places[2 * RF_TOP_NODES];

	memset(top, 0, sizeof(*top));
	places[1] = 0;
	for (int h = 1; h < RF_TOP_NODES; h++) {
		uint64_t word =
		    word_at(layout, layout->tree_first[tree] + places[h]);
		uint64_t column = word >> layout->column_shift & column_mask;
		uint32_t offset = (uint32_t)(word >> layout->offset_shift);

		places[2 * h] = places[2 * h + 1] = places[h];
		top->bounds[h] = BOUND_ALL;
		if (offset == 0 || column < (uint64_t)layout->n_categorical)
			continue;
		places[2 * h] += offset;
		places[2 * h + 1] += offset + 1;
		top->columns[h] = (uint32_t)(column * column_bytes);
		top->bounds[h] = (int8_t)((int)(word & rank_mask) + 1 - 128);
	}
	memcpy(top->entries, places + RF_TOP_NODES, sizeof(top->entries));
}

#if !defined(__x86_64__)
void
rf_walk_top_rows(const struct rf_walk_top *top, const int8_t *columns,
    int n_rows, uint32_t *starts)
{
	(void)top;
	(void)columns;
	memset(starts, 0, (size_t)n_rows * sizeof(*starts));
}
#endif
