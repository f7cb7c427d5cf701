#include "forest/forest_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "forest/tree.h"

#define ENTRY_BYTES 12 /* of a leaf: class and value */

/* A value of missing_left is a byte until its bits are made. */
const struct rf_forest_column_kind rf_forest_columns[RF_N_COLUMNS] = {
    {"tree", RF_TYPE_INT32, 4, false},
    {"node", RF_TYPE_INT32, 4, false},
    {"feature", RF_TYPE_INT32, 4, true},
    {"threshold", RF_TYPE_FLOAT64, 8, true},
    {"threshold_int", RF_TYPE_INT64, 8, true},
    {"left", RF_TYPE_INT32, 4, true},
    {"missing_left", RF_TYPE_BOOL, 1, true},
    {"cats", RF_TYPE_BINARY, 4, true},
    {"gain", RF_TYPE_FLOAT32, 4, true},
    {"cover", RF_TYPE_FLOAT64, 8, true},
    {"leaf", RF_TYPE_LIST, 4, true},
};

/* What a node has, in a byte, until validity bits are made of it. */
enum {
	HAS_FEATURE = 1,
	HAS_FLOAT = 2,
	HAS_INT64 = 4,
	HAS_CATS = 8,
	IS_LEAF = 16,
	IS_NODE = 32,
};

bool
rf_forest_has_column(
    const struct rf_forest_header *header, enum rf_forest_column column)
{
	return (column != RF_COLUMN_THRESHOLD_INT ||
		   rf_forest_has_int64(header)) &&
	    (column != RF_COLUMN_CATS || rf_forest_has_categories(header));
}

void
rf_forest_batch_init(struct rf_forest_batch *batch,
    const struct rf_forest_header *header, bool with_stats)
{
	memset(batch, 0, sizeof(*batch));
	batch->header = header;
	batch->with_stats = with_stats;
	for (int i = 0; i < RF_N_COLUMNS; i++) {
		batch->has[i] =
		    rf_forest_has_column(header, (enum rf_forest_column)i);
		if (batch->has[i])
			batch->row_bytes += (int64_t)rf_forest_columns[i].width;
	}
}

void
rf_forest_batch_release(struct rf_forest_batch *batch)
{
	for (int i = 0; i < RF_N_COLUMNS; i++) {
		free(batch->values[i]);
		free(batch->validity[i]);
	}
	free(batch->missing_bits);
	free(batch->flags);
	free(batch->cats);
	free(batch->leaf_class);
	free(batch->leaf_value);
	memset(batch, 0, sizeof(*batch));
}

/* *array of n elements of width; a failure is seen by NULL. */
static bool
resize(void *array, size_t n, size_t width)
{
	void *old, *grown;

	memcpy(&old, array, sizeof(old));
	grown = rf_realloc(old, n, width);
	if (grown != NULL)
		memcpy(array, &grown, sizeof(grown));
	return grown != NULL;
}

static bool
reserve_rows(struct rf_forest_batch *batch, size_t n_rows)
{
	size_t n = batch->row_capacity + batch->row_capacity / 2;
	bool is_done = true;

	if (n_rows <= batch->row_capacity)
		return true;
	n = n < n_rows ? n_rows : n;
	for (int i = 0; i < RF_N_COLUMNS && is_done; i++)
		if (batch->has[i])
			is_done = resize(&batch->values[i], n + 1,
				      rf_forest_columns[i].width) &&
			    resize(&batch->validity[i], n / 8 + 1, 1);
	is_done = is_done && resize(&batch->missing_bits, n / 8 + 1, 1) &&
	    resize(&batch->flags, n, 1);
	if (is_done)
		batch->row_capacity = n;
	return is_done;
}

static bool
reserve_entries(struct rf_forest_batch *batch, size_t n_entries)
{
	size_t n = batch->entry_capacity + batch->entry_capacity / 2;

	if (n_entries <= batch->entry_capacity)
		return true;
	n = n < n_entries ? n_entries : n;
	if (!resize(&batch->leaf_class, n, sizeof(int32_t)) ||
	    !resize(&batch->leaf_value, n, sizeof(double)))
		return false;
	batch->entry_capacity = n;
	return true;
}

