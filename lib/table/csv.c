#include "table/csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/arrow_write.h"
#include "table/decimal.h"
#include "table/feed.h"
#include "table/guess.h"
#include "table/workers.h"

#define CHUNK_BYTES_MOST ((size_t)16 << 20) /* of text */
#define MEMORY_MOST	 ((size_t)96 << 20) /* of all chunks, about */

struct convert {
	const struct rf_csv_options *options;
	const char *name, *out_name;
	int in_fd, out_fd;
	struct rf_text_reader *reader;
	struct rf_sample sample;
	struct rf_plan plan;
	bool has_header;
	struct rf_feed feed;
	struct rf_schema schema;
	struct rf_writer *writer;
	struct rf_chunk *chunks;
	size_t n_chunks;
	int n_threads;
	struct rf_column *columns; /* of a batch */
	struct rf_workers *workers;
	int64_t n_lines, n_rows, n_bytes, n_dropped, n_padded; /* so far */
};

static void
find_numbers(
    struct convert *convert, const struct rf_cell *cells, size_t n_cells)
{
	char point = convert->plan.dialect.point;
	int64_t whole;
	double real;

	for (size_t c = 0; c < n_cells; c++)
		convert->plan.columns[c].is_called_by_number =
		    rf_decimal_parse(cells[c].text, cells[c].size, point,
			&whole, &real) != RF_NUMBER_NONE;
}

/*
 * A header with a number over each column of numbers is rather a first row,
 * which would go without a word.
 */
static void
note_numbers(const struct convert *convert)
{
	size_t n_numbers = 0;	 /* columns of numbers */
	bool is_of_texts = true; /* the others are called by numbers too */

	for (size_t c = 0; c < convert->plan.n_columns; c++) {
		const struct rf_plan_column *column = &convert->plan.columns[c];
		bool is_number = column->cells == RF_CELLS_WHOLE ||
		    column->cells == RF_CELLS_REAL;

		if (is_number && !column->is_called_by_number)
			return;
		n_numbers += is_number;
		if (!is_number && !column->is_called_by_number)
			is_of_texts = false;
	}
	if (n_numbers > 0 || is_of_texts)
		rf_note(convert->options->log,
		    "all columns%s are called by numbers: --no-header reads "
		    "the first record as data",
		    is_of_texts ? "" : " of numbers");
}

static enum rf_status
name_by(struct convert *convert, const struct rf_cell *cells, size_t n_cells,
    struct rf_error *err)
{
	const struct rf_csv_options *options = convert->options;

	convert->has_header = !options->no_header &&
	    (options->like == NULL ||
		!rf_like_has_no_header(options->like, cells, n_cells));
	RF_TRY(rf_plan_names(&convert->plan, convert->has_header ? cells : NULL,
	    n_cells, options->log, err));
	if (convert->has_header)
		find_numbers(convert, cells, n_cells);
	return RF_OK;
}

/* Names from the first record, size bytes at the sample's place. */
static enum rf_status
name_columns(struct convert *convert, size_t size, struct rf_error *err)
{
	const struct rf_dialect *dialect = &convert->plan.dialect;
	char *text = rf_alloc(size + 1 + RF_TEXT_PADDING, 1), *at = text;
	struct rf_cell *cells = NULL;
	size_t n_most = 1, n_cells;
	enum rf_status status;

	if (text == NULL)
		return rf_error_memory(err, size, "the header");
	memcpy(text, convert->sample.text + convert->sample.at, size);
	memset(text + size, 0, 1 + RF_TEXT_PADDING);
	text[size] = '\n';
	for (size_t i = 0; i < size; i++)
		n_most += text[i] == dialect->delimiter;
	cells = rf_alloc_zero(n_most, sizeof(*cells));
	if (cells == NULL) {
		status = rf_error_memory(err, n_most, "the header");
		goto out;
	}
	if (rf_record_next(dialect, &at, text + size, cells, n_most,
		&n_cells) != RF_CELL_GOOD)
		status = rf_error_set(err, RF_EDATA,
		    "column %zu: text follows the cell's closing quote, or it "
		    "is never closed",
		    n_cells + 1);
	else
		status = name_by(convert, cells, n_cells, err);
out:
	free(cells);
	free(text);
	return status;
}

