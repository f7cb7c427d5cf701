/*
 * One of the files that a table lies in: its text, the sample of it, and its
 * header, which must be the first file's.
 *
 *	RF_TRY(rf_part_open(&first, options, RF_SAMPLE_SIZE, err));
 *	RF_TRY(rf_part_first(&first, &dialect, &header, &size, err));
 *	rf_part_skip_header(&first, size);
 *	RF_TRY(rf_part_begin(&second, options, &dialect, &header, first.name,
 *	    RF_SAMPLE_SIZE - first.sample.size, err));
 *	rf_part_close(&first);
 */
#ifndef RF_TABLE_PART_H
#define RF_TABLE_PART_H

#include "table/csv.h"
#include "table/sample.h"

#define RF_SAMPLE_SIZE ((size_t)16 << 20) /* of all parts */

/* The cells of a table's first record. */
struct rf_header {
	char *text; /* that the cells lie in */
	struct rf_cell *cells;
	size_t n_cells;
};

struct rf_part {
	int fd;		  /* the caller's */
	const char *name; /* in messages; the caller's */
	int64_t start;	  /* of a regular file, else -1 */
	struct rf_text_reader *reader;
	struct rf_sample sample;
	int64_t n_lines; /* before the first record of data */
	bool is_open;	 /* sample and reader are there */
};

/* Where a regular file is read from, so that it can be again; else -1. */
int64_t rf_part_start(int fd);

/* Reads up to `size` bytes, after options->skip_lines lines. */
enum rf_status rf_part_open(struct rf_part *part,
    const struct rf_csv_options *options, size_t size,
    struct rf_error *err) RF_MUST_USE;

/* From here on runs of spaces are one, as dialects with has_runs need it. */
enum rf_status rf_part_collapse(
    struct rf_part *part, struct rf_error *err) RF_MUST_USE;

/*
 * Finds the sample's whole records and reads the first: *size is its length
 * where it lies.  RF_EDATA where there is none.
 */
enum rf_status rf_part_first(struct rf_part *part,
    const struct rf_dialect *dialect, struct rf_header *header, size_t *size,
    struct rf_error *err) RF_MUST_USE;

/* Steps over the header, of the size that rf_part_first gave; 0: there is none.
 * What follows is data. */
void rf_part_skip_header(struct rf_part *part, size_t size);

/*
 * All of that for a part that is not the first.  Its header must
 * have the cells of `wanted`, which is NULL where no part has a header.
 */
enum rf_status rf_part_begin(struct rf_part *part,
    const struct rf_csv_options *options, const struct rf_dialect *dialect,
    const struct rf_header *wanted, const char *first_name, size_t sample_size,
    struct rf_error *err) RF_MUST_USE;

/* Gives back sample and reader. */
void rf_part_close(struct rf_part *part);

void rf_header_release(struct rf_header *header);

#endif
