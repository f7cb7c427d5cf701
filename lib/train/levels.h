/*
 * Which levels of a categorical column a model keeps: rf-forest(5), Codes.
 */
#ifndef RF_TRAIN_LEVELS_H
#define RF_TRAIN_LEVELS_H

#include "stream/convert.h"

/* Order by bytes, a text before those that it begins; as memcmp. */
int rf_text_compare(struct rf_bytes a, struct rf_bytes b);

/*
 * Sorts the codes 0..n-1 of a vocabulary by their texts' bytes.
 * order   n results: codes of the vocabulary in the order of the texts
 */
enum rf_status rf_levels_sort(const struct rf_vocabulary *vocabulary,
    int32_t *order, struct rf_error *err) RF_MUST_USE;

/*
 * n_rows     rows of each of the n codes of the vocabulary
 * min_rows   a level of fewer rows is not kept
 * max_levels of those, the most frequent are; ties: the text that sorts first
 * code       n results: the level's code in the model, or -1
 * order      n, room; the first *n_kept results: the kept levels by their text
 */
enum rf_status rf_levels_keep(const struct rf_vocabulary *vocabulary,
    const int64_t *n_rows, int64_t min_rows, int32_t max_levels, int32_t *code,
    int32_t *order, int32_t *n_kept, struct rf_error *err) RF_MUST_USE;

#endif
