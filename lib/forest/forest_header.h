/*
 * A model's header as the schema metadata of a forest stream, and back.
 *
 * Keys and their forms: rf-stream(5), forest.  What has no member in struct
 * rf_forest_header stays in its metadata, in order, so that
 * put and get are inverse to each other.
 */
#ifndef RF_FOREST_FOREST_HEADER_H
#define RF_FOREST_FOREST_HEADER_H

#include "forest/forest.h"

/*
 * Appends rf.kind, the header's entries, its own metadata and rf.schema.hash.
 * RF_EDATA where a name, level or class is not UTF-8.
 */
enum rf_status rf_forest_header_put(const struct rf_forest_header *header,
    struct rf_metadata *metadata, struct rf_error *err) RF_MUST_USE;

/*
 * The header that metadata states, every value checked, rf.schema.hash too;
 * `out` is the caller's to release, and empty after an error.
 */
enum rf_status rf_forest_header_get(struct rf_forest_header *out,
    const struct rf_metadata *metadata, struct rf_error *err) RF_MUST_USE;

/*
 * XXH3-128, in hex, of the training parameters: all entries of `parameters`
 * as lines "key=value" in order.  The number and range of trees are not to be
 * among them, the seed is.
 */
enum rf_status rf_forest_params_hash(const struct rf_metadata *parameters,
    char out[33], struct rf_error *err) RF_MUST_USE;

#endif
