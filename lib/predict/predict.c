#include "predict/predict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "predict/columns.h"
#include "predict/engine.h"
#include "predict/keep.h"
#include "stream/slice.h"
#include "predict/sums.h"
#include "predict/tally.h"
#include "stream/arrow_write.h"

/* Rows that are converted and walked together, and the bytes of values and
 * tallies that this may take. */
#define SLICE_ROWS_MOST 16384
#define SLICE_BYTES	((size_t)16 << 20)
/* Batches whose output is larger are cut. */
#define PIECE_BYTES ((size_t)64 << 20)

struct predictor {
	const struct rf_forest *forest;
	const struct rf_predict_options *options;
	struct rf_reader *reader;
	int64_t first, end; /* places of the trees in the forest */
	struct rf_tally_header header;
	struct rf_inputs *inputs;
	struct rf_kept kept;
	struct rf_engine *engine;
	struct rf_schema schema; /* of the output */
	struct rf_writer *writer;
	bool is_sparse;	   /* sums are lists */
	int64_t n_outputs; /* of the walk: classes, 1, or trees */
	int64_t slice_rows, piece_rows;
	int64_t n_rows; /* so far */
	/* of a slice: n_outputs a row */
	int64_t *tallies;
	int32_t *leaves;
	struct rf_sums sums;
	/* of a piece: column by column */
	int64_t *row_numbers;
	void *values;
	size_t capacity; /* rows of a piece */
	struct rf_column *columns;
};

/* --- Setting up ------------------------------------------------------------ */

static enum rf_status
choose_trees(struct predictor *predictor, struct rf_error *err)
{
	const struct rf_forest *forest = predictor->forest;
	const struct rf_predict_options *options = predictor->options;
	int64_t first = 0, end = forest->n_trees;

	predictor->first = first;
	predictor->end = end;
	if (!options->has_trees)
		return RF_OK;
	while (first < end && forest->trees[first].tree < options->first_tree)
		first++;
	while (end > first && forest->trees[end - 1].tree >= options->end_tree)
		end--;
	predictor->first = first;
	predictor->end = end;
	if (end - first == options->end_tree - options->first_tree)
		return RF_OK;
	return rf_error_set(err, RF_EUSAGE,
	    "--trees %" PRId64 ":%" PRId64 ": of these the model has %" PRId64
	    "; its trees are %" PRId64 ":%" PRId64,
	    options->first_tree, options->end_tree, end - first,
	    forest->n_trees > 0 ? forest->trees[0].tree : 0,
	    forest->n_trees > 0 ? forest->trees[forest->n_trees - 1].tree + 1
				: 0);
}

static enum rf_status
get_row0(const struct predictor *predictor, int64_t *row0, struct rf_error *err)
{
	const char *text = rf_metadata_get(
	    &rf_reader_schema(predictor->reader)->metadata, "rf.row0", NULL);
	long long value = predictor->options->row0;

	if (value < 0 && text == NULL)
		value = 0;
	else if (value < 0 &&
	    rf_text_to_int(text, 0, INT64_MAX, "rf.row0", &value, err) !=
		RF_OK) {
		if (err != NULL)
			err->status = RF_EDATA;
		return RF_EDATA;
	}
	*row0 = value;
	return RF_OK;
}

static enum rf_status
make_header(struct predictor *predictor, struct rf_error *err)
{
	const struct rf_forest *forest = predictor->forest;
	struct rf_tally_header *header = &predictor->header;

	RF_TRY(rf_tally_header_init(header, &forest->header, err));
	header->vote = predictor->options->wants_leaves ? RF_VOTE_LEAF
	    : forest->header.task == RF_TASK_REGRESSION
	    ? RF_VOTE_VALUE
	    : predictor->options->vote;
	memcpy(header->forest, forest->fingerprint, sizeof(header->forest));
	header->total_trees = forest->header.total_trees;
	if (forest->n_trees > 0 &&
	    header->total_trees <= forest->trees[forest->n_trees - 1].tree)
		header->total_trees =
		    forest->trees[forest->n_trees - 1].tree + 1;
	for (int64_t t = predictor->first; t < predictor->end; t++)
		RF_TRY(rf_tally_header_add_range(header, forest->trees[t].tree,
		    forest->trees[t].tree + 1, err));
	predictor->is_sparse = header->vote != RF_VOTE_LEAF &&
	    rf_tally_header_n_sums(header) > RF_TALLY_COLUMNS_MOST;
	return get_row0(predictor, &header->row0, err);
}

