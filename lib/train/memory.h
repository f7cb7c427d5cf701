/*
 * How much memory there is, and how much a training run will need.
 */
#ifndef RF_TRAIN_MEMORY_H
#define RF_TRAIN_MEMORY_H

#include "base/log.h"

/*
 * Bytes that this process can still get: the least of its address space limit,
 * the limits of its control groups and what the system has left.  INT64_MAX
 * where nothing is known.
 */
int64_t rf_memory_available(void);

/* Bytes that this process has now. */
int64_t rf_memory_resident(void);

struct rf_memory_need {
	int64_t n_rows, n_features, n_threads;
	int64_t n_bytes; /* beyond those that the process has */
	int64_t n_nodes; /* that may wait to be written */
};

/*
 * Says what will be needed; RF_ENOMEM where that cannot be had.
 */
enum rf_status rf_memory_check(const struct rf_memory_need *need,
    const struct rf_log *log, struct rf_error *err) RF_MUST_USE;

#endif
