#include "train/table.cuh"

#include <stdlib.h>

#include "base/alloc.h"
#include "device/errors.h"

/*
 * Columns to rows: 32 x 32 tiles through shared memory.
 *
 * Grid   x: tiles of rows, y: tiles of features
 * Block  32 x 8
 */
template <typename CODE>
static __global__ void
to_rows(const CODE *columns, int64_t column_stride, int64_t n_rows,
    int n_features, int row_stride, CODE *rows)
{
	__shared__ CODE tile[32][33];
	int64_t row = blockIdx.x * (int64_t)32;
	int feature = (int)blockIdx.y * 32;

	for (int i = (int)threadIdx.y; i < 32; i += 8)
		if (feature + i < n_features && row + threadIdx.x < n_rows)
			tile[i][threadIdx.x] =
			    columns[(feature + i) * column_stride + row +
				threadIdx.x];
	__syncthreads();
	for (int i = (int)threadIdx.y; i < 32; i += 8)
		if (row + i < n_rows && feature + (int)threadIdx.x < n_features)
			rows[(row + i) * row_stride + feature +
			    (int)threadIdx.x] = tile[threadIdx.x][i];
}

static enum rf_status
copy(struct rf_device *device, void *to, const void *from, size_t n,
    size_t size, struct rf_error *err)
{
	if (from == NULL || n == 0)
		return RF_OK;
	RF_CUDA_TRY(cudaMemcpyAsync(to, from, n * size, cudaMemcpyHostToDevice,
			device->stream),
	    err);
	return RF_OK;
}

struct parts {
	void *columns, *rows;
	struct rf_grow_feature *features;
	int32_t *active, *classes;
	int64_t *targets;
	uint64_t *weights;
	int row_stride; /* 0: columns are used as they are */
};

static void
take(struct rf_arena *arena, const struct rf_problem *p, struct parts *parts)
{
	size_t n = (size_t)p->n_rows, f = (size_t)p->n_features;

	parts->rows = NULL;
	if (parts->row_stride != 0)
		parts->rows = rf_arena_take(arena,
		    n * (size_t)parts->row_stride, (size_t)p->code_bytes);
	parts->features = (struct rf_grow_feature *)rf_arena_take(
	    arena, f + 1, sizeof(struct rf_grow_feature));
	parts->active = (int32_t *)rf_arena_take(arena, f + 1, 4);
	parts->classes =
	    (int32_t *)rf_arena_take(arena, p->classes != NULL ? n : 0, 4);
	parts->targets =
	    (int64_t *)rf_arena_take(arena, p->targets != NULL ? n : 0, 8);
	parts->weights =
	    (uint64_t *)rf_arena_take(arena, p->weights != NULL ? n : 0, 8);
	parts->columns = rf_arena_take(arena, f * p->stride_bytes, 1);
}

static enum rf_status
copy_features(struct rf_device *device, const struct rf_problem *p,
    struct rf_grow_feature *to, struct rf_table *table, struct rf_error *err)
{
	struct rf_grow_feature *features;
	enum rf_status status;
	uint32_t widest = 1;

	features = (struct rf_grow_feature *)rf_alloc_zero(
	    (size_t)p->n_features + 1, sizeof(*features));
	if (features == NULL)
		return rf_error_memory(err, (size_t)p->n_features, "features");
	for (int32_t i = 0; i < p->n_features; i++) {
		const struct rf_coded_feature *from = &p->features[i];

		features[i].n_values = from->n_values;
		features[i].has_missing = from->has_missing;
		features[i].is_categorical = from->is_categorical;
		features[i].skips_heavy = from->heavy_rows > p->n_rows / 4;
		features[i].heavy = (uint16_t)from->heavy_code;
		if ((uint32_t)from->n_values + from->has_missing > widest)
			widest = (uint32_t)from->n_values + from->has_missing;
		table->with_categories |= from->is_categorical;
	}
	table->stride = (widest + 1) / 2 * 2;
	status = copy(device, to, features, (size_t)p->n_features,
	    sizeof(*features), err);
	if (status == RF_OK &&
	    cudaStreamSynchronize(device->stream) != cudaSuccess)
		status = rf_error_set(
		    err, RF_EDEVICE, "cuda: copying the features failed");
	free(features);
	return status;
}

