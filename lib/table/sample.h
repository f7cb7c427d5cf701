/*
 * The first bytes of a file, kept until the table's types are known, and what
 * lies before its records: byte order mark, lines to skip, header.
 */
#ifndef RF_TABLE_SAMPLE_H
#define RF_TABLE_SAMPLE_H

#include "table/cutter.h"
#include "table/text_reader.h"

/* A record longer than this is taken for a quote that is never closed. */
#define RF_RECORD_MOST ((size_t)64 << 20)

struct rf_sample {
	char *text;
	size_t size, capacity;
	size_t at;	    /* the first byte not yet used */
	int64_t n_lines;    /* before `at` */
	size_t records_end; /* up to here only whole records */
	int64_t n_records;  /* from `at` on, up to there */
	bool is_whole;	    /* nothing follows it */
};

/*
 * Reads the sample, of size bytes or all, and steps over a byte order mark and skip_lines lines.
 * RF_EDATA, by name, where there are not so many.
 */
enum rf_status rf_sample_read(struct rf_sample *sample,
    struct rf_text_reader *reader, const char *name, size_t size,
    int64_t skip_lines, struct rf_error *err) RF_MUST_USE;

/*
 * Finds records_end and n_records.  Where the sample has fewer than three whole
 * records, it reads on up to RF_RECORD_MOST.
 */
enum rf_status rf_sample_cut(struct rf_sample *sample,
    struct rf_text_reader *reader, const struct rf_dialect *dialect,
    struct rf_error *err) RF_MUST_USE;

/*
 * Steps over blank lines to the first record; *size is its length with the
 * lines that are blank after it, 0 where there is none.
 */
void rf_sample_first(
    struct rf_sample *sample, const struct rf_dialect *dialect, size_t *size);

/* Moves `at` on by so many bytes, and the count of lines with it. */
void rf_sample_skip(struct rf_sample *sample, size_t size);

/* Gives back the memory that its text does not fill. */
void rf_sample_shrink(struct rf_sample *sample);

void rf_sample_release(struct rf_sample *sample);

#endif
