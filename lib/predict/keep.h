/*
 * Which columns of the data go on beside the tallies.
 */
#ifndef RF_PREDICT_KEEP_H
#define RF_PREDICT_KEEP_H

#include "stream/schema.h"

struct rf_kept {
	size_t *fields; /* of the data's schema, ascending */
	size_t n_fields;
	/* The field that is the label, if it is by name only; else -1. */
	int64_t label;
};

/*
 * keep   "all", "none", names with commas between, or NULL: the columns whose
 *        rf.role is id, label, weight or fold
 * label  name of the model's label (NULL: unknown): a column of that name is
 *        the label where no column has the role
 * RF_EUSAGE where a name is not there, RF_EDATA where a column cannot go on.
 * kept is the caller's to release.
 */
enum rf_status rf_keep(struct rf_kept *kept, const struct rf_schema *schema,
    const char *keep, const char *label, struct rf_error *err) RF_MUST_USE;
void rf_kept_release(struct rf_kept *kept);

/* Appends copies of the kept fields. */
enum rf_status rf_kept_fields(const struct rf_kept *kept,
    const struct rf_schema *from, struct rf_schema *to,
    struct rf_error *err) RF_MUST_USE;

#endif
