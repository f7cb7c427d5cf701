#include "device/context.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "device/errors.h"

/* The oldest card that the kernels run on. */
#define LEAST_MAJOR 7
#define LEAST_MINOR 5

static enum rf_status
choose(int wanted, int *gpu, struct rf_error *err)
{
	int n_gpus = 0;
	cudaError_t code = cudaGetDeviceCount(&n_gpus);

	if (code != cudaSuccess || n_gpus == 0) {
		(void)cudaGetLastError();
		return rf_error_set(err, RF_EUNAVAILABLE, "no CUDA device: %s",
		    code != cudaSuccess ? cudaGetErrorString(code)
					: "the driver shows none");
	}
	if (wanted >= n_gpus)
		return rf_error_set(err, RF_EUNAVAILABLE,
		    "no CUDA device %d: there are %d, counted from 0", wanted,
		    n_gpus);
	*gpu = wanted < 0 ? 0 : wanted;
	return RF_OK;
}

static enum rf_status
set_up(struct rf_device *device, struct rf_error *err)
{
	cudaDeviceProp card;

	RF_CUDA_TRY(cudaGetDeviceProperties(&card, device->gpu), err);
	if (card.major < LEAST_MAJOR ||
	    (card.major == LEAST_MAJOR && card.minor < LEAST_MINOR))
		return rf_error_set(err, RF_EUNAVAILABLE,
		    "CUDA device %d (%s) has compute capability %d.%d; %d.%d "
		    "is needed",
		    device->gpu, card.name, card.major, card.minor, LEAST_MAJOR,
		    LEAST_MINOR);
	RF_CUDA_TRY(cudaSetDevice(device->gpu), err);
	device->n_sm = card.multiProcessorCount;
	device->shared_bytes = card.sharedMemPerBlockOptin;
	RF_CUDA_TRY(
	    cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking),
	    err);
	return RF_OK;
}

enum rf_status
rf_cuda_open(const struct rf_backend_options *options, struct rf_device **out,
    struct rf_error *err)
{
	struct rf_device *device;
	enum rf_status status;

	device = (struct rf_device *)rf_alloc_zero(1, sizeof(*device));
	if (device == NULL)
		return rf_error_memory(err, sizeof(*device), "a device");
	device->options = *options;
	status = choose(options->gpu, &device->gpu, err);
	if (status == RF_OK)
		status = set_up(device, err);
	if (status != RF_OK) {
		rf_cuda_close(device);
		return status;
	}
	*out = device;
	return RF_OK;
}

void
rf_cuda_close(struct rf_device *device)
{
	if (device == NULL)
		return;
	if (device->stream != NULL)
		cudaStreamDestroy(device->stream);
	free(device);
}

void *
rf_cuda_host_alloc(struct rf_device *device, size_t size_bytes)
{
	void *memory = NULL;

	(void)device;
	if (cudaMallocHost(&memory, size_bytes == 0 ? 1 : size_bytes) !=
	    cudaSuccess) {
		(void)cudaGetLastError();
		return NULL;
	}
	return memory;
}

void
rf_cuda_host_free(struct rf_device *device, void *memory)
{
	(void)device;
	if (memory != NULL)
		cudaFreeHost(memory);
}

static void
describe_card(struct rf_text *text, int gpu)
{
	cudaDeviceProp card;

	if (cudaGetDeviceProperties(&card, gpu) != cudaSuccess) {
		rf_text_printf(text, "cuda:%d: cannot be asked\n", gpu);
		return;
	}
	rf_text_printf(text,
	    "cuda:%d: %s, compute capability %d.%d, %d multiprocessors, "
	    "%.1f GiB\n",
	    gpu, card.name, card.major, card.minor, card.multiProcessorCount,
	    (double)card.totalGlobalMem / (1024.0 * 1024.0 * 1024.0));
}

void
rf_backend_cuda_describe(struct rf_text *text)
{
	int driver = 0, runtime = 0, n_gpus = 0;
	cudaError_t code;

	(void)cudaRuntimeGetVersion(&runtime);
	(void)cudaDriverGetVersion(&driver);
	rf_text_printf(
	    text, "CUDA runtime: %d.%d\n", runtime / 1000, runtime % 1000 / 10);
	if (driver == 0)
		rf_text_puts(text, "CUDA driver: none\n");
	else
		rf_text_printf(text, "CUDA driver: %d.%d\n", driver / 1000,
		    driver % 1000 / 10);
	code = cudaGetDeviceCount(&n_gpus);
	if (code != cudaSuccess)
		rf_text_printf(text, "CUDA devices: none (%s)\n",
		    cudaGetErrorString(code));
	for (int gpu = 0; code == cudaSuccess && gpu < n_gpus; gpu++)
		describe_card(text, gpu);
}
