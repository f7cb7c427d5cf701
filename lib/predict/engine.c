#include "predict/engine.h"

#include <string.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"

/* A context costs 0.2 to 0.3 s and a card then walks tens of times faster: so
 * much time on the CPU shows that there may be more to come. */
#define SECONDS_BEFORE_GPU 0.5

struct place {
	const struct rf_backend *backend;
	struct rf_device *device;
	struct rf_walker *walker;
};

struct rf_engine {
	const struct rf_walk_model *model;
	struct rf_backend_options options;
	bool may_change; /* --device auto, and no card was tried */
	double seconds;	 /* on the CPU */
	struct place main, gpu;
	bool is_on_gpu;
};

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void
close_place(struct place *place)
{
	if (place->walker != NULL)
		place->backend->unload(place->walker);
	if (place->device != NULL)
		place->backend->close(place->device);
	memset(place, 0, sizeof(*place));
}

static enum rf_status
open_place(struct rf_engine *engine, const char *device, struct place *place,
    struct rf_error *err)
{
	enum rf_status status;

	status = rf_backend_open(device, true, &engine->options,
	    &place->backend, &place->device, err);
	if (status == RF_OK)
		status = place->backend->load(
		    place->device, engine->model, 1, &place->walker, err);
	if (status != RF_OK)
		close_place(place);
	return status;
}

enum rf_status
rf_engine_open(struct rf_engine **out, const struct rf_walk_model *model,
    const char *device, const struct rf_backend_options *options,
    struct rf_error *err)
{
	struct rf_engine *engine = rf_alloc_zero(1, sizeof(*engine));
	bool is_auto = strcmp(device, "auto") == 0;
	enum rf_status status;

	if (engine == NULL)
		return rf_error_memory(err, sizeof(*engine), "the walk");
	engine->model = model;
	engine->options = *options;
	engine->may_change = is_auto && rf_backend_cuda() != NULL;
	status =
	    open_place(engine, is_auto ? "cpu" : device, &engine->main, err);
	if (status != RF_OK) {
		free(engine);
		return status;
	}
	*out = engine;
	return RF_OK;
}

static enum rf_status
walk_at(const struct place *place, const struct rf_walk_batch *batch,
    struct rf_error *err)
{
	RF_TRY(place->backend->submit(place->walker, 0, batch, err));
	return place->backend->wait(place->walker, 0, err);
}

/* One try to go on with a card. */
static void
change_to_gpu(struct rf_engine *engine)
{
	struct rf_error why = {0};

	engine->may_change = false;
	engine->is_on_gpu =
	    open_place(engine, "cuda", &engine->gpu, &why) == RF_OK;
	if (!engine->options.verbose)
		return;
	if (engine->is_on_gpu)
		rf_note(engine->options.log,
		    "after %.1f s on the CPU the card takes over",
		    engine->seconds);
	else
		rf_note(
		    engine->options.log, "%s; the CPU goes on", why.message);
}

enum rf_status
rf_engine_walk(struct rf_engine *engine, const struct rf_walk_batch *batch,
    struct rf_error *err)
{
	struct rf_error why = {0};
	enum rf_status status;
	double start;

	if (engine->may_change && engine->seconds > SECONDS_BEFORE_GPU)
		change_to_gpu(engine);
	if (engine->is_on_gpu) {
		if (walk_at(&engine->gpu, batch, &why) == RF_OK)
			return RF_OK;
		rf_note(
		    engine->options.log, "%s; the CPU goes on", why.message);
		close_place(&engine->gpu);
		engine->is_on_gpu = false;
	}
	start = now();
	status = walk_at(&engine->main, batch, err);
	engine->seconds += now() - start;
	return status;
}

const char *
rf_engine_name(const struct rf_engine *engine)
{
	return engine->is_on_gpu ? engine->gpu.backend->name
				 : engine->main.backend->name;
}

void
rf_engine_close(struct rf_engine *engine)
{
	if (engine == NULL)
		return;
	close_place(&engine->gpu);
	close_place(&engine->main);
	free(engine);
}
