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
#include "table/libsvm.h"
#include "table/outlet.h"
#include "table/workers.h"

#define CHUNK_BYTES_MOST ((size_t)16 << 20) /* of text */
#define MEMORY_MOST	 ((size_t)96 << 20) /* of all chunks, about */

struct convert {
	const struct rf_csv_options *options;
	const char *out_name;
	int out_fd;
	struct rf_part *parts;
	size_t n_parts, n_sampled; /* the first are begun for the sample */
	struct rf_header header;   /* of the first part */
	struct rf_plan plan;
	bool has_header;
	struct rf_feed feed;
	struct rf_outlet outlet;
	struct rf_chunk *chunks;
	size_t n_chunks;
	int n_threads;
	struct rf_workers *workers;
	size_t part;	 /* that the last chunk was of */
	int64_t n_lines; /* of it, so far */
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

/* Names from the first record of the first part. */
static enum rf_status
read_header(struct convert *convert, struct rf_error *err)
{
	struct rf_part *part = &convert->parts[0];
	struct rf_header *header = &convert->header;
	char place[64];
	enum rf_status status;
	size_t size;

	RF_TRY(rf_part_first(part, &convert->plan.dialect, header, &size, err));
	snprintf(
	    place, sizeof(place), "line %" PRId64, part->sample.n_lines + 1);
	status = name_by(convert, header->cells, header->n_cells, err);
	if (status != RF_OK) {
		rf_error_prefix(err, status, place);
		return rf_error_prefix(err, status, part->name);
	}
	rf_part_skip_header(part, convert->has_header ? size : 0);
	return RF_OK;
}

/* Begins the parts that the sample of the table reaches. */
static enum rf_status
sample_others(struct convert *convert, struct rf_error *err)
{
	size_t size = convert->parts[0].sample.size;
	size_t n = 1;

	for (; n < convert->n_parts && size < RF_SAMPLE_SIZE; n++) {
		RF_TRY(rf_part_begin(&convert->parts[n], convert->options,
		    &convert->plan.dialect,
		    convert->has_header ? &convert->header : NULL,
		    convert->parts[0].name, RF_SAMPLE_SIZE - size, err));
		size += convert->parts[n].sample.size;
	}
	convert->n_sampled = n;
	return RF_OK;
}

static enum rf_status
guess_types(struct convert *convert, struct rf_error *err)
{
	size_t n = convert->n_sampled;
	struct rf_guess_text *texts = rf_alloc(n, sizeof(*texts));
	enum rf_status status;

	if (texts == NULL)
		return rf_error_memory(err, n * sizeof(*texts), "the sample");
	for (size_t i = 0; i < n; i++) {
		const struct rf_part *part = &convert->parts[i];
		const struct rf_sample *sample = &part->sample;

		texts[i] =
		    (struct rf_guess_text){.text = sample->text + sample->at,
			.end = sample->text + sample->records_end,
			.first_line = part->n_lines + 1,
			.name = part->name};
	}
	status = rf_guess_types(
	    &convert->plan, texts, n, convert->options->log, err);
	free(texts);
	return status;
}

/* Roles and types, once the samples are there. */
static enum rf_status
plan_columns(struct convert *convert, struct rf_error *err)
{
	RF_TRY(rf_plan_options(&convert->plan, convert->options, err));
	RF_TRY(guess_types(convert, err));
	if (convert->has_header)
		note_numbers(convert);
	return RF_OK;
}

static enum rf_status
find_delimiter(struct convert *convert, struct rf_error *err)
{
	const struct rf_csv_options *options = convert->options;
	struct rf_part *part = &convert->parts[0];
	struct rf_sample *sample = &part->sample;
	struct rf_dialect *dialect = &convert->plan.dialect;
	enum rf_status status;

	dialect->delimiter = options->delimiter;
	dialect->has_runs = options->has_runs;
	if (options->delimiter == 0) {
		status = rf_dialect_guess(dialect, sample->text + sample->at,
		    sample->text + sample->size, sample->is_whole, err);
		if (status != RF_OK)
			return rf_error_prefix(err, status, part->name);
		if (dialect->has_runs)
			rf_note(options->log,
			    "cells are taken to lie between runs of spaces: "
			    "--delimiter comma takes each line for one cell");
	}
	return dialect->has_runs ? rf_part_collapse(part, err) : RF_OK;
}

/* From the first bytes to a plan of all columns. */
static enum rf_status
make_plan(struct convert *convert, struct rf_error *err)
{
	const struct rf_csv_options *options = convert->options;
	struct rf_part *part = &convert->parts[0];
	struct rf_plan *plan = &convert->plan;
	enum rf_status status;

	plan->dialect.trim = options->trim;
	plan->dialect.point = options->point != 0 ? options->point : '.';
	plan->dialect.thousands = options->thousands;
	plan->encoding = rf_text_reader_encoding(part->reader);
	RF_TRY(find_delimiter(convert, err));
	RF_TRY(read_header(convert, err));
	RF_TRY(sample_others(convert, err));
	status = plan_columns(convert, err);
	return status == RF_OK ? RF_OK
			       : rf_error_prefix(err, status, part->name);
}

/*
 * The rows of a batch.  Where few of the columns are sent, the text counts too,
 * so that a batch's text stays within a few MiB.
 */
static int64_t
batch_rows(const struct convert *convert, size_t *text_bytes)
{
	size_t n = rf_plan_row_bytes(&convert->plan), text = 0;
	int64_t rows = 0;

	for (size_t i = 0; i < convert->n_sampled; i++) {
		const struct rf_sample *sample = &convert->parts[i].sample;

		text += sample->records_end - sample->at;
		rows += sample->n_records;
	}
	text = rows > 0 ? text / (size_t)rows : 0;
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
	const struct rf_sample *sample = &convert->parts[0].sample;
	int64_t n_batches = sample->n_records / max_rows + 1;
	int n_threads = convert->options->n_threads;

	if (convert->n_parts == 1 && sample->is_whole && n_threads > n_batches)
		n_threads = (int)n_batches;
	convert->n_threads = n_threads > 1 ? n_threads : 1;
	convert->n_chunks =
	    n_threads > 1 ? (size_t)convert->n_threads * 2 + 1 : 1;
	if (convert->n_chunks > MEMORY_MOST / (chunk_bytes + 1) + 1)
		convert->n_chunks = MEMORY_MOST / (chunk_bytes + 1) + 1;
}

/* Rows of a chunk: a small table has fewer than a batch may have. */
static int64_t
chunk_rows(const struct convert *convert, int64_t max_rows)
{
	const struct rf_sample *sample = &convert->parts[0].sample;

	if (convert->n_parts > 1 || !sample->is_whole ||
	    sample->n_records >= max_rows)
		return max_rows;
	return sample->n_records / 64 * 64 + 64;
}

static enum rf_status
make_chunks(struct convert *convert, struct rf_error *err)
{
	struct rf_feed_opening opening = {.options = convert->options,
	    .header = convert->has_header ? &convert->header : NULL,
	    .first_name = convert->parts[0].name};
	struct rf_cutter cutter = {
	    .dialect = convert->plan.dialect, .max_bytes = CHUNK_BYTES_MOST};
	int64_t rows;
	size_t size;

	cutter.max_records = batch_rows(convert, &size);
	rows = chunk_rows(convert, cutter.max_records);
	size += rf_chunk_bytes(&convert->plan, rows);
	count_chunks(convert, cutter.max_records, size);
	convert->chunks =
	    rf_alloc_zero(convert->n_chunks, sizeof(*convert->chunks));
	if (convert->chunks == NULL)
		return rf_error_memory(err, convert->n_chunks, "batches");
	for (size_t i = 0; i < convert->n_chunks; i++)
		RF_TRY(rf_chunk_init(
		    &convert->chunks[i], &convert->plan, rows, err));
	convert->n_lines = convert->parts[0].n_lines;
	return rf_feed_init(&convert->feed, convert->parts, convert->n_parts,
	    &opening, &cutter, err);
}

static enum rf_status
place_error(
    struct convert *convert, const struct rf_chunk *chunk, struct rf_error *err)
{
	if (chunk->error_line == 0)
		return rf_error_set(
		    err, chunk->status, "%s", chunk->error.message);
	return rf_error_set(err, chunk->status, "%s: line %" PRId64 "%s",
	    convert->parts[chunk->part].name,
	    convert->n_lines + chunk->error_line, chunk->error.message);
}

/* Hands a parsed chunk on. */
static enum rf_status
send_chunk(
    struct convert *convert, struct rf_chunk *chunk, struct rf_error *err)
{
	struct rf_outlet_place place;