static bool
reserve_cats(struct rf_forest_batch *batch, size_t n_cats)
{
	size_t n = batch->cats_capacity + batch->cats_capacity / 2;

	if (n_cats <= batch->cats_capacity)
		return true;
	n = n < n_cats ? n_cats : n;
	if (!resize(&batch->cats, n, 1))
		return false;
	batch->cats_capacity = n;
	return true;
}

/* Room for nodes first..end-1 of the tree. */
static enum rf_status
reserve(struct rf_forest_batch *batch, const struct rf_forest_tree *tree,
    int32_t node, int32_t first, int32_t end, struct rf_error *err)
{
	int64_t n_rows = batch->n_rows + end - first;
	int64_t n_entries =
	    batch->n_entries + tree->leaf_first[end] - tree->leaf_first[first];
	int64_t n_cats = batch->n_cats;

	if (tree->cats_first != NULL)
		n_cats += tree->cats_first[end] - tree->cats_first[first];
	if (n_entries > INT32_MAX || n_cats > INT32_MAX)
		return rf_error_set(err, RF_EDATA,
		    "tree %lld, node %d: too much for one batch",
		    (long long)tree->tree, node + first);
	if (!reserve_rows(batch, (size_t)n_rows) ||
	    !reserve_entries(batch, (size_t)n_entries) ||
	    !reserve_cats(batch, (size_t)n_cats))
		return rf_error_memory(err,
		    (size_t)(n_rows * batch->row_bytes +
			n_entries * ENTRY_BYTES + n_cats),
		    "a batch of nodes");
	return RF_OK;
}

static uint8_t
node_flags(const struct rf_forest_header *header, int32_t feature)
{
	static const uint8_t of_kind[] = {HAS_FLOAT, HAS_INT64, HAS_CATS};

	if (feature < 0)
		return IS_NODE | IS_LEAF;
	return IS_NODE | HAS_FEATURE |
	    of_kind[rf_split_kind(&header->features[feature])];
}

/* The columns that number a node. */
static void
add_numbers(struct rf_forest_batch *batch, const struct rf_forest_tree *tree,
    int32_t node, int32_t first, int32_t n)
{
	int64_t at = batch->n_rows;
	int32_t number = (int32_t)tree->tree;

	for (int32_t i = 0; i < n; i++) {
		int32_t own = node + i;

		memcpy(
		    batch->values[RF_COLUMN_TREE] + 4 * (at + i), &number, 4);
		memcpy(batch->values[RF_COLUMN_NODE] + 4 * (at + i), &own, 4);
		batch->flags[at + i] =
		    node_flags(batch->header, tree->feature[first + i]);
	}
}

static void
copy(struct rf_forest_batch *batch, enum rf_forest_column column,
    const void *values, int32_t first, int32_t n)
{
	size_t width = rf_forest_columns[column].width;

	if (batch->has[column] && values != NULL)
		memcpy(batch->values[column] + (size_t)batch->n_rows * width,
		    (const char *)values + (size_t)first * width,
		    (size_t)n * width);
}

/* Ends of nodes' entries in the batch, and before the first one 0. */
static void
add_offsets(struct rf_forest_batch *batch, enum rf_forest_column column,
    const int64_t *firsts, int32_t first, int32_t n, int64_t base)
{
	char *out = batch->values[column];
	int32_t zero = 0;

	memcpy(out, &zero, 4);
	out += 4 * (batch->n_rows + 1);
	for (int32_t i = 0; i < n; i++) {
		int64_t end = base;
		int32_t offset;

		if (firsts != NULL)
			end += firsts[first + i + 1] - firsts[first];
		offset = (int32_t)end;
		memcpy(out + 4 * (int64_t)i, &offset, 4);
	}
}

static void
add_cats(struct rf_forest_batch *batch, const struct rf_forest_tree *tree,
    int32_t first, int32_t n)
{
	int64_t size;

	add_offsets(
	    batch, RF_COLUMN_CATS, tree->cats_first, first, n, batch->n_cats);
	if (tree->cats_first == NULL)
		return;
	size = tree->cats_first[first + n] - tree->cats_first[first];
	if (size > 0)
		memcpy(batch->cats + batch->n_cats,
		    tree->cats + tree->cats_first[first] - tree->cats_first[0],
		    (size_t)size);
	batch->n_cats += size;
	batch->n_bytes += size;
}

