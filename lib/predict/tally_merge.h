/*
 * Parts of a prediction, by trees or by rows, as one.
 *
 *	RF_TRY(rf_merge_open(&merge, inputs, n_inputs, false, err));
 *	do {
 *		RF_TRY(rf_merge_next(&merge, 65536, err));
 *		use(&merge);
 *	} while (merge.n_rows > 0);
 *	rf_merge_release(&merge);
 *
 * Which of the two follows from the ranges of trees: all equal, the parts are
 * of rows; disjoint, they are of trees.  Whatever could count a vote twice or
 * leave one out is an error.  rf-stream(5), prediction.
 */
#ifndef RF_PREDICT_TALLY_MERGE_H
#define RF_PREDICT_TALLY_MERGE_H

#include "predict/sums.h"
#include "predict/tally_read.h"

struct rf_merge {
	struct rf_tally_input **inputs; /* by rows: in the order of rows */
	size_t n_inputs, current;
	bool is_by_rows;
	bool is_partial; /* some trees of the whole are not there */
	int64_t n_trees; /* those that are */
	/*
	 * The rows in hand: rows first .. first + n_rows - 1 of the lead's
	 * batch, which live until the next call.  n_rows 0: the end.
	 */
	const struct rf_tally_input *lead;
	int64_t first, n_rows;
	int64_t *sums;	     /* n_sums columns of n_rows; not of many classes */
	struct rf_sums list; /* of many classes */
	int64_t *n;	     /* out of bag: trees of each row */
	size_t capacity;
};

/*
 * Checks that the inputs are parts of one prediction, and all of it unless
 * partial_ok.  The inputs stay the caller's.  Release in any case.
 */
enum rf_status rf_merge_open(struct rf_merge *merge,
    struct rf_tally_input *inputs, size_t n_inputs, bool partial_ok,
    struct rf_error *err) RF_MUST_USE;
/* At most most_rows (a multiple of 64) rows; the lead's batches are kept. */
enum rf_status rf_merge_next(struct rf_merge *merge, int64_t most_rows,
    struct rf_error *err) RF_MUST_USE;
void rf_merge_release(struct rf_merge *merge);

#endif
