/*
 * A whole forest from a forest stream, all of it checked.
 *
 *	struct rf_reader_options options = {.kind = "forest", .log = log};
 *	RF_TRY(rf_reader_open(&reader, 0, "<stdin>", &options, err));
 *	RF_TRY(rf_forest_read(reader, &forest, err));
 *	rf_reader_close(reader);
 *
 * rf-stream(5), forest.
 */
#ifndef RF_FOREST_FOREST_READ_H
#define RF_FOREST_FOREST_READ_H

#include "forest/forest.h"
#include "stream/arrow_read.h"

/*
 * Reads to the end: every tree is a tree (tree.h), their number and first are
 * those of the header, and the fingerprint made anew is that of the end batch.
 * The forest is the caller's to release, and empty after an error.
 */
enum rf_status rf_forest_read(struct rf_reader *reader, struct rf_forest *out,
    struct rf_error *err) RF_MUST_USE;

#endif
