#include "forest/forest_header.h"

#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "forest/forest_json.h"
#include "forest/forest_keys.h"
#include "forest/forest_write.h"

#define VOCABULARY "rf.vocab."

/* Keys that struct rf_forest_header has members for. */
static bool
is_ours(const char *key)
{
	static const char *const keys[] = {"rf.version", "rf.producer",
	    "rf.kind", "rf.task", "rf.trees", "rf.tree0", "rf.trees.total",
	    "rf.features", "rf.classes", "rf.label", "rf.label.type", "rf.unit",
	    "rf.rows", "rf.schema.hash", "rf.forest"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return strncmp(key, VOCABULARY, strlen(VOCABULARY)) == 0;
}

/* Levels of categorical and ordinal features, rf.vocab.NAME each. */
static enum rf_status
put_vocabularies(const struct rf_forest_header *header,
    struct rf_metadata *metadata, struct rf_text *text, struct rf_error *err)
{
	for (int32_t i = 0; i < header->n_features; i++) {
		const struct rf_forest_feature *feature = &header->features[i];
		struct rf_text key = {0};
		enum rf_status status = RF_OK;

		if (feature->kind != RF_FEATURE_CATEGORICAL &&
		    !feature->is_ordinal)
			continue;
		rf_text_puts(&key, VOCABULARY);
		rf_text_puts(&key, feature->name);
		rf_forest_json_texts(text, feature->levels, feature->n_levels);
		if (key.failed)
			status = rf_error_memory(err, key.size, "a key");
		else
			status = rf_key_put_text(metadata, key.data, text, err);
		rf_text_release(&key);
		RF_TRY(status);
	}
	return RF_OK;
}

static enum rf_status
put_label(const struct rf_forest_header *header, struct rf_metadata *metadata,
    struct rf_text *text, struct rf_error *err)
{
	if (header->task == RF_TASK_CLASSIFICATION) {
		rf_forest_json_texts(text, header->classes, header->n_classes);
		RF_TRY(rf_key_put_text(metadata, "rf.classes", text, err));
	}
	if (header->label != NULL)
		RF_TRY(
		    rf_metadata_set(metadata, "rf.label", header->label, err));
	RF_TRY(rf_metadata_set(metadata, "rf.label.type",
	    rf_label_type_name(header->label_type), err));
	if (header->task == RF_TASK_CLASSIFICATION)
		return RF_OK;
	return rf_key_put_unit(metadata, header->unit_exponent, err);
}

static enum rf_status
put_counts(const struct rf_forest_header *header, struct rf_metadata *metadata,
    struct rf_error *err)
{
	RF_TRY(rf_key_put_int(metadata, "rf.trees", header->n_trees, err));
	RF_TRY(rf_key_put_int(metadata, "rf.tree0", header->first_tree, err));
	if (header->total_trees > 0)
		RF_TRY(rf_key_put_int(
		    metadata, "rf.trees.total", header->total_trees, err));
	return rf_key_put_int(metadata, "rf.rows", header->n_rows, err);
}

static enum rf_status
put_all(const struct rf_forest_header *header, struct rf_metadata *metadata,
    struct rf_text *text, struct rf_error *err)
{
	char hash[33];

	RF_TRY(rf_metadata_set(metadata, "rf.kind", "forest", err));
	RF_TRY(rf_metadata_set(
	    metadata, "rf.task", rf_task_name(header->task), err));
	RF_TRY(put_counts(header, metadata, err));
	rf_forest_json_features(text, header);
	RF_TRY(rf_key_put_text(metadata, "rf.features", text, err));
	RF_TRY(put_vocabularies(header, metadata, text, err));
	RF_TRY(put_label(header, metadata, text, err));
	for (size_t i = 0; i < header->metadata.n_entries; i++) {
		const struct rf_metadata_entry *entry =
		    &header->metadata.entries[i];

		if (!is_ours(entry->key))
			RF_TRY(rf_metadata_set_bytes(metadata, entry->key,
			    entry->value, entry->value_size, err));
	}
	RF_TRY(rf_forest_schema_hash(header, hash, err));
	return rf_metadata_set(metadata, "rf.schema.hash", hash, err);
}

enum rf_status
rf_forest_header_put(const struct rf_forest_header *header,
    struct rf_metadata *metadata, struct rf_error *err)
{
	struct rf_text text = {0};
	enum rf_status status = put_all(header, metadata, &text, err);

	rf_text_release(&text);
	return status;
}

enum rf_status
rf_forest_schema_hash(
    const struct rf_forest_header *header, char out[33], struct rf_error *err)
{
	struct rf_text text = {0};
	enum rf_status status = RF_OK;

	rf_text_printf(&text,
	    "{\"task\":\"%s\",\"features\":", rf_task_name(header->task));
	rf_forest_json_features(&text, header);
	rf_text_puts(&text, ",\"levels\":[");
	for (int32_t i = 0; i < header->n_features; i++) {
		if (i > 0)
			rf_text_append(&text, ",", 1);
		rf_forest_json_texts(&text, header->features[i].levels,
		    header->features[i].n_levels);
	}
	rf_text_puts(&text, "],\"classes\":");
	rf_forest_json_texts(&text, header->classes, header->n_classes);
	rf_text_append(&text, "}", 1);
	if (text.failed)
		status = rf_error_memory(err, text.size, "the schema's text");
	else
		rf_hash_hex(text.data, text.size, out);
	rf_text_release(&text);
	return status;
}

enum rf_status
rf_forest_params_hash(
    const struct rf_metadata *parameters, char out[33], struct rf_error *err)
{
	struct rf_text text = {0};
	enum rf_status status = RF_OK;

	for (size_t i = 0; i < parameters->n_entries; i++) {
		rf_text_puts(&text, parameters->entries[i].key);
		rf_text_append(&text, "=", 1);
		rf_text_append(&text, parameters->entries[i].value,
		    parameters->entries[i].value_size);
		rf_text_append(&text, "\n", 1);
	}
	if (text.failed)
		status = rf_error_memory(err, text.size, "the parameters");
	else
		rf_hash_hex(text.data, text.size, out);
	rf_text_release(&text);
	return status;
}

/* --- Metadata to header ---------------------------------------------------- */

/* A whole number; absent: `otherwise`, or an error where that is negative. */
static enum rf_status
get_int(const struct rf_metadata *metadata, const char *key, long long high,
    long long otherwise, int64_t *out, struct rf_error *err)
{
	const char *text = rf_metadata_get(metadata, key, NULL);

	if (text != NULL)
		return rf_key_get_int(text, key, 0, high, out, err);
	if (otherwise < 0)
		return rf_error_set(err, RF_EDATA, "the header lacks %s", key);
	*out = otherwise;
	return RF_OK;
}

static enum rf_status
get_levels(struct rf_forest_feature *feature,
    const struct rf_metadata *metadata, struct rf_error *err)
{
	struct rf_text key = {0};
	const char *json;
	size_t size;
	enum rf_status status;

	rf_text_puts(&key, VOCABULARY);
	rf_text_puts(&key, feature->name);
	if (key.failed)
		status = rf_error_memory(err, key.size, "a key");
	else if ((json = rf_metadata_get(metadata, key.data, &size)) == NULL)
		status = rf_error_set(
		    err, RF_EDATA, "the header lacks %s", key.data);
	else
		status = rf_forest_json_get_texts(json, size, key.data,
		    &feature->levels, &feature->n_levels, err);
	rf_text_release(&key);
	return status;
}

static enum rf_status
get_features(struct rf_forest_header *out, const struct rf_metadata *metadata,
    struct rf_error *err)
{
	size_t size;
	const char *json = rf_metadata_get(metadata, "rf.features", &size);

	if (json == NULL)
		return rf_error_set(
		    err, RF_EDATA, "the header lacks rf.features");
	RF_TRY(rf_forest_json_get_features(json, size, out, err));
	for (int32_t i = 0; i < out->n_features; i++)
		if (out->features[i].kind == RF_FEATURE_CATEGORICAL ||
		    out->features[i].is_ordinal)
			RF_TRY(get_levels(&out->features[i], metadata, err));
	return RF_OK;
}

static enum rf_status
get_label(struct rf_forest_header *out, const struct rf_metadata *metadata,
    struct rf_error *err)
{
	struct rf_label label;
	enum rf_status status =
	    rf_key_get_label(metadata, out->task, &label, err);

	out->label = label.name;
	out->label_type = label.type;
	out->classes = label.classes;
	out->n_classes = label.n_classes;
	out->unit_exponent = label.unit_exponent;
	return status;
}

static enum rf_status
get_counts(struct rf_forest_header *out, const struct rf_metadata *metadata,
    struct rf_error *err)
{
	RF_TRY(get_int(
	    metadata, "rf.trees", RF_TREES_MAX, -1, &out->n_trees, err));
	RF_TRY(get_int(
	    metadata, "rf.tree0", INT32_MAX, -1, &out->first_tree, err));
	RF_TRY(get_int(metadata, "rf.trees.total", RF_TREES_MAX, 0,
	    &out->total_trees, err));
	return get_int(metadata, "rf.rows", INT64_MAX, 0, &out->n_rows, err);
}

static enum rf_status
get_rest(struct rf_forest_header *out, const struct rf_metadata *metadata,
    struct rf_error *err)
{
	const char *stated = rf_metadata_get(metadata, "rf.schema.hash", NULL);
	char hash[33];

	for (size_t i = 0; i < metadata->n_entries; i++)
		if (!is_ours(metadata->entries[i].key))
			RF_TRY(rf_metadata_set_bytes(&out->metadata,
			    metadata->entries[i].key,
			    metadata->entries[i].value,
			    metadata->entries[i].value_size, err));
	RF_TRY(rf_forest_schema_hash(out, hash, err));
	if (stated == NULL || strcmp(stated, hash) != 0)
		return rf_error_set(err, RF_EDATA,
		    "features, levels or classes are not those that "
		    "rf.schema.hash was made of");
	return RF_OK;
}

enum rf_status
rf_forest_header_get(struct rf_forest_header *out,
    const struct rf_metadata *metadata, struct rf_error *err)
{
	enum rf_status status;

	memset(out, 0, sizeof(*out));
	status = rf_key_get_task(metadata, &out->task, err);
	if (status == RF_OK)
		status = get_counts(out, metadata, err);
	if (status == RF_OK)
		status = get_features(out, metadata, err);
	if (status == RF_OK)
		status = get_label(out, metadata, err);
	if (status == RF_OK)
		status = get_rest(out, metadata, err);
	if (status != RF_OK)
		rf_forest_header_release(out);
	return status;
}
