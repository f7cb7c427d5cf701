/*
 * Trees on their way from the threads that grow them to the sink, in order.
 *
 * A thread takes a builder, grows the next tree into it and hands it in; the
 * thread that hands in the tree whose turn it is passes on all that follow.
 * At most n_builders trees wait.
 */
#ifndef RF_TRAIN_EMIT_H
#define RF_TRAIN_EMIT_H

#include "train/number.h"

struct rf_emitter;

/* Of trees first .. end - 1; problem and sink must outlive it. */
enum rf_status rf_emitter_new(struct rf_emitter **out,
    const struct rf_problem *problem, int64_t first, int64_t end,
    int n_builders, const struct rf_tree_sink *sink,
    struct rf_error *err) RF_MUST_USE;
void rf_emitter_free(struct rf_emitter *emitter);

/* A started builder of the next tree to grow; waits for a free one.  NULL: no
 * tree is left, or growing has failed. */
struct rf_tree_builder *rf_emitter_take(struct rf_emitter *emitter);
/* Hands a tree in, or the failure that its growing met. */
void rf_emitter_put(struct rf_emitter *emitter, struct rf_tree_builder *builder,
    enum rf_status status, const struct rf_error *failure);
/* The first failure of all, once the threads have ended. */
enum rf_status rf_emitter_status(
    const struct rf_emitter *emitter, struct rf_error *err);

#endif
