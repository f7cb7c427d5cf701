#include "table/dialect.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "table/masks.h"

#define GUESS_BYTES   ((size_t)1 << 18)
#define GUESS_RECORDS 1000

/* Past the line end at p (CRLF is one), but not past end. */
static char *
past_line_end(char *p, char *end)
{
	if (p >= end)
		return end;
	if (p[0] == '\r' && p + 1 < end && p[1] == '\n')
		return p + 2;
	return p + 1;
}

/* What follows the cell: sets is_last and moves *at past it. */
static enum rf_cell_fault
end_cell(const struct rf_dialect *dialect, char **at, char *p, char *end,
    struct rf_cell *cell)
{
	cell->is_last = *p != dialect->delimiter;
	if (!cell->is_last) {
		*at = p + 1;
		return RF_CELL_GOOD;
	}
	*at = past_line_end(p, end);
	return *p == '\n' || *p == '\r' ? RF_CELL_GOOD : RF_CELL_AFTER_QUOTE;
}

/*
 * The quoted cell whose quote is at p.  Its text moves down over the doubled
 * quotes; the bytes that fall free become quotes, which are no line ends.
 */
static enum rf_cell_fault
quoted_cell(const struct rf_dialect *dialect, char **at, char *p, char *end,
    struct rf_cell *cell)
{
	char *to = p + 1, *from = p + 1;

	cell->text = to;
	cell->is_quoted = true;
	for (;;) {
		char *quote = memchr(from, '"', (size_t)(end - from));
		size_t n;

		if (quote == NULL)
			return RF_CELL_OPEN;
		n = (size_t)(quote - from);
		if (to != from)
			memmove(to, from, n);
		to += n;
		from = quote + 1;
		if (from >= end || *from != '"')
			break;
		*to++ = '"';
		from++;
	}
	cell->size = (size_t)(to - cell->text);
	memset(to, '"', (size_t)(from - to));
	p = from;
	if (dialect->trim)
		while (p < end && rf_is_blank(dialect, *p))
			p++;
	return end_cell(dialect, at, p, end, cell);
}

enum rf_cell_fault
rf_cell_next(const struct rf_dialect *dialect, char **at, char *end,
    struct rf_cell *cell)
{
	char *p = *at, *stop;

	if (dialect->trim)
		while (rf_is_blank(dialect, *p))
			p++;
	if (*p == '"' && p < end)
		return quoted_cell(dialect, at, p, end, cell);
	stop = p + (rf_find_end(p, dialect->delimiter) - p);
	cell->text = p;
	cell->size = (size_t)(stop - p);
	cell->is_quoted = false;
	if (dialect->trim)
		while (cell->size > 0 &&
		    rf_is_blank(dialect, cell->text[cell->size - 1]))
			cell->size--;
	return end_cell(dialect, at, stop, end, cell);
}

enum rf_cell_fault
rf_record_next(const struct rf_dialect *dialect, char **at, char *end,
    struct rf_cell *cells, size_t n_kept, size_t *n_cells)
{
	struct rf_cell cell = {0};
	enum rf_cell_fault fault;

	*n_cells = 0;
	while (!cell.is_last) {
		char *p = *at;

		fault = rf_cell_next(dialect, &p, end, &cell);
		if (fault != RF_CELL_GOOD)
			return fault;
		if (*n_cells < n_kept)
			cells[*n_cells] = cell;
		(*n_cells)++;
		*at = p;
	}
	return RF_CELL_GOOD;
}

char *
rf_skip_blank_lines(const struct rf_dialect *dialect, char *at, const char *end)
{
	for (char *p = at; p < end; at = p) {
		while (p < end && rf_is_blank(dialect, *p))
			p++;
		if (p < end && *p != '\n' && *p != '\r')
			return at;
		if (p < end)
			p++;
	}
	return at;
}

int64_t
rf_count_lines(const char *text, const char *end)
{
	int64_t n = rf_count_feeds(text, end - text);

	while ((text = memchr(text, '\r', (size_t)(end - text))) != NULL) {
		text++;
		/* CR CR LF is one end too, as a text written twice has it. */
		n += text == end ||
		    (text[0] != '\n' &&
			(text[0] != '\r' || text + 1 == end ||
			    text[1] != '\n'));
	}
	return n;
}

struct tally {
	int64_t first;	/* cells in the first record */
	int64_t n_same; /* records with as many */
	int64_t n_records;
};

static void
count_cells(
    struct tally *tally, const struct rf_dialect *dialect, char *at, char *end)
{
	size_t n;

	memset(tally, 0, sizeof(*tally));
	while (tally->n_records < GUESS_RECORDS) {
		at = rf_skip_blank_lines(dialect, at, end);
		if (at >= end ||
		    rf_record_next(dialect, &at, end, NULL, 0, &n) !=
			RF_CELL_GOOD)
			return;
		if (tally->n_records++ == 0)
			tally->first = (int64_t)n;
		tally->n_same += (int64_t)n == tally->first;
	}
}

static bool
is_better(const struct tally *a, const struct tally *b)
{
	if (a->first < 2 || b->first < 2)
		return a->first >= 2;
	/* Shares of records, compared without a division. */
	if (a->n_same * b->n_records != b->n_same * a->n_records)
		return a->n_same * b->n_records > b->n_same * a->n_records;
	return a->first > b->first;
}

enum rf_status
rf_dialect_guess(struct rf_dialect *dialect, const char *text, const char *end,
    struct rf_error *err)
{
	static const char candidates[] = {',', '\t', ';'};
	size_t size = (size_t)(end - text);
	struct rf_dialect trial = *dialect;
	struct tally best = {0}, tally;
	char *copy;

	if (size > GUESS_BYTES)
		size = GUESS_BYTES;
	copy = rf_alloc(size + 1 + RF_TEXT_PADDING, 1);
	if (copy == NULL)
		return rf_error_memory(err, size, "the delimiter");
	dialect->delimiter = ',';
	for (size_t i = 0; i < sizeof(candidates); i++) {
		memcpy(copy, text, size);
		memset(copy + size, 0, 1 + RF_TEXT_PADDING);
		copy[size] = '\n';
		trial.delimiter = candidates[i];
		count_cells(&tally, &trial, copy, copy + size);
		if (is_better(&tally, &best)) {
			best = tally;
			dialect->delimiter = candidates[i];
		}
	}
	free(copy);
	return RF_OK;
}
