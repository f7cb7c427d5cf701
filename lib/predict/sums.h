/*
 * Tallies of many classes: of each row only those that got a vote.
 */
#ifndef RF_PREDICT_SUMS_H
#define RF_PREDICT_SUMS_H

#include "base/error.h"
#include "predict/model.h"
#include "stream/batch.h"

struct rf_sums {
	int32_t *offsets; /* n_rows + 1 */
	int32_t *classes; /* ascending in a row */
	int64_t *sums;
	int64_t n_rows;
	size_t n_entries, rows_capacity, entries_capacity;
	/* scratch: the sum of each class, and the classes of a row */
	int64_t *tally;
	int32_t *touched;
};

/* For C classes and no rows yet; to be released in any case. */
enum rf_status rf_sums_init(
    struct rf_sums *sums, int32_t n_classes, struct rf_error *err) RF_MUST_USE;
void rf_sums_release(struct rf_sums *sums);

void rf_sums_clear(struct rf_sums *sums); /* no rows */
/*
 * Appends a row: votes add up, then the row ends.  class < n_classes; a sum of
 * 0 is left out.  RF_EDATA past 2^31 entries.
 */
enum rf_status rf_sums_end_row(
    struct rf_sums *sums, int32_t n_touched, struct rf_error *err) RF_MUST_USE;

/* Adds to the open row, which has n_touched classes; returns their number. */
static inline int32_t
rf_sums_add(
    struct rf_sums *sums, int32_t n_touched, int32_t class, int64_t amount)
{
	if (amount == 0)
		return n_touched;
	if (sums->tally[class] == 0)
		sums->touched[n_touched++] = class;
	sums->tally[class] += amount;
	return n_touched;
}

/* Appends rows by their leaves, n_trees a row, of a model that was made for
 * sums (walk_forest.h). */
enum rf_status rf_sums_add_leaves(struct rf_sums *sums,
    const struct rf_walk_model *model, const int32_t *leaves, int64_t n_rows,
    struct rf_error *err) RF_MUST_USE;

/* The rows as a list column and what it points to. */
struct rf_sums_column {
	struct rf_column list, entries, parts[2];
};

/* By a field of rf_tally_header_fields; the sums are used up, but for
 * rf_sums_clear. */
void rf_sums_column(struct rf_sums *sums, const struct rf_field *field,
    struct rf_sums_column *out);

#endif
