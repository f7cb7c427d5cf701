/*
 * The header of a prediction stream: what its tallies are of.
 *
 * rf-predict writes it, rf-fit for the rows out of bag, rf-vote reads it and
 * tells by it which streams may be merged.  rf-stream(5), prediction.
 */
#ifndef RF_PREDICT_TALLY_H
#define RF_PREDICT_TALLY_H

#include <stdbool.h>

#include "forest/forest.h"
#include "predict/model.h"
#include "stream/schema.h"

/* From so many classes on sums are lists of the classes with a vote. */
#define RF_TALLY_COLUMNS_MOST 64

struct rf_tree_range {
	int64_t first, end; /* global tree numbers, half-open */
};

struct rf_tally_header {
	enum rf_task task;
	/* rf.mode and rf.vote: soft or hard votes, values, or leaf numbers */
	enum rf_vote vote;
	/* Each row has its own number of trees, in rf.n; then params and data
	 * stand in place of forest. */
	bool is_oob;
	char forest[33]; /* fingerprints in hex; "" where there is none */
	char schema[33], params[33], data[33];
	struct rf_tree_range *ranges; /* ascending, disjoint, not touching */
	int64_t n_ranges;
	int64_t total_trees;
	int unit_exponent; /* regression */
	char **classes;	   /* n_classes texts; regression: none */
	int32_t n_classes;
	char *label; /* name of the label in training; NULL: unknown */
	enum rf_label_type label_type;
	int64_t row0;
};

/*
 * Fills task, unit, classes, label and schema hash (copied) from a model's
 * header.
 */
enum rf_status rf_tally_header_init(struct rf_tally_header *out,
    const struct rf_forest_header *forest, struct rf_error *err) RF_MUST_USE;
void rf_tally_header_release(struct rf_tally_header *header);

/* Appends a range behind the others; where it touches the last, widens it. */
enum rf_status rf_tally_header_add_range(struct rf_tally_header *header,
    int64_t first, int64_t end, struct rf_error *err) RF_MUST_USE;
/* Trees in all ranges. */
int64_t rf_tally_header_n_trees(const struct rf_tally_header *header);
/* 1 for regression, else n_classes. */
int32_t rf_tally_header_n_sums(const struct rf_tally_header *header);

/* Sets rf.kind and all keys of the header. */
enum rf_status rf_tally_header_put(const struct rf_tally_header *header,
    struct rf_metadata *metadata, struct rf_error *err) RF_MUST_USE;
/* Reads and checks them; RF_EDATA names the key.  out is the caller's to
 * release, and empty after an error. */
enum rf_status rf_tally_header_get(struct rf_tally_header *out,
    const struct rf_metadata *metadata, struct rf_error *err) RF_MUST_USE;

/*
 * Appends the fields of the tallies: rf.row, rf.n (out of bag), then rf.sum.0
 * .., or rf.sums, or rf.leaf.TREE of every tree.
 */
enum rf_status rf_tally_header_fields(const struct rf_tally_header *header,
    struct rf_schema *schema, struct rf_error *err) RF_MUST_USE;

#endif
