/*
 * Bins of a numeric column: rf-forest(5), Codes.
 *
 *	RF_TRY(rf_bins_float64(values, n_rows, 254, scratch, &bins, err));
 *	use(bins.edges, bins.n_bins);
 *	rf_bins_release(&bins);
 *
 * A value has code e where e edges lie below it, so code(x) <= e iff
 * x <= edges[e].  Work is linear in the rows; no order of rows matters.
 */
#ifndef RF_TRAIN_BINS_H
#define RF_TRAIN_BINS_H

#include <stdint.h>

#include "base/error.h"

struct rf_bins {
	int32_t n_bins;	   /* 0: no row has a value */
	int64_t n_present; /* rows with a value */
	void *edges;	   /* n_bins - 1, ascending: int64_t, else double */
};

/*
 * values      N values, NaN or by is_missing (a byte a row) missing
 * max_bins    B, 2 .. 65535
 * scratch     2 N words; what it holds afterwards means nothing
 * bins        the result, the caller's to release; undefined on failure
 */
enum rf_status rf_bins_float64(const double *values, int64_t n_rows,
    int32_t max_bins, uint64_t *scratch, struct rf_bins *bins,
    struct rf_error *err) RF_MUST_USE;
enum rf_status rf_bins_float32(const float *values, int64_t n_rows,
    int32_t max_bins, uint64_t *scratch, struct rf_bins *bins,
    struct rf_error *err) RF_MUST_USE;
enum rf_status rf_bins_int64(const int64_t *values, const uint8_t *is_missing,
    int64_t n_rows, int32_t max_bins, uint64_t *scratch, struct rf_bins *bins,
    struct rf_error *err) RF_MUST_USE;

void rf_bins_release(struct rf_bins *bins);

#endif
