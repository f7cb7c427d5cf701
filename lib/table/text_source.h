/*
 * The bytes of a table: a file or pipe, plain or gzip.
 *
 *	RF_TRY(rf_text_source_open(&source, 0, "<stdin>", err));
 *	RF_TRY(rf_text_source_read(source, buffer, sizeof(buffer), &got, err));
 *	rf_text_source_close(source);
 *
 * Nothing is sought; how the bytes arrive makes no difference.
 */
#ifndef RF_TABLE_TEXT_SOURCE_H
#define RF_TABLE_TEXT_SOURCE_H

#include "base/error.h"

struct rf_text_source;

/* fd stays the caller's; name, kept by the caller, stands in messages. */
enum rf_status rf_text_source_open(struct rf_text_source **out, int fd,
    const char *name, struct rf_error *err) RF_MUST_USE;

/*
 * Fills buffer; *got is less than size at the end only.  A gzip file may have
 * several members; one that is cut or damaged is RF_EDATA.
 */
enum rf_status rf_text_source_read(struct rf_text_source *source, char *buffer,
    size_t size, size_t *got, struct rf_error *err) RF_MUST_USE;

void rf_text_source_close(struct rf_text_source *source); /* NULL allowed */

#endif
