/*
 * Runs of spaces between cells, made one space each, so that the parser knows
 * one delimiter.  Outside of quotes, those at the begin and end of a line go;
 * line ends stay, and with them the count of lines.
 *
 *	struct rf_spaces spaces = {0};
 *	size = rf_spaces_collapse(&spaces, text, text, size);
 */
#ifndef RF_TABLE_SPACES_H
#define RF_TABLE_SPACES_H

#include <stdbool.h>
#include <stddef.h>

/* Zero where a text begins, at the begin of a line. */
struct rf_spaces {
	bool in_line; /* something but spaces has stood in this line */
	bool has_run; /* spaces wait for what follows */
	bool in_quotes;
	bool after_quote; /* which closes a cell, or is one of two */
	bool in_cell;
};

/*
 * Of `size` bytes at `from` to `to`, which may be the same place where the
 * text begins there, else is at least a byte before.  Returns the size there.
 */
size_t rf_spaces_collapse(
    struct rf_spaces *spaces, char *to, const char *from, size_t size);

#endif
