/*
 * Opening a card, and saying which there are.
 */
#ifndef RF_DEVICE_CONTEXT_H
#define RF_DEVICE_CONTEXT_H

#include "device/device.h"

enum rf_status rf_cuda_open(const struct rf_backend_options *options,
    struct rf_device **out, struct rf_error *err);
void rf_cuda_close(struct rf_device *device);
void *rf_cuda_host_alloc(struct rf_device *device, size_t size_bytes);
void rf_cuda_host_free(struct rf_device *device, void *memory);

#endif
