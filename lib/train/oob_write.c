#include "train/oob_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "predict/tally.h"
#include "stream/arrow_write.h"

/* Columns before the sums. */
enum { LABEL, ROW, N_TREES, SUMS };

/* A batch in the making; arrays have batch_rows elements. */
struct output {
	const struct rf_oob *oob;
	const struct rf_fit_facts *facts;
	const struct rf_forest_header *forest;
	struct rf_tally_header header;
	struct rf_schema schema;
	struct rf_writer *writer;
	bool is_list; /* sums are lists of the classes with a vote */
	int64_t batch_rows;
	void *label; /* 8 bytes a row */
	int64_t *rows;
	int64_t *sums;	  /* columns: each of batch_rows; lists: entries */
	int32_t *offsets; /* lists */
	int32_t *classes; /* lists: of each entry */
	size_t n_entries, sums_capacity, classes_capacity;
	struct rf_column *columns, leaf[3]; /* leaf: the lists' children */
};

/* --- Schema -------------------------------------------------------------- */

static enum rf_status
add_label_field(struct output *out, struct rf_error *err)
{
	static const enum rf_type types[] = {
	    [RF_LABEL_TEXT] = RF_TYPE_UTF8,
	    [RF_LABEL_INT] = RF_TYPE_INT64,
	    [RF_LABEL_BOOL] = RF_TYPE_BOOL,
	    [RF_LABEL_FLOAT] = RF_TYPE_FLOAT64,
	};
	struct rf_field *field;

	RF_TRY(rf_schema_add(&out->schema, out->forest->label,
	    types[out->forest->label_type], false, &field, err));
	if (out->forest->label_type == RF_LABEL_TEXT) {
		field->is_dictionary = true;
		field->index_type = RF_TYPE_INT32;
	}
	return rf_metadata_set(&field->metadata, "rf.role", "label", err);
}

static void
copy_hash(const struct rf_metadata *metadata, const char *key, char hash[33])
{
	const char *text = rf_metadata_get(metadata, key, NULL);

	if (text != NULL && strlen(text) == 32)
		memcpy(hash, text, 33);
}

static enum rf_status
make_schema(struct output *out, struct rf_error *err)
{
	const struct rf_forest_header *forest = out->forest;
	struct rf_tally_header *header = &out->header;

	RF_TRY(rf_tally_header_init(header, forest, err));
	header->vote =
	    forest->task == RF_TASK_REGRESSION ? RF_VOTE_VALUE : RF_VOTE_SOFT;
	header->is_oob = true;
	header->row0 = out->facts->table->row0;
	header->total_trees = forest->total_trees > 0
	    ? forest->total_trees
	    : forest->first_tree + forest->n_trees;
	copy_hash(&forest->metadata, "rf.params.hash", header->params);
	copy_hash(&forest->metadata, "rf.data.hash", header->data);
	RF_TRY(rf_tally_header_add_range(header, forest->first_tree,
	    forest->first_tree + forest->n_trees, err));
	RF_TRY(rf_tally_header_put(header, &out->schema.metadata, err));
	RF_TRY(add_label_field(out, err));
	return rf_tally_header_fields(header, &out->schema, err);
}

/* --- Label --------------------------------------------------------------- */

/* The texts of the classes as the dictionary of the label. */
static enum rf_status
send_classes(struct output *out, struct rf_error *err)
{
	const struct rf_forest_header *forest = out->forest;
	struct rf_field field = {.type = RF_TYPE_UTF8};
	struct rf_column texts = {.field = &field, .n_rows = forest->n_classes};
	size_t n = (size_t)forest->n_classes, size = 0;
	int32_t *offsets;
	char *bytes;
	enum rf_status status;

	if (forest->label_type != RF_LABEL_TEXT)
		return RF_OK;
	for (size_t c = 0; c < n; c++)
		size += strlen(forest->classes[c]);
	if (size > INT32_MAX)
		return rf_error_set(
		    err, RF_EDATA, "the texts of the classes are too long");
	offsets = rf_alloc_zero(n + 1, sizeof(*offsets));
	bytes = rf_alloc(size, 1);
	for (size_t c = 0; c < n && offsets != NULL && bytes != NULL; c++) {
		size_t length = strlen(forest->classes[c]);

		memcpy(bytes + offsets[c], forest->classes[c], length);
		offsets[c + 1] = offsets[c] + (int32_t)length;
	}
	texts.offsets = offsets;
	texts.data = (struct rf_bytes){(uint8_t *)bytes, (int64_t)size};
	status = offsets == NULL || bytes == NULL
	    ? rf_error_memory(err, size, "classes")
	    : rf_writer_dictionary(out->writer, 0, &texts, err);
	free(offsets);
	free(bytes);
	return status;
}

