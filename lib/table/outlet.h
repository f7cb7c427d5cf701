/*
 * Where the parsed chunks of a table go, in turn: into a data stream or, with
 * options->describe, into a description of its columns.  Inside table/ only.
 *
 *	RF_TRY(rf_outlet_open(&outlet, plan, options, fd, name, err));
 *	RF_TRY(rf_outlet_chunk(&outlet, chunk, &place, err)) ..
 *	RF_TRY(rf_outlet_finish(&outlet, err));
 *	rf_outlet_release(&outlet);
 */
#ifndef RF_TABLE_OUTLET_H
#define RF_TABLE_OUTLET_H

#include "table/chunk.h"

struct bad_cells;
struct rf_describe;
struct rf_writer;

struct rf_outlet {
	struct rf_plan *plan;
	const struct rf_csv_options *options;
	int fd;
	const char *name;
	struct rf_schema schema;
	struct rf_writer *writer;
	struct rf_column *columns;    /* of a batch */
	struct rf_describe *describe; /* NULL: a stream is written */
	struct bad_cells *bad;	      /* of the file's columns; NULL: errors */
	int64_t n_rows, n_bytes, n_dropped, n_padded; /* so far */
};

/* Of a chunk: its file and the lines before it there. */
struct rf_outlet_place {
	const char *file;
	int64_t n_lines;
};

/* plan and options must outlive the outlet, which is zero before and released
 * in any case. */
enum rf_status rf_outlet_open(struct rf_outlet *outlet, struct rf_plan *plan,
    const struct rf_csv_options *options, int fd, const char *name,
    struct rf_error *err) RF_MUST_USE;
/* A chunk whose status is RF_OK. */
enum rf_status rf_outlet_chunk(struct rf_outlet *outlet, struct rf_chunk *chunk,
    const struct rf_outlet_place *place, struct rf_error *err) RF_MUST_USE;
/* Notes of what was read, and the end of what is written. */
enum rf_status rf_outlet_finish(
    struct rf_outlet *outlet, struct rf_error *err) RF_MUST_USE;
void rf_outlet_release(struct rf_outlet *outlet);

#endif
