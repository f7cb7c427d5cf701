/*
 * Threads that run jobs; the results are waited for in the order given.
 *
 *	RF_TRY(rf_workers_start(&workers, 4, 8, run, err));
 *	rf_workers_give(workers, job);
 *	job = rf_workers_wait(workers);
 *	rf_workers_stop(workers);
 */
#ifndef RF_TABLE_WORKERS_H
#define RF_TABLE_WORKERS_H

#include <stddef.h>

#include "base/error.h"

struct rf_workers;

/* At most max_jobs are given and not yet waited for. */
enum rf_status rf_workers_start(struct rf_workers **out, int n_threads,
    size_t max_jobs, void (*run)(void *job), struct rf_error *err) RF_MUST_USE;
void rf_workers_give(struct rf_workers *workers, void *job);
/* The oldest job not yet waited for, once it has run. */
void *rf_workers_wait(struct rf_workers *workers);
/* Jobs not begun are left; NULL allowed. */
void rf_workers_stop(struct rf_workers *workers);

#endif
