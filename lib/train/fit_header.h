/*
 * The header of a forest from what was trained on: rf-stream(5), forest.
 */
#ifndef RF_TRAIN_FIT_HEADER_H
#define RF_TRAIN_FIT_HEADER_H

#include "train/coded.h"
#include "train/params.h"

struct rf_fit_facts {
	const struct rf_table *table;
	struct rf_answers *labels; /* its classes move into the header */
	const struct rf_rows *rows;
	const struct rf_coded *coded;
	const struct rf_params *params;
	const struct rf_rules *rules;
	struct rf_digest label_digest, weight_digest;
};

/* The header is the caller's to release, after a failure too. */
enum rf_status rf_fit_header(const struct rf_fit_facts *facts,
    struct rf_forest_header *header, struct rf_error *err) RF_MUST_USE;

#endif
