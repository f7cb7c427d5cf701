/*
 * Reading a prediction stream, row by row as the merge asks for.
 *
 * Rows first .. batch.n_rows - 1 of the batch in hand are still to be used.
 */
#ifndef RF_PREDICT_TALLY_READ_H
#define RF_PREDICT_TALLY_READ_H

#include "predict/tally.h"
#include "stream/arrow_read.h"

struct rf_tally_input {
	struct rf_reader *reader; /* the caller's */
	struct rf_tally_header header;
	int32_t n_sums;
	bool is_sparse;
	/* Places of the tallies' columns; the fields of the data that came
	 * with them, ascending. */
	size_t row_field, n_field, list_field;
	size_t *sum_fields;
	size_t *kept;
	size_t n_kept;
	struct rf_batch batch;
	int64_t first;
	int64_t last_row; /* number of the last row used; -1: none */
	bool has_ended;
};

/* Header and columns; RF_EDATA with the stream's name.  Release in any case. */
enum rf_status rf_tally_input_init(struct rf_tally_input *input,
    struct rf_reader *reader, struct rf_error *err) RF_MUST_USE;
void rf_tally_input_release(struct rf_tally_input *input);

/* Brings a row into hand, or sets has_ended. */
enum rf_status rf_tally_input_fill(
    struct rf_tally_input *input, struct rf_error *err) RF_MUST_USE;

/* Rows in hand. */
static inline int64_t
rf_tally_input_n_rows(const struct rf_tally_input *input)
{
	return input->has_ended ? 0 : input->batch.n_rows - input->first;
}

/* The number of the i-th row in hand. */
int64_t rf_tally_input_row(const struct rf_tally_input *input, int64_t i);
/* Its number of trees, out of bag. */
int64_t rf_tally_input_n(const struct rf_tally_input *input, int64_t i);

/* Adds n rows of sum k to sums. */
void rf_tally_input_add(
    const struct rf_tally_input *input, int32_t k, int64_t n, int64_t *sums);

/* The entries of the i-th row's list: places first .. end - 1. */
void rf_tally_input_list(const struct rf_tally_input *input, int64_t i,
    int64_t *first, int64_t *end);
void rf_tally_input_entry(const struct rf_tally_input *input, int64_t at,
    int64_t *class, int64_t *sum);

/* `stream: row N: what`. */
enum rf_status rf_tally_input_fail(const struct rf_tally_input *input,
    int64_t row, const char *what, struct rf_error *err);

#endif
