/*
 * Which columns of a decided stream hold what: rf-stream(5), Decided.
 *
 * By rf.role; where a foreign program lost that, by the reserved names
 * `prediction` and `probability.CLASS`, and by options.
 *
 *	struct rf_scorer_columns columns = {0};
 *	RF_TRY(rf_scorer_columns_find(&columns, schema, NULL, NULL, err));
 *	rf_scorer_columns_release(&columns);
 */
#ifndef RF_SCORE_SCORE_COLUMNS_H
#define RF_SCORE_SCORE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "stream/batch.h"

struct rf_scorer_share {
	int64_t column;
	struct rf_bytes text; /* the class, in the schema's memory */
};

struct rf_scorer_columns {
	bool is_classification;
	int64_t truth, prediction;
	int64_t weight; /* -1: none */
	struct rf_scorer_share *shares;
	int32_t n_shares; /* 0: a stream without probabilities */
	size_t capacity;
};

/* truth, weight: names by option, NULL allowed. */
enum rf_status rf_scorer_columns_find(struct rf_scorer_columns *columns,
    const struct rf_schema *schema, const char *truth, const char *weight,
    struct rf_error *err) RF_MUST_USE;

void rf_scorer_columns_release(struct rf_scorer_columns *columns);

#endif
