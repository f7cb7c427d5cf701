/*
 * rf-vote: tallies in, predictions out; parts merged on the way.
 *
 * rf-stream(5), prediction and decided.  Memory does not grow with the rows.
 */
#ifndef RF_PREDICT_VOTE_H
#define RF_PREDICT_VOTE_H

#include "base/log.h"
#include "stream/arrow_read.h"

struct rf_vote_options {
	bool with_probabilities;
	const char *prefix; /* of the new columns' names; NULL: none */
	bool partial_ok;    /* trees may lack */
	bool verbose;
	const struct rf_log *log;
};

/* Decides all rows of the n_readers >= 1 parts into a stream on fd. */
enum rf_status rf_vote(struct rf_reader *const *readers, size_t n_readers,
    int fd, const char *name, const struct rf_vote_options *options,
    struct rf_error *err) RF_MUST_USE;

#endif
