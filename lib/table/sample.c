#include "table/sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SAMPLE_SIZE ((size_t)16 << 20)

static enum rf_status
read_more(struct rf_sample *sample, struct rf_text_source *source, size_t size,
    struct rf_error *err)
{
	char *text = rf_realloc(sample->text, size + 1 + RF_TEXT_PADDING, 1);
	size_t got = 0;

	if (text == NULL)
		return rf_error_memory(err, size, "the sample");
	sample->text = text;
	sample->capacity = size;
	RF_TRY(rf_text_source_read(
	    source, text + sample->size, size - sample->size, &got, err));
	sample->size += got;
	sample->is_whole = sample->size < size;
	memset(text + sample->size, 0, 1 + RF_TEXT_PADDING);
	text[sample->size] = '\n';
	return RF_OK;
}

static bool
begins(const struct rf_sample *sample, const char *bytes, size_t n)
{
	return sample->size >= n && memcmp(sample->text, bytes, n) == 0;
}

static enum rf_status
refuse_others(
    const struct rf_sample *sample, const char *name, struct rf_error *err)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *what;
	} others[] = {{"\xff\xff\xff\xff", 4, "an Arrow stream already"},
	    {"ARROW1", 6, "an Arrow file"}, {"\x89RFB", 4, "a packed forest"},
	    {"PAR1", 4, "a Parquet file"},
	    {"PK\x03\x04", 4, "a zip file or spreadsheet"},
	    {"\x28\xb5\x2f\xfd", 4, "compressed: zstd -dc first"},
	    {"\xfd\x37zXZ", 5, "compressed: xz -dc first"},
	    {"BZh", 3, "compressed: bzip2 -dc first"},
	    {"\xff\xfe", 2, "UTF-16: iconv -f UTF-16 -t UTF-8 first"},
	    {"\xfe\xff", 2, "UTF-16: iconv -f UTF-16 -t UTF-8 first"}};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (begins(sample, others[i].bytes, others[i].n))
			return rf_error_set(err, RF_EDATA,
			    "%s: not a CSV file: it is %s", name,
			    others[i].what);
	if (sample->size == 0)
		return rf_error_set(err, RF_EDATA, "%s: empty input", name);
	return RF_OK;
}

enum rf_status
rf_sample_read(struct rf_sample *sample, struct rf_text_source *source,
    const char *name, int64_t skip_lines, struct rf_error *err)
{
	RF_TRY(read_more(sample, source, SAMPLE_SIZE, err));
	RF_TRY(refuse_others(sample, name, err));
	if (begins(sample, "\xef\xbb\xbf", 3))
		sample->at = 3;
	for (int64_t i = 0; i < skip_lines; i++) {
		while (sample->at < sample->size &&
		    sample->text[sample->at] != '\n' &&
		    sample->text[sample->at] != '\r')
			sample->at++;
		if (sample->at >= sample->size)
			return rf_error_set(err, RF_EDATA,
			    "%s: --skip-lines %" PRId64 ": there are only "
			    "%" PRId64 " lines%s",
			    name, skip_lines, i,
			    sample->is_whole ? "" : " in the first 16 MiB");
		if (sample->text[sample->at] == '\r' &&
		    sample->at + 1 < sample->size &&
		    sample->text[sample->at + 1] == '\n')
			sample->at++;
		sample->at++;
		sample->n_lines++;
	}
	return RF_OK;
}

enum rf_status
rf_sample_cut(struct rf_sample *sample, struct rf_text_source *source,
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
		RF_TRY(read_more(sample, source, sample->size * 2, err));
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
rf_sample_release(struct rf_sample *sample)
{
	free(sample->text);
	memset(sample, 0, sizeof(*sample));
}