static void
add_entries(struct rf_forest_batch *batch, const struct rf_forest_tree *tree,
    int32_t first, int32_t n)
{
	int64_t from = tree->leaf_first[first] - tree->leaf_first[0];
	int64_t n_entries =
	    tree->leaf_first[first + n] - tree->leaf_first[first];

	add_offsets(batch, RF_COLUMN_LEAF, tree->leaf_first, first, n,
	    batch->n_entries);
	if (n_entries > 0) {
		memcpy(batch->leaf_class + batch->n_entries,
		    tree->leaf_class + from, (size_t)n_entries * 4);
		memcpy(batch->leaf_value + batch->n_entries,
		    tree->leaf_value + from, (size_t)n_entries * 8);
	}
	batch->n_entries += n_entries;
	batch->n_bytes += n_entries * ENTRY_BYTES;
}

static void
add_nodes(struct rf_forest_batch *batch, const struct rf_forest_tree *tree,
    int32_t node, int32_t first, int32_t n)
{
	add_numbers(batch, tree, node + first, first, n);
	copy(batch, RF_COLUMN_FEATURE, tree->feature, first, n);
	copy(batch, RF_COLUMN_THRESHOLD, tree->threshold, first, n);
	copy(batch, RF_COLUMN_THRESHOLD_INT, tree->threshold_int, first, n);
	copy(batch, RF_COLUMN_LEFT, tree->left, first, n);
	copy(batch, RF_COLUMN_MISSING_LEFT, tree->missing_left, first, n);
	if (batch->with_stats) {
		copy(batch, RF_COLUMN_GAIN, tree->gain, first, n);
		copy(batch, RF_COLUMN_COVER, tree->cover, first, n);
	}
	if (batch->has[RF_COLUMN_CATS])
		add_cats(batch, tree, first, n);
	add_entries(batch, tree, first, n);
	batch->n_rows += n;
	batch->n_bytes += n * batch->row_bytes;
}

/* Bit i set where bytes[i] & mask, 8 at a time. */
static void
pack_bits(uint8_t *bits, const uint8_t *bytes, int64_t n, unsigned mask)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t x;

		memcpy(&x, bytes + i, 8);
		x &= ones * mask;
		x |= x >> 4;
		x |= x >> 2;
		x |= x >> 1;
		/* The low bit of byte k goes to bit 56 + k. */
		bits[i / 8] =
		    (uint8_t)((x & ones) * UINT64_C(0x0102040810204080) >> 56);
	}
	if (i < n)
		bits[i / 8] = 0;
	for (; i < n; i++)
		bits[i / 8] |= (uint8_t)(((bytes[i] & mask) != 0) << (i % 8));
}

/* The flag of nodes that have a value in the column; 0: none has. */
static unsigned
flag_of(const struct rf_forest_batch *batch, enum rf_forest_column column)
{
	static const uint8_t flags[RF_N_COLUMNS] = {
	    [RF_COLUMN_FEATURE] = HAS_FEATURE,
	    [RF_COLUMN_THRESHOLD] = HAS_FLOAT,
	    [RF_COLUMN_THRESHOLD_INT] = HAS_INT64,
	    [RF_COLUMN_LEFT] = HAS_FEATURE,
	    [RF_COLUMN_MISSING_LEFT] = HAS_FEATURE,
	    [RF_COLUMN_CATS] = HAS_CATS,
	    [RF_COLUMN_GAIN] = HAS_FEATURE,
	    [RF_COLUMN_COVER] = IS_NODE,
	    [RF_COLUMN_LEAF] = IS_LEAF};
	bool is_stats = column == RF_COLUMN_GAIN || column == RF_COLUMN_COVER;

	return is_stats && !batch->with_stats ? 0 : flags[column];
}

/* Values under nulls as 0 already here, so that nobody copies them for that;
 * without a branch, since leaves come as they like. */
static void
zero_nulls(
    void *values, size_t width, const uint8_t *flags, int64_t n, unsigned mask)
{
	uint64_t *wide = values;
	uint32_t *narrow = values;

	if (width == 8)
		for (int64_t i = 0; i < n; i++)
			wide[i] &= 0 - (uint64_t)((flags[i] & mask) != 0);
	else if (width == 4)
		for (int64_t i = 0; i < n; i++)
			narrow[i] &= 0 - (uint32_t)((flags[i] & mask) != 0);
	else
		for (int64_t i = 0; i < n; i++)
			((uint8_t *)values)[i] &=
			    (uint8_t)(0 - ((flags[i] & mask) != 0));
}

