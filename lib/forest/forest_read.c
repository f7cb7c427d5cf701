#include "forest/forest_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "forest/forest_batch.h"
#include "forest/forest_header.h"
#include "forest/tree.h"

#define FAIL(...) rf_error_set(err, RF_EDATA, __VA_ARGS__)

/* A forest in the making; its last tree may still grow. */
struct builder {
	struct rf_forest *forest;
	int64_t field[RF_N_COLUMNS]; /* of the schema; -1: none */
	const struct rf_column *columns[RF_N_COLUMNS]; /* of the batch */
	struct rf_forest_tree *tree; /* the one that grows; NULL: none */
	int64_t node_capacity, entry_capacity, cats_capacity;
	size_t tree_capacity;
	bool has_int64, has_categories;
	bool with_stats; /* as the first node says */
	int32_t *scratch;
	size_t scratch_size;
	struct rf_fingerprint fingerprint;
};

static bool
is_leaf_list(const struct rf_field *field)
{
	const struct rf_field *item = field->children;

	return field->n_children == 1 && item->type == RF_TYPE_STRUCT &&
	    item->n_children == 2 && item->children[0].type == RF_TYPE_INT32 &&
	    item->children[1].type == RF_TYPE_FLOAT64 &&
	    strcmp(item->children[0].name, "class") == 0 &&
	    strcmp(item->children[1].name, "value") == 0;
}

/* Columns go by name; each has the one type that it may have. */
static enum rf_status
find_columns(struct builder *builder, const struct rf_schema *schema,
    struct rf_error *err)
{
	for (int i = 0; i < RF_N_COLUMNS; i++) {
		const struct rf_forest_column_kind *kind =
		    &rf_forest_columns[i];
		const struct rf_field *field;

		builder->field[i] = -1;
		if (!rf_forest_has_column(
			&builder->forest->header, (enum rf_forest_column)i))
			continue;
		builder->field[i] = rf_schema_find(schema, kind->name);
		if (builder->field[i] < 0)
			return FAIL("column '%s' is %s", kind->name,
			    builder->field[i] == -1 ? "missing"
						    : "there twice");
		field = &schema->fields[builder->field[i]];
		if (field->type != kind->type || field->is_dictionary ||
		    (i == RF_COLUMN_LEAF && !is_leaf_list(field)))
			return FAIL("column '%s' is %s where a forest has %s",
			    kind->name, rf_type_name(field->type),
			    i == RF_COLUMN_LEAF ? "a list of class, value"
						: rf_type_name(kind->type));
	}
	return RF_OK;
}

/* --- Room ------------------------------------------------------------------ */

/* Sets *array to n elements of width; the old ones are kept. */
static bool
resize(void *array, int64_t n, size_t width)
{
	void *old, *grown;

	memcpy(&old, array, sizeof(old));
	grown = rf_realloc(old, (size_t)n, width);
	if (grown != NULL)
		memcpy(array, &grown, sizeof(grown));
	return grown != NULL;
}

static bool
resize_nodes(struct builder *builder, int64_t n)
{
	struct rf_forest_tree *tree = builder->tree;

	builder->node_capacity = n;
	return resize(&tree->feature, n, 4) && resize(&tree->threshold, n, 8) &&
	    (!builder->has_int64 || resize(&tree->threshold_int, n, 8)) &&
	    resize(&tree->left, n, 4) && resize(&tree->missing_left, n, 1) &&
	    (!builder->with_stats ||
		(resize(&tree->gain, n, 4) && resize(&tree->cover, n, 8))) &&
	    (!builder->has_categories || resize(&tree->cats_first, n + 1, 8)) &&
	    resize(&tree->leaf_first, n + 1, 8);
}

static bool
resize_entries(struct builder *builder, int64_t n)
{
	builder->entry_capacity = n;
	return resize(&builder->tree->leaf_class, n, 4) &&
	    resize(&builder->tree->leaf_value, n, 8);
}

static bool
resize_cats(struct builder *builder, int64_t n)
{
	builder->cats_capacity = n;
	return !builder->has_categories || resize(&builder->tree->cats, n, 1);
}

/* Room as needed for a tree that fits in, by half more for one that grows. */
static int64_t
room(int64_t capacity, int64_t needed)
{
	int64_t more = capacity + capacity / 2;

	return needed > more ? needed : more;
}

