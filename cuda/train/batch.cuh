/*
 * One batch of trees: bags, levels, and the trees to the courier.
 */
#ifndef RF_CUDA_BATCH_CUH
#define RF_CUDA_BATCH_CUH

#include "train/bootstrap.cuh"
#include "train/courier.cuh"
#include "train/table.cuh"

/*
 * Device memory of a batch by distinct in-bag row: two buffers of row and
 * count (16), two nodes with their work (128), queues (9), leaf entries (12),
 * and room for sets of levels.
 */
#define RF_BATCH_ROW_BYTES 184

/*
 * *is_short is set where memory was too short and no tree was given away yet,
 * so that a smaller batch may be tried.
 */
enum rf_status rf_cuda_batch(struct rf_device *device,
    const struct rf_problem *problem, struct rf_grow_view *view,
    const struct rf_table *table, int64_t n_trees, struct rf_courier *courier,
    bool *is_short, struct rf_error *err);

#endif
