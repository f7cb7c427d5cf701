#include "forest/forest_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "forest/forest_batch.h"
#include "forest/forest_header.h"
#include "forest/tree.h"
#include "stream/arrow_write.h"

#define BATCH_BYTES (INT64_C(1) << 20)	/* ends at a tree boundary past this */
#define SPLIT_BYTES (INT64_C(64) << 20) /* or inside a tree before this */

struct rf_forest_writer {
	struct rf_writer *writer;
	struct rf_schema schema;
	struct rf_forest_header header;
	struct rf_fingerprint fingerprint;
	struct rf_forest_batch batch;
	int64_t n_trees, last_tree;
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
	for (int i = 0; i < RF_N_COLUMNS; i++) {
		const struct rf_forest_column_kind *kind =
		    &rf_forest_columns[i];

		if (!rf_forest_has_column(header, (enum rf_forest_column)i))
			continue;
		RF_TRY(rf_schema_add(&writer->schema, kind->name, kind->type,
		    kind->nullable, &field, err));
		if (i == RF_COLUMN_LEAF)
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
	writer->last_tree = -1;
	status = make_schema(writer, header, err);
	/* A copy by way of the metadata: what is written can be read. */
	if (status == RF_OK)
		status = rf_forest_header_get(
		    &writer->header, &writer->schema.metadata, err);
	if (status == RF_OK)
		rf_forest_batch_init(
		    &writer->batch, &writer->header, with_stats);
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
	rf_forest_batch_release(&writer->batch);
	free(writer);
}

static enum rf_status
flush(struct rf_forest_writer *writer, struct rf_error *err)
{
	struct rf_batch batch;

	if (writer->batch.n_rows == 0)
		return RF_OK;
	rf_forest_batch_columns(&writer->batch, &writer->schema, &batch);
	RF_TRY(rf_writer_batch(writer->writer, &batch, err));
	rf_forest_batch_clear(&writer->batch);
	return RF_OK;
}

static enum rf_status
put_slice(struct rf_forest_writer *writer, const struct rf_forest_tree *slice,
    int32_t node, struct rf_error *err)
{
	int32_t end;

	for (int32_t first = 0; first < slice->n_nodes; first = end) {
		end = rf_forest_batch_fits(
		    &writer->batch, slice, first, SPLIT_BYTES);
		RF_TRY(rf_forest_batch_add(
		    &writer->batch, slice, node, first, end, err));
		if (end < slice->n_nodes)
			RF_TRY(flush(writer, err));
	}
	return RF_OK;
}

enum rf_status
rf_forest_writer_put_slices(struct rf_forest_writer *writer,
    const struct rf_tree_slices *slices, struct rf_error *err)
{
	struct rf_tree_slices hashed = *slices;
	struct rf_forest_tree slice;

	if (slices->tree <= writer->last_tree ||
	    (writer->batch.with_stats && !slices->with_stats))
		return rf_error_set(err, RF_EBUG,
		    "tree %lld: not in order, or without statistics",
		    (long long)slices->tree);
	writer->last_tree = slices->tree;
	writer->n_trees++;
	hashed.with_stats = writer->batch.with_stats;
	RF_TRY(rf_fingerprint_add_slices(
	    &writer->fingerprint, &writer->header, &hashed, err));
	for (int32_t node = 0; node < slices->n_nodes; node += slice.n_nodes) {
		RF_TRY(rf_tree_slice(slices, node, RF_PART_ALL, &slice, err));
		RF_TRY(put_slice(writer, &slice, node, err));
	}
	return writer->batch.n_bytes > BATCH_BYTES ? flush(writer, err) : RF_OK;
}

enum rf_status
rf_forest_writer_put(struct rf_forest_writer *writer,
    const struct rf_forest_tree *tree, struct rf_error *err)
{
	struct rf_tree_slices slices = rf_tree_slices_of(tree);

	return rf_forest_writer_put_slices(writer, &slices, err);
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
