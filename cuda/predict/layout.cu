#include "predict/layout.cuh"

#include <stdlib.h>

#include "base/alloc.h"
#include "device/errors.h"

/* Places of the used features; whether ranks fit 16 bits beside missing. */
static enum rf_status
choose_features(struct rf_walker *w, const struct rf_walk_model *model,
    struct rf_error *err)
{
	size_t n = (size_t)model->n_features + 1;

	w->used = (int32_t *)rf_alloc_zero(n, sizeof(*w->used));
	w->columns =
	    (struct rf_rank_column *)rf_alloc_zero(n, sizeof(*w->columns));
	w->is_categorical = (bool *)rf_alloc_zero(n, sizeof(bool));
	if (w->used == NULL || w->columns == NULL || w->is_categorical == NULL)
		return rf_error_memory(err, n * 16, "features");
	w->rank_bytes = 2;
	for (int32_t i = 0; i < model->n_features; i++) {
		const struct rf_walk_feature *f = &model->features[i];

		if (!f->is_used)
			continue;
		if (f->n_thresholds >= 65535 || f->n_levels >= 65535)
			w->rank_bytes = 4;
		w->is_categorical[w->n_used] = f->is_categorical;
		w->used[w->n_used++] = i;
	}
	return RF_OK;
}

static struct rf_device_node *
make_nodes(const struct rf_walker *w, const struct rf_walk_model *model)
{
	struct rf_device_node *nodes;
	uint32_t *place;
	int64_t n = model->tree_first[model->n_trees];

	nodes = (struct rf_device_node *)rf_alloc((size_t)n, sizeof(*nodes));
	place = (uint32_t *)rf_alloc_zero((size_t)model->n_features + 1, 4);
	for (int32_t i = 0; place != NULL && i < w->n_used; i++)
		place[w->used[i]] = (uint32_t)i;
	for (int64_t tree = 0;
	     nodes != NULL && place != NULL && tree < model->n_trees; tree++) {
		int64_t first = model->tree_first[tree];

		for (int64_t i = first; i < model->tree_first[tree + 1]; i++) {
			const struct rf_walk_node *from = &model->nodes[i];
			struct rf_device_node to = {RF_NODE_LEAF, 0, 0, 0};

			if (from->feature < 0)
				to.leaf = (uint32_t)from->rank;
			else {
				to.feature = place[from->feature];
				if (from->missing_left)
					to.feature |= RF_NODE_MISSING_LEFT;
				if (model->features[from->feature]
					.is_categorical)
					to.feature |= RF_NODE_SET;
				to.rank = (uint32_t)from->rank;
				to.left = (uint32_t)(first + from->left);
			}
			nodes[i] = to;
		}
	}
	if (place == NULL) {
		free(nodes);
		nodes = NULL;
	}
	free(place);
	return nodes;
}

struct section {
	const void **to;
	const void *from;
	size_t n, size;
};

/* Copies sections into the arena: once to sum up, once for real. */
static enum rf_status
place_sections(
    struct rf_walker *w, struct section *sections, int n, struct rf_error *err)
{
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < n; i++)
			*sections[i].to = rf_arena_take(
			    &w->arena, sections[i].n, sections[i].size);
		if (pass == 0)
			RF_TRY(rf_arena_open(&w->arena, err));
	}
	for (int i = 0; i < n; i++)
		if (sections[i].from != NULL && sections[i].n > 0)
			RF_CUDA_TRY(cudaMemcpy((void *)*sections[i].to,
					sections[i].from,
					sections[i].n * sections[i].size,
					cudaMemcpyHostToDevice),
			    err);
	return RF_OK;
}

