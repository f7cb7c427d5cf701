#include "train/data_hash.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/alloc.h"

void
rf_digest_bytes(const void *bytes, size_t size, struct rf_digest *digest)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, size);

	digest->words[0] = hash.low64;
	digest->words[1] = hash.high64;
}

enum rf_status
rf_digest_texts(const struct rf_vocabulary *vocabulary, const int32_t *codes,
    int64_t n_rows, uint64_t *scratch, struct rf_digest *digest,
    struct rf_error *err)
{
	int32_t n = vocabulary == NULL ? 0 : rf_vocabulary_n(vocabulary);
	uint64_t *of_text = rf_alloc((size_t)n + 1, sizeof(*of_text));

	if (of_text == NULL)
		return rf_error_memory(
		    err, (size_t)n * sizeof(*of_text), "hashes of texts");
	of_text[0] = 0; /* missing */
	for (int32_t i = 0; i < n; i++) {
		struct rf_bytes text = rf_vocabulary_text(vocabulary, i);

		of_text[i + 1] = XXH3_64bits(text.data, (size_t)text.size);
	}
	for (int64_t row = 0; row < n_rows; row++)
		scratch[row] = of_text[codes[row] + 1];
	rf_digest_bytes(scratch, (size_t)n_rows * sizeof(*scratch), digest);
	free(of_text);
	return RF_OK;
}

enum rf_status
rf_digest_stored(const struct rf_stored *stored, int64_t n_rows,
    struct rf_digest *digest, struct rf_error *err)
{
	uint64_t *scratch = rf_alloc((size_t)n_rows, sizeof(*scratch));
	int32_t *codes = NULL;
	double *values = NULL;
	enum rf_status status = RF_OK;

	if (stored->kind == RF_FEATURE_CATEGORICAL)
		codes = rf_alloc((size_t)n_rows, sizeof(*codes));
	else
		values = rf_alloc((size_t)n_rows, sizeof(*values));
	if (scratch == NULL || (codes == NULL && values == NULL)) {
		status = rf_error_memory(
		    err, (size_t)n_rows * sizeof(*scratch), "hashes");
	} else if (codes != NULL) {
		rf_stored_codes(stored, codes);
		status = rf_digest_texts(
		    stored->vocabulary, codes, n_rows, scratch, digest, err);
	} else {
		status = rf_stored_float64(stored, values, NULL, err);
		if (status == RF_OK)
			rf_digest_bytes(
			    values, (size_t)n_rows * sizeof(*values), digest);
	}
	free(scratch);
	free(codes);
	free(values);
	return status;
}
