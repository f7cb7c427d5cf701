#include "device/device.h"

#include "device/errors.h"

#define ALIGNMENT 256
#define BYTES_MAX (SIZE_MAX / 2)

void *
rf_arena_take(struct rf_arena *arena, size_t n, size_t size)
{
	char *at = arena->base == NULL ? NULL : arena->base + arena->used;

	/* What no memory can hold stays so; rf_arena_open says it. */
	if (arena->used == BYTES_MAX || n > (BYTES_MAX - arena->used) / size) {
		arena->used = BYTES_MAX;
		return NULL;
	}
	arena->used += (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	return at;
}

enum rf_status
rf_arena_open(struct rf_arena *arena, struct rf_error *err)
{
	void *base = NULL;

	RF_CUDA_TRY(cudaMalloc(&base, arena->used + ALIGNMENT), err);
	arena->base = (char *)base;
	arena->size_bytes = arena->used;
	arena->used = 0;
	return RF_OK;
}

void
rf_arena_close(struct rf_arena *arena)
{
	if (arena->base != NULL)
		cudaFree(arena->base);
	arena->base = NULL;
	arena->used = arena->size_bytes = 0;
}

enum rf_status
rf_device_memory(
    struct rf_device *device, size_t *size_bytes, struct rf_error *err)
{
	size_t free_bytes, total_bytes;

	RF_CUDA_TRY(cudaMemGetInfo(&free_bytes, &total_bytes), err);
	free_bytes -= free_bytes / 16; /* room for the driver's own */
	if (device->options.memory_limit_bytes != 0 &&
	    device->options.memory_limit_bytes < free_bytes)
		free_bytes = device->options.memory_limit_bytes;
	*size_bytes = free_bytes;
	return RF_OK;
}
