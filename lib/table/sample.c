#include "table/sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Read first, so that a small table takes little memory. */
#define SMALL ((size_t)1 << 16)

static enum rf_status
read_more(struct rf_sample *sample, struct rf_text_reader *reader, size_t size,
    struct rf_error *err)
{
	char *text = rf_realloc(sample->text, size + 1 + RF_TEXT_PADDING, 1);
	size_t got = 0;

	if (text == NULL)
		return rf_error_memory(err, size, "the sample");
	sample->text = text;
	sample->capacity = size;
	RF_TRY(rf_text_reader_read(
	    reader, text + sample->size, size - sample->size, &got, err));
	sample->size += got;
	sample->is_whole = sample->size < size;
	memset(text + sample->size, 0, 1 + RF_TEXT_PADDING);
	text[sample->size] = '\n';
	return RF_OK;
}

/* LF, CR, CRLF or CR CR LF; past the end lies a line feed and more. */
static void
skip_line_end(struct rf_sample *sample)
{
	const char *at = sample->text + sample->at;
	size_t n = 1;

	if (at[0] == '\r' && at[1] == '\n')
		n = 2;
	else if (at[0] == '\r' && at[1] == '\r' && at[2] == '\n')
		n = 3;
	sample->at += n;
	if (sample->at > sample->size)
		sample->at = sample->size;
}

/* Moves `at` to the next line end; false where there is none. */
static enum rf_status
find_line_end(struct rf_sample *sample, struct rf_text_reader *reader,
    bool *is_found, struct rf_error *err)
{
	for (;;) {
		while (sample->at < sample->size &&
		    sample->text[sample->at] != '\n' &&
		    sample->text[sample->at] != '\r')
			sample->at++;
		*is_found = sample->at < sample->size;
		if (*is_found || sample->is_whole ||
		    sample->size >= RF_RECORD_MOST)
			return RF_OK;
		RF_TRY(read_more(sample, reader, sample->size * 2, err));
	}
}

enum rf_status
rf_sample_read(struct rf_sample *sample, struct rf_text_reader *reader,
    const char *name, size_t size, int64_t skip_lines, struct rf_error *err)
{
	bool is_found;

	RF_TRY(read_more(sample, reader, size < SMALL ? size : SMALL, err));
	if (!sample->is_whole && sample->capacity < size)
		RF_TRY(read_more(sample, reader, size, err));
	if (sample->size >= 3 && memcmp(sample->text, "\xef\xbb\xbf", 3) == 0)
		sample->at = 3;
	for (int64_t i = 0; i < skip_lines; i++) {
		RF_TRY(find_line_end(sample, reader, &is_found, err));
		if (!is_found)
			return rf_error_set(err, RF_EDATA,
			    "%s: --skip-lines %" PRId64 ": there are only "
			    "%" PRId64 " lines%s",
			    name, skip_lines, i,
			    sample->is_whole ? "" : " in the first 64 MiB");
		skip_line_end(sample);
		sample->n_lines++;
	}
	return RF_OK;
}

enum rf_status
rf_sample_cut(struct rf_sample *sample, struct rf_text_reader *reader,
    const struct rf_dialect *dialect, struct rf_error *err)
{
	struct rf_cutter cutter;

	for (;;) {
		cutter = (struct rf_cutter){.dialect = *dialect,
		    .max_records = INT64_MAX,
		    .max_bytes = SIZE_MAX};
		rf_cutter_scan(&cutter, sample->text + sample->at, 0,
		    sample->size - sample->at);
		if (sample->is_whole || cutter.n_records > 3 ||
		    sample->size >= RF_RECORD_MOST)
			break;
		RF_TRY(read_more(sample, reader, sample->size * 2, err));
	}
	sample->records_end =
	    sample->is_whole ? sample->size : sample->at + cutter.last_start;
	sample->n_records = cutter.n_records - !sample->is_whole;
	return RF_OK;
}

void
rf_sample_skip(struct rf_sample *sample, size_t size)
{
	const char *at = sample->text + sample->at;

	sample->n_lines += rf_count_lines(at, at + size);
	sample->at += size;
}

void
rf_sample_first(
    struct rf_sample *sample, const struct rf_dialect *dialect, size_t *size)
{
	struct rf_cutter cutter = {
	    .dialect = *dialect, .max_records = 1, .max_bytes = SIZE_MAX};
	char *at = sample->text + sample->at;
	char *end = sample->text + sample->records_end;

	rf_sample_skip(
	    sample, (size_t)(rf_skip_blank_lines(dialect, at, end) - at));
	at = sample->text + sample->at;
	*size = rf_cutter_scan(&cutter, at, 0, (size_t)(end - at));
}

void
rf_sample_shrink(struct rf_sample *sample)
{
	size_t size = sample->size + 1 + RF_TEXT_PADDING;
	char *text = rf_realloc(sample->text, size, 1);

	if (text != NULL)
		sample->text = text;
}

void
rf_sample_release(struct rf_sample *sample)
{
	free(sample->text);
	memset(sample, 0, sizeof(*sample));
}
