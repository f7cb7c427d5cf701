/*
 * Ranks of values among thresholds, on the CPU.
 *
 * rank(x) = number of thresholds below x, so that x <= t iff rank(x) <=
 * rank(t).  Bins in training and inference alike: rf-forest(5), Prediction.
 */
#ifndef RF_PREDICT_RANKS_H
#define RF_PREDICT_RANKS_H

#include <stdint.h>

#include "backend.h"

/* The codes of one job of backend.h; code_bytes may also be 4. */
void rf_quantise_cpu(const struct rf_quantise_job *job);

#define RF_RANK_BLOCK 64

/* Values of one column and the thresholds that they meet. */
struct rf_rank_source {
	int precision; /* enum rf_precision of values */
	const void *values;
	const uint8_t *is_missing; /* int64 only; NULL: none */
	const void *thresholds;	   /* ascending; double, or int64_t */
	int32_t n_thresholds;
};

/*
 * Ranks of rows first .. first + n - 1, n <= RF_RANK_BLOCK, and missing_rank
 * where missing.  ranks has room for RF_RANK_BLOCK.
 */
void rf_rank_block(const struct rf_rank_source *source, int64_t first, int n,
    uint32_t missing_rank, uint32_t ranks[RF_RANK_BLOCK]);

#endif
