#include "table/dialect.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "table/masks.h"

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
	static const char quotes[16] = {'"', '"', '"', '"', '"', '"', '"', '"',
	    '"', '"', '"', '"', '"', '"', '"', '"'};
	char *to = p + 1, *from = p + 1;
	unsigned near = rf_find_near(to, quotes);

	cell->text = to;
	cell->is_quoted = true;
	/* Most are short and have no quote in them. */
	if (!dialect->trim && near < 16 && to + near < end &&
	    to[near + 1] != '"') {
		cell->size = near;
		return end_cell(dialect, at, to + near + 1, end, cell);
	}
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
