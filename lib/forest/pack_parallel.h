/*
 * The long parts of loading a packed forest, by all threads of a pool.  Private
 * to lib/forest.
 *
 * Where anything is wrong they only say so: what, and where first, the caller
 * finds in order.
 */
#ifndef RF_FOREST_PACK_PARALLEL_H
#define RF_FOREST_PACK_PARALLEL_H

#include "base/pool.h"
#include "forest/forest.h"
#include "forest/pack_table.h"

/* As rf_model_load_memory, by the n_threads threads of the pool; NULL: one. */
enum rf_status rf_pack_load(void *memory, size_t size_bytes, const char *name,
    bool want_stats, struct rf_pool *pool, int n_threads, struct rf_forest *out,
    struct rf_error *err) RF_MUST_USE;

/* The first size bytes of a regular file; false: not all could be read. */
bool rf_pack_read_all(
    int fd, size_t size, uint8_t *buffer, struct rf_pool *pool);

/* Whether every section is whole. */
bool rf_pack_verify_all(
    const struct rf_pack_table *table, struct rf_pool *pool);

/*
 * Whether every tree is good.
 * scratch  most_nodes numbers for each of the pool's threads
 */
bool rf_trees_are_good(const struct rf_forest *forest, int32_t most_nodes,
    int32_t *scratch, struct rf_pool *pool);

#endif
