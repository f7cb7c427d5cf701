/*
 * Ranks of values among thresholds on the device: backend.h, quantise.
 */
#ifndef RF_CUDA_QUANTISE_CUH
#define RF_CUDA_QUANTISE_CUH

#include "device/device.h"
#include "stream/convert.h"

/* One column on the device; see struct rf_quantise_job. */
struct rf_rank_column {
	int precision;
	const void *values;
	const uint8_t *is_missing;
	const void *thresholds;
	int32_t n_thresholds;
	uint32_t missing_code;
};

/* codes[i] for n_rows values; code_bytes 1, 2 or 4. */
enum rf_status rf_cuda_rank(const struct rf_rank_column *column, int64_t n_rows,
    int code_bytes, void *codes, cudaStream_t stream, struct rf_error *err);

enum rf_status rf_cuda_quantise(struct rf_device *device,
    const struct rf_quantise_job *jobs, int64_t n_jobs, struct rf_error *err);

static inline size_t
rf_value_bytes(int precision)
{
	return precision == RF_PRECISION_FLOAT32 ? 4 : 8;
}

#endif
