/*
 * Numbers as a table writes them: decimal.h's, whose digits before the point
 * may stand in groups of three where the dialect has a sign for that.
 *
 * A grouped number begins with one to three digits, not with 0; each group
 * after has three.  "1,234,567.8" and "-1,234e3" are numbers by it, "1,23",
 * "0,123" and "1234,567" are none.
 */
#ifndef RF_TABLE_GROUPS_H
#define RF_TABLE_GROUPS_H

#include "table/decimal.h"
#include "table/dialect.h"

/* As rf_decimal_parse. */
enum rf_number rf_number_parse(const struct rf_dialect *dialect,
    const char *text, size_t size, int64_t *whole, double *real);

/*
 * The sign that groups the text's digits, of comma, point, blank and
 * apostrophe, where no other dialect's point is; 0: it is no grouped number.
 */
char rf_groups_sign(
    const struct rf_dialect *dialect, const char *text, size_t size);

#endif