static void
put_label(struct output *out, int64_t i, int64_t row)
{
	const struct rf_rows *rows = out->facts->rows;
	int32_t c = rows->classes != NULL ? rows->classes[row] : 0;
	const char *text =
	    out->forest->classes != NULL ? out->forest->classes[c] : "";
	uint8_t *bits = out->label;

	switch (out->forest->label_type) {
	case RF_LABEL_TEXT:
		((int32_t *)out->label)[i] = c;
		break;
	case RF_LABEL_INT:
		((int64_t *)out->label)[i] = strtoll(text, NULL, 10);
		break;
	case RF_LABEL_BOOL:
		if (strcmp(text, "true") == 0)
			bits[i >> 3] |= (uint8_t)(1u << (i & 7));
		break;
	case RF_LABEL_FLOAT:
		((double *)out->label)[i] = rows->classes != NULL
		    ? strtod(text, NULL)
		    : rows->values[row];
		break;
	}
}

/* --- Sums ---------------------------------------------------------------- */

static void
put_columns(struct output *out, int64_t i, int64_t row)
{
	const struct rf_oob *oob = out->oob;

	for (int64_t c = 0; c < oob->n_outputs; c++)
		out->sums[c * out->batch_rows + i] =
		    oob->tallies[row * oob->n_outputs + c];
}

static enum rf_status
reserve_entries(struct output *out, struct rf_error *err)
{
	size_t needed = out->n_entries + (size_t)out->oob->n_outputs;
	void *sums = out->sums, *classes = out->classes;
	int failed;

	failed =
	    rf_grow(&sums, &out->sums_capacity, needed, sizeof(*out->sums));
	out->sums = sums;
	failed |= rf_grow(
	    &classes, &out->classes_capacity, needed, sizeof(*out->classes));
	out->classes = classes;
	if (failed != 0 || needed > INT32_MAX)
		return rf_error_memory(
		    err, needed * sizeof(*out->sums), "a batch of tallies");
	return RF_OK;
}

static enum rf_status
put_list(struct output *out, int64_t i, int64_t row, struct rf_error *err)
{
	const struct rf_oob *oob = out->oob;
	const int64_t *tallies = oob->tallies + row * oob->n_outputs;

	RF_TRY(reserve_entries(out, err));
	for (int32_t c = 0; c < oob->n_outputs; c++) {
		if (tallies[c] == 0)
			continue;
		out->classes[out->n_entries] = c;
		out->sums[out->n_entries++] = tallies[c];
	}
	out->offsets[i + 1] = (int32_t)out->n_entries;
	return RF_OK;
}

/* --- Batches ------------------------------------------------------------- */

static void
set_column(struct output *out, size_t at, int64_t n, const void *values)
{
	out->columns[at] = (struct rf_column){
	    .field = &out->schema.fields[at],
	    .n_rows = n,
	    .values = values,
	};
}

static void
set_lists(struct output *out, int64_t n)
{
	const struct rf_field *list = &out->schema.fields[SUMS];
	const struct rf_field *item = &list->children[0];
	int64_t n_entries = (int64_t)out->n_entries;

	out->leaf[1] = (struct rf_column){.field = &item->children[0],
	    .n_rows = n_entries,
	    .values = out->classes};
	out->leaf[2] = (struct rf_column){.field = &item->children[1],
	    .n_rows = n_entries,
	    .values = out->sums};
	out->leaf[0] = (struct rf_column){.field = item,
	    .n_rows = n_entries,
	    .children = &out->leaf[1],
	    .n_children = 2};
	set_column(out, SUMS, n, NULL);
	out->columns[SUMS].offsets = out->offsets;
	out->columns[SUMS].children = &out->leaf[0];
	out->columns[SUMS].n_children = 1;
}