static enum rf_status
read_header(struct convert *convert, struct rf_error *err)
{
	struct rf_sample *sample = &convert->sample;
	char place[64];
	enum rf_status status;
	size_t size;

	rf_sample_first(sample, &convert->plan.dialect, &size);
	if (size == 0)
		return rf_error_set(err, RF_EDATA, "%s",
		    sample->is_whole ? "no records"
				     : "a first record of more than 64 MiB");
	status = name_columns(convert, size, err);
	if (status != RF_OK) {
		snprintf(
		    place, sizeof(place), "line %" PRId64, sample->n_lines + 1);
		return rf_error_prefix(err, status, place);
	}
	if (convert->has_header) {
		rf_sample_skip(sample, size);
		sample->n_records--;
	}
	return RF_OK;
}

/* Names, roles and types, once the sample is cut. */
static enum rf_status
plan_columns(struct convert *convert, struct rf_error *err)
{
	struct rf_sample *sample = &convert->sample;

	RF_TRY(read_header(convert, err));
	RF_TRY(rf_plan_options(&convert->plan, convert->options, err));
	convert->n_lines = sample->n_lines;
	RF_TRY(rf_guess_types(&convert->plan, sample->text + sample->at,
	    sample->text + sample->records_end, sample->n_lines + 1,
	    convert->options->log, err));
	if (convert->has_header)
		note_numbers(convert);
	return RF_OK;
}

/* From the first bytes to a plan of all columns. */
static enum rf_status
make_plan(struct convert *convert, struct rf_error *err)
{
	const struct rf_csv_options *options = convert->options;
	struct rf_sample *sample = &convert->sample;
	struct rf_plan *plan = &convert->plan;
	enum rf_status status;

	plan->dialect.trim = options->trim;
	plan->dialect.point = options->point != 0 ? options->point : '.';
	plan->dialect.delimiter = options->delimiter;
	RF_TRY(rf_text_reader_open(&convert->reader, convert->in_fd,
	    convert->name, options->encoding, err));
	plan->encoding = rf_text_reader_encoding(convert->reader);
	RF_TRY(rf_sample_read(
	    sample, convert->reader, convert->name, options->skip_lines, err));
	if (options->delimiter == 0)
		RF_TRY(
		    rf_dialect_guess(&plan->dialect, sample->text + sample->at,
			sample->text + sample->size, err));
	RF_TRY(rf_sample_cut(sample, convert->reader, &plan->dialect, err));
	status = plan_columns(convert, err);
	return status == RF_OK ? RF_OK
			       : rf_error_prefix(err, status, convert->name);
}

/*
 * The rows of a batch.  Where few of the columns are sent, the text counts too,
 * so that a batch's text stays within a few MiB.
 */
static int64_t
batch_rows(const struct convert *convert, size_t *text_bytes)
{
	const struct rf_sample *sample = &convert->sample;
	size_t n = rf_plan_row_bytes(&convert->plan), text = 0;
	int64_t rows;

	if (sample->n_records > 0)
		text = (sample->records_end - sample->at) /
		    (size_t)sample->n_records;
	rows = rf_writer_batch_rows(n > text / 4 ? n : text / 4 + 1);
	*text_bytes = (size_t)rows * text;
	return rows;
}

/*
 * As many chunks as keep the threads busy, within MEMORY_MOST; no more threads
 * than a small table has batches.
 */
static void
count_chunks(struct convert *convert, int64_t max_rows, size_t chunk_bytes)
{
	const struct rf_sample *sample = &convert->sample;
	int64_t n_batches = sample->n_records / max_rows + 1;
	int n_threads = convert->options->n_threads;

	if (sample->is_whole && n_threads > n_batches)
		n_threads = (int)n_batches;
	convert->n_threads = n_threads > 1 ? n_threads : 1;
	convert->n_chunks =
	    n_threads > 1 ? (size_t)convert->n_threads * 2 + 1 : 1;
	if (convert->n_chunks > MEMORY_MOST / (chunk_bytes + 1) + 1)
		convert->n_chunks = MEMORY_MOST / (chunk_bytes + 1) + 1;
}

