#include "table/outlet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/arrow_write.h"
#include "table/describe.h"

/* Cells of a column that were taken as missing. */
struct bad_cells {
	int64_t n;
	/* The first. */
	char *text;
	size_t size;
	const char *file;
	int64_t line;
};

static enum rf_status
open_stream(
    struct rf_outlet *outlet, int fd, const char *name, struct rf_error *err)
{
	size_t n;

	RF_TRY(rf_plan_schema(
	    outlet->plan, outlet->options, &outlet->schema, err));
	n = outlet->schema.n_fields;
	outlet->columns = rf_alloc_zero(n, sizeof(*outlet->columns));
	if (outlet->columns == NULL)
		return rf_error_memory(
		    err, n * sizeof(*outlet->columns), "columns");
	for (size_t i = 0; i < n; i++)
		outlet->columns[i].field = &outlet->schema.fields[i];
	return rf_writer_open(&outlet->writer, fd, name, &outlet->schema, err);
}

enum rf_status
rf_outlet_open(struct rf_outlet *outlet, struct rf_plan *plan,
    const struct rf_csv_options *options, int fd, const char *name,
    struct rf_error *err)
{
	outlet->plan = plan;
	outlet->options = options;
	outlet->fd = fd;
	outlet->name = name;
	if (plan->bad_cells_are_missing) {
		outlet->bad =
		    rf_alloc_zero(plan->n_columns, sizeof(*outlet->bad));
		if (outlet->bad == NULL)
			return rf_error_memory(err,
			    plan->n_columns * sizeof(*outlet->bad), "columns");
	}
	if (options->describe)
		return rf_describe_new(&outlet->describe, plan, err);
	return open_stream(outlet, fd, name, err);
}

/* Sends all texts of a category column. */
static enum rf_status
send_words(struct rf_outlet *outlet, const struct rf_words *words, int64_t id,
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
	status = rf_writer_dictionary(outlet->writer, id, &values, err);
	free(offsets);
	return status;
}

/* Sends the dictionaries that have grown since they were sent. */
static enum rf_status
send_dictionaries(struct rf_outlet *outlet, struct rf_error *err)
{
	int64_t id = -1;

	for (size_t c = 0; c < outlet->plan->n_columns; c++) {
		struct rf_plan_column *column = &outlet->plan->columns[c];

		id += column->cells != RF_CELLS_SKIP;
		if (column->cells != RF_CELLS_CATEGORY ||
		    column->words.n_words == column->n_words_sent)
			continue;
		RF_TRY(send_words(outlet, &column->words, id, err));
		column->n_words_sent = column->words.n_words;
	}
	return RF_OK;
}

static void
take_bad_cells(struct rf_outlet *outlet, const struct rf_chunk *chunk,
    const struct rf_outlet_place *place)
{
	for (size_t c = 0; c < outlet->plan->n_columns; c++) {
		struct bad_cells *bad = &outlet->bad[c];
		const struct rf_cell *first = &chunk->bad[c].first;

		if (chunk->bad[c].n > 0 && bad->n == 0) {
			bad->text = rf_strndup(first->text, first->size);
			bad->size = first->size;
			bad->file = place->file;
			bad->line = place->n_lines + 1 +
			    rf_count_lines(chunk->text, first->text);
		}
		bad->n += chunk->bad[c].n;
	}
}

enum rf_status
rf_outlet_chunk(struct rf_outlet *outlet, struct rf_chunk *chunk,
    const struct rf_outlet_place *place, struct rf_error *err)
{
	struct rf_batch batch = {.n_rows = chunk->n_rows,
	    .columns = outlet->columns,
	    .n_columns = outlet->schema.n_fields};

	outlet->n_rows += chunk->n_rows;
	outlet->n_dropped += chunk->n_dropped;
	outlet->n_padded += chunk->n_padded;
	outlet->n_bytes += (int64_t)chunk->size;
	if (chunk->n_rows == 0)
		return RF_OK;
	if (outlet->bad != NULL)
		take_bad_cells(outlet, chunk, place);
	RF_TRY(rf_chunk_settle(chunk, outlet->plan, err));
	if (outlet->describe != NULL) {
		RF_TRY(rf_describe_chunk(outlet->describe, chunk, err));
	} else {
		RF_TRY(send_dictionaries(outlet, err));
		rf_chunk_columns(chunk, outlet->columns);
		RF_TRY(rf_writer_batch(outlet->writer, &batch, err));
	}
	rf_progress(outlet->options->log, "reading", outlet->n_bytes, 0);
	return RF_OK;
}

static void
note_bad_cells(const struct rf_outlet *outlet)
{
	for (size_t c = 0; c < outlet->plan->n_columns; c++) {
		const struct bad_cells *bad = &outlet->bad[c];
		struct rf_bytes bytes = rf_plan_name(outlet->plan, c);
		char name[RF_QUOTED_SIZE], text[RF_QUOTED_SIZE];

		if (bad->n == 0)
			continue;
		rf_note(outlet->options->log,
		    "column '%s': %" PRId64
		    " cell%s not of type %s taken as missing, the first in %s, "
		    "line %" PRId64 ": '%s'",
		    rf_text_quote(name, bytes.data, (size_t)bytes.size), bad->n,
		    RF_PLURAL(bad->n),
		    rf_plan_type_name(&outlet->plan->columns[c]), bad->file,
		    bad->line,
		    rf_text_quote(text, bad->text != NULL ? bad->text : "",
			bad->text != NULL ? bad->size : 0));
	}
}

static void
note_rows(const struct rf_outlet *outlet)
{
	const struct rf_csv_options *options = outlet->options;
	const struct rf_dialect *dialect = &outlet->plan->dialect;

	if (outlet->n_dropped > 0)
		rf_note(options->log, "%" PRId64 " ragged row%s left out",
		    outlet->n_dropped, RF_PLURAL(outlet->n_dropped));
	if (options->verbose)
		rf_note(options->log,
		    "%" PRId64 " row%s of %zu of %zu column%s, delimiter '%s'",
		    outlet->n_rows, RF_PLURAL(outlet->n_rows),
		    rf_plan_n_sent(outlet->plan), outlet->plan->n_columns,
		    RF_PLURAL(outlet->plan->n_columns),
		    dialect->has_runs ? "spaces"
			: dialect->delimiter == '\t'
			? "tab"
			: (char[2]){dialect->delimiter, 0});
	if (outlet->n_padded > 0)
		rf_note(options->log, "%" PRId64 " ragged row%s padded",
		    outlet->n_padded, RF_PLURAL(outlet->n_padded));
}

enum rf_status
rf_outlet_finish(struct rf_outlet *outlet, struct rf_error *err)
{
	note_rows(outlet);
	if (outlet->bad != NULL)
		note_bad_cells(outlet);
	if (outlet->describe != NULL)
		return rf_describe_print(outlet->describe, outlet->options,
		    outlet->fd, outlet->name, err);
	return rf_writer_finish(outlet->writer, NULL, err);
}

void
rf_outlet_release(struct rf_outlet *outlet)
{
	for (size_t c = 0; outlet->bad != NULL && c < outlet->plan->n_columns;
	     c++)
		free(outlet->bad[c].text);
	free(outlet->bad);
	free(outlet->columns);
	rf_writer_free(outlet->writer);
	rf_schema_release(&outlet->schema);
	rf_describe_free(outlet->describe);
	memset(outlet, 0, sizeof(*outlet));
}
