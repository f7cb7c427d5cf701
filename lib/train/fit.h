/*
 * Training from a table to a forest stream: what rf-fit does.
 *
 *	RF_TRY(rf_fit(&table, &options, 1, "<stdout>", err));
 */
#ifndef RF_TRAIN_FIT_H
#define RF_TRAIN_FIT_H

#include "backend.h"
#include "train/load.h"
#include "train/params.h"

struct rf_fit_options {
	struct rf_params params;
	const char *device; /* as --device has it */
	int n_threads;	    /* 0: all processors */
	enum rf_tier tier;
	bool verbose;
	bool with_stats;
	bool with_oob; /* the score is a note */
	int oob_fd;    /* descriptor of the out-of-bag stream; -1: none */
	const char *oob_name;
	const struct rf_log *log;
};

/*
 * Trains on the rows of the table, whose columns are given back on the way,
 * and writes the forest to fd.  Nothing is written before all of the data was
 * understood, and no end mark unless all went well.
 */
enum rf_status rf_fit(struct rf_table *table,
    const struct rf_fit_options *options, int fd, const char *name,
    struct rf_error *err) RF_MUST_USE;

#endif
