/*
 * CUDA errors as statuses.
 */
#ifndef RF_DEVICE_ERRORS_H
#define RF_DEVICE_ERRORS_H

#include <cuda_runtime.h>

#include "base/error.h"

/* RF_EDEVICE, or RF_ENOMEM where the device has no memory left. */
enum rf_status rf_cuda_error(
    cudaError_t code, const char *what, struct rf_error *err);

/* Leaves the calling function where a CUDA call fails. */
#define RF_CUDA_TRY(call, err)                                                 \
 do {                                                                          \
  cudaError_t rf_cuda_code = (call);                                           \
  if (rf_cuda_code != cudaSuccess)                                             \
   return rf_cuda_error(rf_cuda_code, #call, err);                             \
 } while (0)

#endif
