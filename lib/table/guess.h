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

/*
 * Sets cells, words and text_size of every column by the records in
 * [text, end), which stay as they are; the guess ends early at a record
 * whose quotes do not match.  first_line is that of the first record.  RF_EDATA where columns of
 * numbers have other words among them, RF_EUSAGE where the label needs a task.
 */
enum rf_status rf_guess_types(struct rf_plan *plan, const char *text,
    const char *end, int64_t first_line, const struct rf_log *log,
    struct rf_error *err) RF_MUST_USE;

#endif
