/*
 * The CUDA side of backend.h.
 */
#include "backend.h"

#include "device/context.h"
#include "predict/quantise.cuh"
#include "predict/walk.cuh"
#include "train/grow.cuh"

static const struct rf_backend backend = {
    "cuda",
    rf_cuda_open,
    rf_cuda_close,
    rf_cuda_host_alloc,
    rf_cuda_host_free,
    rf_cuda_quantise,
    rf_cuda_grow,
    rf_cuda_load,
    rf_cuda_unload,
    rf_cuda_submit,
    rf_cuda_wait,
};

const struct rf_backend *
rf_backend_cuda(void)
{
	return &backend;
}