static enum rf_status
write_batch(struct output *out, int64_t first, int64_t n, struct rf_error *err)
{
	const struct rf_rows *rows = out->facts->rows;
	struct rf_batch batch = {.n_rows = n,
	    .columns = out->columns,
	    .n_columns = out->schema.n_fields};

	memset(out->label, 0, (size_t)n * 8);
	out->n_entries = 0;
	for (int64_t i = 0; i < n; i++) {
		int64_t row = first + i;

		put_label(out, i, row);
		out->rows[i] = out->header.row0 +
		    (rows->kept != NULL ? rows->kept[row] : row);
		if (out->is_list)
			RF_TRY(put_list(out, i, row, err));
		else
			put_columns(out, i, row);
	}
	set_column(out, LABEL, n, out->label);
	set_column(out, ROW, n, out->rows);
	set_column(out, N_TREES, n, out->oob->n_trees + first);
	if (out->is_list)
		set_lists(out, n);
	for (int64_t c = 0; c < out->oob->n_outputs && !out->is_list; c++)
		set_column(out, (size_t)(SUMS + c), n,
		    out->sums + c * out->batch_rows);
	return rf_writer_batch(out->writer, &batch, err);
}

static enum rf_status
alloc_batch(struct output *out, struct rf_error *err)
{
	int64_t n_sums = out->is_list ? 4 : out->oob->n_outputs;
	size_t n;

	out->batch_rows = rf_writer_batch_rows((size_t)(20 + 8 * n_sums));
	n = (size_t)out->batch_rows;
	out->label = rf_alloc(n, 8);
	out->rows = rf_alloc(n, sizeof(*out->rows));
	out->columns =
	    rf_alloc_zero(out->schema.n_fields, sizeof(*out->columns));
	if (out->is_list)
		out->offsets = rf_alloc_zero(n + 1, sizeof(*out->offsets));
	else
		out->sums = rf_alloc(n * (size_t)n_sums, sizeof(*out->sums));
	if (out->label == NULL || out->rows == NULL || out->columns == NULL ||
	    (out->is_list ? out->offsets == NULL : out->sums == NULL))
		return rf_error_memory(
		    err, n * (size_t)n_sums * 8, "a batch of tallies");
	return RF_OK;
}

static enum rf_status
write_all(struct output *out, int fd, const char *name, struct rf_error *err)
{
	int64_t n_rows = out->oob->problem->n_rows;

	RF_TRY(make_schema(out, err));
	out->is_list = out->oob->n_outputs > RF_TALLY_COLUMNS_MOST;
	RF_TRY(alloc_batch(out, err));
	RF_TRY(rf_writer_open(&out->writer, fd, name, &out->schema, err));
	RF_TRY(send_classes(out, err));
	for (int64_t first = 0; first < n_rows; first += out->batch_rows) {
		int64_t rest = n_rows - first;

		RF_TRY(write_batch(out, first,
		    rest < out->batch_rows ? rest : out->batch_rows, err));
	}
	return rf_writer_finish(out->writer, NULL, err);
}

enum rf_status
rf_oob_write(const struct rf_oob *oob, const struct rf_fit_facts *facts,
    const struct rf_forest_header *forest, int fd, const char *name,
    struct rf_error *err)
{
	struct output out = {.oob = oob, .facts = facts, .forest = forest};
	enum rf_status status = write_all(&out, fd, name, err);

	rf_writer_free(out.writer);
	rf_schema_release(&out.schema);
	rf_tally_header_release(&out.header);
	free(out.label);
	free(out.rows);
	free(out.sums);
	free(out.offsets);
	free(out.classes);
	free(out.columns);
	return status;
}
