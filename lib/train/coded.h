/*
 * The feature columns as codes: rf-forest(5), Codes.
 *
 *	RF_TRY(rf_coded_make(&coded, &table, &rows, &params, pool,
 *	    n_threads, backend, device, err));
 *	.. coded.features, coded.codes: struct rf_problem ..
 *	rf_coded_release(&coded);
 *
 * The table's feature columns are given back one by one on the way.
 */
#ifndef RF_TRAIN_CODED_H
#define RF_TRAIN_CODED_H

#include "backend.h"
#include "base/pool.h"
#include "train/bins.h"
#include "train/data_hash.h"
#include "train/rows.h"

struct rf_coding {
	struct rf_stored *stored;
	enum rf_feature_kind kind; /* of the feature; ordinal: numeric */
	enum rf_precision precision;
	struct rf_bins bins; /* numeric */
	/* Categorical and ordinal. */
	int32_t *code_of; /* by the vocabulary's code; -1: none */
	int32_t *order;	  /* the vocabulary's code of each level */
	int32_t n_levels;
	struct rf_digest digest;
};

struct rf_coded {
	struct rf_coding *codings; /* F */
	struct rf_coded_feature *features;
	int32_t n_features;
	int32_t *active, n_active;
	int code_bytes;
	size_t stride_bytes;
	void *codes; /* the backend's host memory */
	const struct rf_backend *backend;
	struct rf_device *device;
};

/*
 * Codes all feature columns of the N rows that train, by the n_threads of the
 * pool.  Table and rows must
 * outlive coded, which is to be released after a failure too.  RF_ENOMEM, or
 * RF_EDATA where a column cannot be read as numbers or texts.
 */
enum rf_status rf_coded_make(struct rf_coded *coded, struct rf_table *table,
    const struct rf_rows *rows, const struct rf_params *params,
    struct rf_pool *pool, int n_threads, const struct rf_backend *backend,
    struct rf_device *device, struct rf_error *err) RF_MUST_USE;
void rf_coded_release(struct rf_coded *coded);

/* Bytes of the codes with all that tells of them, and of what rf_coded_make
 * takes while it works, at most. */
int64_t rf_coded_bytes(int64_t n_rows, int64_t n_features, int code_bytes);
int64_t rf_coded_scratch(
    int64_t n_rows, int64_t n_features, int code_bytes, int n_threads);

#endif
