/*
 * The coded table on the device.
 */
#ifndef RF_CUDA_TABLE_CUH
#define RF_CUDA_TABLE_CUH

#include "device/device.h"
#include "train/work.cuh"

/* Up to so many bytes a row the codes lie row by row: a row's codes are then
 * one or two sectors. */
#define RF_ROW_BYTES_MAX 64

struct rf_table {
	struct rf_arena arena;
	uint32_t stride; /* codes of the widest feature, even */
	bool with_categories;
};

/* Copies the problem and fills the table's part of the view. */
enum rf_status rf_cuda_table_open(struct rf_device *device,
    const struct rf_problem *problem, const struct rf_rules *rules,
    struct rf_table *table, struct rf_grow_view *view, struct rf_error *err);
void rf_cuda_table_close(struct rf_table *table);

#endif