static enum rf_status
make_chunks(struct convert *convert, struct rf_error *err)
{
	struct rf_cutter cutter = {
	    .dialect = convert->plan.dialect, .max_bytes = CHUNK_BYTES_MOST};
	size_t size;

	cutter.max_records = batch_rows(convert, &size);
	size += rf_chunk_bytes(&convert->plan, cutter.max_records);
	count_chunks(convert, cutter.max_records, size);
	convert->chunks =
	    rf_alloc_zero(convert->n_chunks, sizeof(*convert->chunks));
	convert->columns =
	    rf_alloc_zero(convert->schema.n_fields, sizeof(*convert->columns));
	if (convert->chunks == NULL || convert->columns == NULL)
		return rf_error_memory(err, convert->n_chunks, "batches");
	for (size_t i = 0; i < convert->schema.n_fields; i++)
		convert->columns[i].field = &convert->schema.fields[i];
	for (size_t i = 0; i < convert->n_chunks; i++)
		RF_TRY(rf_chunk_init(&convert->chunks[i], &convert->plan,
		    cutter.max_records, err));
	return rf_feed_init(
	    &convert->feed, convert->reader, &convert->sample, &cutter, err);
}

/* Sends all texts of a category column. */
static enum rf_status
send_words(struct convert *convert, const struct rf_words *words, int64_t id,
    struct rf_error *err)
{
	static const struct rf_field field = {.type = RF_TYPE_UTF8};
	int32_t *offsets = rf_alloc(words->n_words + 1, sizeof(*offsets));
	struct rf_column values = {.field = &field,
	    .n_rows = (int64_t)words->n_words,
	    .offsets = offsets,
	    .data = {.data = (const uint8_t *)words->data,
		.size = (int64_t)words->data_size}};
	enum rf_status status;

	if (offsets == NULL)
		return rf_error_memory(err, words->n_words, "categories");
	for (size_t i = 0; i < words->n_words; i++)
		offsets[i] = (int32_t)words->words[i].offset;
	offsets[words->n_words] = (int32_t)words->data_size;
	status = rf_writer_dictionary(convert->writer, id, &values, err);
	free(offsets);
	return status;
}

/* Sends the dictionaries that have grown since they were sent. */
static enum rf_status
send_dictionaries(struct convert *convert, struct rf_error *err)
{
	int64_t id = -1;

	for (size_t c = 0; c < convert->plan.n_columns; c++) {
		struct rf_plan_column *column = &convert->plan.columns[c];

		id += column->cells != RF_CELLS_SKIP;
		if (column->cells != RF_CELLS_CATEGORY ||
		    column->words.n_words == column->n_words_sent)
			continue;
		RF_TRY(send_words(convert, &column->words, id, err));
		column->n_words_sent = column->words.n_words;
	}
	return RF_OK;
}

static enum rf_status
place_error(
    struct convert *convert, const struct rf_chunk *chunk, struct rf_error *err)
{
	if (chunk->error_line == 0)
		return rf_error_set(
		    err, chunk->status, "%s", chunk->error.message);
	return rf_error_set(err, chunk->status, "%s: line %" PRId64 "%s",
	    convert->name, convert->n_lines + chunk->error_line,
	    chunk->error.message);
}

/* Writes the batch of a parsed chunk. */
static enum rf_status
send_chunk(
    struct convert *convert, struct rf_chunk *chunk, struct rf_error *err)
{
	struct rf_batch batch = {.n_rows = chunk->n_rows,
	    .columns = convert->columns,
	    .n_columns = convert->schema.n_fields};

