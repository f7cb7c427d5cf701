#include "forest/forest_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "forest/forest_header.h"
#include "forest/tree.h"
#include "stream/arrow_write.h"

#define BATCH_BYTES (INT64_C(1) << 20)	/* ends at a tree boundary past this */
#define SPLIT_BYTES (INT64_C(64) << 20) /* or inside a tree before this */
#define ENTRY_BYTES 12			/* of a leaf: class and value */

/* Columns in the order of the schema. */
enum column {
	TREE,
	NODE,
	FEATURE,
	THRESHOLD,
	THRESHOLD_INT,
	LEFT,
	MISSING_LEFT,
	CATS,
	GAIN,
	COVER,
	LEAF,
	N_COLUMNS
};

/*
 * Bytes of a value in the batch, lists' being those of their offset.  A value
 * of MISSING_LEFT is a byte until its bits are made.
 */
static const struct {
	const char *name;
	enum rf_type type;
	size_t width;
	bool nullable;
} columns[N_COLUMNS] = {
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
};

struct rf_forest_writer {
	struct rf_writer *writer;
	struct rf_schema schema;
	struct rf_forest_header header;
	struct rf_fingerprint fingerprint;
	bool with_stats;
	bool has[N_COLUMNS];
	int64_t row_bytes;
	int64_t n_trees, last_tree;
	/* The batch in the making. */
	int64_t n_rows, n_cats, n_entries, n_bytes;
	char *values[N_COLUMNS]; /* offsets have one more than rows */
	uint8_t *validity[N_COLUMNS];
	uint8_t *missing_bits, *flags;
	size_t row_capacity;
	uint8_t *cats;
	size_t cats_capacity;
	int32_t *leaf_class;
	double *leaf_value;
	size_t entry_capacity;
};

static enum rf_status
add_leaf_field(struct rf_field *leaf, struct rf_error *err)
{
	struct rf_field *item;

	RF_TRY(rf_field_add_children(leaf, 1, err));
	item = leaf->children;
	item->name = rf_strdup("item");
	item->type = RF_TYPE_STRUCT;
	RF_TRY(rf_field_add_children(item, 2, err));
	item->children[0].name = rf_strdup("class");
	item->children[0].type = RF_TYPE_INT32;
	item->children[1].name = rf_strdup("value");
	item->children[1].type = RF_TYPE_FLOAT64;
	if (item->name == NULL || item->children[0].name == NULL ||
	    item->children[1].name == NULL)
		return rf_error_memory(err, 8, "a field's name");
	return RF_OK;
}

static enum rf_status
make_schema(struct rf_forest_writer *writer,
    const struct rf_forest_header *header, struct rf_error *err)
{
	struct rf_field *field;

	RF_TRY(rf_forest_header_put(header, &writer->schema.metadata, err));
	for (int i = 0; i < N_COLUMNS; i++) {
		writer->has[i] =
		    (i != THRESHOLD_INT || rf_forest_has_int64(header)) &&
		    (i != CATS || rf_forest_has_categories(header));
		if (!writer->has[i])
			continue;
		writer->row_bytes += (int64_t)columns[i].width;
		RF_TRY(rf_schema_add(&writer->schema, columns[i].name,
		    columns[i].type, columns[i].nullable, &field, err));
		if (i == LEAF)
			RF_TRY(add_leaf_field(field, err));
	}
	return RF_OK;
}

enum rf_status
rf_forest_writer_open(struct rf_forest_writer **out, int fd, const char *name,
    const struct rf_forest_header *header, bool with_stats,
    struct rf_error *err)
{
	struct rf_forest_writer *writer = rf_alloc_zero(1, sizeof(*writer));
	enum rf_status status;

	*out = NULL;
	if (writer == NULL)
		return rf_error_memory(err, sizeof(*writer), "a writer");
	writer->with_stats = with_stats;
	writer->last_tree = -1;
	status = make_schema(writer, header, err);
	/* A copy by way of the metadata: what is written can be read. */
	if (status == RF_OK)
		status = rf_forest_header_get(
		    &writer->header, &writer->schema.metadata, err);
	if (status == RF_OK)
		status = rf_fingerprint_init(
		    &writer->fingerprint, &writer->header, err);
	if (status == RF_OK)
		status = rf_writer_open(
		    &writer->writer, fd, name, &writer->schema, err);
	if (status == RF_OK)
		*out = writer;
	else
		rf_forest_writer_free(writer);
	return status;
}

