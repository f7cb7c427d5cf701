/*
 * Walking a forest on a card: backend.h, load .. wait.
 */
#ifndef RF_CUDA_WALK_CUH
#define RF_CUDA_WALK_CUH

#include "device/device.h"
#include "predict/model.h"

enum rf_status rf_cuda_load(struct rf_device *device,
    const struct rf_walk_model *model, int n_slots, struct rf_walker **out,
    struct rf_error *err);
void rf_cuda_unload(struct rf_walker *walker);
enum rf_status rf_cuda_submit(struct rf_walker *walker, int slot,
    const struct rf_walk_batch *batch, struct rf_error *err);
enum rf_status rf_cuda_wait(
    struct rf_walker *walker, int slot, struct rf_error *err);

#endif
