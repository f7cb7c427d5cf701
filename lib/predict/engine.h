/*
 * Where batches are walked: on the device that was asked for, or under "auto"
 * on the CPU until the work has proved to be worth a card's start.
 *
 * Bytes are equal wherever a batch is walked, so the change between two
 * batches does not show; nor does the way back, where a card fails.
 */
#ifndef RF_PREDICT_ENGINE_H
#define RF_PREDICT_ENGINE_H

#include "backend.h"
#include "predict/model.h"

struct rf_engine;

/* device: as --device; the model must outlive the engine. */
enum rf_status rf_engine_open(struct rf_engine **out,
    const struct rf_walk_model *model, const char *device,
    const struct rf_backend_options *options, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_engine_walk(struct rf_engine *engine,
    const struct rf_walk_batch *batch, struct rf_error *err) RF_MUST_USE;
/* "cpu" or "cuda": where the last batch was walked. */
const char *rf_engine_name(const struct rf_engine *engine);
void rf_engine_close(struct rf_engine *engine); /* NULL allowed */

#endif