	if (chunk->part != convert->part) {
		convert->part = chunk->part;
		convert->n_lines = convert->parts[chunk->part].n_lines;
	}
	if (chunk->status != RF_OK)
		return place_error(convert, chunk, err);
	place.file = convert->parts[chunk->part].name;
	place.n_lines = convert->n_lines;
	convert->n_lines += chunk->n_lines;
	return rf_outlet_chunk(&convert->outlet, chunk, &place, err);
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
	RF_TRY(make_plan(convert, err));
	RF_TRY(rf_outlet_open(&convert->outlet, &convert->plan,
	    convert->options, convert->out_fd, convert->out_name, err));
	RF_TRY(make_chunks(convert, err));
	if (convert->n_chunks > 1)
		RF_TRY(rf_workers_start(&convert->workers, convert->n_threads,
		    convert->n_chunks, run_chunk, err));
	RF_TRY(send_all(convert, err));
	return rf_outlet_finish(&convert->outlet, err);
}

static enum rf_status
set_parts(struct convert *convert, const struct rf_csv_file *files,
    size_t n_files, struct rf_error *err)
{
	convert->parts = rf_alloc_zero(n_files, sizeof(*convert->parts));
	if (convert->parts == NULL)
		return rf_error_memory(err, n_files, "files");
	convert->n_parts = n_files;
	for (size_t i = 0; i < n_files; i++) {
		convert->parts[i].fd = files[i].fd;
		convert->parts[i].name = files[i].name;
		convert->parts[i].start = rf_part_start(files[i].fd);
	}
	return RF_OK;
}

static void
release(struct convert *convert)
{
	rf_workers_stop(convert->workers);
	for (size_t i = 0; i < convert->n_chunks && convert->chunks != NULL;
	     i++)
		rf_chunk_release(&convert->chunks[i]);
	free(convert->chunks);
	rf_outlet_release(&convert->outlet);
	rf_feed_release(&convert->feed);
	rf_plan_release(&convert->plan);
	rf_header_release(&convert->header);
	for (size_t i = 0; i < convert->n_parts; i++)
		rf_part_close(&convert->parts[i]);
	free(convert->parts);
}

enum rf_status
rf_csv_convert(const struct rf_csv_options *options,
    const struct rf_csv_file *files, size_t n_files, int out_fd,
    const char *out_name, struct rf_error *err)
{
	struct convert convert = {
	    .options = options, .out_name = out_name, .out_fd = out_fd};
	enum rf_status status = set_parts(&convert, files, n_files, err);

	if (status == RF_OK)
		status = rf_part_open(
		    &convert.parts[0], options, RF_SAMPLE_SIZE, err);
	if (status == RF_OK && rf_libsvm_is_wanted(options, &convert.parts[0]))
		status = options->describe
		    ? rf_error_set(err, RF_EUSAGE,
			  "--describe: the text is libsvm, not CSV (--format "
			  "csv reads it as a table; rf-info tells of a stream)")
		    : rf_libsvm_convert(options, convert.parts, convert.n_parts,
			  out_fd, out_name, err);
	else if (status == RF_OK)
		status = convert_all(&convert, err);
	release(&convert);
	return status;
}
