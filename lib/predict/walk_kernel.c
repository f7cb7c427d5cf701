#include "predict/walk_kernel.h"

#include <stdbool.h>

#include "predict/walk_bytes.h"

/* Rows under way at once: each step waits for two loads, so many rows have to
 * be on their way to keep the core busy. */
#define GROUP 8
/* Steps between looks at who has arrived; more waste steps on rows that have,
 * fewer cost the look. */
#define STEPS 5

/* What is constant in a kernel, so that the compiler makes one of each. */
struct form {
	int node_bytes, code_bytes;
	bool has_sets;
};

#define RF_FLATTEN static inline __attribute__((always_inline))

RF_FLATTEN uint32_t
code_at(const void *codes, size_t at, const struct form form)
{
	if (form.code_bytes == 1)
		return ((const uint8_t *)codes)[at];
	if (form.code_bytes == 2)
		return ((const uint16_t *)codes)[at];
	return ((const uint32_t *)codes)[at];
}

RF_FLATTEN uint64_t
word_at(const struct rf_walk_tree *tree, size_t at, const struct form form)
{
	return form.node_bytes == 4 ? ((const uint32_t *)tree->nodes)[at]
				    : ((const uint64_t *)tree->nodes)[at];
}

/* One step of a row whose codes begin at row_at. */
RF_FLATTEN void
step(const struct rf_walk_tree *tree, size_t row_at, size_t *at,
    const struct form form)
{
	int above = tree->offset_shift;
	uint64_t word, rank, column;
	uint32_t code, right;

	word = word_at(tree, *at, form);
	rank = word & ((UINT64_C(1) << tree->column_shift) - 1);
	column = (word & ((UINT64_C(1) << above) - 1)) >> tree->column_shift;
	code = code_at(tree->codes, row_at + column, form);
	right = code > rank;
	if (form.has_sets) {
		bool is_set = column < tree->n_categorical;
		uint64_t set_word = is_set ? rank + (code >> 5) : 0;

		right =
		    is_set ? tree->sets[set_word] >> (code & 31) & 1 : right;
	}
	*at += (word >> above) + right;
}

/* A lane as one word, so that it is loaded and stored at once. */
RF_FLATTEN uint64_t
lane_of(size_t at, uint64_t row)
{
	return row << 32 | (uint32_t)at;
}

/* STEPS steps of n <= GROUP lanes; those under way go to out, whose number is
 * returned.  out may be lanes itself, or lie before it. */
RF_FLATTEN int
walk_group(const struct rf_walk_tree *tree, const uint64_t *lanes, int n,
    uint32_t *ends, uint64_t *out, const struct form form)
{
	size_t at[GROUP], row_at[GROUP];
	int n_out = 0;

	for (int i = 0; i < n; i++) {
		at[i] = (uint32_t)lanes[i];
		row_at[i] = (lanes[i] >> 32) * tree->stride;
	}
	for (int s = 0; s < STEPS; s++)
		for (int i = 0; i < n; i++)
			step(tree, row_at[i], &at[i], form);
	for (int i = 0; i < n; i++) {
		uint64_t row = lanes[i] >> 32;

		ends[row] = (uint32_t)at[i];
		out[n_out] = lane_of(at[i], row);
		n_out += word_at(tree, at[i], form) >> tree->offset_shift != 0;
	}
	return n_out;
}

RF_FLATTEN void
walk_rows(const struct rf_walk_tree *tree, int n_rows, uint64_t *lanes,
    uint32_t *ends, const struct form form)
{
	for (int i = 0; i < n_rows; i++)
		lanes[i] = lane_of(tree->starts[i], (uint64_t)i);
	while (n_rows > 0) {
		int n_out = 0, i;

		for (i = 0; i + GROUP <= n_rows; i += GROUP)
			n_out += walk_group(
			    tree, lanes + i, GROUP, ends, lanes + n_out, form);
		n_out += walk_group(
		    tree, lanes + i, n_rows - i, ends, lanes + n_out, form);
		n_rows = n_out;
	}
}

#define DEFINE_WALK(name, node_bytes, code_bytes, has_sets)                    \
 static void name(const struct rf_walk_tree *tree, int n_rows,                 \
     uint64_t *lanes, uint32_t *ends)                                          \
 {                                                                             \
  const struct form form = {node_bytes, code_bytes, has_sets};                 \
                                                                               \
  walk_rows(tree, n_rows, lanes, ends, form);                                  \
 }

DEFINE_WALK(walk_4_1, 4, 1, false)
DEFINE_WALK(walk_4_2, 4, 2, false)
DEFINE_WALK(walk_4_4, 4, 4, false)
DEFINE_WALK(walk_8_1, 8, 1, false)
DEFINE_WALK(walk_8_2, 8, 2, false)
DEFINE_WALK(walk_8_4, 8, 4, false)
DEFINE_WALK(walk_4_1_sets, 4, 1, true)
DEFINE_WALK(walk_4_2_sets, 4, 2, true)
DEFINE_WALK(walk_4_4_sets, 4, 4, true)
DEFINE_WALK(walk_8_1_sets, 8, 1, true)
DEFINE_WALK(walk_8_2_sets, 8, 2, true)
DEFINE_WALK(walk_8_4_sets, 8, 4, true)

struct rf_walk_kernel
rf_walk_kernel_for(const struct rf_walk_layout *layout)
{
	/* by node size, code size, sets */
	static const struct rf_walk_kernel kernels[2][3][2] = {
	    {{{walk_4_1}, {walk_4_1_sets}}, {{walk_4_2}, {walk_4_2_sets}},
		{{walk_4_4}, {walk_4_4_sets}}},
	    {{{walk_8_1}, {walk_8_1_sets}}, {{walk_8_2}, {walk_8_2_sets}},
		{{walk_8_4}, {walk_8_4_sets}}},
	};
	static const struct rf_walk_kernel bytes = {rf_walk_bytes};
	bool has_sets = layout->n_categorical > 0;

	if (layout->node_bytes == 4 && layout->code_bytes == 1 && !has_sets &&
	    layout->column_shift == 8 && layout->offset_shift == 16)
		return bytes;
	return kernels[layout->node_bytes == 8][layout->code_bytes / 2]
		      [has_sets];
}