static enum rf_status
transpose(struct rf_device *device, const struct rf_problem *p,
    const struct parts *parts, struct rf_error *err)
{
	dim3 grid((unsigned int)((p->n_rows + 31) / 32),
	    (unsigned int)(p->n_features + 31) / 32);
	dim3 block(32, 8);

	if (parts->row_stride == 0 || p->n_features == 0)
		return RF_OK;
	if (p->code_bytes == 1)
		to_rows<uint8_t><<<grid, block, 0, device->stream>>>(
		    (const uint8_t *)parts->columns, (int64_t)p->stride_bytes,
		    p->n_rows, p->n_features, parts->row_stride,
		    (uint8_t *)parts->rows);
	else
		to_rows<uint16_t><<<grid, block, 0, device->stream>>>(
		    (const uint16_t *)parts->columns,
		    (int64_t)(p->stride_bytes / 2), p->n_rows, p->n_features,
		    parts->row_stride, (uint16_t *)parts->rows);
	RF_CUDA_TRY(cudaGetLastError(), err);
	return RF_OK;
}

/*
 * Whether nodes will have many constant features: by the mean over the columns
 * of the eighth power of the heavy code's share.  It was .64 and more on one-hot
 * data, where comparing rows pays, and 0 on continuous columns.
 */
static bool
is_skewed(const struct rf_problem *p)
{
	double sum = 0;

	for (int32_t i = 0; i < p->n_active; i++) {
		const struct rf_coded_feature *f = &p->features[p->active[i]];
		double x = (double)f->heavy_rows / (double)p->n_rows;

		x *= x;
		x *= x;
		sum += x * x;
	}
	return sum > .1 * (double)p->n_active;
}

static void
point(const struct rf_problem *p, const struct rf_rules *rules,
    const struct parts *parts, struct rf_grow_view *view)
{
	view->code_bytes = p->code_bytes;
	view->n_rows = p->n_rows;
	if (parts->row_stride != 0) {
		view->codes = parts->rows;
		view->row_stride = parts->row_stride;
		view->feature_stride = 1;
		if (is_skewed(p))
			view->row_words = parts->row_stride * p->code_bytes / 4;
	} else {
		view->codes = parts->columns;
		view->row_stride = 1;
		view->feature_stride = (int64_t)p->stride_bytes / p->code_bytes;
	}
	view->features = parts->features;
	view->active = parts->active;
	view->n_active = p->n_active;
	view->draw_bits = rf_draw_bits((uint32_t)p->n_active);
	view->n_classes = p->n_classes;
	view->classes = parts->classes;
	view->targets = parts->targets;
	view->weights = p->weights != NULL ? parts->weights : NULL;
	view->target_shift = p->n_classes > 0 ? 0 : p->target_shift;
	view->rules = *rules;
}

enum rf_status
rf_cuda_table_open(struct rf_device *device, const struct rf_problem *problem,
    const struct rf_rules *rules, struct rf_table *table,
    struct rf_grow_view *view, struct rf_error *err)
{
	const struct rf_problem *p = problem;
	size_t n = (size_t)p->n_rows;
	int row_bytes = p->n_features * p->code_bytes;
	struct parts parts;

	memset(&parts, 0, sizeof(parts));
	if (row_bytes <= RF_ROW_BYTES_MAX)
		parts.row_stride = (row_bytes <= 32 ? 32 : 64) / p->code_bytes;
	take(&table->arena, p, &parts);
	RF_TRY(rf_arena_open(&table->arena, err));
	take(&table->arena, p, &parts);
	RF_TRY(copy(device, parts.columns, p->codes,
	    (size_t)p->n_features * p->stride_bytes, 1, err));
	RF_TRY(
	    copy(device, parts.active, p->active, (size_t)p->n_active, 4, err));
	RF_TRY(copy(device, parts.classes, p->classes, n, 4, err));
	RF_TRY(copy(device, parts.targets, p->targets, n, 8, err));
	RF_TRY(copy(device, parts.weights, p->weights, n, 8, err));
	RF_TRY(copy_features(device, p, parts.features, table, err));
	RF_TRY(transpose(device, p, &parts, err));
	point(p, rules, &parts, view);
	return RF_OK;
}

void
rf_cuda_table_close(struct rf_table *table)
{
	rf_arena_close(&table->arena);
}
