#include "table/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/arrow_read.h"
#include "stream/pipe.h"
#include "table/cell_text.h"
#include "table/decimal.h"

#define FLUSH_BYTES ((size_t)1 << 16)

struct print {
	const struct rf_print_options *options;
	char delimiter;
	int fd;
	const char *name;
	struct rf_text out;
	struct rf_text cell; /* a text before it is quoted */
	/* What a cell of the column may need: quotes or not. */
	bool *is_plain;
	const char *missing; /* "": nothing */
	size_t missing_size;
	/* Texts equal to the word for missing cells, and the first one's place,
	 * counted from 1. */
	int64_t n_like_missing, row_like_missing;
	size_t column_like_missing;
};

static enum rf_status
write_all(struct print *print, struct rf_error *err)
{
	struct iovec part = {print->out.data, print->out.size};
	enum rf_status status;

	if (print->out.failed || print->cell.failed)
		return rf_error_memory(err, print->out.size, "output");
	status = rf_write_all(print->fd, &part, 1, err);
	if (status != RF_OK)
		return rf_error_prefix(err, status, print->name);
	rf_text_clear(&print->out);
	return RF_OK;
}

static bool
is_like_missing(const struct print *print, const char *text, size_t size)
{
	return size > 0 && size == print->missing_size &&
	    memcmp(text, print->missing, size) == 0;
}

/* Whether a text means the same without quotes, to any reader. */
static bool
is_safe(const char *text, size_t size, char delimiter)
{
	/* A reader may trim blanks, or take a line of them for none; the first
	 * byte may begin a mark of byte order. */
	if (text[0] == ' ' || text[size - 1] == ' ' || text[0] == '\t' ||
	    text[size - 1] == '\t' || (unsigned char)text[0] == 0xef)
		return false;
	for (size_t i = 0; i < size; i++)
		if (text[i] == delimiter || text[i] == '"' || text[i] == '\n' ||
		    text[i] == '\r')
			return false;
	return true;
}

bool
rf_print_missing_can(const struct rf_print_options *options)
{
	const char *word = options->missing;

	return word == NULL || word[0] == '\0' ||
	    is_safe(word, strlen(word),
		options->delimiter != 0 ? options->delimiter : ',');
}

static bool
needs_quotes(const struct print *print, const char *text, size_t size)
{
	return size == 0 || is_like_missing(print, text, size) ||
	    !is_safe(text, size, print->delimiter);
}

/* A text as a cell, in quotes where it needs them. */
static void
put_cell(struct print *print, const char *text, size_t size)
{
	struct rf_text *out = &print->out;

	if (!needs_quotes(print, text, size)) {
		rf_text_append(out, text, size);
		return;
	}
	rf_text_append(out, "\"", 1);
	while (size > 0) {
		const char *quote = memchr(text, '"', size);
		size_t n = quote == NULL ? size : (size_t)(quote - text) + 1;

		rf_text_append(out, text, n);
		if (quote != NULL)
			rf_text_append(out, "\"", 1);
		text += n;
		size -= n;
	}
	rf_text_append(out, "\"", 1);
}

static void
put_null(struct print *print, size_t n_columns)
{
	/* Never in quotes, as a text that equals it is. */
	if (print->missing_size > 0)
		rf_text_append(
		    &print->out, print->missing, print->missing_size);
	else if (n_columns == 1)
		rf_text_append(&print->out, "\"\"", 2);
}

static void
put_value(struct print *print, const struct rf_batch *batch, size_t c,
    int64_t row, int64_t n_before)
{
	const struct rf_column *column = &batch->columns[c];
	const char *text;

	if (!rf_column_is_valid(column, row)) {
		put_null(print, batch->n_columns);
		return;
	}
	if (print->is_plain[c]) {
		rf_cell_text(&print->out, column, row);
		return;
	}
	rf_text_clear(&print->cell);
	if (!rf_cell_text(&print->cell, column, row)) {
		put_null(print, batch->n_columns);
		return;
	}
	text = print->cell.size > 0 ? print->cell.data : "";
	if (is_like_missing(print, text, print->cell.size) &&
	    print->n_like_missing++ == 0) {
		print->row_like_missing = n_before + row + 1;
		print->column_like_missing = c;
	}
	put_cell(print, text, print->cell.size);
}

static enum rf_status
put_batch(struct print *print, const struct rf_batch *batch, int64_t n_before,
    struct rf_error *err)
{
	for (int64_t row = 0; row < batch->n_rows; row++) {
		for (size_t c = 0; c < batch->n_columns; c++) {
			if (c > 0)
				rf_text_append(
				    &print->out, &print->delimiter, 1);
			put_value(print, batch, c, row, n_before);
		}
		rf_text_append(&print->out, "\n", 1);
		if (print->out.size >= FLUSH_BYTES)
			RF_TRY(write_all(print, err));
	}
	return RF_OK;
}