/* Entries of the data's metadata go on behind ours. */
static enum rf_status
pass_metadata(struct rf_metadata *to, const struct rf_metadata *from,
    struct rf_error *err)
{
	for (size_t i = 0; i < from->n_entries; i++) {
		const struct rf_metadata_entry *entry = &from->entries[i];

		if (strcmp(entry->key, "rf.version") != 0 &&
		    strcmp(entry->key, "rf.producer") != 0 &&
		    rf_metadata_get(to, entry->key, NULL) == NULL)
			RF_TRY(rf_metadata_set_bytes(to, entry->key,
			    entry->value, entry->value_size, err));
	}
	return RF_OK;
}

static enum rf_status
make_schema(struct predictor *predictor, struct rf_error *err)
{
	const struct rf_schema *data = rf_reader_schema(predictor->reader);
	struct rf_schema *schema = &predictor->schema;

	RF_TRY(rf_keep(&predictor->kept, data, predictor->options->keep,
	    predictor->forest->header.label, err));
	RF_TRY(rf_kept_fields(&predictor->kept, data, schema, err));
	RF_TRY(rf_tally_header_fields(&predictor->header, schema, err));
	RF_TRY(rf_tally_header_put(&predictor->header, &schema->metadata, err));
	RF_TRY(pass_metadata(&schema->metadata, &data->metadata, err));
	predictor->columns =
	    rf_alloc_zero(schema->n_fields, sizeof(*predictor->columns));
	if (predictor->columns == NULL)
		return rf_error_memory(err,
		    schema->n_fields * sizeof(*predictor->columns), "columns");
	return RF_OK;
}

/* A multiple of 64 and at least that. */
static int64_t
rows_within(size_t bytes, size_t row_bytes, int64_t most)
{
	int64_t n = (int64_t)(bytes / (row_bytes == 0 ? 1 : row_bytes));

	n = n / 64 * 64;
	return n > most ? most : n < 64 ? 64 : n;
}

static enum rf_status
make_buffers(struct predictor *predictor, struct rf_error *err)
{
	size_t n_outputs = (size_t)predictor->n_outputs;
	size_t n_features = (size_t)predictor->forest->header.n_features;
	size_t n;

	predictor->slice_rows = rows_within(
	    SLICE_BYTES, 8 * (n_features + n_outputs), SLICE_ROWS_MOST);
	predictor->piece_rows = rows_within(
	    PIECE_BYTES, 8 * (n_outputs + predictor->kept.n_fields), INT32_MAX);
	n = (size_t)predictor->slice_rows * n_outputs;
	if (predictor->header.vote == RF_VOTE_LEAF || predictor->is_sparse)
		predictor->leaves = rf_alloc(n, sizeof(*predictor->leaves));
	else
		predictor->tallies = rf_alloc(n, sizeof(*predictor->tallies));
	if (predictor->leaves == NULL && predictor->tallies == NULL)
		return rf_error_memory(err, 8 * n, "tallies");
	return predictor->is_sparse
	    ? rf_sums_init(&predictor->sums, predictor->header.n_classes, err)
	    : RF_OK;
}

static enum rf_status
open_engine(struct predictor *predictor, struct rf_error *err)
{
	const struct rf_predict_options *options = predictor->options;
	const struct rf_engine_options engine = {
	    .first = predictor->first,
	    .end = predictor->end,
	    .vote = predictor->header.vote,
	    .for_sums = predictor->is_sparse,
	    .device = options->device,
	    .backend =
		{
		    .n_threads = options->n_threads,
		    .gpu = -1,
		    .log = options->log,
		    .verbose = options->verbose,
		},
	};

	predictor->n_outputs =
	    engine.vote == RF_VOTE_LEAF || predictor->is_sparse
	    ? predictor->end - predictor->first
	    : rf_tally_header_n_sums(&predictor->header);
	return rf_engine_open(
	    &predictor->engine, predictor->forest, &engine, err);
}

