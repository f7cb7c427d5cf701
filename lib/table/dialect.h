/*
 * How a table is written, and the cells of one record.
 *
 * Records end at LF, CR, CRLF or CR CR LF outside of quotes.  A cell that begins with a
 * quote runs to the next quote that stands alone, two in a row being one of
 * its text; any other quote is part of the text.  With `trim`, blanks (spaces
 * and tabs, but for the delimiter) around a cell do not belong to it.
 *
 * All text lies in buffers that end in a line feed of their own with
 * RF_TEXT_PADDING more bytes to read, so that no loop checks for the end.
 */
#ifndef RF_TABLE_DIALECT_H
#define RF_TABLE_DIALECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define RF_TEXT_PADDING 64

struct rf_dialect {
	char delimiter;
	bool has_runs;	/* of spaces, which the reader makes single ones */
	char point;	/* decimal */
	char thousands; /* between groups of three digits; 0: none */
	bool trim;
};

struct rf_cell {
	const char *text;
	size_t size;
	bool is_quoted;
	bool is_last; /* of its record */
};

enum rf_cell_fault {
	RF_CELL_GOOD,
	RF_CELL_OPEN,	     /* the quote is never closed */
	RF_CELL_AFTER_QUOTE, /* text between closing quote and delimiter */
};

static inline bool
rf_is_blank(const struct rf_dialect *dialect, char c)
{
	return (c == ' ' || c == '\t') && c != dialect->delimiter;
}

/*
 * Reads the cell at *at and moves *at past what ends it, never past end (where
 * the buffer's own line feed lies).  Doubled quotes become one in the buffer;
 * the count of its line ends stays.
 */
enum rf_cell_fault rf_cell_next(const struct rf_dialect *dialect, char **at,
    char *end, struct rf_cell *cell);

/*
 * Reads the record at *at and moves *at past it: *n_cells counts all its cells,
 * the first n_kept stand in cells.  After a fault *at is where the faulty cell
 * begins.
 */
enum rf_cell_fault rf_record_next(const struct rf_dialect *dialect, char **at,
    char *end, struct rf_cell *cells, size_t n_kept, size_t *n_cells);

/* Where the first record at or after `at` begins: blank lines are stepped over.
 * At the end: end. */
char *rf_skip_blank_lines(
    const struct rf_dialect *dialect, char *at, const char *end);

/* Line ends (CRLF is one, as is CR CR LF) in [text, end). */
int64_t rf_count_lines(const char *text, const char *end);

/*
 * The delimiter of the records in [text, end): that of comma, tab, semicolon
 * and pipe which gives the most of the first 1000 records the same count of
 * cells as the first has, where that is more than 1.  RF_EDATA where two do so
 * equally well, but for a comma that is the decimal point.  Where none does,
 * runs of spaces if they do for all of two or more records (has_runs);
 * else the comma.  is_whole: nothing follows.
 */
enum rf_status rf_dialect_guess(struct rf_dialect *dialect, const char *text,
    const char *end, bool is_whole, struct rf_error *err) RF_MUST_USE;

#endif
