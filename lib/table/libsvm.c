#include "table/libsvm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "table/libsvm_rows.h"
#include "table/libsvm_write.h"

#define BUFFER_SIZE    ((size_t)1 << 20)
#define SURVEY_PAIRS   ((int64_t)1 << 16) /* kept while looking only */
#define SPARSE_SHARE   8 /* of the cells fewer than one in so many are not 0 */
#define CLASSIFICATION "classification"

struct convert {
	const struct rf_csv_options *options;
	struct rf_part *parts;
	size_t n_parts;
	struct rf_libsvm_rows rows;
	const char *task, *label;
	int64_t width;		 /* features; 0: not known yet */
	bool is_writing;	 /* else rows are looked at only */
	int64_t n_rows, n_pairs; /* so far */
	struct rf_schema schema;
	struct rf_libsvm_writer writer;
	/* The text of a part after its sample. */
	char *buffer;
	size_t capacity;
	/* Where in a part. */
	const char *name;
	int64_t line, n_bytes;
};

/* --- Lines ----------------------------------------------------------------- */

/* Counts the rows that are there, and sends or forgets them. */
static enum rf_status
use_rows(struct convert *convert, struct rf_error *err)
{
	struct rf_libsvm_rows *rows = &convert->rows;

	convert->n_rows += rows->n_rows;
	convert->n_pairs += rows->n_pairs;
	if (convert->is_writing)
		return rf_libsvm_send(&convert->writer, rows, err);
	rf_libsvm_clear(rows);
	return RF_OK;
}

static enum rf_status
take_line(struct convert *convert, const char *line, const char *end,
    struct rf_error *err)
{
	struct rf_libsvm_rows *rows = &convert->rows;
	enum rf_status status = rf_libsvm_add(rows, line, end, err);
	char place[64];

	if (status == RF_EDATA) {
		snprintf(place, sizeof(place), "line %" PRId64, convert->line);
		rf_error_prefix(err, status, place);
		return rf_error_prefix(err, status, convert->name);
	}
	RF_TRY(status);
	if (convert->is_writing ? rf_libsvm_is_full(&convert->writer, rows)
				: rows->n_pairs + rows->n_rows > SURVEY_PAIRS)
		return use_rows(convert, err);
	return RF_OK;
}

/* Past the line end at `at`; NULL: the text stops where it may go on. */
static const char *
after_line(const char *at, const char *end, bool is_last)
{
	if (*at == '\n')
		return at + 1;
	if (end - at < 3 && !is_last)
		return NULL;
	if (end - at >= 2 && at[1] == '\n')
		return at + 2;
	if (end - at >= 3 && at[1] == '\r' && at[2] == '\n')
		return at + 3;
	return at + 1;
}

/* All whole lines of a text; *rest is where the first other one begins. */
static enum rf_status
take_lines(struct convert *convert, const char *text, const char *end,
    bool is_last, const char **rest, struct rf_error *err)
{
	const char *feed = text, *stop, *next;

	for (*rest = text; text < end; *rest = text = next) {
		if (feed != NULL && feed <= text)
			feed = memchr(text, '\n', (size_t)(end - text));
		stop = feed != NULL ? feed : end;
		next = memchr(text, '\r', (size_t)(stop - text));
		stop = next != NULL ? next : stop;
		if (stop == end && !is_last)
			return RF_OK;
		next = stop == end ? end : after_line(stop, end, is_last);
		if (next == NULL)
			return RF_OK;
		convert->line++;
		RF_TRY(take_line(convert, text, stop, err));
		if (feed != NULL && feed < next)
			feed = next;
	}
	return RF_OK;
}

/* Room after the n bytes that are kept. */
static enum rf_status
grow_buffer(struct convert *convert, size_t n, struct rf_error *err)
{
	size_t size = convert->capacity;
	char *buffer;

	while (size < 2 * n || size < BUFFER_SIZE)
		size = size == 0 ? BUFFER_SIZE : size * 2;
	if (size == convert->capacity)
		return RF_OK;
	if (n > RF_RECORD_MOST)
		return rf_error_set(err, RF_EDATA,
		    "%s: line %" PRId64 ": a line of more than 64 MiB",
		    convert->name, convert->line + 1);
	buffer = rf_realloc(convert->buffer, size, 1);
	if (buffer == NULL)
		return rf_error_memory(err, size, "a line");
	convert->buffer = buffer;
	convert->capacity = size;
	return RF_OK;
}

/* What follows the sample; n bytes of it were a line's begin. */
static enum rf_status
take_others(struct convert *convert, struct rf_part *part, const char *rest,
    size_t n, struct rf_error *err)
{
	bool is_last = false;
	size_t got;

	RF_TRY(grow_buffer(convert, n, err));
	memcpy(convert->buffer, rest, n);
	while (!is_last) {
		RF_TRY(grow_buffer(convert, n, err));
		RF_TRY(rf_text_reader_read(part->reader, convert->buffer + n,
		    convert->capacity - n, &got, err));
		is_last = got < convert->capacity - n;
		n += got;
		convert->n_bytes += (int64_t)got;
		RF_TRY(take_lines(convert, convert->buffer, convert->buffer + n,
		    is_last, &rest, err));
		n -= (size_t)(rest - convert->buffer);
		memmove(convert->buffer, rest, n);
		rf_progress(
		    convert->options->log, "reading", convert->n_bytes, 0);
	}
	return RF_OK;
}

