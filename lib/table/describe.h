/*
 * The columns of a table as text: for each its number, name, type, role,
 * missing and different cells, and range or most frequent text; then the
 * options that read the table so again.
 *
 * Constant memory: different values are counted up to 4096, or fewer where
 * there are more than 1024 columns; but categories are, as in a stream, all
 * kept.
 */
#ifndef RF_TABLE_DESCRIBE_H
#define RF_TABLE_DESCRIBE_H

#include "table/chunk.h"

struct rf_describe;

/* The plan must outlive it. */
enum rf_status rf_describe_new(struct rf_describe **out,
    const struct rf_plan *plan, struct rf_error *err) RF_MUST_USE;
/* Takes a chunk that is settled. */
enum rf_status rf_describe_chunk(struct rf_describe *describe,
    const struct rf_chunk *chunk, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_describe_print(const struct rf_describe *describe,
    const struct rf_csv_options *options, int fd, const char *name,
    struct rf_error *err) RF_MUST_USE;
void rf_describe_free(struct rf_describe *describe);

/*
 * Appends the options, quoted for sh(1), that make the same stream of the
 * table: describe_options.c.
 */
void rf_describe_options(struct rf_text *out, const struct rf_plan *plan,
    const struct rf_csv_options *options);

#endif
