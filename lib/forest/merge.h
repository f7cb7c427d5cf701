/*
 * Forests grown apart become one: rf-stream(5), forest, safe merging.
 *
 * Parts may come in any order; the result, and what is packed of it, depends
 * on the union of their trees alone.
 */
#ifndef RF_FOREST_MERGE_H
#define RF_FOREST_MERGE_H

#include "base/log.h"
#include "forest/forest.h"

struct rf_merge_options {
	bool partial;	/* missing trees are a note, not an error */
	bool federated; /* parts may be of different data */
	const struct rf_log *log;
};

/*
 * Moves the trees of n_parts forests, each with arrays of its own, into out;
 * parts are left empty on success, unchanged else.  Features, classes and
 * parameters must be equal, and the data unless `federated`.  Trees that
 * rf.trees.total plans (without it: below the highest) and that no part has
 * are an error unless `partial`; a tree in two parts is one always.
 * names   of the parts, for messages
 */
enum rf_status rf_forest_merge(struct rf_forest *parts,
    const char *const *names, int n_parts,
    const struct rf_merge_options *options, struct rf_forest *out,
    struct rf_error *err) RF_MUST_USE;

#endif
