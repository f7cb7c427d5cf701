/*
 * Threads that take items of short runs, and sleep between them.
 *
 * For filters: OpenMP's threads spin while they wait, and so take the
 * processor from the other programs of a pipe.
 */
#ifndef RF_BASE_POOL_H
#define RF_BASE_POOL_H

#include <stdint.h>

#include "base/error.h"

struct rf_pool;

/* n_threads >= 1, the caller's own counted.  Where the system gives fewer, it
 * is fewer. */
enum rf_status rf_pool_open(
    struct rf_pool **out, int n_threads, struct rf_error *err) RF_MUST_USE;

/*
 * Calls work for every item 0..n_items-1, in any order, and returns when all
 * have come back.  thread: 0..n_threads-1, one item at a time for each.
 */
void rf_pool_run(struct rf_pool *pool, int64_t n_items,
    void (*work)(void *context, int64_t item, int thread), void *context);

void rf_pool_close(struct rf_pool *pool); /* NULL allowed */

#endif
