/*
 * Rows in the libsvm format: "LABEL [qid:N] INDEX:VALUE INDEX:VALUE ..".
 *
 *	RF_TRY(rf_libsvm_add(&rows, line, end, err));
 *	rf_libsvm_clear(&rows);		 the next ones
 *	rf_libsvm_release(&rows);
 *
 * Indices are whole numbers that ascend in a row; values are decimal numbers,
 * "inf" or "nan" (missing).  What follows a '#' is a comment; a line without
 * anything else is no row.  Blanks are spaces and tabs.
 */
#ifndef RF_TABLE_LIBSVM_ROWS_H
#define RF_TABLE_LIBSVM_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum rf_libsvm_qid { RF_QID_UNKNOWN, RF_QID_NONE, RF_QID_THERE };

struct rf_libsvm_rows {
	/* Given. */
	bool is_zero_based;	  /* the first index is 0, not 1 */
	bool is_whole;		  /* labels are to be whole numbers: classes */
	int64_t width;		  /* the most columns */
	bool leaves_out;	  /* those past them, without an error */
	const char *width_option; /* that set it; NULL: none */
	/* By the first row; stays. */
	enum rf_libsvm_qid qid;
	/* Of all rows so far; stays too. */
	int64_t n_columns; /* by the highest index */
	bool has_fraction; /* a label that is no whole number */
	/* The rows. */
	int64_t n_rows, n_pairs, n_missing;
	size_t rows_capacity, pairs_capacity;
	union rf_libsvm_label {
		int64_t whole; /* where is_whole is set */
		double real;
	} * labels;
	int64_t *qids;	  /* 0 where there is none */
	int32_t *offsets; /* n_rows + 1 */
	int32_t *columns; /* from 0 */
	double *values;	  /* NaN: missing */
};

/* One line, without its end.  RF_EDATA says what is wrong with it. */
enum rf_status rf_libsvm_add(struct rf_libsvm_rows *rows, const char *line,
    const char *end, struct rf_error *err) RF_MUST_USE;

/*
 * Whether text begins with a record of this form: a number, one or more of
 * INDEX:NUMBER, and nothing else.  Where is_cut is set, the text may stop
 * within it.
 */
bool rf_libsvm_is_form(const char *text, const char *end, bool is_cut);

void rf_libsvm_clear(struct rf_libsvm_rows *rows);
void rf_libsvm_release(struct rf_libsvm_rows *rows);

#endif
