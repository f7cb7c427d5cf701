/*
 * One value of any column as text.  Inside table/ only.
 *
 * Numbers in their shortest digits, dates and times by ISO 8601 (UTC), binary
 * in hexadecimal, lists and structs as JSON.  Nothing is quoted for CSV here.
 */
#ifndef RF_TABLE_CELL_TEXT_H
#define RF_TABLE_CELL_TEXT_H

#include "base/text.h"
#include "stream/batch.h"

/* Whether values of this field can be printed: all types but maps, unions,
 * fixed lists, run-end and view lists. */
bool rf_cell_text_can(const struct rf_field *field);

/* Appends the value of a valid row; false where its dictionary says null. */
bool rf_cell_text(
    struct rf_text *out, const struct rf_column *column, int64_t row);

/* Dates and times, of days or units since 1970 (or midnight). */
void rf_date_text(struct rf_text *out, int64_t days);
void rf_time_text(struct rf_text *out, int64_t value, enum rf_time_unit unit);
void rf_timestamp_text(
    struct rf_text *out, int64_t value, enum rf_time_unit unit, bool has_zone);
void rf_duration_text(
    struct rf_text *out, int64_t value, enum rf_time_unit unit);
/* n bytes of two's complement, least first, over 10^scale. */
void rf_big_decimal_text(
    struct rf_text *out, const uint8_t *bytes, size_t n, int32_t scale);

#endif
