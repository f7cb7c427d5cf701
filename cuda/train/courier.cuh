/*
 * Trees on their way to the sink while the card grows the next batch.
 *
 * One thread numbers and gives away one batch at a time; the sink is still
 * called by one thread at a time and in order.
 */
#ifndef RF_CUDA_COURIER_CUH
#define RF_CUDA_COURIER_CUH

#include <pthread.h>

#include "train/number.cuh"

struct rf_courier {
	const struct rf_tree_sink *sink;
	int n_threads;
	bool is_away;
	pthread_t thread;
	struct rf_raw_batch batch; /* its arrays are the courier's */
	enum rf_status status;
	struct rf_error err;
};

void rf_courier_init(
    struct rf_courier *courier, const struct rf_tree_sink *sink, int n_threads);

/* Waits for the batch before, then takes this one, whose arrays it frees. */
enum rf_status rf_courier_send(struct rf_courier *courier,
    const struct rf_raw_batch *batch, struct rf_error *err);

/* Waits for the last batch. */
enum rf_status rf_courier_wait(
    struct rf_courier *courier, struct rf_error *err);

#endif
