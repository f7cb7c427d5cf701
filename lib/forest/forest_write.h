/*
 * Writing a forest stream, tree by tree: rf-stream(5) 3.2.
 *
 * Batches end at the first tree boundary past 1 MiB, or inside a tree at
 * 64 MiB.  The fingerprint is summed up on the way and goes out in the end
 * batch.
 */
#ifndef RF_FOREST_FOREST_WRITE_H
#define RF_FOREST_FOREST_WRITE_H

#include "forest/tree_slices.h"

struct rf_forest_writer;

/*
 * Opens a stream on fd for a model of this header (copied): its metadata and
 * columns (threshold_int only with int64 features, cats only with categorical
 * ones) follow from it.
 */
enum rf_status rf_forest_writer_open(struct rf_forest_writer **out, int fd,
    const char *name, const struct rf_forest_header *header, bool with_stats,
    struct rf_error *err) RF_MUST_USE;
/* Trees in ascending order; the tree stays the caller's. */
enum rf_status rf_forest_writer_put(struct rf_forest_writer *writer,
    const struct rf_forest_tree *tree, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_forest_writer_put_slices(struct rf_forest_writer *writer,
    const struct rf_tree_slices *slices, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_forest_writer_finish(
    struct rf_forest_writer *writer, struct rf_error *err) RF_MUST_USE;
void rf_forest_writer_free(struct rf_forest_writer *writer);

/*
 * XXH3-128 of the canonical text of features, vocabularies, classes and task,
 * in hex; equal for equal models of any training.
 */
enum rf_status rf_forest_schema_hash(const struct rf_forest_header *header,
    char out[33], struct rf_error *err) RF_MUST_USE;

#endif
