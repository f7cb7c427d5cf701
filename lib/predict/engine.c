#include "predict/engine.h"

#include <string.h>
#include <stdlib.h>
#include <time.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "predict/walk_few.h"
#include "predict/walk_forest.h"

/* A context costs 0.2 to 0.3 s and a card then walks tens of times faster: so
 * much time on the CPU shows that there may be more to come. */
#define SECONDS_BEFORE_GPU 0.5

struct place {
	const struct rf_backend *backend;
	struct rf_device *device;
	struct rf_walker *walker;
};

struct rf_engine {
	const struct rf_forest *forest;
	struct rf_engine_options options;
	struct rf_walk_feature *features;
	bool is_few; /* all rows so far were walked without a model */
	struct rf_walk_few few;
	struct rf_walk_forest walk;
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

	status = rf_backend_open(device, true, &engine->options.backend,
	    &place->backend, &place->device, err);
	if (status == RF_OK)
		status = place->backend->load(
		    place->device, &engine->walk.model, 1, &place->walker, err);
	if (status != RF_OK)
		close_place(place);
	return status;
}

static enum rf_status
mark_used(struct rf_engine *engine, struct rf_error *err)
{
	const struct rf_forest *forest = engine->forest;
	size_t n = (size_t)forest->header.n_features;

	engine->features = rf_alloc_zero(n, sizeof(*engine->features));
	if (engine->features == NULL)
		return rf_error_memory(
		    err, n * sizeof(*engine->features), "features");
	for (int64_t t = engine->options.first; t < engine->options.end; t++) {
		const struct rf_forest_tree *tree = &forest->trees[t];

		for (int32_t i = 0; i < tree->n_nodes; i++)
			if (tree->feature[i] >= 0)
				engine->features[tree->feature[i]].is_used =
				    true;
	}
	return RF_OK;
}

/* The model, and a place where it is walked. */
static enum rf_status
make_model(struct rf_engine *engine, struct rf_error *err)
{
	const struct rf_engine_options *options = &engine->options;
	bool is_auto = strcmp(options->device, "auto") == 0;

	engine->is_few = false;
	RF_TRY(rf_walk_forest_init(&engine->walk, engine->forest,
	    options->first, options->end, options->vote, options->for_sums,
	    options->backend.n_threads, err));
	engine->may_change = is_auto && rf_backend_cuda() != NULL;
	return open_place(
	    engine, is_auto ? "cpu" : options->device, &engine->main, err);
}

static enum rf_status
open_engine(struct rf_engine *engine, struct rf_error *err)
{
	const struct rf_engine_options *options = &engine->options;

	if (options->end - options->first > RF_TREES_MAX)
		return rf_error_set(err, RF_EDATA,
		    "%lld trees: tallies hold at most 2^22; --trees takes "
		    "a part",
		    (long long)(options->end - options->first));
	RF_TRY(mark_used(engine, err));
	engine->is_few = !options->for_sums &&
	    (strcmp(options->device, "auto") == 0 ||
		strcmp(options->device, "cpu") == 0);
	if (!engine->is_few)
		return make_model(engine, err);
	return rf_walk_few_init(&engine->few, engine->forest, options->first,
	    options->end, options->vote, err);
}

enum rf_status
rf_engine_open(struct rf_engine **out, const struct rf_forest *forest,
    const struct rf_engine_options *options, struct rf_error *err)
{
	struct rf_engine *engine = rf_alloc_zero(1, sizeof(*engine));
	enum rf_status status;

	if (engine == NULL)
		return rf_error_memory(err, sizeof(*engine), "the walk");
	engine->forest = forest;
	engine->options = *options;
	status = open_engine(engine, err);
	if (status != RF_OK) {
		rf_engine_close(engine);
		return status;
	}
	*out = engine;
	return RF_OK;
}

const struct rf_walk_feature *
rf_engine_features(const struct rf_engine *engine)
{
	return engine->features;
}

const struct rf_walk_model *
rf_engine_model(const struct rf_engine *engine)
{
	return engine->is_few ? NULL : &engine->walk.model;
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
	if (!engine->options.backend.verbose)
		return;
	if (engine->is_on_gpu)
		rf_note(engine->options.backend.log,
		    "after %.1f s on the CPU the card takes over",
		    engine->seconds);
	else
		rf_note(engine->options.backend.log, "%s; the CPU goes on",
		    why.message);
}

enum rf_status
rf_engine_walk(struct rf_engine *engine, const struct rf_walk_batch *batch,
    struct rf_error *err)
{
	struct rf_error why = {0};
	enum rf_status status;
	double start;

	if (engine->is_few && rf_walk_few_run(&engine->few, batch))
		return RF_OK;
	if (engine->is_few)
		RF_TRY(make_model(engine, err));
	if (engine->may_change && engine->seconds > SECONDS_BEFORE_GPU)
		change_to_gpu(engine);
	if (engine->is_on_gpu) {
		if (walk_at(&engine->gpu, batch, &why) == RF_OK)
			return RF_OK;
		rf_note(engine->options.backend.log, "%s; the CPU goes on",
		    why.message);
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
	if (engine->is_few)
		return rf_backend_cpu()->name;
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
	rf_walk_forest_release(&engine->walk);
	rf_walk_few_release(&engine->few);
	free(engine->features);
	free(engine);
}
