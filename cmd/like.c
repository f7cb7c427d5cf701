#include "like.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "forest/forest_keys.h"
#include "forest/pack.h"

static const enum rf_type label_types[] = {
    [RF_LABEL_TEXT] = RF_TYPE_UTF8,
    [RF_LABEL_INT] = RF_TYPE_INT64,
    [RF_LABEL_BOOL] = RF_TYPE_BOOL,
    [RF_LABEL_FLOAT] = RF_TYPE_FLOAT64,
};

static struct rf_bytes *
put_words(struct rf_bytes *at, char *const *texts, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		at->data = (const uint8_t *)texts[i];
		at->size = (int64_t)strlen(texts[i]);
		at++;
	}
	return at;
}

static size_t
count_words(const struct rf_forest_header *header)
{
	size_t n = (size_t)header->n_classes;

	for (int32_t i = 0; i < header->n_features; i++)
		n += (size_t)header->features[i].n_levels;
	return n;
}

static void
set_features(struct rf_like_model *model)
{
	const struct rf_forest_header *header = &model->header;
	struct rf_bytes *at = model->words;

	for (int32_t i = 0; i < header->n_features; i++) {
		const struct rf_forest_feature *from = &header->features[i];
		struct rf_like_feature *to = &model->features[i];

		to->name = from->name;
		/* Ordinal codes are made from texts, which come as such. */
		to->kind =
		    from->is_ordinal ? RF_FEATURE_CATEGORICAL : from->kind;
		to->precision = from->precision;
		to->origin = from->origin;
		to->words = at;
		to->n_words = (size_t)from->n_levels;
		at = put_words(at, from->levels, from->n_levels);
	}
	model->like.classes = at;
	model->like.n_classes =
	    header->classes != NULL ? (size_t)header->n_classes : 0;
	if (header->classes != NULL)
		put_words(at, header->classes, header->n_classes);
}

enum rf_status
rf_like_load(
    struct rf_like_model *model, const char *path, struct rf_error *err)
{
	struct rf_forest_header *header = &model->header;
	size_t n_words;

	RF_TRY(rf_model_load_header(path, header, err));
	n_words = count_words(header);
	model->features =
	    rf_alloc_zero((size_t)header->n_features, sizeof(*model->features));
	model->words = rf_alloc_zero(n_words, sizeof(*model->words));
	if (model->features == NULL || model->words == NULL)
		return rf_error_memory(err, n_words, "the model's words");
	set_features(model);
	model->like.features = model->features;
	model->like.n_features = (size_t)header->n_features;
	model->like.label = header->label;
	model->like.label_type = label_types[header->label_type];
	model->like.task = rf_task_name(header->task);
	model->like.missing_words =
	    rf_metadata_get(&header->metadata, "rf.na", NULL);
	return RF_OK;
}

void
rf_like_release(struct rf_like_model *model)
{
	free(model->features);
	free(model->words);
	rf_forest_header_release(&model->header);
	memset(model, 0, sizeof(*model));
}