static void
put_header(struct print *print, const struct rf_schema *schema)
{
	for (size_t c = 0; c < schema->n_fields; c++) {
		const char *name = schema->fields[c].name;

		if (c > 0)
			rf_text_append(&print->out, &print->delimiter, 1);
		put_cell(print, name, strlen(name));
	}
	rf_text_append(&print->out, "\n", 1);
}

/* Whether a number or a boolean may be written as the word. */
static bool
missing_is_value(const struct print *print)
{
	int64_t whole;
	double real;

	return strcmp(print->missing, "NaN") == 0 ||
	    strcmp(print->missing, "true") == 0 ||
	    strcmp(print->missing, "false") == 0 ||
	    rf_decimal_parse(print->missing, print->missing_size, '.', &whole,
		&real) != RF_NUMBER_NONE;
}

/* Numbers in whose text no delimiter can stand. */
static bool
is_plain(const struct print *print, const struct rf_field *field)
{
	if (field->is_dictionary || strchr(",;\t|", print->delimiter) == NULL ||
	    missing_is_value(print))
		return false;
	return field->type == RF_TYPE_FLOAT64 ||
	    field->type == RF_TYPE_FLOAT32 || field->type == RF_TYPE_BOOL ||
	    rf_type_is_integer(field->type);
}

static enum rf_status
check_fields(
    struct print *print, const struct rf_schema *schema, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	print->is_plain = rf_alloc_zero(schema->n_fields, 1);
	if (print->is_plain == NULL)
		return rf_error_memory(err, schema->n_fields, "columns");
	for (size_t c = 0; c < schema->n_fields; c++) {
		const struct rf_field *field = &schema->fields[c];

		if (!rf_cell_text_can(field))
			return rf_error_set(err, RF_EDATA,
			    "column '%s': type %s is not supported",
			    rf_text_quote(
				quoted, field->name, strlen(field->name)),
			    rf_type_name(field->type));
		print->is_plain[c] = is_plain(print, field);
	}
	return RF_OK;
}

/* Quotes tell such a text from a missing cell, but not to every reader. */
static void
note_like_missing(const struct print *print, const struct rf_schema *schema)
{
	const char *name;
	char quoted[RF_QUOTED_SIZE], word[RF_QUOTED_SIZE];

	if (print->n_like_missing == 0)
		return;
	name = schema->fields[print->column_like_missing].name;
	rf_note(print->options->log,
	    "row %" PRId64 ", column '%s': %" PRId64
	    " cell%s of '%s' itself, in quotes to differ from missing",
	    print->row_like_missing, rf_text_quote(quoted, name, strlen(name)),
	    print->n_like_missing, RF_PLURAL(print->n_like_missing),
	    rf_text_quote(word, print->missing, print->missing_size));
}

static enum rf_status
print_stream(
    struct print *print, struct rf_reader *reader, struct rf_error *err)
{
	const struct rf_schema *schema = rf_reader_schema(reader);
	enum rf_status status = check_fields(print, schema, err);
	struct rf_batch batch;

	if (status != RF_OK)
		return rf_error_prefix(err, status, rf_reader_name(reader));
	if (!print->options->no_header && schema->n_fields > 0)
		put_header(print, schema);
	for (;;) {
		RF_TRY(rf_reader_next(reader, &batch, err));
		if (batch.columns == NULL)
			break;
		RF_TRY(put_batch(print, &batch,
		    rf_reader_n_rows(reader) - batch.n_rows, err));
		rf_progress(print->options->log, "writing",
		    rf_reader_n_rows(reader), 0);
	}
	note_like_missing(print, schema);
	if (print->options->verbose)
		rf_note(print->options->log,
		    "%" PRId64 " row%s of %zu column%s",
		    rf_reader_n_rows(reader),
		    RF_PLURAL(rf_reader_n_rows(reader)), schema->n_fields,
		    RF_PLURAL(schema->n_fields));
	return write_all(print, err);
}

enum rf_status
rf_print_csv(const struct rf_print_options *options, int in_fd,
    const char *in_name, int out_fd, const char *out_name, struct rf_error *err)
{
	struct print print = {.options = options,
	    .delimiter = options->delimiter != 0 ? options->delimiter : ',',
	    .fd = out_fd,
	    .name = out_name,
	    .missing = options->missing != NULL ? options->missing : ""};
	struct rf_reader_options reading = {.log = options->log,
	    .no_eos = options->no_eos,
	    .want_foreign = true,
	    .want_dense = true};
	struct rf_reader *reader = NULL;
	enum rf_status status;

	print.missing_size = strlen(print.missing);
	rf_pipe_widen(out_fd);
	status = rf_reader_open(&reader, in_fd, in_name, &reading, err);
	if (status == RF_OK)
		status = print_stream(&print, reader, err);
	rf_reader_close(reader);
	rf_text_release(&print.out);
	rf_text_release(&print.cell);
	free(print.is_plain);
	return status;
}
