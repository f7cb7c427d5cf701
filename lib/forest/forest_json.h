/*
 * Arrays of texts and of features as JSON in metadata values.
 *
 * Writing is ours, byte for byte, since hashes run over it: no blanks, only
 * '"', '\\' and control characters escaped (as \u00XX).  Reading takes any
 * JSON of the right shape.
 */
#ifndef RF_FOREST_FOREST_JSON_H
#define RF_FOREST_FOREST_JSON_H

#include "base/text.h"
#include "forest/forest.h"

void rf_forest_json_text(struct rf_text *out, const char *text);
void rf_forest_json_texts(
    struct rf_text *out, char *const *texts, int32_t n_texts);
/* [{"name":"x","type":"numeric","precision":"float64","origin":..}, ..] */
void rf_forest_json_features(
    struct rf_text *out, const struct rf_forest_header *header);

/* `key` names the value in messages; what was made is the caller's. */
enum rf_status rf_forest_json_get_texts(const char *json, size_t size,
    const char *key, char ***texts, int32_t *n_texts,
    struct rf_error *err) RF_MUST_USE;
/* Fills header->features, without their levels. */
enum rf_status rf_forest_json_get_features(const char *json, size_t size,
    struct rf_forest_header *header, struct rf_error *err) RF_MUST_USE;

/* Frees n texts and their array. */
void rf_forest_texts_free(char **texts, int32_t n_texts);

#endif
