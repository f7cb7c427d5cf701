/*
 * CSV, TSV and libsvm to a data stream.
 *
 *	struct rf_csv_options options = {.label = "species", .n_threads = 1};
 *	struct rf_csv_file file = {0, "<stdin>"};
 *	RF_TRY(rf_csv_convert(&options, &file, 1, 1, "<stdout>", err));
 *
 * A table may lie in several files, each with the same header, or all without.
 * One pass, constant memory: types are taken from the first 16 MiB, which are
 * kept until then.  Equal bytes in and equal options give equal bytes out,
 * whatever the threads and however the bytes arrive.
 */
#ifndef RF_TABLE_CSV_H
#define RF_TABLE_CSV_H

#include "base/log.h"
#include "table/encoding.h"
#include "table/like.h"

enum rf_format { RF_FORMAT_BY_TEXT, RF_FORMAT_CSV, RF_FORMAT_LIBSVM };

enum rf_layout { RF_LAYOUT_BY_CELLS, RF_LAYOUT_DENSE, RF_LAYOUT_SPARSE };

enum rf_ragged { RF_RAGGED_ERROR, RF_RAGGED_PAD, RF_RAGGED_DROP };
enum rf_bad_cells { RF_BAD_CELLS_ERROR, RF_BAD_CELLS_MISSING };

/* Zero is the default of every member; texts are the caller's. */
struct rf_csv_options {
	/* A column is a name, or else a number counted from 1. */
	const char *label, *id, *weight, *fold;
	const char *columns;	  /* "A,B,3": only these; "!A,B": all others */
	const char *const *types; /* "COLUMN=TYPE", as csv2bin(1) has them */
	size_t n_types;
	const char *const *missing; /* more words that mean missing */
	size_t n_missing;
	bool only_these_missing; /* leave out the words known by default */
	const char *task;	 /* "classification" or "regression" */
	bool no_header, trim;
	enum rf_encoding encoding;
	char delimiter; /* 0: recognised */
	bool has_runs;	/* of the delimiter, which is the space */
	char point;	/* decimal; 0: '.' */
	char thousands; /* between groups of digits; 0: none */
	int64_t skip_lines;
	bool has_row0;
	int64_t row0; /* global number of the first row */
	enum rf_ragged ragged;
	enum rf_bad_cells bad_cells;
	bool describe; /* no stream: a description of the columns, as text */
	const struct rf_like *like;
	const char *like_name; /* the model's file, for a description */
	/* How the text is written, and of libsvm: */
	enum rf_format format;
	bool zero_based;    /* indices count from 0 */
	int64_t n_features; /* 0: by the highest index */
	enum rf_layout layout;
	int n_threads; /* 0, 1: the calling thread alone */
	bool verbose;  /* a note of what was read */
	const struct rf_log *log;
};

/* One of the files of a table; name stands in messages. */
struct rf_csv_file {
	int fd;
	const char *name;
};

/*
 * Reads the files to their ends, in turn, and writes the stream to out_fd.  On
 * an error no end mark is written.
 */
enum rf_status rf_csv_convert(const struct rf_csv_options *options,
    const struct rf_csv_file *files, size_t n_files, int out_fd,
    const char *out_name, struct rf_error *err) RF_MUST_USE;

/* Sets *delimiter from "," or "\t" or "tab", "comma" .. , or RF_EUSAGE. */
enum rf_status rf_csv_delimiter(
    const char *text, char *delimiter, struct rf_error *err) RF_MUST_USE;

#endif
