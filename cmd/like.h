/*
 * What csv2bin --like takes over from a packed forest.
 *
 *	struct rf_like_model model = {0};
 *	RF_TRY(rf_like_load(&model, "model.rfb", err));
 *	options.like = &model.like;
 *	rf_like_release(&model);
 */
#ifndef RF_CMD_LIKE_H
#define RF_CMD_LIKE_H

#include "forest/forest.h"
#include "table/like.h"

struct rf_like_model {
	struct rf_like like; /* of the header's texts */
	struct rf_forest_header header;
	struct rf_like_feature *features;
	struct rf_bytes *words; /* of all features, then of the classes */
};

/* Reads the header of the packed forest at path, no trees; model is zeroed
 * before, and to be released after a failure too. */
enum rf_status rf_like_load(struct rf_like_model *model, const char *path,
    struct rf_error *err) RF_MUST_USE;
void rf_like_release(struct rf_like_model *model); /* an empty one allowed */

#endif