static enum rf_status
set_up(
    struct predictor *predictor, int fd, const char *name, struct rf_error *err)
{
	const struct rf_predict_options *options = predictor->options;
	const struct rf_schema *data = rf_reader_schema(predictor->reader);
	const struct rf_inputs_options inputs = {
	    options->missing_ok, options->n_threads, options->log};

	RF_TRY(choose_trees(predictor, err));
	RF_TRY(make_header(predictor, err));
	RF_TRY(open_engine(predictor, err));
	RF_TRY(rf_inputs_open(&predictor->inputs, &predictor->forest->header,
	    rf_engine_features(predictor->engine), data, &inputs, err));
	RF_TRY(make_schema(predictor, err));
	RF_TRY(make_buffers(predictor, err));
	return rf_writer_open(
	    &predictor->writer, fd, name, &predictor->schema, err);
}

/* --- Rows ------------------------------------------------------------------ */

static size_t
value_bytes(const struct predictor *predictor)
{
	return predictor->header.vote == RF_VOTE_LEAF ||
		predictor->header.vote == RF_VOTE_HARD
	    ? 4
	    : 8;
}

static enum rf_status
make_room(struct predictor *predictor, size_t n_rows, struct rf_error *err)
{
	size_t n =
	    n_rows * (predictor->is_sparse ? 0 : (size_t)predictor->n_outputs);

	if (n_rows <= predictor->capacity)
		return RF_OK;
	free(predictor->row_numbers);
	rf_free_aligned(predictor->values);
	predictor->capacity = 0;
	predictor->row_numbers = rf_alloc(n_rows, sizeof(int64_t));
	predictor->values = rf_alloc_aligned((n + 1) * value_bytes(predictor));
	if (predictor->row_numbers == NULL || predictor->values == NULL)
		return rf_error_memory(
		    err, n * value_bytes(predictor), "tallies");
	predictor->capacity = n_rows;
	return RF_OK;
}

/* Rows of a slice to columns of the piece of `stride` rows, from row `to`. */
static void
spread(const struct predictor *predictor, int64_t n_rows, int64_t to,
    int64_t stride)
{
	int64_t n = predictor->n_outputs;

	for (int64_t k = 0; k < n; k++)
		if (predictor->header.vote == RF_VOTE_LEAF) {
			int32_t *out =
			    (int32_t *)predictor->values + k * stride + to;

			for (int64_t row = 0; row < n_rows; row++)
				out[row] = predictor->leaves[row * n + k];
		} else if (predictor->header.vote == RF_VOTE_HARD) {
			int32_t *out =
			    (int32_t *)predictor->values + k * stride + to;

			for (int64_t row = 0; row < n_rows; row++)
				out[row] =
				    (int32_t)predictor->tallies[row * n + k];
		} else {
			int64_t *out =
			    (int64_t *)predictor->values + k * stride + to;

			for (int64_t row = 0; row < n_rows; row++)
				out[row] = predictor->tallies[row * n + k];
		}
}

/* Walks rows first .. of the batch, which are row `to` .. of the piece. */
static enum rf_status
walk_slice(struct predictor *predictor, const struct rf_batch *batch,
    int64_t first, int64_t n_rows, int64_t to, int64_t stride,
    struct rf_error *err)
{
	struct rf_walk_batch walk = {
	    .n_rows = n_rows,
	    .tallies = predictor->tallies,
	    .leaves = predictor->leaves,
	};

	RF_TRY(rf_inputs_convert(predictor->inputs, batch, first, n_rows, err));
	walk.columns = rf_inputs_values(predictor->inputs);
	RF_TRY(rf_engine_walk(predictor->engine, &walk, err));
	if (predictor->is_sparse)
		return rf_sums_add_leaves(&predictor->sums,
		    rf_engine_model(predictor->engine), predictor->leaves,
		    n_rows, err);
	spread(predictor, n_rows, to, stride);
	return RF_OK;
}

static void
plain_column(struct rf_column *column, const struct rf_field *field,
    int64_t n_rows, const void *values)
{
	*column = (struct rf_column){
	    .field = field, .n_rows = n_rows, .values = values};
}