	if (chunk->status != RF_OK)
		return place_error(convert, chunk, err);
	convert->n_lines += chunk->n_lines;
	convert->n_rows += chunk->n_rows;
	convert->n_dropped += chunk->n_dropped;
	convert->n_padded += chunk->n_padded;
	convert->n_bytes += (int64_t)chunk->size;
	if (chunk->n_rows == 0)
		return RF_OK;
	RF_TRY(rf_chunk_settle(chunk, &convert->plan, err));
	RF_TRY(send_dictionaries(convert, err));
	rf_chunk_columns(chunk, convert->columns);
	RF_TRY(rf_writer_batch(convert->writer, &batch, err));
	rf_progress(convert->options->log, "reading", convert->n_bytes, 0);
	return RF_OK;
}

static void
run_chunk(void *job)
{
	rf_chunk_parse(job);
}

/* Chunks go round: filled here, parsed by the workers, sent in order. */
static enum rf_status
send_all(struct convert *convert, struct rf_error *err)
{
	size_t n_filled = 0, n_sent = 0;

	for (;;) {
		bool is_done = rf_feed_is_done(&convert->feed);
		struct rf_chunk *chunk;

		if (is_done && n_sent == n_filled)
			return RF_OK;
		if (!is_done && n_filled - n_sent < convert->n_chunks) {
			chunk =
			    &convert->chunks[n_filled++ % convert->n_chunks];
			rf_feed_fill(&convert->feed, chunk);
			if (convert->workers != NULL) {
				rf_workers_give(convert->workers, chunk);
				continue;
			}
			rf_chunk_parse(chunk);
		} else {
			chunk = rf_workers_wait(convert->workers);
		}
		n_sent++;
		RF_TRY(send_chunk(convert, chunk, err));
	}
}

static enum rf_status
convert_all(struct convert *convert, struct rf_error *err)
{
	const struct rf_csv_options *options = convert->options;

	RF_TRY(make_plan(convert, err));
	RF_TRY(rf_plan_schema(&convert->plan, options, &convert->schema, err));
	RF_TRY(rf_writer_open(&convert->writer, convert->out_fd,
	    convert->out_name, &convert->schema, err));
	RF_TRY(make_chunks(convert, err));
	if (convert->n_chunks > 1)
		RF_TRY(rf_workers_start(&convert->workers, convert->n_threads,
		    convert->n_chunks, run_chunk, err));
	RF_TRY(send_all(convert, err));
	if (convert->n_dropped > 0)
		rf_note(options->log, "%" PRId64 " ragged row(s) left out",
		    convert->n_dropped);
	if (options->verbose)
		rf_note(options->log,
		    "%" PRId64 " row(s) of %zu of %zu columns, delimiter '%s'",
		    convert->n_rows, convert->schema.n_fields,
		    convert->plan.n_columns,
		    convert->plan.dialect.delimiter == '\t'
			? "tab"
			: (char[2]){convert->plan.dialect.delimiter, 0});
	if (convert->n_padded > 0)
		rf_note(options->log, "%" PRId64 " ragged row(s) padded",
		    convert->n_padded);
	return rf_writer_finish(convert->writer, NULL, err);
}

enum rf_status
rf_csv_convert(const struct rf_csv_options *options, int in_fd,
    const char *in_name, int out_fd, const char *out_name, struct rf_error *err)
{
	struct convert convert = {.options = options,
	    .name = in_name,
	    .in_fd = in_fd,
	    .out_name = out_name,
	    .out_fd = out_fd};
	enum rf_status status = convert_all(&convert, err);

	rf_workers_stop(convert.workers);
	for (size_t i = 0; i < convert.n_chunks && convert.chunks != NULL; i++)
		rf_chunk_release(&convert.chunks[i]);
	free(convert.chunks);
	free(convert.columns);
	rf_writer_free(convert.writer);
	rf_schema_release(&convert.schema);
	rf_feed_release(&convert.feed);
	rf_plan_release(&convert.plan);
	rf_sample_release(&convert.sample);
	rf_text_reader_close(convert.reader);
	return status;
}
