/*
 * Bags of a batch of trees on the device: rf-forest(5), Bag.
 */
#ifndef RF_CUDA_BOOTSTRAP_CUH
#define RF_CUDA_BOOTSTRAP_CUH

#include "device/device.h"
#include "train/work.cuh"

struct rf_bag_buffers {
	uint32_t *block_draws;	/* trees x blocks of rows */
	uint32_t *block_rows;	/* distinct in-bag rows of each, + 1 */
	uint32_t *block_starts; /* their running sum, + 1 */
	void *scan;
	size_t scan_bytes;
};

/* Takes what n_trees trees of n_rows rows need. */
enum rf_status rf_cuda_bag_take(struct rf_arena *arena, int64_t n_rows,
    int64_t n_trees, struct rf_bag_buffers *buffers, struct rf_error *err);

/* Counts the distinct in-bag rows of the batch: *n_rows. */
enum rf_status rf_cuda_bag_count(const struct rf_grow_view *view,
    int64_t n_trees, const struct rf_bag_buffers *buffers, cudaStream_t stream,
    int64_t *n_rows, struct rf_error *err);

/*
 * Then fills rows[0] and counts[0] of the view, tree after tree, and the roots:
 * work[0..n_trees-1], queued at parity 0.
 */
enum rf_status rf_cuda_bag_fill(const struct rf_grow_view *view,
    int64_t n_trees, const struct rf_bag_buffers *buffers, cudaStream_t stream,
    struct rf_error *err);

#endif