void
rf_forest_writer_free(struct rf_forest_writer *writer)
{
	if (writer == NULL)
		return;
	rf_writer_free(writer->writer);
	rf_schema_release(&writer->schema);
	rf_forest_header_release(&writer->header);
	rf_fingerprint_release(&writer->fingerprint);
	for (int i = 0; i < N_COLUMNS; i++) {
		free(writer->values[i]);
		free(writer->validity[i]);
	}
	free(writer->missing_bits);
	free(writer->flags);
	free(writer->cats);
	free(writer->leaf_class);
	free(writer->leaf_value);
	free(writer);
}

/* --- The batch ------------------------------------------------------------- */

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
reserve_rows(struct rf_forest_writer *writer, size_t n_rows)
{
	size_t n = writer->row_capacity + writer->row_capacity / 2;
	bool is_done = true;

	if (n_rows <= writer->row_capacity)
		return true;
	n = n < n_rows ? n_rows : n;
	for (int i = 0; i < N_COLUMNS && is_done; i++)
		if (writer->has[i])
			is_done = resize(&writer->values[i], n + 1,
				      columns[i].width) &&
			    resize(&writer->validity[i], n / 8 + 1, 1);
	is_done = is_done && resize(&writer->missing_bits, n / 8 + 1, 1) &&
	    resize(&writer->flags, n, 1);
	if (is_done)
		writer->row_capacity = n;
	return is_done;
}

static bool
reserve_entries(struct rf_forest_writer *writer, size_t n_entries)
{
	size_t n = writer->entry_capacity + writer->entry_capacity / 2;

	if (n_entries <= writer->entry_capacity)
		return true;
	n = n < n_entries ? n_entries : n;
	if (!resize(&writer->leaf_class, n, sizeof(int32_t)) ||
	    !resize(&writer->leaf_value, n, sizeof(double)))
		return false;
	writer->entry_capacity = n;
	return true;
}

static bool
reserve_cats(struct rf_forest_writer *writer, size_t n_cats)
{
	size_t n = writer->cats_capacity + writer->cats_capacity / 2;

	if (n_cats <= writer->cats_capacity)
		return true;
	n = n < n_cats ? n_cats : n;
	if (!resize(&writer->cats, n, 1))
		return false;
	writer->cats_capacity = n;
	return true;
}

/* Room for nodes first..end-1 of the tree. */
static enum rf_status
reserve(struct rf_forest_writer *writer, const struct rf_forest_tree *tree,
    int32_t first, int32_t end, struct rf_error *err)
{
	int64_t n_rows = writer->n_rows + end - first;
	int64_t n_entries =
	    writer->n_entries + tree->leaf_first[end] - tree->leaf_first[first];
	int64_t n_cats = writer->n_cats;

	if (tree->cats_first != NULL)
		n_cats += tree->cats_first[end] - tree->cats_first[first];
	if (n_entries > INT32_MAX || n_cats > INT32_MAX)
		return rf_error_set(err, RF_EDATA,
		    "tree %lld, node %d: too much for one batch",
		    (long long)tree->tree, first);
	if (!reserve_rows(writer, (size_t)n_rows) ||
	    !reserve_entries(writer, (size_t)n_entries) ||
	    !reserve_cats(writer, (size_t)n_cats))
		return rf_error_memory(err,
		    (size_t)(n_rows * writer->row_bytes +
			n_entries * ENTRY_BYTES + n_cats),
		    "a batch of nodes");
	return RF_OK;
}

static uint8_t
node_flags(const struct rf_forest_header *header, int32_t feature)
{
	static const uint8_t of_kind[] = {HAS_FLOAT, HAS_INT64, HAS_CATS};

	if (feature < 0)
		return 0;
	return HAS_FEATURE | of_kind[rf_split_kind(&header->features[feature])];
}

/* The columns that number a node. */
static void
add_numbers(struct rf_forest_writer *writer, const struct rf_forest_tree *tree,
    int32_t first, int32_t n)
{
	int64_t at = writer->n_rows;
	int32_t number = (int32_t)tree->tree;

	for (int32_t i = 0; i < n; i++) {
		int32_t node = first + i;

		memcpy(writer->values[TREE] + 4 * (at + i), &number, 4);
		memcpy(writer->values[NODE] + 4 * (at + i), &node, 4);
		writer->flags[at + i] =
		    node_flags(&writer->header, tree->feature[node]);
	}
}

static void
copy(struct rf_forest_writer *writer, enum column column, const void *values,
    int32_t first, int32_t n)
{
	size_t width = columns[column].width;

	if (writer->has[column] && values != NULL)
		memcpy(writer->values[column] + (size_t)writer->n_rows * width,
		    (const char *)values + (size_t)first * width,
		    (size_t)n * width);
}

