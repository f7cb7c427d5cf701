/*
 * Nodes as rows of a forest stream: the columns, and a batch in the making.
 * Private to lib/forest.  rf-stream(5), forest.
 */
#ifndef RF_FOREST_FOREST_BATCH_H
#define RF_FOREST_FOREST_BATCH_H

#include "forest/tree_slices.h"

/* Columns in the order of the schema. */
enum rf_forest_column {
	RF_COLUMN_TREE,
	RF_COLUMN_NODE,
	RF_COLUMN_FEATURE,
	RF_COLUMN_THRESHOLD,
	RF_COLUMN_THRESHOLD_INT,
	RF_COLUMN_LEFT,
	RF_COLUMN_MISSING_LEFT,
	RF_COLUMN_CATS,
	RF_COLUMN_GAIN,
	RF_COLUMN_COVER,
	RF_COLUMN_LEAF,
	RF_N_COLUMNS
};

struct rf_forest_column_kind {
	const char *name;
	enum rf_type type;
	/* Bytes a row of the batch in the making; of lists, their offset. */
	size_t width;
	bool nullable;
};

extern const struct rf_forest_column_kind rf_forest_columns[RF_N_COLUMNS];

/* Whether forests of this header have the column. */
bool rf_forest_has_column(
    const struct rf_forest_header *header, enum rf_forest_column column);

struct rf_forest_batch {
	const struct rf_forest_header *header;
	bool with_stats;
	bool has[RF_N_COLUMNS];
	int64_t row_bytes;
	/* What it holds; bytes count what the rows take, not validity. */
	int64_t n_rows, n_cats, n_entries, n_bytes;
	char *values[RF_N_COLUMNS]; /* offsets have one more than rows */
	uint8_t *validity[RF_N_COLUMNS];
	uint8_t *missing_bits, *flags;
	size_t row_capacity;
	uint8_t *cats;
	size_t cats_capacity;
	int32_t *leaf_class;
	double *leaf_value;
	size_t entry_capacity;
	struct rf_column columns[RF_N_COLUMNS], leaf_columns[3];
};

/* The header stays the caller's, and must outlive the batch. */
void rf_forest_batch_init(struct rf_forest_batch *batch,
    const struct rf_forest_header *header, bool with_stats);
void rf_forest_batch_release(struct rf_forest_batch *batch);

/* Appends nodes first..end-1 of a slice that begins at node `node` of its
 * tree. */
enum rf_status rf_forest_batch_add(struct rf_forest_batch *batch,
    const struct rf_forest_tree *slice, int32_t node, int32_t first,
    int32_t end, struct rf_error *err) RF_MUST_USE;

/*
 * The end of the slice's nodes from `first` on with which the batch has
 * limit_bytes at most; an empty batch takes one in any case.
 */
int32_t rf_forest_batch_fits(const struct rf_forest_batch *batch,
    const struct rf_forest_tree *slice, int32_t first, int64_t limit_bytes);

/* Columns for the fields of the schema, valid until the next add. */
void rf_forest_batch_columns(struct rf_forest_batch *batch,
    const struct rf_schema *schema, struct rf_batch *out);
void rf_forest_batch_clear(struct rf_forest_batch *batch);

#endif