static enum rf_status
copy_forest(struct rf_walker *w, const struct rf_walk_model *model,
    const struct rf_device_node *nodes, struct rf_error *err)
{
	struct rf_device_forest *f = &w->forest;
	size_t n_nodes = (size_t)model->tree_first[model->n_trees];
	size_t n_entries = model->leaf_first == NULL
	    ? 0
	    : (size_t)model->leaf_first[model->n_leaves];
	struct section fixed[6] = {
	    {(const void **)&f->nodes, nodes, n_nodes, sizeof(*nodes)},
	    {(const void **)&f->tree_first, model->tree_first,
		(size_t)model->n_trees + 1, 8},
	    {(const void **)&f->cats, model->cats, (size_t)model->n_cats_words,
		8},
	    {(const void **)&f->leaf_first, model->leaf_first,
		model->leaf_first == NULL ? 0 : (size_t)model->n_leaves + 1, 8},
	    {(const void **)&f->leaf_output, model->leaf_output, n_entries, 4},
	    {(const void **)&f->leaf_amount, model->leaf_amount, n_entries, 8},
	};
	struct section *all;
	enum rf_status status;

	all = (struct section *)rf_alloc_zero(
	    6 + (size_t)w->n_used, sizeof(*all));
	if (all == NULL)
		return rf_error_memory(err, sizeof(fixed), "a forest");
	memcpy(all, fixed, sizeof(fixed));
	for (int32_t i = 0; i < w->n_used; i++) {
		const struct rf_walk_feature *from =
		    &model->features[w->used[i]];
		struct section *section = &all[6 + i];

		w->columns[i].precision = from->precision;
		w->columns[i].n_thresholds = from->n_thresholds;
		w->columns[i].missing_code =
		    w->rank_bytes == 2 ? 0xffff : 0xffffffff;
		section->to = &w->columns[i].thresholds;
		section->from = from->thresholds;
		section->n = (size_t)from->n_thresholds;
		section->size = 8;
	}
	status = place_sections(w, all, 6 + w->n_used, err);
	free(all);
	f->n_trees = (int32_t)model->n_trees;
	f->n_outputs = model->n_outputs;
	f->vote = model->vote;
	return status;
}

static enum rf_status
open_slots(struct rf_walker *w, int n_slots, struct rf_error *err)
{
	w->slots =
	    (struct rf_slot *)rf_alloc_zero((size_t)n_slots, sizeof(*w->slots));
	if (w->slots == NULL)
		return rf_error_memory(err, sizeof(*w->slots), "slots");
	while (w->n_slots < n_slots) {
		struct rf_slot *slot = &w->slots[w->n_slots++];
		size_t n = (size_t)w->n_used + 1;

		slot->values = (char **)rf_alloc_zero(n, sizeof(char *));
		slot->is_missing =
		    (uint8_t **)rf_alloc_zero(n, sizeof(uint8_t *));
		if (slot->values == NULL || slot->is_missing == NULL)
			return rf_error_memory(err, n * 16, "slots");
		RF_CUDA_TRY(cudaStreamCreateWithFlags(
				&slot->stream, cudaStreamNonBlocking),
		    err);
	}
	return RF_OK;
}

static enum rf_status
load(struct rf_walker *w, const struct rf_walk_model *model, int n_slots,
    struct rf_error *err)
{
	struct rf_device_node *nodes;
	enum rf_status status;

	if (model->tree_first[model->n_trees] > UINT32_MAX ||
	    model->n_leaves > UINT32_MAX)
		return rf_error_set(err, RF_EUNAVAILABLE,
		    "cuda: the forest has too many nodes for the device");
	RF_CUDA_TRY(cudaSetDevice(w->device->gpu), err);
	RF_TRY(choose_features(w, model, err));
	nodes = make_nodes(w, model);
	if (nodes == NULL)
		return rf_error_memory(err, 0, "nodes");
	status = copy_forest(w, model, nodes, err);
	free(nodes);
	RF_TRY(status);
	return open_slots(w, n_slots, err);
}

enum rf_status
rf_cuda_load(struct rf_device *device, const struct rf_walk_model *model,
    int n_slots, struct rf_walker **out, struct rf_error *err)
{
	struct rf_walker *w;
	enum rf_status status;

	w = (struct rf_walker *)rf_alloc_zero(1, sizeof(*w));
	if (w == NULL)
		return rf_error_memory(err, sizeof(*w), "a walker");
	w->device = device;
	status = load(w, model, n_slots, err);
	if (status != RF_OK) {
		rf_cuda_unload(w);
		return status;
	}
	*out = w;
	return RF_OK;
}

void
rf_cuda_unload(struct rf_walker *w)
{
	if (w == NULL)
		return;
	for (int i = 0; w->slots != NULL && i < w->n_slots; i++) {
		struct rf_slot *slot = &w->slots[i];

		if (slot->stream != NULL) {
			cudaStreamSynchronize(slot->stream);
			cudaStreamDestroy(slot->stream);
		}
		rf_arena_close(&slot->arena);
		free(slot->values);
		free(slot->is_missing);
	}
	rf_arena_close(&w->arena);
	free(w->slots);
	free(w->used);
	free(w->columns);
	free(w->is_categorical);
	free(w);
}