/* Ends of nodes' entries in the batch, and before the first one 0. */
static void
add_offsets(struct rf_forest_writer *writer, enum column column,
    const int64_t *firsts, int32_t first, int32_t n, int64_t base)
{
	char *out = writer->values[column];
	int32_t zero = 0;

	memcpy(out, &zero, 4);
	out += 4 * (writer->n_rows + 1);
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
add_cats(struct rf_forest_writer *writer, const struct rf_forest_tree *tree,
    int32_t first, int32_t n)
{
	int64_t size;

	add_offsets(writer, CATS, tree->cats_first, first, n, writer->n_cats);
	if (tree->cats_first == NULL)
		return;
	size = tree->cats_first[first + n] - tree->cats_first[first];
	if (size > 0)
		memcpy(writer->cats + writer->n_cats,
		    tree->cats + tree->cats_first[first], (size_t)size);
	writer->n_cats += size;
	writer->n_bytes += size;
}

static void
add_entries(struct rf_forest_writer *writer, const struct rf_forest_tree *tree,
    int32_t first, int32_t n)
{
	int64_t from = tree->leaf_first[first];
	int64_t n_entries = tree->leaf_first[first + n] - from;

	add_offsets(
	    writer, LEAF, tree->leaf_first, first, n, writer->n_entries);
	if (n_entries > 0) {
		memcpy(writer->leaf_class + writer->n_entries,
		    tree->leaf_class + from, (size_t)n_entries * 4);
		memcpy(writer->leaf_value + writer->n_entries,
		    tree->leaf_value + from, (size_t)n_entries * 8);
	}
	writer->n_entries += n_entries;
	writer->n_bytes += n_entries * ENTRY_BYTES;
}

static void
add_nodes(struct rf_forest_writer *writer, const struct rf_forest_tree *tree,
    int32_t first, int32_t n)
{
	add_numbers(writer, tree, first, n);
	copy(writer, FEATURE, tree->feature, first, n);
	copy(writer, THRESHOLD, tree->threshold, first, n);
	copy(writer, THRESHOLD_INT, tree->threshold_int, first, n);
	copy(writer, LEFT, tree->left, first, n);
	copy(writer, MISSING_LEFT, tree->missing_left, first, n);
	if (writer->with_stats) {
		copy(writer, GAIN, tree->gain, first, n);
		copy(writer, COVER, tree->cover, first, n);
	}
	if (writer->has[CATS])
		add_cats(writer, tree, first, n);
	add_entries(writer, tree, first, n);
	writer->n_rows += n;
	writer->n_bytes += n * writer->row_bytes;
}

/* --- Batches out ----------------------------------------------------------- */

/* Bit i set where flags[i] & mask, or where not if `inverse`. */
static void
pack_bits(
    uint8_t *bits, const uint8_t *flags, int64_t n, unsigned mask, bool inverse)
{
	memset(bits, 0, (size_t)(n + 7) / 8);
	for (int64_t i = 0; i < n; i++)
		if (((flags[i] & mask) != 0) != inverse)
			bits[i / 8] |= (uint8_t)(1u << (i % 8));
}

static void
make_validity(struct rf_forest_writer *writer, enum column column)
{
	static const uint8_t masks[N_COLUMNS] = {[FEATURE] = HAS_FEATURE,
	    [THRESHOLD] = HAS_FLOAT,
	    [THRESHOLD_INT] = HAS_INT64,
	    [LEFT] = HAS_FEATURE,
	    [MISSING_LEFT] = HAS_FEATURE,
	    [CATS] = HAS_CATS,
	    [GAIN] = HAS_FEATURE,
	    [LEAF] = HAS_FEATURE};
	bool is_stats = column == GAIN || column == COVER;
	unsigned mask = masks[column];

	if (is_stats && !writer->with_stats)
		mask = 0;
	pack_bits(writer->validity[column], writer->flags, writer->n_rows, mask,
	    column == LEAF || (column == COVER && writer->with_stats));
}

static void
make_column(
    struct rf_forest_writer *writer, enum column column, struct rf_column *out)
{
	out->n_rows = writer->n_rows;
	if (columns[column].nullable) {
		make_validity(writer, column);
		out->validity = writer->validity[column];
		out->n_nulls = -1;
	}
	out->values = writer->values[column];
	if (column == MISSING_LEFT) {
		pack_bits(writer->missing_bits,
		    (uint8_t *)writer->values[column], writer->n_rows, 255,
		    false);
		out->values = writer->missing_bits;
	}
	if (column == CATS || column == LEAF) {
		out->offsets = out->values;
		out->values = NULL;
	}
	if (column == CATS) {
		out->data.data = writer->cats;
		out->data.size = writer->n_cats;
	}
}

/* children[0] is the struct, children[1] and [2] its members. */
static void
make_leaf_children(const struct rf_forest_writer *writer,
    struct rf_column *leaf, struct rf_column children[3])
{
	const struct rf_field *item = leaf->field->children;

	leaf->children = children;
	leaf->n_children = 1;
	for (int i = 0; i < 3; i++)
		children[i].n_rows = writer->n_entries;
	children[0].field = item;
	children[0].children = children + 1;
	children[0].n_children = 2;
	children[1].field = &item->children[0];
	children[1].values = writer->leaf_class;
	children[2].field = &item->children[1];
	children[2].values = writer->leaf_value;
}

static enum rf_status
flush(struct rf_forest_writer *writer, struct rf_error *err)
{
	struct rf_column made[N_COLUMNS] = {{0}}, children[3] = {{0}};
	struct rf_batch batch = {.n_rows = writer->n_rows, .columns = made};

	if (writer->n_rows == 0)
		return RF_OK;
	for (int i = 0; i < N_COLUMNS; i++) {
		struct rf_column *column = &made[batch.n_columns];

		if (!writer->has[i])
			continue;
		column->field = &writer->schema.fields[batch.n_columns];
		make_column(writer, (enum column)i, column);
		if (i == LEAF)
			make_leaf_children(writer, column, children);
		batch.n_columns++;
	}
	RF_TRY(rf_writer_batch(writer->writer, &batch, err));
	writer->n_rows = writer->n_cats = 0;
	writer->n_entries = writer->n_bytes = 0;
	return RF_OK;
}

/* The end of the nodes from `first` on that the batch still takes. */
static int32_t
piece_end(const struct rf_forest_writer *writer,
    const struct rf_forest_tree *tree, int32_t first)
{
	int32_t low = first, high = tree->n_nodes;

	while (low < high) {
		int32_t end = low + (high - low + 1) / 2;
		int64_t bytes = writer->n_bytes +
		    (end - first) * writer->row_bytes +
		    (tree->leaf_first[end] - tree->leaf_first[first]) *
			ENTRY_BYTES;

		if (tree->cats_first != NULL)
			bytes +=
			    tree->cats_first[end] - tree->cats_first[first];
		if (bytes <= SPLIT_BYTES)
			low = end;
		else
			high = end - 1;
	}
	if (low == first && writer->n_rows == 0)
		return first + 1;
	return low;
}

enum rf_status
rf_forest_writer_put(struct rf_forest_writer *writer,
    const struct rf_forest_tree *tree, struct rf_error *err)
{
	struct rf_forest_tree hashed = *tree;
	int32_t end;

	if (tree->tree <= writer->last_tree ||
	    (writer->with_stats && tree->gain == NULL))
		return rf_error_set(err, RF_EBUG,
		    "tree %lld: not in order, or without statistics",
		    (long long)tree->tree);
	writer->last_tree = tree->tree;
	writer->n_trees++;
	if (!writer->with_stats)
		hashed.gain = NULL;
	rf_fingerprint_add(&writer->fingerprint, &writer->header, &hashed);
	for (int32_t first = 0; first < tree->n_nodes; first = end) {
		end = piece_end(writer, tree, first);
		RF_TRY(reserve(writer, tree, first, end, err));
		add_nodes(writer, tree, first, end - first);
		if (end < tree->n_nodes)
			RF_TRY(flush(writer, err));
	}
	return writer->n_bytes > BATCH_BYTES ? flush(writer, err) : RF_OK;
}

enum rf_status
rf_forest_writer_finish(struct rf_forest_writer *writer, struct rf_error *err)
{
	struct rf_metadata end = {0};
	char fingerprint[33];
	enum rf_status status;

	if (writer->n_trees != writer->header.n_trees)
		return rf_error_set(err, RF_EBUG,
		    "%lld trees written where the header says %lld",
		    (long long)writer->n_trees,
		    (long long)writer->header.n_trees);
	RF_TRY(flush(writer, err));
	RF_TRY(rf_fingerprint_finish(
	    &writer->fingerprint, &writer->header, fingerprint, err));
	status = rf_metadata_set(&end, "rf.forest", fingerprint, err);
	if (status == RF_OK)
		status = rf_writer_finish(writer->writer, &end, err);
	rf_metadata_release(&end);
	return status;
}
