/*
 * Columns to the values that a forest uses: rf-stream(5), Conversion.
 *
 * A feature compares in one precision: float32, float64 or int64.  These
 * functions give values in that precision, missing as NaN or in a bitmap, and
 * codes of categories by a vocabulary.
 */
#ifndef RF_STREAM_CONVERT_H
#define RF_STREAM_CONVERT_H

#include "stream/batch.h"

enum rf_precision {
	RF_PRECISION_FLOAT32,
	RF_PRECISION_FLOAT64,
	RF_PRECISION_INT64,
};

enum rf_feature_kind {
	RF_FEATURE_NUMERIC,
	RF_FEATURE_CATEGORICAL,
	RF_FEATURE_NONE, /* not usable: nested, binary, interval */
};

/* A unit beside those of enum rf_time_unit: that of dates. */
#define RF_UNIT_DAY 4

/* What a column of this field is by its Arrow type and rf.type. */
enum rf_feature_kind rf_field_kind(const struct rf_field *field);
/* float32, float64, or int64 for date and timestamp: the start value; rf-fit
 * widens float64 to int64 where a whole number lies beyond 2^53. */
enum rf_precision rf_field_precision(const struct rf_field *field);

/*
 * n_rows values of a numeric column (decimals scaled, times in seconds,
 * dictionaries of numbers by value).  Missing is NaN.  -0.0 comes as 0.0.
 * float64: uint64 and int64 beyond 2^53 are rounded to nearest, *beyond_2_53
 * (NULL allowed) is set where that happened to a valid row.
 */
enum rf_status rf_column_to_float64(const struct rf_column *column, double *out,
    bool *beyond_2_53, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_column_to_float32(const struct rf_column *column, float *out,
    struct rf_error *err) RF_MUST_USE;
/*
 * Whole numbers, dates and timestamps; is_missing has a byte a row.  Floating
 * columns: values are rounded down (x <= t for whole t is unchanged), beyond
 * the range they stick at its ends.  uint64 from 2^63 on is RF_EDATA.
 * unit: the wanted unit of timestamps and dates, RF_UNIT_S .. RF_UNIT_DAY, or
 * -1 to leave them in their own (days for dates).  out of a missing row is 0.
 */
enum rf_status rf_column_to_int64(const struct rf_column *column, int unit,
    int64_t *out, uint8_t *is_missing, struct rf_error *err) RF_MUST_USE;

/* Texts with a code each; built once, then only looked up. */
struct rf_vocabulary;

/* Texts with a code each; empty. */
enum rf_status rf_vocabulary_new(
    struct rf_vocabulary **out, struct rf_error *err) RF_MUST_USE;
void rf_vocabulary_free(struct rf_vocabulary *vocabulary);
/* The code of a text, appended where new (codes count from 0).  Moves what
 * rf_vocabulary_text gave before. */
enum rf_status rf_vocabulary_add(struct rf_vocabulary *vocabulary,
    const void *text, size_t size, int32_t *code,
    struct rf_error *err) RF_MUST_USE;
/* -1 where absent. */
int32_t rf_vocabulary_find(
    const struct rf_vocabulary *vocabulary, const void *text, size_t size);
int32_t rf_vocabulary_n(const struct rf_vocabulary *vocabulary);
struct rf_bytes rf_vocabulary_text(
    const struct rf_vocabulary *vocabulary, int32_t code);

/*
 * Codes of a categorical column by the vocabulary; -1 for missing and unknown.
 * With `grow`, unknown texts are added.  Values of other types go by their
 * text: whole numbers up to 2^53 as such ("3", whatever the type), others in
 * shortest form, bool "false" "true".  All entries of a dictionary are added,
 * used or not.  Not for two threads with one vocabulary at a time.
 */
enum rf_status rf_column_to_codes(const struct rf_column *column,
    struct rf_vocabulary *vocabulary, bool grow, int32_t *out,
    struct rf_error *err) RF_MUST_USE;

#endif
