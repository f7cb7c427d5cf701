#include "train/courier.cuh"

#include <stdlib.h>
#include <string.h>

void
rf_courier_init(
    struct rf_courier *courier, const struct rf_tree_sink *sink, int n_threads)
{
	memset(courier, 0, sizeof(*courier));
	courier->sink = sink;
	courier->n_threads = n_threads > 0 ? n_threads : 8;
}

static void
release(const struct rf_raw_batch *batch)
{
	free((void *)batch->nodes);
	free((void *)batch->leaf_class);
	free((void *)batch->leaf_weight);
	free((void *)batch->cats);
}

static void *
deliver(void *context)
{
	struct rf_courier *courier = (struct rf_courier *)context;

	courier->status = rf_number_batch(
	    &courier->batch, courier->n_threads, courier->sink, &courier->err);
	release(&courier->batch);
	return NULL;
}

enum rf_status
rf_courier_wait(struct rf_courier *courier, struct rf_error *err)
{
	if (courier->is_away)
		pthread_join(courier->thread, NULL);
	courier->is_away = false;
	if (courier->status != RF_OK && err != NULL)
		*err = courier->err;
	return courier->status;
}

enum rf_status
rf_courier_send(struct rf_courier *courier, const struct rf_raw_batch *batch,
    struct rf_error *err)
{
	enum rf_status status = rf_courier_wait(courier, err);

	if (status != RF_OK) {
		release(batch);
		return status;
	}
	courier->batch = *batch;
	if (pthread_create(&courier->thread, NULL, deliver, courier) == 0)
		courier->is_away = true;
	else
		(void)deliver(courier);
	return RF_OK;
}
