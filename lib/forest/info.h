/*
 * What a stream or a packed forest is, verified to its end; and what this
 * machine has to compute with.
 *
 * Texts are for people, or one JSON object.  Names and values from outside are
 * quoted so that they cannot drive a terminal.
 */
#ifndef RF_FOREST_INFO_H
#define RF_FOREST_INFO_H

#include "base/log.h"
#include "base/text.h"
#include "forest/forest.h"
#include "stream/arrow_read.h"

/*
 * Reads fd to its end and appends what it is: a packed forest, a stream of
 * ours or a foreign one.  RF_EDATA where it is none of these, or not whole.
 */
enum rf_status rf_info(int fd, const char *name, bool json,
    const struct rf_log *log, struct rf_text *out,
    struct rf_error *err) RF_MUST_USE;

/* A forest, by its stream or packed; `format` says which. */
void rf_info_forest(const struct rf_forest *forest, const char *format,
    bool json, struct rf_text *out);

/* Any stream but a forest's, read to its end here. */
enum rf_status rf_info_stream(struct rf_reader *reader, bool json,
    struct rf_text *out, struct rf_error *err) RF_MUST_USE;

/* Build, processor and cards, and what --device auto would use and why. */
void rf_info_devices(bool json, struct rf_text *out);

/* --- Shared by the above --------------------------------------------------- */

/* `key        value`, the value quoted. */
void rf_info_line(struct rf_text *out, const char *key, const char *value);
/* `,"key":` or, as the first of an object, `{"key":`. */
void rf_info_key(struct rf_text *out, const char *key);
/* A JSON text of any bytes. */
void rf_info_json_text(struct rf_text *out, const char *text, size_t size);
/* `,"key":{..}` of all entries. */
void rf_info_json_metadata(
    struct rf_text *out, const char *key, const struct rf_metadata *metadata);

#endif