/* The rows of a part that is open; of its sample only, or all. */
static enum rf_status
take_part(struct convert *convert, struct rf_part *part, bool sample_only,
    struct rf_error *err)
{
	const struct rf_sample *sample = &part->sample;
	const char *end = sample->text + sample->size, *rest;

	convert->name = part->name;
	convert->line = sample->n_lines;
	RF_TRY(take_lines(convert, sample->text + sample->at, end,
	    sample->is_whole, &rest, err));
	if (!sample->is_whole && !sample_only)
		RF_TRY(take_others(
		    convert, part, rest, (size_t)(end - rest), err));
	return RF_OK;
}

/* --- What the rows are ------------------------------------------------------ */

/* Reads a part for its highest index, and makes it ready to be read again. */
static enum rf_status
look_through(
    struct convert *convert, struct rf_part *part, struct rf_error *err)
{
	const struct rf_sample *sample = &part->sample;

	if (!part->is_open)
		RF_TRY(
		    rf_part_open(part, convert->options, RF_SAMPLE_SIZE, err));
	if (!sample->is_whole && part->start < 0)
		return rf_error_set(err, RF_EUSAGE,
		    "%s: more than 16 MiB that cannot be read twice: give the "
		    "highest index by --n-features, or a regular file",
		    part->name);
	RF_TRY(take_part(convert, part, false, err));
	if (part->start < 0) {
		rf_sample_shrink(&part->sample);
		return RF_OK;
	}
	rf_part_close(part);
	part->is_open = false;
	if (lseek(part->fd, part->start, SEEK_SET) < 0)
		return rf_error_set(
		    err, RF_EIO, "%s: cannot be read again", part->name);
	return RF_OK;
}

static enum rf_status
find_width(struct convert *convert, struct rf_error *err)
{
	bool is_known =
	    convert->n_parts == 1 && convert->parts[0].sample.is_whole;

	if (convert->width == 0 && !is_known) {
		for (size_t i = 0; i < convert->n_parts; i++)
			RF_TRY(look_through(convert, &convert->parts[i], err));
		RF_TRY(use_rows(convert, err));
	}
	if (convert->width == 0)
		convert->width = convert->rows.n_columns;
	if (convert->width == 0)
		return rf_error_set(err, RF_EDATA,
		    "%s: no features: no row has an INDEX:VALUE",
		    convert->parts[0].name);
	return RF_OK;
}

/* By the labels of the sample, where it is not given. */
static enum rf_status
find_task(struct convert *convert, struct rf_error *err)
{
	if (convert->task != NULL)
		return RF_OK;
	if (!convert->rows.has_fraction)
		return rf_error_set(err, RF_EUSAGE,
		    "the label '%s' has whole numbers: give --task "
		    "classification or --task regression",
		    convert->label);
	convert->task = "regression";
	return RF_OK;
}

static bool
is_sparse(const struct convert *convert, int64_t n_rows, int64_t n_pairs)
{
	switch (convert->options->layout) {
	case RF_LAYOUT_DENSE:
		return false;
	case RF_LAYOUT_SPARSE:
		return true;
	case RF_LAYOUT_BY_CELLS:
		break;
	}
	/* A first line longer than the sample is rather of very many. */
	return n_rows == 0 || n_pairs * SPARSE_SHARE < n_rows * convert->width;
}

static enum rf_status
make_schema(struct convert *convert, struct rf_error *err)
{
	const struct rf_csv_options *options = convert->options;
	struct rf_schema *schema = &convert->schema;
	bool is_classes = strcmp(convert->task, CLASSIFICATION) == 0;
	struct rf_field *field;
	char number[32];

	RF_TRY(rf_schema_add(schema, convert->label,
	    is_classes ? RF_TYPE_INT64 : RF_TYPE_FLOAT64, true, &field, err));
	RF_TRY(rf_metadata_set(&field->metadata, "rf.role", "label", err));
	if (convert->rows.qid == RF_QID_THERE) {
		RF_TRY(rf_schema_add(
		    schema, "qid", RF_TYPE_INT64, true, &field, err));
		RF_TRY(rf_metadata_set(
		    &field->metadata, "rf.role", "ignore", err));
	}
	RF_TRY(rf_sparse_add(schema, "features", convert->width,
	    convert->rows.is_zero_based ? 0 : 1, err));
	RF_TRY(rf_metadata_set(&schema->metadata, "rf.kind", "data", err));
	RF_TRY(
	    rf_metadata_set(&schema->metadata, "rf.task", convert->task, err));
	if (!options->has_row0)
		return RF_OK;
	snprintf(number, sizeof(number), "%" PRId64, options->row0);
	return rf_metadata_set(&schema->metadata, "rf.row0", number, err);
}

