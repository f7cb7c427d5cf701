#include "predict/quantise.cuh"

#include "device/errors.h"

#define THREADS 256

template <typename THRESHOLD>
static __device__ uint32_t
rank_of(const THRESHOLD *thresholds, int32_t n, THRESHOLD x)
{
	int32_t low = 0, high = n;

	while (low < high) {
		int32_t middle = low + (high - low) / 2;

		if (thresholds[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/*
 * Codes of one column.
 *
 * Grid    grid-stride over the rows
 * Reads   4 or 8 B a row; thresholds from L1 and L2
 * Writes  1, 2 or 4 B a row
 * Floor   the copy of the column to the device, at 55 GB/s
 */
template <typename VALUE, typename THRESHOLD, typename CODE>
static __global__ void
rank_column(struct rf_rank_column column, int64_t n_rows, CODE *codes)
{
	const VALUE *values = (const VALUE *)column.values;
	const THRESHOLD *thresholds = (const THRESHOLD *)column.thresholds;

	for (int64_t row = blockIdx.x * (int64_t)THREADS + threadIdx.x;
	     row < n_rows; row += gridDim.x * (int64_t)THREADS) {
		THRESHOLD x = (THRESHOLD)values[row];
		uint32_t code = rank_of(thresholds, column.n_thresholds, x);

		if (x != x ||
		    (column.is_missing != NULL && column.is_missing[row]))
			code = column.missing_code;
		codes[row] = (CODE)code;
	}
}

template <typename CODE>
static void
launch(const struct rf_rank_column *column, int64_t n_rows, CODE *codes,
    cudaStream_t stream)
{
	int64_t n_blocks = (n_rows + THREADS - 1) / THREADS;
	unsigned int grid = (unsigned int)(n_blocks < 4096 ? n_blocks : 4096);

	if (column->precision == RF_PRECISION_FLOAT32)
		rank_column<float, double, CODE>
		    <<<grid, THREADS, 0, stream>>>(*column, n_rows, codes);
	else if (column->precision == RF_PRECISION_FLOAT64)
		rank_column<double, double, CODE>
		    <<<grid, THREADS, 0, stream>>>(*column, n_rows, codes);
	else
		rank_column<int64_t, int64_t, CODE>
		    <<<grid, THREADS, 0, stream>>>(*column, n_rows, codes);
}

enum rf_status
rf_cuda_rank(const struct rf_rank_column *column, int64_t n_rows,
    int code_bytes, void *codes, cudaStream_t stream, struct rf_error *err)
{
	if (n_rows == 0)
		return RF_OK;
	if (code_bytes == 1)
		launch(column, n_rows, (uint8_t *)codes, stream);
	else if (code_bytes == 2)
		launch(column, n_rows, (uint16_t *)codes, stream);
	else
		launch(column, n_rows, (uint32_t *)codes, stream);
	RF_CUDA_TRY(cudaGetLastError(), err);
	return RF_OK;
}

/* The largest job decides the buffers; all jobs use them in turn. */
static void
take(struct rf_arena *arena, const struct rf_quantise_job *jobs, int64_t n_jobs,
    struct rf_rank_column *column, void **codes)
{
	size_t values = 0, rows = 0, thresholds = 0, code_bytes = 0;

	for (int64_t i = 0; i < n_jobs; i++) {
		size_t n = (size_t)jobs[i].n_rows;
		size_t v = n * rf_value_bytes(jobs[i].precision);
		size_t c = n * (size_t)jobs[i].code_bytes;

		values = v > values ? v : values;
		rows = n > rows ? n : rows;
		code_bytes = c > code_bytes ? c : code_bytes;
		if ((size_t)jobs[i].n_thresholds > thresholds)
			thresholds = (size_t)jobs[i].n_thresholds;
	}
	column->values = rf_arena_take(arena, values, 1);
	column->is_missing = (const uint8_t *)rf_arena_take(arena, rows, 1);
	column->thresholds = rf_arena_take(arena, thresholds, 8);
	*codes = rf_arena_take(arena, code_bytes, 1);
}

static enum rf_status
quantise_one(struct rf_device *device, const struct rf_quantise_job *job,
    struct rf_rank_column column, void *codes, struct rf_error *err)
{
	cudaStream_t stream = device->stream;
	size_t n = (size_t)job->n_rows;

	column.precision = job->precision;
	column.n_thresholds = job->n_thresholds;
	column.missing_code = job->missing_code;
	RF_CUDA_TRY(cudaMemcpyAsync((void *)column.values, job->values,
			n * rf_value_bytes(job->precision),
			cudaMemcpyHostToDevice, stream),
	    err);
	RF_CUDA_TRY(
	    cudaMemcpyAsync((void *)column.thresholds, job->thresholds,
		(size_t)job->n_thresholds * 8, cudaMemcpyHostToDevice, stream),
	    err);
	if (job->is_missing == NULL)
		column.is_missing = NULL;
	else
		RF_CUDA_TRY(
		    cudaMemcpyAsync((void *)column.is_missing, job->is_missing,
			n, cudaMemcpyHostToDevice, stream),
		    err);
	RF_TRY(rf_cuda_rank(
	    &column, job->n_rows, job->code_bytes, codes, stream, err));
	RF_CUDA_TRY(
	    cudaMemcpyAsync(job->codes, codes, n * (size_t)job->code_bytes,
		cudaMemcpyDeviceToHost, stream),
	    err);
	RF_CUDA_TRY(cudaStreamSynchronize(stream), err);
	return RF_OK;
}

enum rf_status
rf_cuda_quantise(struct rf_device *device, const struct rf_quantise_job *jobs,
    int64_t n_jobs, struct rf_error *err)
{
	struct rf_arena arena = {};
	struct rf_rank_column column = {};
	enum rf_status status = RF_OK;
	void *codes;

	RF_CUDA_TRY(cudaSetDevice(device->gpu), err);
	take(&arena, jobs, n_jobs, &column, &codes);
	RF_TRY(rf_arena_open(&arena, err));
	take(&arena, jobs, n_jobs, &column, &codes);
	for (int64_t i = 0; i < n_jobs && status == RF_OK; i++)
		status = quantise_one(device, &jobs[i], column, codes, err);
	rf_arena_close(&arena);
	return status;
}
