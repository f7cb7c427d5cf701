/*
 * What a training run will need beyond what it has, asked of the functions
 * that size its memory, before they do.
 *
 *	RF_TRY(rf_fit_memory_check(&plan, err));
 *
 * Made of the table, before there are codes: an upper bound.  A thread is to
 * take 32 bytes a row at most, codes 2 bytes a cell.
 */
#ifndef RF_TRAIN_FIT_MEMORY_H
#define RF_TRAIN_FIT_MEMORY_H

#include "train/answers.h"
#include "train/params.h"
#include "train/problem.h"
#include "train/rows.h"

struct rf_fit_plan {
	const struct rf_table *table;
	const struct rf_answers *labels;
	const struct rf_rows *rows;
	const struct rf_params *params;
	const struct rf_rules *rules;
	int n_threads;
	bool with_oob;
};

/* Says what will be needed; RF_ENOMEM where that cannot be had. */
enum rf_status rf_fit_memory_check(
    const struct rf_fit_plan *plan, struct rf_error *err) RF_MUST_USE;

#endif
