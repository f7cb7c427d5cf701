/*
 * The hash of training data, whatever the batches and dictionary codes.
 *
 * Values are hashed as they are compared, little-endian, missing ones as one
 * NaN, or in int64 columns by a byte a row; texts by the hash of each.
 */
#ifndef RF_TRAIN_DATA_HASH_H
#define RF_TRAIN_DATA_HASH_H

#include "train/load.h"

struct rf_digest {
	uint64_t words[2];
};

/* The digest of size bytes alone. */
void rf_digest_bytes(const void *bytes, size_t size, struct rf_digest *digest);

/*
 * Texts of all rows of a categorical column, by its codes.
 * scratch   a word a row
 */
enum rf_status rf_digest_texts(const struct rf_vocabulary *vocabulary,
    const int32_t *codes, int64_t n_rows, uint64_t *scratch,
    struct rf_digest *digest, struct rf_error *err) RF_MUST_USE;

/* Label or weight column of a table. */
enum rf_status rf_digest_stored(const struct rf_stored *stored, int64_t n_rows,
    struct rf_digest *digest, struct rf_error *err) RF_MUST_USE;

#endif
