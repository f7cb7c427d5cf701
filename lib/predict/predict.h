/*
 * rf-predict: data in, tallies of a forest's votes or leaf numbers out.
 *
 * Keeps rows and batches as they come, but cuts a batch whose output would be
 * large; memory does not grow with the rows.  rf-stream(5), prediction.
 */
#ifndef RF_PREDICT_PREDICT_H
#define RF_PREDICT_PREDICT_H

#include "base/log.h"
#include "forest/forest.h"
#include "predict/model.h"
#include "stream/arrow_read.h"

struct rf_predict_options {
	enum rf_vote vote; /* soft or hard; regression has values anyway */
	bool wants_leaves;
	bool has_trees; /* trees first_tree .. end_tree - 1 alone */
	int64_t first_tree, end_tree;
	const char *keep; /* keep.h */
	int64_t row0;	  /* number of the first row; -1: the stream's */
	bool missing_ok;
	const char *device; /* as --device */
	int n_threads;	    /* 0: all processors */
	bool verbose;
	const struct rf_log *log;
};

/* Predicts all rows of the reader into a stream on fd. */
enum rf_status rf_predict(const struct rf_forest *forest,
    struct rf_reader *reader, int fd, const char *name,
    const struct rf_predict_options *options, struct rf_error *err) RF_MUST_USE;

#endif
