#include "train/emit.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Nodes of a builder that are given back once they are written. */
#define NODES_KEPT 16384

struct slot {
	struct rf_tree_builder builder;
	enum { FREE, GROWING, DONE } state;
};

struct rf_emitter {
	const struct rf_problem *problem;
	const struct rf_tree_sink *sink;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int64_t next_to_grow, next_to_put, end;
	bool is_putting;	 /* some thread is at the sink */
	struct rf_error failure; /* status RF_OK: none */
	int n_slots;
	struct slot *slots;
};

enum rf_status
rf_emitter_new(struct rf_emitter **out, const struct rf_problem *problem,
    int64_t first, int64_t end, int n_builders, const struct rf_tree_sink *sink,
    struct rf_error *err)
{
	struct rf_emitter *emitter = rf_alloc_zero(1, sizeof(*emitter));
	struct slot *slots =
	    rf_alloc_zero((size_t)n_builders, sizeof(*emitter->slots));

	*out = NULL;
	if (emitter == NULL || slots == NULL) {
		free(emitter);
		free(slots);
		return rf_error_memory(err, sizeof(*emitter), "growing trees");
	}
	emitter->problem = problem;
	emitter->sink = sink;
	emitter->next_to_grow = emitter->next_to_put = first;
	emitter->end = end;
	emitter->n_slots = n_builders;
	emitter->slots = slots;
	pthread_mutex_init(&emitter->lock, NULL);
	pthread_cond_init(&emitter->changed, NULL);
	*out = emitter;
	return RF_OK;
}

void
rf_emitter_free(struct rf_emitter *emitter)
{
	if (emitter == NULL)
		return;
	for (int i = 0; i < emitter->n_slots; i++)
		rf_tree_release(&emitter->slots[i].builder);
	pthread_mutex_destroy(&emitter->lock);
	pthread_cond_destroy(&emitter->changed);
	free(emitter->slots);
	free(emitter);
}

static void
note_failure(struct rf_emitter *emitter, enum rf_status status,
    const struct rf_error *failure)
{
	if (status == RF_OK || emitter->failure.status != RF_OK)
		return;
	emitter->failure = *failure;
	emitter->failure.status = status;
}

static bool
is_over(const struct rf_emitter *emitter)
{
	return emitter->failure.status != RF_OK ||
	    emitter->next_to_grow >= emitter->end;
}

static struct slot *
free_slot(struct rf_emitter *emitter)
{
	for (int i = 0; i < emitter->n_slots; i++)
		if (emitter->slots[i].state == FREE)
			return &emitter->slots[i];
	return NULL;
}

struct rf_tree_builder *
rf_emitter_take(struct rf_emitter *emitter)
{
	struct slot *slot = NULL;
	struct rf_error failure;
	enum rf_status status;

	pthread_mutex_lock(&emitter->lock);
	while (!is_over(emitter) && (slot = free_slot(emitter)) == NULL)
		pthread_cond_wait(&emitter->changed, &emitter->lock);
	if (is_over(emitter)) {
		slot = NULL;
	} else {
		slot->state = GROWING;
		status = rf_tree_start(
		    &slot->builder, emitter->next_to_grow++, &failure);
		note_failure(emitter, status, &failure);
		if (status != RF_OK) {
			slot = NULL;
			pthread_cond_broadcast(&emitter->changed);
		}
	}
	pthread_mutex_unlock(&emitter->lock);
	return slot == NULL ? NULL : &slot->builder;
}

static struct slot *
slot_to_put(struct rf_emitter *emitter)
{
	for (int i = 0; i < emitter->n_slots; i++)
		if (emitter->slots[i].state == DONE &&
		    emitter->slots[i].builder.tree == emitter->next_to_put)
			return &emitter->slots[i];
	return NULL;
}

/* Passes trees on while it is their turn; the lock is held, and given up for
 * each call of the sink. */
static void
put_in_order(struct rf_emitter *emitter)
{
	struct slot *slot;

	if (emitter->is_putting)
		return;
	emitter->is_putting = true;
	while (emitter->failure.status == RF_OK &&
	    (slot = slot_to_put(emitter)) != NULL) {
		struct rf_grown grown;
		struct rf_error failure = {0};
		enum rf_status status;

		pthread_mutex_unlock(&emitter->lock);
		status = rf_tree_finish(
		    &slot->builder, emitter->problem, &grown, &failure);
		if (status == RF_OK)
			status = emitter->sink->put(
			    emitter->sink->context, &grown, &failure);
		/* Large trees that wait are to be all that there is. */
		if (slot->builder.nodes_room > NODES_KEPT)
			rf_tree_release(&slot->builder);
		pthread_mutex_lock(&emitter->lock);
		note_failure(emitter, status, &failure);
		slot->state = FREE;
		emitter->next_to_put++;
		pthread_cond_broadcast(&emitter->changed);
	}
	emitter->is_putting = false;
}

void
rf_emitter_put(struct rf_emitter *emitter, struct rf_tree_builder *builder,
    enum rf_status status, const struct rf_error *failure)
{
	pthread_mutex_lock(&emitter->lock);
	for (int i = 0; i < emitter->n_slots; i++)
		if (&emitter->slots[i].builder == builder)
			emitter->slots[i].state = DONE;
	note_failure(emitter, status, failure);
	put_in_order(emitter);
	pthread_cond_broadcast(&emitter->changed);
	pthread_mutex_unlock(&emitter->lock);
}

enum rf_status
rf_emitter_status(const struct rf_emitter *emitter, struct rf_error *err)
{
	if (emitter->failure.status == RF_OK)
		return RF_OK;
	if (err != NULL)
		*err = emitter->failure;
	return emitter->failure.status;
}
