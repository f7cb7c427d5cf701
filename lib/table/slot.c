#include "table/slot.h"

#include <string.h>

#include "base/alloc.h"
#include "table/evidence.h"
#include "table/fault.h"
#include "table/groups.h"
#include "table/moment.h"
#include "table/run.h"

void
rf_slot_null(struct rf_slot *slot, int64_t row)
{
	struct rf_chunk_column *column = slot->column;

	column->nulls[row >> 3] |= (uint8_t)(1u << (row & 7));
	column->n_nulls++;
	switch (slot->cells) {
	case RF_CELLS_WHOLE:
	case RF_CELLS_TIME:
		((int64_t *)slot->values)[row] = 0;
		break;
	case RF_CELLS_BOOLEAN:
		rf_slot_put_bit(slot->values, row, false);
		break;
	case RF_CELLS_REAL:
		((double *)slot->values)[row] = 0;
		break;
	case RF_CELLS_CATEGORY:
	case RF_CELLS_DATE:
		((int32_t *)slot->values)[row] = 0;
		break;
	case RF_CELLS_TEXT:
		column->offsets[row + 1] = (int32_t)column->data_size;
		break;
	case RF_CELLS_SKIP:
		break;
	}
}

static bool
store_real(struct rf_slot *slot, int64_t row, const struct rf_dialect *dialect,
    const struct rf_cell *cell)
{
	double *real = &((double *)slot->values)[row];
	int64_t whole;

	return rf_decimal_fast_real(
		   cell->text, cell->size, dialect->point, real) ||
	    rf_number_parse(dialect, cell->text, cell->size, &whole, real) !=
	    RF_NUMBER_NONE;
}

static bool
store_whole(struct rf_slot *slot, int64_t row, const struct rf_dialect *dialect,
    const struct rf_cell *cell)
{
	int64_t *whole = &((int64_t *)slot->values)[row];
	double real;

	if (slot->plan->refuses_codes && cell->size > 1 && cell->text[0] == '0')
		return false;
	if (rf_decimal_fast_whole(cell->text, cell->size, whole))
		return true;
	switch (
	    rf_number_parse(dialect, cell->text, cell->size, whole, &real)) {
	case RF_NUMBER_NONE:
		return false;
	case RF_NUMBER_WHOLE:
		return true;
	case RF_NUMBER_REAL:
		break;
	}
	if (!slot->plan->takes_whole_reals || !(real > -0x1p53) ||
	    !(real < 0x1p53) || real != (double)(int64_t)real)
		return false;
	*whole = (int64_t)real;
	return true;
}

static bool
store_boolean(struct rf_slot *slot, int64_t row, const struct rf_cell *cell)
{
	int value = rf_boolean(cell->text, cell->size);

	if (value < 0)
		return false;
	rf_slot_put_bit(slot->values, row, value != 0);
	return true;
}

static bool
store_time(struct rf_slot *slot, int64_t row, const struct rf_cell *cell)
{
	struct rf_moment moment;

	return rf_moment_read(cell->text, cell->size, &moment) &&
	    moment.has_offset == slot->plan->has_offset &&
	    rf_moment_value(
		&moment, slot->plan->unit, &((int64_t *)slot->values)[row]);
}

/* false: the cell is not of its column's type. */
static bool
store_typed(struct rf_slot *slot, int64_t row, const struct rf_dialect *dialect,
    const struct rf_cell *cell)
{
	switch (slot->cells) {
	case RF_CELLS_WHOLE:
		return store_whole(slot, row, dialect, cell);
	case RF_CELLS_REAL:
		return store_real(slot, row, dialect, cell);
	case RF_CELLS_BOOLEAN:
		return store_boolean(slot, row, cell);
	case RF_CELLS_DATE:
		return rf_moment_days(
		    cell->text, cell->size, &((int32_t *)slot->values)[row]);
	case RF_CELLS_TIME:
		return store_time(slot, row, cell);
	case RF_CELLS_SKIP:
	case RF_CELLS_CATEGORY:
	case RF_CELLS_TEXT:
		break;
	}
	return false;
}

/* A cell that is not of its column's type; false: the error is set. */
static bool
store_bad(struct rf_chunk *chunk, size_t c, const struct rf_cell *cell)
{
	if (chunk->bad == NULL) {
		rf_fault_type(chunk, c, cell);
		return false;
	}
	if (chunk->bad[c].n++ == 0)
		chunk->bad[c].first = *cell;
	rf_slot_null(&chunk->slots[c], chunk->n_rows);
	return true;
}

static enum rf_status
store_text(struct rf_chunk *chunk, struct rf_slot *slot, int64_t row,
    const struct rf_cell *cell)
{
	struct rf_chunk_column *column = slot->column;
	void *data = column->data;

	if (cell->size > INT32_MAX - column->data_size ||
	    rf_grow(&data, &column->data_capacity,
		column->data_size + cell->size, 1) != 0)
		return rf_error_memory(
		    &chunk->error, column->data_size, "a batch of texts");
	column->data = data;
	memcpy(column->data + column->data_size, cell->text, cell->size);
	column->data_size += cell->size;
	column->offsets[row + 1] = (int32_t)column->data_size;
	return RF_OK;
}