static enum rf_status
reserve(struct builder *builder, int64_t n_nodes, int64_t n_entries,
    int64_t n_cats, struct rf_error *err)
{
	bool is_done = true;

	if (n_nodes > INT32_MAX - 1)
		return FAIL(
		    "tree %" PRId64 ": too many nodes", builder->tree->tree);
	if (n_nodes > builder->node_capacity)
		is_done = resize_nodes(
		    builder, room(builder->node_capacity, n_nodes));
	if (is_done && n_entries > builder->entry_capacity)
		is_done = resize_entries(
		    builder, room(builder->entry_capacity, n_entries));
	if (is_done && n_cats > builder->cats_capacity)
		is_done =
		    resize_cats(builder, room(builder->cats_capacity, n_cats));
	if (!is_done)
		return rf_error_memory(
		    err, (size_t)(n_nodes * 40 + n_entries * 12), "a tree");
	return RF_OK;
}

/* --- Nodes ----------------------------------------------------------------- */

static int32_t
int32_at(const struct rf_column *column, int64_t row)
{
	return ((const int32_t *)column->values)[row];
}

/* An inner node; a threshold of its feature's kind must be there. */
static enum rf_status
add_inner(
    struct builder *builder, int64_t row, int32_t node, struct rf_error *err)
{
	struct rf_forest_tree *tree = builder->tree;
	const struct rf_forest_header *header = &builder->forest->header;
	const struct rf_column *const *columns = builder->columns;
	int32_t feature = int32_at(columns[RF_COLUMN_FEATURE], row);
	static const enum rf_forest_column wanted[] = {
	    RF_COLUMN_THRESHOLD, RF_COLUMN_THRESHOLD_INT, RF_COLUMN_CATS};
	const uint8_t *bits = columns[RF_COLUMN_MISSING_LEFT]->values;
	enum rf_split_kind kind;

	if (feature < 0 || feature >= header->n_features)
		return FAIL("tree %" PRId64 ", node %d: feature %d of %d",
		    tree->tree, node, feature, header->n_features);
	kind = rf_split_kind(&header->features[feature]);
	if (!rf_column_is_valid(columns[wanted[kind]], row) ||
	    !rf_column_is_valid(columns[RF_COLUMN_LEFT], row) ||
	    !rf_column_is_valid(columns[RF_COLUMN_MISSING_LEFT], row))
		return FAIL("tree %" PRId64 ", node %d: an inner node without "
			    "%s, left or missing_left",
		    tree->tree, node, rf_forest_columns[wanted[kind]].name);
	tree->feature[node] = feature;
	tree->left[node] = int32_at(columns[RF_COLUMN_LEFT], row);
	tree->missing_left[node] = bits[row / 8] >> (row % 8) & 1;
	if (kind == RF_SPLIT_FLOAT)
		tree->threshold[node] =
		    ((const double *)columns[RF_COLUMN_THRESHOLD]->values)[row];
	else if (kind == RF_SPLIT_INT64)
		tree->threshold_int[node] =
		    ((const int64_t *)columns[RF_COLUMN_THRESHOLD_INT]
			    ->values)[row];
	return RF_OK;
}

static enum rf_status
add_stats(
    struct builder *builder, int64_t row, int32_t node, struct rf_error *err)
{
	struct rf_forest_tree *tree = builder->tree;
	const struct rf_column *gain = builder->columns[RF_COLUMN_GAIN];
	const struct rf_column *cover = builder->columns[RF_COLUMN_COVER];
	bool is_inner = tree->feature[node] >= 0;

	if (rf_column_is_valid(cover, row) != builder->with_stats ||
	    rf_column_is_valid(gain, row) != (builder->with_stats && is_inner))
		return FAIL("tree %" PRId64 ", node %d: gain and cover are "
			    "neither there throughout nor absent throughout",
		    tree->tree, node);
	if (!builder->with_stats)
		return RF_OK;
	if (is_inner)
		tree->gain[node] = ((const float *)gain->values)[row];
	tree->cover[node] = ((const double *)cover->values)[row];
	return RF_OK;
}

static enum rf_status
add_cats(
    struct builder *builder, int64_t row, int32_t node, struct rf_error *err)
{
	struct rf_forest_tree *tree = builder->tree;
	int64_t at = tree->cats_first[node];
	int32_t feature = tree->feature[node];
	struct rf_bytes set = {NULL, 0};

	if (feature >= 0 &&
	    rf_split_kind(&builder->forest->header.features[feature]) ==
		RF_SPLIT_CATEGORIES &&
	    !rf_column_text(builder->columns[RF_COLUMN_CATS], row, &set))
		set.size = 0;
	RF_TRY(reserve(builder, 0, 0, at + set.size, err));
	if (set.size > 0)
		memcpy(tree->cats + at, set.data, (size_t)set.size);
	tree->cats_first[node + 1] = at + set.size;
	return RF_OK;
}

