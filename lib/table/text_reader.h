/*
 * The text of a table as UTF-8, whatever its encoding: what the parser sees.
 *
 *	RF_TRY(rf_text_reader_open(&reader, 0, "<stdin>", encoding, err));
 *	RF_TRY(rf_text_reader_read(reader, buffer, size, &got, err));
 *	rf_text_reader_close(reader);
 *
 * UTF-8 comes through as it is, unchecked; a byte order mark stays.
 */
#ifndef RF_TABLE_TEXT_READER_H
#define RF_TABLE_TEXT_READER_H

#include "table/encoding.h"
#include "table/spaces.h"
#include "table/text_source.h"

struct rf_text_reader;

/*
 * fd stays the caller's, as does name.  RF_EDATA, by name, where it is no text:
 * an Arrow stream, a spreadsheet, a packed forest, nothing at all, or another
 * encoding.
 */
enum rf_status rf_text_reader_open(struct rf_text_reader **out, int fd,
    const char *name, enum rf_encoding encoding,
    struct rf_error *err) RF_MUST_USE;

/* Settled. */
enum rf_encoding rf_text_reader_encoding(const struct rf_text_reader *reader);

/* Fills buffer; *got is less than size at the end only. */
enum rf_status rf_text_reader_read(struct rf_text_reader *reader, char *buffer,
    size_t size, size_t *got, struct rf_error *err) RF_MUST_USE;

/*
 * From here on runs of spaces come as one (spaces.h).  `text` is what was given
 * so far, from the begin of a line on, and is changed like that; *size too.
 */
enum rf_status rf_text_reader_collapse(struct rf_text_reader *reader,
    char *text, size_t *size, struct rf_error *err) RF_MUST_USE;

void rf_text_reader_close(struct rf_text_reader *reader); /* NULL allowed */

#endif
