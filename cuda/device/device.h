/*
 * An open CUDA device: its card, streams and memory.
 *
 * Device memory is taken by rf_arena in one piece a use and handed out in
 * order, so that a plan is checked once and nothing is allocated in a loop.
 */
#ifndef RF_DEVICE_DEVICE_H
#define RF_DEVICE_DEVICE_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"

struct rf_device {
	struct rf_backend_options options;
	int gpu;
	int n_sm;
	size_t shared_bytes; /* most dynamic shared memory of a block */
	cudaStream_t stream;
};

/* Memory of the device that may be used now, by the option and what is free. */
enum rf_status rf_device_memory(
    struct rf_device *device, size_t *size_bytes, struct rf_error *err);

struct rf_arena {
	char *base;
	size_t used, size_bytes;
};

/*
 * Two passes over the same rf_arena_take calls: with base NULL they only sum
 * up; then rf_arena_open gets that much and they give pointers.
 */
void *rf_arena_take(struct rf_arena *arena, size_t n, size_t size);
enum rf_status rf_arena_open(struct rf_arena *arena, struct rf_error *err);
void rf_arena_close(struct rf_arena *arena);

#endif