/* false: the chunk's error is set. */
static bool
store_cell(struct rf_chunk *chunk, size_t c, const struct rf_cell *cell)
{
	struct rf_slot *slot = &chunk->slots[c];
	int64_t row = chunk->n_rows;
	enum rf_status status = RF_OK;

	if (slot->cells == RF_CELLS_SKIP)
		return true;
	if (rf_missing_has(&chunk->plan->missing, cell->text, cell->size)) {
		rf_slot_null(slot, row);
		return true;
	}
	switch (slot->cells) {
	case RF_CELLS_WHOLE:
	case RF_CELLS_REAL:
	case RF_CELLS_BOOLEAN:
	case RF_CELLS_DATE:
	case RF_CELLS_TIME:
		return store_typed(slot, row, &chunk->plan->dialect, cell) ||
		    store_bad(chunk, c, cell);
	case RF_CELLS_CATEGORY:
		status = rf_words_code(&slot->column->words, cell->text,
		    cell->size, &((int32_t *)slot->values)[row], &chunk->error);
		break;
	case RF_CELLS_TEXT:
		status = store_text(chunk, slot, row, cell);
		break;
	case RF_CELLS_SKIP:
		break;
	}
	chunk->status = status;
	return status == RF_OK;
}

/* How many cells of the record follow the given one. */
static size_t
count_cells(struct rf_chunk *chunk, char *at, char *end, struct rf_cell *cell)
{
	size_t n = 0;

	while (!cell->is_last &&
	    rf_cell_next(&chunk->plan->dialect, &at, end, cell) == RF_CELL_GOOD)
		n++;
	return n;
}

/* The lines of the cache that the rows from the next eighth on lie in. */
static void
prefetch(const struct rf_chunk *chunk)
{
	size_t at = (size_t)(chunk->n_rows + 8) * 8;

	for (size_t i = 0; i < chunk->n_columns; i++)
		__builtin_prefetch((char *)chunk->columns[i].values + at, 1);
}

char *
rf_record_parse(struct rf_chunk *chunk, char *at, char *end)
{
	size_t n = chunk->plan->n_columns;
	struct rf_cell cell = {0};
	char *start = at;

	if ((chunk->n_rows & 7) == 0)
		prefetch(chunk);
	for (size_t c = 0;; c++) {
		enum rf_cell_fault fault;
		char *after;

		c = rf_run(chunk, c, &at);
		if (c == n)
			break;
		after = at;
		fault = rf_cell_next(&chunk->plan->dialect, &after, end, &cell);
		if (fault != RF_CELL_GOOD) {
			rf_fault_cell(chunk, fault, c, at);
			return NULL;
		}
		if (cell.is_last == (c + 1 == n) &&
		    store_cell(chunk, c, &cell)) {
			at = after;
			continue;
		}
		/* Too few or too many cells explain a misplaced word. */
		c += count_cells(chunk, after, end, &cell);
		if (c + 1 != n)
			rf_fault_count(chunk, start, c + 1);
		return NULL;
	}
	chunk->n_rows++;
	/* A run ends behind the CR of a CR LF. */
	if (at < end && at[-1] == '\r' && *at == '\n')
		at++;
	return at < end ? at : end;
}

/*
 * Reads the cells of a record and keeps those that have a column.  *is_spilt:
 * one that has none is not empty.  NULL: the chunk's error is set.
 */
static char *
gather_cells(struct rf_chunk *chunk, char *at, char *end, size_t *n_cells,
    bool *is_spilt)
{
	size_t n = chunk->plan->n_columns;
	struct rf_cell cell = {0};

	*n_cells = 0;
	*is_spilt = false;
	while (!cell.is_last) {
		char *after = at;
		enum rf_cell_fault fault =
		    rf_cell_next(&chunk->plan->dialect, &after, end, &cell);

		if (fault != RF_CELL_GOOD) {
			rf_fault_cell(chunk, fault, *n_cells, at);
			return NULL;
		}
		if (*n_cells < n)
			chunk->cells[*n_cells] = cell;
		else
			*is_spilt |= cell.size > 0;
		(*n_cells)++;
		at = after;
	}
	return at;
}

char *
rf_record_gather(struct rf_chunk *chunk, char *at, char *end)
{
	static const struct rf_cell empty = {.text = ""};
	size_t n = chunk->plan->n_columns, n_cells;
	char *start = at;
	bool is_spilt;

	at = gather_cells(chunk, at, end, &n_cells, &is_spilt);
	if (at == NULL)
		return NULL;
	if (n_cells != n && chunk->plan->ragged == RF_RAGGED_DROP) {
		chunk->n_dropped++;
		return at;
	}
	if (is_spilt) {
		rf_fault_count(chunk, start, n_cells);
		return NULL;
	}
	chunk->n_padded += n_cells != n;
	for (size_t c = 0; c < n; c++)
		if (!store_cell(
			chunk, c, c < n_cells ? &chunk->cells[c] : &empty))
			return NULL;
	chunk->n_rows++;
	return at;
}