static enum rf_status
add_entries(
    struct builder *builder, int64_t row, int32_t node, struct rf_error *err)
{
	struct rf_forest_tree *tree = builder->tree;
	const struct rf_column *leaf = builder->columns[RF_COLUMN_LEAF];
	const struct rf_column *members = leaf->children[0].children;
	int64_t at = tree->leaf_first[node], first = 0, end = 0;

	if (rf_column_is_valid(leaf, row) != (tree->feature[node] < 0))
		return FAIL("tree %" PRId64 ", node %d: leaf values at an "
			    "inner node, or none at a leaf",
		    tree->tree, node);
	if (tree->feature[node] < 0)
		rf_column_list(leaf, row, &first, &end);
	RF_TRY(reserve(builder, 0, at + end - first, 0, err));
	for (int64_t i = first; i < end; i++, at++) {
		if (!rf_column_is_valid(&leaf->children[0], i) ||
		    !rf_column_is_valid(&members[0], i) ||
		    !rf_column_is_valid(&members[1], i))
			return FAIL("tree %" PRId64 ", node %d: a null in "
				    "its leaf values",
			    tree->tree, node);
		tree->leaf_class[at] = int32_at(&members[0], i);
		tree->leaf_value[at] = ((const double *)members[1].values)[i];
	}
	tree->leaf_first[node + 1] = at;
	return RF_OK;
}

static enum rf_status
add_node(struct builder *builder, int64_t row, struct rf_error *err)
{
	struct rf_forest_tree *tree = builder->tree;
	int32_t node = tree->n_nodes;

	if (int32_at(builder->columns[RF_COLUMN_NODE], row) != node)
		return FAIL("tree %" PRId64 ": node %d where %d comes next",
		    tree->tree, int32_at(builder->columns[RF_COLUMN_NODE], row),
		    node);
	tree->feature[node] = -1;
	tree->threshold[node] = 0;
	tree->left[node] = 0;
	tree->missing_left[node] = 0;
	if (builder->has_int64)
		tree->threshold_int[node] = 0;
	if (builder->with_stats)
		tree->gain[node] = 0;
	tree->n_nodes++;
	if (rf_column_is_valid(builder->columns[RF_COLUMN_FEATURE], row))
		RF_TRY(add_inner(builder, row, node, err));
	RF_TRY(add_stats(builder, row, node, err));
	if (builder->has_categories)
		RF_TRY(add_cats(builder, row, node, err));
	return add_entries(builder, row, node, err);
}

/* --- Trees ----------------------------------------------------------------- */

/* Gives back what the last tree has too much of; checks and hashes it. */
static enum rf_status
end_tree(struct builder *builder, struct rf_error *err)
{
	struct rf_forest_tree *tree = builder->tree;
	size_t n_nodes;

	if (tree == NULL)
		return RF_OK;
	n_nodes = (size_t)tree->n_nodes;
	if (builder->node_capacity > tree->n_nodes)
		(void)resize_nodes(builder, tree->n_nodes);
	if (builder->entry_capacity > tree->leaf_first[n_nodes])
		(void)resize_entries(builder, tree->leaf_first[n_nodes]);
	if (n_nodes > builder->scratch_size) {
		if (!resize(&builder->scratch, tree->n_nodes, 4))
			return rf_error_memory(err, n_nodes * 4, "a tree");
		builder->scratch_size = n_nodes;
	}
	RF_TRY(rf_tree_check(
	    &builder->forest->header, tree, builder->scratch, err));
	builder->tree = NULL;
	return rf_fingerprint_add(
	    &builder->fingerprint, &builder->forest->header, tree, err);
}

static enum rf_status
begin_tree(struct builder *builder, int32_t number, int64_t n_nodes,
    struct rf_error *err)
{
	struct rf_forest *forest = builder->forest;
	void *trees = forest->trees;

	if (forest->n_trees == forest->header.n_trees)
		return FAIL("more trees than the %" PRId64 " of rf.trees",
		    forest->header.n_trees);
	if (forest->n_trees == 0
		? number != forest->header.first_tree
		: number <= forest->trees[forest->n_trees - 1].tree)
		return FAIL("tree %d is out of order", number);
	if (rf_grow(&trees, &builder->tree_capacity,
		(size_t)forest->n_trees + 1, sizeof(*forest->trees)) != 0)
		return rf_error_memory(
		    err, builder->tree_capacity, "the trees");
	forest->trees = trees;
	builder->tree = &forest->trees[forest->n_trees++];
	memset(builder->tree, 0, sizeof(*builder->tree));
	builder->tree->tree = number;
	builder->node_capacity = 0;
	builder->entry_capacity = builder->cats_capacity = 0;
	RF_TRY(reserve(builder, n_nodes, 1, 1, err));
	builder->tree->leaf_first[0] = 0;
	if (builder->has_categories)
		builder->tree->cats_first[0] = 0;
	return RF_OK;
}

