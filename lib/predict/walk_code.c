#include "predict/ranks.h"
#include "predict/walk_parts.h"

/* Codes of rows first .. first + n - 1 of column c. */
static void
store_codes(const struct rf_walk_cpu *walker, const struct rf_walk_codes *codes,
    int first, int n, int32_t c, const uint32_t *ranks)
{
	size_t stride = walker->stride;
	size_t at = (size_t)first * stride + (size_t)c;

	if (walker->tops != NULL) {
		int8_t *column =
		    codes->columns + (size_t)c * (size_t)walker->block_rows;

		for (int i = 0; i < n; i++)
			column[first + i] = (int8_t)(ranks[i] ^ 0x80);
	}
	for (size_t i = 0; i < (size_t)n; i++)
		if (walker->layout.code_bytes == 1)
			((uint8_t *)codes->rows)[at + i * stride] =
			    (uint8_t)ranks[i];
		else if (walker->layout.code_bytes == 2)
			((uint16_t *)codes->rows)[at + i * stride] =
			    (uint16_t)ranks[i];
		else
			((uint32_t *)codes->rows)[at + i * stride] = ranks[i];
}

static void
category_codes(const int32_t *values, int n, uint32_t n_levels, uint32_t *codes)
{
	for (int i = 0; i < n; i++)
		codes[i] = (uint32_t)values[i] < n_levels ? (uint32_t)values[i]
							  : n_levels;
}

/* Whether column c has the ranks of the one before it, and with it is filled. */
static bool
is_second(const struct rf_walk_layout *layout, int32_t c)
{
	return c > 0 && c < layout->n_columns &&
	    layout->columns[c].feature == layout->columns[c - 1].feature;
}

/* Codes of rows first .. first + n - 1 of the block, n <= RF_RANK_BLOCK, for
 * column c and its second. */
static void
code_column(const struct rf_walk_cpu *walker, const struct rf_walk_block *block,
    const struct rf_walk_codes *codes, int32_t c, int first, int n)
{
	const struct rf_layout_column *column = &walker->layout.columns[c];
	const struct rf_walk_feature *feature =
	    &walker->features[column->feature];
	const struct rf_walk_column *input =
	    &block->batch->columns[column->feature];
	int64_t row = block->first + first;
	uint32_t ranks[RF_RANK_BLOCK];

	if (feature->is_categorical) {
		category_codes((const int32_t *)input->values + row, n,
		    column->missing_code, ranks);
	} else {
		const struct rf_rank_source source = {(int)feature->precision,
		    input->values, input->is_missing, feature->thresholds,
		    feature->n_thresholds};

		rf_rank_block(&source, row, n, column->missing_code, ranks);
	}
	store_codes(walker, codes, first, n, c, ranks);
	if (!is_second(&walker->layout, c + 1))
		return;
	for (int i = 0; i < n; i++)
		if (ranks[i] == column->missing_code)
			ranks[i] = column[1].missing_code;
	store_codes(walker, codes, first, n, c + 1, ranks);
}

void
rf_walk_code_rows(const struct rf_walk_cpu *walker,
    const struct rf_walk_block *block, const struct rf_walk_codes *codes,
    int first)
{
	const struct rf_walk_layout *layout = &walker->layout;
	int n = block->n_rows - first;

	n = n < RF_RANK_BLOCK ? n : RF_RANK_BLOCK;
	for (int32_t c = 0; c < layout->n_columns; c++)
		if (layout->columns[c].feature >= 0 && !is_second(layout, c))
			code_column(walker, block, codes, c, first, n);
}
