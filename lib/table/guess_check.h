/*
 * What the guess of types refuses, and what it says.  Inside table/ only.
 */
#ifndef RF_TABLE_GUESS_CHECK_H
#define RF_TABLE_GUESS_CHECK_H

#include "table/evidence.h"

/* Dates and times of a label are its classes, of an id its texts. */
static inline bool
rf_guess_takes_moments(const struct rf_plan_column *column)
{
	return column->role != RF_ROLE_ID && column->role != RF_ROLE_LABEL;
}

/* Whether it is the label of a regression, which has no codes. */
bool rf_guess_is_of_numbers(
    const struct rf_plan *plan, const struct rf_plan_column *column);

/* Whether the numbers of a column are codes, like 007. */
bool rf_guess_is_of_codes(const struct rf_plan *plan,
    const struct rf_plan_column *column, const struct rf_evidence *evidence);

/*
 * RF_EDATA where columns are not what they seem: numbers, or dates and times,
 * with other words among them; times with and without an offset; times that no
 * unit holds.  evidence: one a column.
 */
enum rf_status rf_guess_refuse(const struct rf_plan *plan,
    const struct rf_evidence *evidence, struct rf_error *err) RF_MUST_USE;

/* Of columns of codes, and of numbers between blanks. */
void rf_guess_notes(const struct rf_plan *plan,
    const struct rf_evidence *evidence, const struct rf_log *log);

#endif