static enum rf_status
write_piece(struct predictor *predictor, const struct rf_batch *batch,
    int64_t first, int64_t n_rows, struct rf_error *err)
{
	const struct rf_field *fields = predictor->schema.fields;
	struct rf_column *columns = predictor->columns;
	struct rf_sums_column list;
	struct rf_batch out = {.n_rows = n_rows,
	    .columns = columns,
	    .n_columns = predictor->schema.n_fields};
	size_t at = predictor->kept.n_fields;
	size_t size = (size_t)n_rows * value_bytes(predictor);

	for (size_t i = 0; i < at; i++)
		columns[i] = rf_column_slice(
		    &batch->columns[predictor->kept.fields[i]], first, n_rows);
	plain_column(&columns[at], &fields[at], n_rows, predictor->row_numbers);
	at++;
	for (size_t k = 0; at + k < out.n_columns; k++)
		plain_column(&columns[at + k], &fields[at + k], n_rows,
		    (const char *)predictor->values + k * size);
	if (predictor->is_sparse) {
		rf_sums_column(&predictor->sums, &fields[at], &list);
		columns[at] = list.list;
	}
	return rf_writer_batch(predictor->writer, &out, err);
}

static enum rf_status
predict_piece(struct predictor *predictor, const struct rf_batch *batch,
    int64_t first, int64_t n_rows, struct rf_error *err)
{
	int64_t row0 = predictor->header.row0 + predictor->n_rows;

	if (n_rows > INT64_MAX - predictor->header.row0 - predictor->n_rows)
		return rf_error_set(
		    err, RF_EDATA, "the number of a row passes 2^63");
	RF_TRY(make_room(predictor, (size_t)n_rows, err));
	if (predictor->is_sparse)
		rf_sums_clear(&predictor->sums);
	for (int64_t row = 0; row < n_rows; row++)
		predictor->row_numbers[row] = row0 + row;
	for (int64_t at = 0; at < n_rows; at += predictor->slice_rows) {
		int64_t n = n_rows - at < predictor->slice_rows
		    ? n_rows - at
		    : predictor->slice_rows;

		RF_TRY(walk_slice(
		    predictor, batch, first + at, n, at, n_rows, err));
	}
	RF_TRY(write_piece(predictor, batch, first, n_rows, err));
	predictor->n_rows += n_rows;
	rf_progress(predictor->options->log, "rows", predictor->n_rows, 0);
	return RF_OK;
}

static enum rf_status
predict_all(struct predictor *predictor, struct rf_error *err)
{
	struct rf_batch batch;

	for (;;) {
		RF_TRY(rf_reader_next(predictor->reader, &batch, err));
		if (batch.columns == NULL)
			return rf_writer_finish(predictor->writer, NULL, err);
		for (int64_t first = 0; first < batch.n_rows;
		     first += predictor->piece_rows) {
			int64_t n = batch.n_rows - first;

			RF_TRY(predict_piece(predictor, &batch, first,
			    n < predictor->piece_rows ? n
						      : predictor->piece_rows,
			    err));
		}
	}
}

static void
tear_down(struct predictor *predictor)
{
	rf_writer_free(predictor->writer);
	rf_engine_close(predictor->engine);
	rf_inputs_free(predictor->inputs);
	rf_kept_release(&predictor->kept);
	rf_tally_header_release(&predictor->header);
	rf_schema_release(&predictor->schema);
	rf_sums_release(&predictor->sums);
	free(predictor->tallies);
	free(predictor->leaves);
	free(predictor->row_numbers);
	rf_free_aligned(predictor->values);
	free(predictor->columns);
}

enum rf_status
rf_predict(const struct rf_forest *forest, struct rf_reader *reader, int fd,
    const char *name, const struct rf_predict_options *options,
    struct rf_error *err)
{
	struct predictor predictor = {
	    .forest = forest, .options = options, .reader = reader};
	enum rf_status status;

	status = set_up(&predictor, fd, name, err);
	if (status == RF_OK)
		status = predict_all(&predictor, err);
	if (status == RF_OK && options->verbose)
		rf_note(options->log,
		    "%" PRId64 " row%s, %" PRId64 " tree%s, %s",
		    predictor.n_rows, RF_PLURAL(predictor.n_rows),
		    predictor.end - predictor.first,
		    RF_PLURAL(predictor.end - predictor.first),
		    rf_engine_name(predictor.engine));
	tear_down(&predictor);
	return status;
}
