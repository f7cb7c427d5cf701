/*
 * A growing string.
 *
 * Invariant: data is NULL (empty) or ends in a NUL that size does not count.
 * An append that finds no memory sets `failed` and changes nothing more, so
 * that a run of appends is checked once at its end.
 */
#ifndef RF_BASE_TEXT_H
#define RF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rf_text {
	char *data;
	size_t size, capacity;
	bool failed;
};

void rf_text_release(struct rf_text *text);
void rf_text_clear(struct rf_text *text); /* empty again, memory kept */
void rf_text_append(struct rf_text *text, const void *bytes, size_t size);
void rf_text_puts(struct rf_text *text, const char *string);
void rf_text_printf(struct rf_text *text, const char *format, ...)
    RF_PRINTF(2, 3);

/*
 * Makes bytes from outside fit for a message: control characters and bytes
 * that are not UTF-8 as \xNN, cut to about 60 characters with "...".
 * out has RF_QUOTED_SIZE bytes; returns out.
 */
#define RF_QUOTED_SIZE 264
const char *rf_text_quote(
    char out[RF_QUOTED_SIZE], const void *bytes, size_t size);

/* The end of a noun after its number: "%zu row%s", n, RF_PLURAL(n). */
#define RF_PLURAL(n) ((n) == 1 ? "" : "s")

/* Whether the bytes are whole, shortest-form UTF-8 (no surrogates). */
bool rf_text_is_utf8(const void *bytes, size_t size);

/*
 * Numbers of options and metadata: the whole text or RF_EUSAGE, independent
 * of the locale, checked against the range, both ends included.  `what` names
 * the option in the message.
 */
enum rf_status rf_text_to_int(const char *text, long long low, long long high,
    const char *what, long long *out, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_text_to_double(const char *text, double low, double high,
    const char *what, double *out, struct rf_error *err) RF_MUST_USE;

/*
 * The shortest decimal form that reads back to the same double ("0.1", "1e+300",
 * "nan", "inf"); out has 32 bytes; returns its length.
 */
size_t rf_text_double(char out[32], double value);

#ifdef __cplusplus
}
#endif
#endif