/* Rows first.. of one tree; *end is the first of the next. */
static enum rf_status
add_run(struct builder *builder, int64_t n_rows, int64_t first, int64_t *end,
    struct rf_error *err)
{
	const int32_t *numbers = builder->columns[RF_COLUMN_TREE]->values;
	int32_t number = numbers[first];

	*end = first + 1;
	while (*end < n_rows && numbers[*end] == number)
		++*end;
	if (builder->tree == NULL || builder->tree->tree != number) {
		RF_TRY(end_tree(builder, err));
		RF_TRY(begin_tree(builder, number, *end - first, err));
	} else
		RF_TRY(reserve(builder, builder->tree->n_nodes + (*end - first),
		    0, 0, err));
	for (int64_t row = first; row < *end; row++)
		RF_TRY(add_node(builder, row, err));
	return RF_OK;
}

/* Columns that are never null have no bitmap that says otherwise. */
static enum rf_status
find_batch_columns(
    struct builder *builder, const struct rf_batch *batch, struct rf_error *err)
{
	for (int i = 0; i < RF_N_COLUMNS; i++) {
		const struct rf_column *column = NULL;

		if (builder->field[i] >= 0)
			column = &batch->columns[builder->field[i]];
		builder->columns[i] = column;
		if (column != NULL && !rf_forest_columns[i].nullable &&
		    rf_column_n_nulls(column) != 0)
			return FAIL(
			    "column '%s' has nulls", rf_forest_columns[i].name);
	}
	return RF_OK;
}

static enum rf_status
add_batch(
    struct builder *builder, const struct rf_batch *batch, struct rf_error *err)
{
	int64_t row = 0;

	if (batch->n_rows == 0)
		return RF_OK;
	RF_TRY(find_batch_columns(builder, batch, err));
	if (builder->forest->n_trees == 0)
		builder->with_stats =
		    rf_column_is_valid(builder->columns[RF_COLUMN_COVER], 0);
	while (row < batch->n_rows)
		RF_TRY(add_run(builder, batch->n_rows, row, &row, err));
	return RF_OK;
}

static enum rf_status
check_end(struct builder *builder, const struct rf_reader *reader,
    struct rf_error *err)
{
	struct rf_forest *forest = builder->forest;
	const char *stated =
	    rf_metadata_get(rf_reader_end_metadata(reader), "rf.forest", NULL);

	RF_TRY(end_tree(builder, err));
	if (forest->n_trees != forest->header.n_trees)
		return FAIL("%" PRId64 " trees where rf.trees says %" PRId64,
		    forest->n_trees, forest->header.n_trees);
	RF_TRY(rf_fingerprint_finish(
	    &builder->fingerprint, &forest->header, forest->fingerprint, err));
	if (stated == NULL || strcmp(stated, forest->fingerprint) != 0)
		return FAIL("the trees are not those that were written: "
			    "fingerprint %s, at the end %s",
		    forest->fingerprint, stated == NULL ? "none" : stated);
	return RF_OK;
}

static enum rf_status
read_trees(
    struct builder *builder, struct rf_reader *reader, struct rf_error *err)
{
	const struct rf_schema *schema = rf_reader_schema(reader);
	struct rf_forest_header *header = &builder->forest->header;
	struct rf_batch batch;

	RF_TRY(rf_forest_header_get(header, &schema->metadata, err));
	builder->has_int64 = rf_forest_has_int64(header);
	builder->has_categories = rf_forest_has_categories(header);
	RF_TRY(find_columns(builder, schema, err));
	RF_TRY(rf_fingerprint_init(&builder->fingerprint, header, err));
	for (;;) {
		RF_TRY(rf_reader_next(reader, &batch, err));
		if (batch.columns == NULL)
			return check_end(builder, reader, err);
		RF_TRY(add_batch(builder, &batch, err));
	}
}

/* The stream's name stands in front, once. */
static enum rf_status
place(
    const struct rf_reader *reader, enum rf_status status, struct rf_error *err)
{
	const char *name = rf_reader_name(reader);

	if (err != NULL && strncmp(err->message, name, strlen(name)) == 0)
		return status;
	return rf_error_prefix(err, status, name);
}

enum rf_status
rf_forest_read(
    struct rf_reader *reader, struct rf_forest *out, struct rf_error *err)
{
	struct builder builder = {.forest = out};
	enum rf_status status;

	memset(out, 0, sizeof(*out));
	status = read_trees(&builder, reader, err);
	free(builder.scratch);
	rf_fingerprint_release(&builder.fingerprint);
	if (status == RF_OK)
		return RF_OK;
	rf_forest_release(out);
	return place(reader, status, err);
}
