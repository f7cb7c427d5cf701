/*
 * Options by table: parsing, --help and completion share it.
 *
 *	enum { O_DEPTH = RF_OPTION_OWN, O_OOB };
 *	static const struct rf_option own[] = {
 *	    {O_DEPTH, 0, "max-depth", "N", "at most N levels [no limit]"},
 *	    {O_OOB, 0, "oob", "[FILE]", "out-of-bag score; tallies to FILE"},
 *	    {0},
 *	};
 *	static const struct rf_tool tool = {
 *	    .name = "rf-fit",
 *	    .synopsis = "[options] [STREAM ...]",
 *	    .summary = "grow a forest from data streams",
 *	    .common = "onlstfD",
 *	    .options = own,
 *	    .max_operands = -1,
 *	};
 *	rf_options_init(&options, &tool, argc, argv);
 *	while ((id = rf_options_next(&options, &value)) > 0)
 *		switch (id) {
 *		case O_DEPTH:
 *			depth = rf_options_int(&options, value, 1, INT_MAX);
 *			break;
 *		..
 *		}
 *
 * A mistake of the user is one line on stderr and exit 64, from inside these
 * functions; --help and --version end with 0 there.
 */
#ifndef RF_CMD_OPTIONS_H
#define RF_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ids of a tool's own options start here; one with a letter may use that. */
#define RF_OPTION_OWN 256

struct rf_option {
	int id;		      /* what rf_options_next returns; 0 ends a table */
	char letter;	      /* 0: none */
	const char *name;     /* long, without the dashes */
	const char *argument; /* "N"; "[FILE]" is optional; NULL: none */
	/* One line, the default in brackets at its end; NULL: for tests, not
	 * listed. */
	const char *help;
};

struct rf_tool {
	const char *name;
	const char *synopsis; /* after the name; of several lines with '\n' */
	const char *summary;
	/*
	 * Which of the shared options this tool takes, besides -h, -V, -v, -q
	 * and -f that all have: their letters, D for --device.  -l and -n come
	 * back from rf_options_next as 'l' and 'n'; the others are collected
	 * in struct rf_common.
	 */
	const char *common;
	const struct rf_option *options; /* NULL: none of its own */
	int min_operands, max_operands;	 /* max -1: any number */
};

struct rf_common {
	const char *output; /* NULL: stdout */
	int threads;	    /* 0: all processors */
	uint64_t seed;
	bool verbose, quiet, force;
	const char *device; /* "auto", "cpu", "cuda" or "cuda:N" */
};

struct rf_options {
	const struct rf_tool *tool;
	struct rf_common common;
	char **operands; /* set once rf_options_next has returned 0 */
	int n_operands;
	/* of the parser */
	int argc;
	char **argv;
	const struct rf_option *current;
};

void rf_options_init(struct rf_options *options, const struct rf_tool *tool,
    int argc, char **argv);

/*
 * The id of the next option of the tool's own (or 'l', 'n'), with its argument
 * or NULL in *value; 0 when all are read and the operands counted.
 */
int rf_options_next(struct rf_options *options, const char **value);

/* The argument of the current option as a number, both ends included. */
long long rf_options_int(const struct rf_options *options, const char *value,
    long long low, long long high);
double rf_options_double(const struct rf_options *options, const char *value,
    double low, double high);

/* The place of value among the words "soft|hard", from 0. */
int rf_options_word(
    const struct rf_options *options, const char *value, const char *words);

/* Ends the tool with 64: `rf-fit: MESSAGE; try 'rf-fit --help'`. */
__attribute__((noreturn, format(printf, 2, 3))) void rf_options_fail(
    const struct rf_options *options, const char *format, ...);

#endif
