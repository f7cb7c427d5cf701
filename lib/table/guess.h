/*
 * The types of a table's columns from its first records.
 *
 * A column is whole numbers, else numbers, else text.  Text with more than 4096
 * different cells, or more than 20 and more than half of those present, is no
 * category but text with the role `ignore`; a note says so.
 */
#ifndef RF_TABLE_GUESS_H
#define RF_TABLE_GUESS_H

#include "table/plan.h"

/* Records of one file. */
struct rf_guess_text {
	const char *text, *end;
	int64_t first_line; /* number of the first record's line */
	const char *name;   /* of the file */
};

/*
 * Sets cells, words and text_size of every column by the records of the texts,
 * which stay as they are; the guess leaves a text at a record whose quotes do
 * not match.  RF_EDATA where columns of numbers have other words among them,
 * RF_EUSAGE where the label needs a task.
 */
enum rf_status rf_guess_types(struct rf_plan *plan,
    const struct rf_guess_text *texts, size_t n_texts, const struct rf_log *log,
    struct rf_error *err) RF_MUST_USE;

#endif
