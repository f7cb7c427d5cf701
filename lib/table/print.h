/*
 * Any Arrow stream as CSV.
 *
 * Constant memory; a batch at a time.  A null is an empty cell, an empty text
 * is two quotes, so that they differ; in a table of one column a null is two
 * quotes as well, since a blank line is no record.
 */
#ifndef RF_TABLE_PRINT_H
#define RF_TABLE_PRINT_H

#include <stdbool.h>

#include "base/log.h"

struct rf_print_options {
	char delimiter; /* 0: ',' */
	bool no_header;
	bool no_eos;  /* a missing end is a warning only */
	bool verbose; /* a note of what was read */
	/* What a null is written as; NULL: nothing.  Texts that equal it are
	 * quoted, and the first of them noted. */
	const char *missing;
	const struct rf_log *log;
};

/* Whether options->missing can stand without quotes. */
bool rf_print_missing_can(const struct rf_print_options *options);

/* Reads the stream on in_fd, writes to out_fd; names stand in messages. */
enum rf_status rf_print_csv(const struct rf_print_options *options, int in_fd,
    const char *in_name, int out_fd, const char *out_name,
    struct rf_error *err) RF_MUST_USE;

#endif