static void
make_column(struct rf_forest_batch *batch, enum rf_forest_column column,
    struct rf_column *out)
{
	bool is_list = column == RF_COLUMN_CATS || column == RF_COLUMN_LEAF;
	unsigned flag = flag_of(batch, column);
	char *values = batch->values[column];

	out->n_rows = batch->n_rows;
	if (rf_forest_columns[column].nullable) {
		pack_bits(
		    batch->validity[column], batch->flags, batch->n_rows, flag);
		out->validity = batch->validity[column];
		out->n_nulls = -1;
		if (!is_list)
			zero_nulls(values, rf_forest_columns[column].width,
			    batch->flags, batch->n_rows, flag);
	}
	out->values = values;
	if (column == RF_COLUMN_MISSING_LEFT) {
		pack_bits(
		    batch->missing_bits, (uint8_t *)values, batch->n_rows, 255);
		out->values = batch->missing_bits;
	} else if (is_list) {
		out->offsets = out->values;
		out->values = NULL;
	}
	if (column == RF_COLUMN_CATS) {
		out->data.data = batch->cats;
		out->data.size = batch->n_cats;
	}
}

/* children[0] is the struct, children[1] and [2] its members. */
static void
make_leaf_children(const struct rf_forest_batch *batch, struct rf_column *leaf,
    struct rf_column children[3])
{
	const struct rf_field *item = leaf->field->children;

	leaf->children = children;
	leaf->n_children = 1;
	for (int i = 0; i < 3; i++)
		children[i].n_rows = batch->n_entries;
	children[0].field = item;
	children[0].children = children + 1;
	children[0].n_children = 2;
	children[1].field = &item->children[0];
	children[1].values = batch->leaf_class;
	children[2].field = &item->children[1];
	children[2].values = batch->leaf_value;
}

int32_t
rf_forest_batch_fits(const struct rf_forest_batch *batch,
    const struct rf_forest_tree *slice, int32_t first, int64_t limit_bytes)
{
	int32_t low = first, high = slice->n_nodes;

	while (low < high) {
		int32_t end = low + (high - low + 1) / 2;
		int64_t bytes = batch->n_bytes +
		    (end - first) * batch->row_bytes +
		    (slice->leaf_first[end] - slice->leaf_first[first]) *
			ENTRY_BYTES;

		if (slice->cats_first != NULL)
			bytes +=
			    slice->cats_first[end] - slice->cats_first[first];
		if (bytes <= limit_bytes)
			low = end;
		else
			high = end - 1;
	}
	if (low == first && batch->n_rows == 0)
		return first + 1;
	return low;
}

enum rf_status
rf_forest_batch_add(struct rf_forest_batch *batch,
    const struct rf_forest_tree *slice, int32_t node, int32_t first,
    int32_t end, struct rf_error *err)
{
	RF_TRY(reserve(batch, slice, node, first, end, err));
	add_nodes(batch, slice, node, first, end - first);
	return RF_OK;
}

void
rf_forest_batch_columns(struct rf_forest_batch *batch,
    const struct rf_schema *schema, struct rf_batch *out)
{
	memset(out, 0, sizeof(*out));
	memset(batch->columns, 0, sizeof(batch->columns));
	memset(batch->leaf_columns, 0, sizeof(batch->leaf_columns));
	out->n_rows = batch->n_rows;
	out->columns = batch->columns;
	for (int i = 0; i < RF_N_COLUMNS; i++) {
		struct rf_column *column = &batch->columns[out->n_columns];

		if (!batch->has[i])
			continue;
		column->field = &schema->fields[out->n_columns];
		make_column(batch, (enum rf_forest_column)i, column);
		if (i == RF_COLUMN_LEAF)
			make_leaf_children(batch, column, batch->leaf_columns);
		out->n_columns++;
	}
}

void
rf_forest_batch_clear(struct rf_forest_batch *batch)
{
	batch->n_rows = batch->n_cats = 0;
	batch->n_entries = batch->n_bytes = 0;
}