/* From the sample, and from all where the width is not known, to a schema. */
static enum rf_status
survey(struct convert *convert, bool *sparse, struct rf_error *err)
{
	struct rf_libsvm_rows *rows = &convert->rows;
	int64_t n_rows, n_pairs;

	RF_TRY(take_part(convert, &convert->parts[0], true, err));
	RF_TRY(use_rows(convert, err));
	n_rows = convert->n_rows;
	n_pairs = convert->n_pairs;
	RF_TRY(find_task(convert, err));
	rows->is_whole = strcmp(convert->task, CLASSIFICATION) == 0;
	RF_TRY(find_width(convert, err));
	*sparse = is_sparse(convert, n_rows, n_pairs);
	rows->width = convert->width;
	return make_schema(convert, err);
}

/* --- Options ---------------------------------------------------------------- */

/* The highest number of the model's features f1, f2 ..; f0: from 0. */
static enum rf_status
take_model(
    struct convert *convert, const struct rf_like *like, struct rf_error *err)
{
	struct rf_libsvm_rows *rows = &convert->rows;
	int64_t highest = 0;
	long long number;
	char quoted[RF_QUOTED_SIZE];

	for (size_t i = 0; i < like->n_features; i++) {
		const char *name = like->features[i].name;

		if (name[0] != 'f' ||
		    rf_text_to_int(name + 1, 0, RF_SPARSE_MOST, "f", &number,
			NULL) != RF_OK)
			return rf_error_set(err, RF_EUSAGE,
			    "--like: the model's feature '%s' is no column of "
			    "a libsvm file, f and a number",
			    rf_text_quote(quoted, name, strlen(name)));
		rows->is_zero_based |= number == 0;
		highest = number > highest ? number : highest;
	}
	convert->width = highest + rows->is_zero_based;
	rows->leaves_out = true;
	if (convert->task == NULL)
		convert->task = like->task;
	if (like->label != NULL)
		convert->label = like->label;
	return RF_OK;
}

static enum rf_status
set_options(struct convert *convert, struct rf_error *err)
{
	const struct rf_csv_options *options = convert->options;
	struct rf_libsvm_rows *rows = &convert->rows;
	const char *other = rf_libsvm_unfit_option(options);

	if (other != NULL)
		return rf_error_set(err, RF_EUSAGE,
		    "%s: a libsvm file has no such thing (--format csv for a "
		    "table)",
		    other);
	convert->label = "label";
	convert->task = options->task;
	rows->is_zero_based = options->zero_based;
	if (options->like != NULL)
		RF_TRY(take_model(convert, options->like, err));
	if (options->n_features > 0) {
		convert->width = options->n_features;
		rows->leaves_out = false;
		rows->width_option = "--n-features";
	}
	rows->is_whole =
	    convert->task != NULL && strcmp(convert->task, CLASSIFICATION) == 0;
	rows->width = convert->width > 0 ? convert->width : RF_SPARSE_MOST;
	return RF_OK;
}

/* --- All of it --------------------------------------------------------------- */

static enum rf_status
send_all(struct convert *convert, struct rf_error *err)
{
	const struct rf_csv_options *options = convert->options;

	convert->is_writing = true;
	convert->n_rows = convert->n_pairs = convert->n_bytes = 0;
	for (size_t i = 0; i < convert->n_parts; i++) {
		struct rf_part *part = &convert->parts[i];

		if (!part->is_open)
			RF_TRY(
			    rf_part_open(part, options, RF_SAMPLE_SIZE, err));
		RF_TRY(take_part(convert, part, false, err));
		rf_part_close(part);
	}
	RF_TRY(use_rows(convert, err));
	if (options->verbose)
		rf_note(options->log,
		    "%" PRId64 " row%s of %" PRId64 " feature%s, %" PRId64
		    " cell%s given, %s",
		    convert->n_rows, RF_PLURAL(convert->n_rows), convert->width,
		    RF_PLURAL(convert->width), convert->n_pairs,
		    RF_PLURAL(convert->n_pairs),
		    convert->writer.dense == NULL ? "sparse" : "dense");
	return rf_libsvm_finish(&convert->writer, &convert->rows, err);
}

enum rf_status
rf_libsvm_convert(const struct rf_csv_options *options, struct rf_part *parts,
    size_t n_parts, int out_fd, const char *out_name, struct rf_error *err)
{
	struct convert convert = {
	    .options = options, .parts = parts, .n_parts = n_parts};
	bool sparse = false;
	enum rf_status status = set_options(&convert, err);

	if (status == RF_OK)
		status = survey(&convert, &sparse, err);
	if (status == RF_OK)
		status = rf_libsvm_writer_open(&convert.writer, out_fd,
		    out_name, &convert.schema, convert.rows.qid == RF_QID_THERE,
		    sparse, err);
	if (status == RF_OK)
		status = send_all(&convert, err);
	rf_libsvm_writer_release(&convert.writer);
	rf_schema_release(&convert.schema);
	rf_libsvm_release(&convert.rows);
	free(convert.buffer);
	return status;
}
