/*
 * Growth of a range of trees on a card: backend.h, grow.
 */
#ifndef RF_CUDA_GROW_CUH
#define RF_CUDA_GROW_CUH

#include "device/device.h"

enum rf_status rf_cuda_grow(struct rf_device *device,
    const struct rf_problem *problem, const struct rf_rules *rules,
    int64_t first, int64_t end, const struct rf_tree_sink *sink,
    struct rf_error *err);

#endif
