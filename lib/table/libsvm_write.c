#include "table/libsvm_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define PAIR_BYTES  12 /* column and value */
#define ROW_BYTES   12 /* label and offset */
#define BATCH_BYTES ((int64_t)1 << 20)
#define BATCH_MOST  ((int64_t)16 << 20) /* whatever the number of rows */

enum rf_status
rf_libsvm_writer_open(struct rf_libsvm_writer *writer, int fd, const char *name,
    const struct rf_schema *schema, bool has_qid, bool is_sparse,
    struct rf_error *err)
{
	const struct rf_schema *sent = schema;
	size_t row_bytes;
	int64_t width;

	writer->schema = schema;
	writer->has_qid = has_qid;
	if (!is_sparse) {
		width = rf_sparse_width(&schema->fields[schema->n_fields - 1]);
		row_bytes = 8 * ((size_t)width + 1);
		writer->max_rows = rf_writer_batch_rows(row_bytes);
		RF_TRY(rf_dense_new(&writer->dense, schema,
		    row_bytes * (size_t)writer->max_rows, err));
		sent = rf_dense_schema(writer->dense);
	}
	return rf_writer_open(&writer->writer, fd, name, sent, err);
}

bool
rf_libsvm_is_full(
    const struct rf_libsvm_writer *writer, const struct rf_libsvm_rows *rows)
{
	int64_t bytes = rows->n_pairs * PAIR_BYTES + rows->n_rows * ROW_BYTES;

	if (writer->dense != NULL)
		return rows->n_rows >= writer->max_rows || bytes >= BATCH_MOST;
	return bytes >= BATCH_MOST ||
	    (bytes >= BATCH_BYTES && rows->n_rows % 64 == 0);
}

/* Bits of the values that are there; NULL: all are. */
static enum rf_status
find_missing(struct rf_libsvm_writer *writer, const struct rf_libsvm_rows *rows,
    const uint8_t **validity, struct rf_error *err)
{
	size_t size = (size_t)rows->n_pairs / 8 + 1;
	void *grown = writer->validity;

	*validity = NULL;
	if (rows->n_missing == 0)
		return RF_OK;
	if (rf_grow(&grown, &writer->validity_capacity, size, 1) != 0)
		return rf_error_memory(err, size, "missing values");
	writer->validity = grown;
	memset(grown, 0xff, size);
	for (int64_t i = 0; i < rows->n_pairs; i++)
		if (isnan(rows->values[i]))
			writer->validity[i / 8] &= (uint8_t) ~(1u << i % 8);
	*validity = writer->validity;
	return RF_OK;
}

static enum rf_status
send_batch(struct rf_libsvm_writer *writer, const struct rf_batch *batch,
    struct rf_error *err)
{
	struct rf_batch slice;

	if (writer->dense == NULL)
		return rf_writer_batch(writer->writer, batch, err);
	rf_dense_give(writer->dense, batch);
	for (;;) {
		RF_TRY(rf_dense_next(writer->dense, &slice, err));
		if (slice.columns == NULL)
			return RF_OK;
		RF_TRY(rf_writer_batch(writer->writer, &slice, err));
	}
}

enum rf_status
rf_libsvm_send(struct rf_libsvm_writer *writer, struct rf_libsvm_rows *rows,
    struct rf_error *err)
{
	const struct rf_field *fields = writer->schema->fields;
	size_t n_fields = writer->schema->n_fields;
	const struct rf_field *pair = fields[n_fields - 1].children;
	struct rf_column cells[2] = {{.field = &pair->children[0],
					 .n_rows = rows->n_pairs,
					 .values = rows->columns},
	    {.field = &pair->children[1],
		.n_rows = rows->n_pairs,
		.n_nulls = rows->n_missing,
		.values = rows->values}};
	struct rf_column pairs = {.field = pair,
	    .n_rows = rows->n_pairs,
	    .children = cells,
	    .n_children = 2};
	struct rf_column columns[3] = {{.values = rows->labels}};
	struct rf_batch batch = {
	    .n_rows = rows->n_rows, .columns = columns, .n_columns = n_fields};

	if (rows->n_rows == 0)
		return RF_OK;
	RF_TRY(find_missing(writer, rows, &cells[1].validity, err));
	if (writer->has_qid)
		columns[1].values = rows->qids;
	columns[n_fields - 1].offsets = rows->offsets;
	columns[n_fields - 1].children = &pairs;
	columns[n_fields - 1].n_children = 1;
	for (size_t i = 0; i < n_fields; i++) {
		columns[i].field = &fields[i];
		columns[i].n_rows = rows->n_rows;
	}
	RF_TRY(send_batch(writer, &batch, err));
	rf_libsvm_clear(rows);
	return RF_OK;
}

enum rf_status
rf_libsvm_finish(struct rf_libsvm_writer *writer, struct rf_libsvm_rows *rows,
    struct rf_error *err)
{
	RF_TRY(rf_libsvm_send(writer, rows, err));
	return rf_writer_finish(writer->writer, NULL, err);
}

void
rf_libsvm_writer_release(struct rf_libsvm_writer *writer)
{
	rf_writer_free(writer->writer);
	rf_dense_free(writer->dense);
	free(writer->validity);
	memset(writer, 0, sizeof(*writer));
}
