#include "table/part.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

void
rf_header_release(struct rf_header *header)
{
	free(header->text);
	free(header->cells);
	memset(header, 0, sizeof(*header));
}

void
rf_part_close(struct rf_part *part)
{
	rf_text_reader_close(part->reader);
	part->reader = NULL;
	rf_sample_release(&part->sample);
}

int64_t
rf_part_start(int fd)
{
	struct stat info;

	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
		return -1;
	return (int64_t)lseek(fd, 0, SEEK_CUR);
}

enum rf_status
rf_part_open(struct rf_part *part, const struct rf_csv_options *options,
    size_t size, struct rf_error *err)
{
	part->is_open = true;
	RF_TRY(rf_text_reader_open(
	    &part->reader, part->fd, part->name, options->encoding, err));
	return rf_sample_read(&part->sample, part->reader, part->name, size,
	    options->skip_lines, err);
}

/* The cells of size bytes at the sample's place. */
static enum rf_status
read_cells(const struct rf_part *part, const struct rf_dialect *dialect,
    size_t size, struct rf_header *header, struct rf_error *err)
{
	char *text = rf_alloc(size + 1 + RF_TEXT_PADDING, 1), *at = text;
	size_t n_most = 1;

	header->text = text;
	if (text == NULL)
		return rf_error_memory(err, size, "the header");
	memcpy(text, part->sample.text + part->sample.at, size);
	memset(text + size, 0, 1 + RF_TEXT_PADDING);
	text[size] = '\n';
	for (size_t i = 0; i < size; i++)
		n_most += text[i] == dialect->delimiter;
	header->cells = rf_alloc_zero(n_most, sizeof(*header->cells));
	if (header->cells == NULL)
		return rf_error_memory(err, n_most, "the header");
	if (rf_record_next(dialect, &at, text + size, header->cells, n_most,
		&header->n_cells) != RF_CELL_GOOD)
		return rf_error_set(err, RF_EDATA,
		    "column %zu: text follows the cell's closing quote, or "
		    "it is never closed",
		    header->n_cells + 1);
	return RF_OK;
}

/* Puts the part's name and the line that its sample is at before a message. */
static enum rf_status
place(const struct rf_part *part, enum rf_status status, struct rf_error *err)
{
	char line[64];

	if (status != RF_EDATA)
		return status;
	snprintf(line, sizeof(line), "line %" PRId64, part->sample.n_lines + 1);
	rf_error_prefix(err, status, line);
	return rf_error_prefix(err, status, part->name);
}

enum rf_status
rf_part_collapse(struct rf_part *part, struct rf_error *err)
{
	struct rf_sample *sample = &part->sample;
	size_t size = sample->size - sample->at;

	RF_TRY(rf_text_reader_collapse(
	    part->reader, sample->text + sample->at, &size, err));
	sample->size = sample->at + size;
	memset(sample->text + sample->size, 0, 1 + RF_TEXT_PADDING);
	sample->text[sample->size] = '\n';
	return RF_OK;
}

enum rf_status
rf_part_first(struct rf_part *part, const struct rf_dialect *dialect,
    struct rf_header *header, size_t *size, struct rf_error *err)
{
	struct rf_sample *sample = &part->sample;

	RF_TRY(rf_sample_cut(sample, part->reader, dialect, err));
	rf_sample_first(sample, dialect, size);
	if (*size == 0)
		return rf_error_set(err, RF_EDATA, "%s: %s", part->name,
		    sample->is_whole ? "no records"
				     : "a first record of more than 64 MiB");
	return place(part, read_cells(part, dialect, *size, header, err), err);
}

void
rf_part_skip_header(struct rf_part *part, size_t size)
{
	struct rf_sample *sample = &part->sample;

	if (size > 0) {
		rf_sample_skip(sample, size);
		sample->n_records--;
	}
	part->n_lines = sample->n_lines;
	if (!sample->is_whole)
		return;
	/* Many small files take no more memory than their texts. */
	rf_text_reader_close(part->reader);
	part->reader = NULL;
	rf_sample_shrink(sample);
}

static enum rf_status
compare(const struct rf_header *header, const struct rf_header *wanted,
    const char *first_name, struct rf_error *err)
{
	char one[RF_QUOTED_SIZE], two[RF_QUOTED_SIZE];

	for (size_t c = 0; c < header->n_cells && c < wanted->n_cells; c++) {
		const struct rf_cell *a = &header->cells[c];
		const struct rf_cell *b = &wanted->cells[c];

		if (a->size == b->size &&
		    memcmp(a->text, b->text, a->size) == 0)
			continue;
		return rf_error_set(err, RF_EDATA,
		    "column %zu is called '%s' but '%s' in %s: files of one "
		    "table have equal headers",
		    c + 1, rf_text_quote(one, a->text, a->size),
		    rf_text_quote(two, b->text, b->size), first_name);
	}
	if (header->n_cells != wanted->n_cells)
		return rf_error_set(err, RF_EDATA,
		    "%zu column%s but %zu in %s: files of one table have "
		    "equal headers",
		    header->n_cells, RF_PLURAL(header->n_cells),
		    wanted->n_cells, first_name);
	return RF_OK;
}

enum rf_status
rf_part_begin(struct rf_part *part, const struct rf_csv_options *options,
    const struct rf_dialect *dialect, const struct rf_header *wanted,
    const char *first_name, size_t sample_size, struct rf_error *err)
{
	struct rf_header header = {0};
	enum rf_status status;
	size_t size;

	RF_TRY(rf_part_open(part, options, sample_size, err));
	if (dialect->has_runs)
		RF_TRY(rf_part_collapse(part, err));
	status = rf_part_first(part, dialect, &header, &size, err);
	if (status == RF_OK && wanted != NULL)
		status =
		    place(part, compare(&header, wanted, first_name, err), err);
	if (status == RF_OK)
		rf_part_skip_header(part, wanted != NULL ? size : 0);
	rf_header_release(&header);
	return status;
}
