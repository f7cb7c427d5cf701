#include "table/spaces.h"

/* A byte that is no space, outside of quotes. */
static void
step(struct rf_spaces *spaces, char c)
{
	if (c == '\n' || c == '\r') {
		spaces->in_line = spaces->in_cell = false;
		spaces->after_quote = false;
		return;
	}
	spaces->in_quotes =
	    c == '"' && (!spaces->in_cell || spaces->after_quote);
	spaces->after_quote = false;
	spaces->in_line = spaces->in_cell = true;
}

size_t
rf_spaces_collapse(
    struct rf_spaces *spaces, char *to, const char *from, size_t size)
{
	char *out = to;

	for (size_t i = 0; i < size; i++) {
		char c = from[i];

		if (spaces->in_quotes) {
			spaces->in_quotes = c != '"';
			spaces->after_quote = c == '"';
			*out++ = c;
			continue;
		}
		if (c == ' ') {
			spaces->has_run = spaces->in_line;
			spaces->in_cell = spaces->after_quote = false;
			continue;
		}
		if (spaces->has_run && c != '\n' && c != '\r')
			*out++ = ' ';
		spaces->has_run = false;
		step(spaces, c);
		*out++ = c;
	}
	return (size_t)(out - to);
}
