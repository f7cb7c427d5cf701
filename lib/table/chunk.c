#include "table/chunk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "table/decimal.h"
#include "table/fault.h"
#include "table/run.h"
#include "table/slot.h"

#define WORDS_KEPT	 4096
#define WORDS_KEPT_BYTES ((size_t)1 << 20)

/*
 * Bytes from one column's values to the next one's.  An odd count of cache
 * lines keeps the cells of a row off the same few sets of a cache.
 */
static size_t
stride_of(int64_t max_rows)
{
	size_t lines = ((size_t)max_rows * 8 + (size_t)max_rows / 8 + 72) / 64;

	return (lines | 1) * 64;
}

size_t
rf_chunk_bytes(const struct rf_plan *plan, int64_t max_rows)
{
	return rf_plan_n_sent(plan) * stride_of(max_rows);
}

static void
set_slots(struct rf_chunk *chunk)
{
	const struct rf_plan *plan = chunk->plan;
	size_t n = 0;

	for (size_t c = 0; c < plan->n_columns; c++) {
		struct rf_slot *slot = &chunk->slots[c];

		slot->plan = &plan->columns[c];
		slot->cells = plan->columns[c].cells;
		/* Not where a word for missing reads as a number, nor where
		 * a delimiter would. */
		if ((slot->cells == RF_CELLS_REAL ||
			slot->cells == RF_CELLS_WHOLE) &&
		    !plan->missing.has_numbers &&
		    plan->dialect.point != plan->dialect.delimiter)
			slot->fast = slot->cells;
		if ((slot->cells == RF_CELLS_CATEGORY ||
			slot->cells == RF_CELLS_TEXT) &&
		    !plan->dialect.trim)
			slot->fast = slot->cells;
		if (slot->cells == RF_CELLS_BOOLEAN ||
		    slot->cells == RF_CELLS_DATE ||
		    (slot->cells == RF_CELLS_TIME &&
			slot->plan->unit == RF_UNIT_S &&
			!slot->plan->has_offset))
			slot->fast = slot->cells;
		memset(slot->end, plan->dialect.delimiter, sizeof(slot->end));
		if (slot->cells != RF_CELLS_SKIP)
			slot->column = &chunk->columns[n++];
	}
}

static enum rf_status
init_columns(struct rf_chunk *chunk, struct rf_error *err)
{
	size_t stride = stride_of(chunk->max_rows);
	size_t n_values = (size_t)chunk->max_rows * 8;

	for (size_t i = 0; i < chunk->n_columns; i++) {
		char *place = (char *)chunk->slab + i * stride;

		chunk->columns[i].values = place;
		chunk->columns[i].nulls = (uint8_t *)place + n_values;
	}
	for (size_t c = 0; c < chunk->plan->n_columns; c++) {
		struct rf_slot *slot = &chunk->slots[c];

		if (slot->column != NULL)
			slot->values = slot->column->values;
		if (slot->cells != RF_CELLS_TEXT)
			continue;
		slot->column->offsets =
		    rf_alloc_zero((size_t)chunk->max_rows + 1, sizeof(int32_t));
		if (slot->column->offsets == NULL)
			return rf_error_memory(err, n_values, "a batch");
	}
	return RF_OK;
}

enum rf_status
rf_chunk_init(struct rf_chunk *chunk, const struct rf_plan *plan,
    int64_t max_rows, struct rf_error *err)
{
	size_t size = rf_chunk_bytes(plan, max_rows);

	chunk->plan = plan;
	chunk->max_rows = max_rows;
	chunk->n_columns = rf_plan_n_sent(plan);
	chunk->columns =
	    rf_alloc_zero(chunk->n_columns, sizeof(*chunk->columns));
	chunk->slots = rf_alloc_zero(plan->n_columns, sizeof(*chunk->slots));
	chunk->slab = rf_alloc_aligned(size);
	if (plan->bad_cells_are_missing)
		chunk->bad =
		    rf_alloc_zero(plan->n_columns, sizeof(*chunk->bad));
	if (plan->ragged != RF_RAGGED_ERROR)
		chunk->cells =
		    rf_alloc_zero(plan->n_columns, sizeof(*chunk->cells));
	if (chunk->columns == NULL || chunk->slots == NULL ||
	    chunk->slab == NULL ||
	    (plan->bad_cells_are_missing && chunk->bad == NULL) ||
	    (plan->ragged != RF_RAGGED_ERROR && chunk->cells == NULL))
		return rf_error_memory(err, size, "a batch");
	chunk->has_avx2 = rf_run_has_avx2();
	set_slots(chunk);
	return init_columns(chunk, err);
}

void
rf_chunk_release(struct rf_chunk *chunk)
{
	for (size_t i = 0; i < chunk->n_columns && chunk->columns != NULL;
	     i++) {
		rf_words_release(&chunk->columns[i].words);
		free(chunk->columns[i].codes);
		free(chunk->columns[i].offsets);
		free(chunk->columns[i].data);
	}
	free(chunk->columns);
	free(chunk->slots);
	free(chunk->bad);
	free(chunk->cells);
	free(chunk->memory);
	rf_free_aligned(chunk->slab);
	memset(chunk, 0, sizeof(*chunk));
}

/* Many words are more work to keep than to find anew. */
static void
clear_words(struct rf_chunk_column *column)
{
	if (column->words.n_words <= WORDS_KEPT &&
	    column->words.data_size <= WORDS_KEPT_BYTES)
		return;
	rf_words_clear(&column->words);
	column->n_codes = 0;
	column->has_others = false;
}

