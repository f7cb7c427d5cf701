#include "device/errors.h"

enum rf_status
rf_cuda_error(cudaError_t code, const char *what, struct rf_error *err)
{
	if (code == cudaErrorMemoryAllocation)
		return rf_error_set(
		    err, RF_ENOMEM, "cuda: out of device memory (%.60s)", what);
	return rf_error_set(err, RF_EDEVICE, "cuda: %s (%.60s)",
	    cudaGetErrorString(code), what);
}