/* What remains of the chunk before, in a column that had any. */
static void
clear_columns(struct rf_chunk *chunk)
{
	size_t n_bytes = ((size_t)chunk->max_rows + 7) / 8;

	for (size_t i = 0; i < chunk->n_columns; i++) {
		struct rf_chunk_column *column = &chunk->columns[i];

		if (column->n_nulls > 0)
			memset(column->nulls, 0, n_bytes);
		column->n_nulls = 0;
		column->data_size = 0;
		clear_words(column);
	}
	if (chunk->bad != NULL)
		memset(chunk->bad, 0,
		    chunk->plan->n_columns * sizeof(*chunk->bad));
}

/* The last cell of a record ends with CR where lines end with CR LF. */
static void
set_last_end(struct rf_chunk *chunk)
{
	struct rf_slot *last = &chunk->slots[chunk->plan->n_columns - 1];

	memset(last->end, chunk->has_carriage_return ? '\r' : '\n',
	    sizeof(last->end));
}

static void
parse_records(struct rf_chunk *chunk)
{
	const struct rf_dialect *dialect = &chunk->plan->dialect;
	char *at = chunk->text, *end = chunk->text + chunk->size;

	for (;;) {
		if (*at == '\n' || *at == '\r' || rf_is_blank(dialect, *at)) {
			char *start = at;

			at = rf_skip_blank_lines(dialect, at, end);
			chunk->n_lines += rf_count_lines(start, at);
		}
		if (at >= end)
			return;
		assert(chunk->n_rows < chunk->max_rows);
		chunk->n_lines++;
		at = chunk->plan->ragged == RF_RAGGED_ERROR
		    ? rf_record_parse(chunk, at, end)
		    : rf_record_gather(chunk, at, end);
		if (at == NULL)
			return;
	}
}

void
rf_chunk_parse(struct rf_chunk *chunk)
{
	char *end = chunk->text + chunk->size;

	if (chunk->status != RF_OK)
		return;
	memset(end, 0, 1 + RF_TEXT_PADDING);
	*end = '\n';
	chunk->n_rows = chunk->n_lines = 0;
	chunk->n_dropped = chunk->n_padded = 0;
	clear_columns(chunk);
	set_last_end(chunk);
	if (chunk->has_zero || chunk->has_high)
		rf_fault_bytes(chunk);
	if (chunk->status == RF_OK)
		parse_records(chunk);
	/* Else a record is a line. */
	if (chunk->has_quote || chunk->has_carriage_return)
		chunk->n_lines = rf_count_lines(chunk->text, end);
}

/* The plan's codes of the words that are new in this chunk. */
static enum rf_status
settle_words(struct rf_chunk_column *column, struct rf_plan_column *plan,
    struct rf_error *err)
{
	const struct rf_words *words = &column->words;
	void *codes = column->codes;

	if (column->n_codes == words->n_words)
		return RF_OK;
	if (rf_grow(&codes, &column->codes_capacity, words->n_words,
		sizeof(*column->codes)) != 0)
		return rf_error_memory(err, words->n_words, "categories");
	column->codes = codes;
	for (size_t i = column->n_codes; i < words->n_words; i++) {
		RF_TRY(rf_words_add(&plan->words, rf_words_text(words, i),
		    words->words[i].size, words->words[i].hash,
		    &column->codes[i], err));
		column->n_codes = i + 1;
		column->has_others |= column->codes[i] != (int32_t)i;
	}
	return RF_OK;
}

static enum rf_status
settle_column(struct rf_chunk *chunk, struct rf_chunk_column *column,
    struct rf_plan_column *plan, struct rf_error *err)
{
	int32_t *codes = column->values;

	RF_TRY(settle_words(column, plan, err));
	/* A null's 0 may become another code, which the writer sends as 0. */
	for (int64_t row = 0; row < chunk->n_rows && column->has_others; row++)
		codes[row] = column->codes[codes[row]];
	return RF_OK;
}

enum rf_status
rf_chunk_settle(
    struct rf_chunk *chunk, struct rf_plan *plan, struct rf_error *err)
{
	for (size_t c = 0; c < plan->n_columns; c++)
		if (plan->columns[c].cells == RF_CELLS_CATEGORY)
			RF_TRY(settle_column(chunk, chunk->slots[c].column,
			    &plan->columns[c], err));
	return RF_OK;
}

void
rf_chunk_columns(struct rf_chunk *chunk, struct rf_column *columns)
{
	size_t n_bytes = ((size_t)chunk->n_rows + 7) / 8, n = 0;

	for (size_t c = 0; c < chunk->plan->n_columns; c++) {
		struct rf_chunk_column *column = chunk->slots[c].column;
		struct rf_column *out = &columns[n];

		if (chunk->slots[c].cells == RF_CELLS_SKIP)
			continue;
		n++;
		out->n_rows = chunk->n_rows;
		out->n_nulls = column->n_nulls;
		out->validity = NULL;
		if (column->n_nulls > 0) {
			for (size_t i = 0; i < n_bytes; i++)
				column->nulls[i] ^= 0xff;
			out->validity = column->nulls;
		}
		out->values = column->values;
		if (chunk->slots[c].cells == RF_CELLS_TEXT) {
			out->values = NULL;
			out->offsets = column->offsets;
			out->data.data = (const uint8_t *)column->data;
			out->data.size = (int64_t)column->data_size;
		}
	}
}
