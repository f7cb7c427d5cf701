#include "forest/forest_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static const char *const precision_names[] = {"float32", "float64", "int64"};

void
rf_forest_json_text(struct rf_text *out, const char *text)
{
	const char *from = text, *p = text;

	rf_text_append(out, "\"", 1);
	for (; *p != '\0'; p++) {
		if ((unsigned char)*p >= 0x20 && *p != '"' && *p != '\\')
			continue;
		rf_text_append(out, from, (size_t)(p - from));
		from = p + 1;
		if ((unsigned char)*p < 0x20)
			rf_text_printf(out, "\\u%04x", (unsigned)*p);
		else
			rf_text_printf(out, "\\%c", *p);
	}
	rf_text_append(out, from, (size_t)(p - from));
	rf_text_append(out, "\"", 1);
}

void
rf_forest_json_texts(struct rf_text *out, char *const *texts, int32_t n_texts)
{
	rf_text_append(out, "[", 1);
	for (int32_t i = 0; i < n_texts; i++) {
		if (i > 0)
			rf_text_append(out, ",", 1);
		rf_forest_json_text(out, texts[i]);
	}
	rf_text_append(out, "]", 1);
}

static void
put_feature(struct rf_text *out, const struct rf_forest_feature *feature)
{
	rf_text_puts(out, "{\"name\":");
	rf_forest_json_text(out, feature->name);
	if (feature->kind == RF_FEATURE_CATEGORICAL)
		rf_text_puts(out, ",\"type\":\"categorical\"");
	else
		rf_text_printf(out, ",\"type\":\"%s\",\"precision\":\"%s\"",
		    feature->is_ordinal ? "ordinal" : "numeric",
		    precision_names[feature->precision]);
	if (feature->origin != NULL) {
		rf_text_puts(out, ",\"origin\":");
		rf_forest_json_text(out, feature->origin);
	}
	rf_text_append(out, "}", 1);
}

void
rf_forest_json_features(
    struct rf_text *out, const struct rf_forest_header *header)
{
	rf_text_append(out, "[", 1);
	for (int32_t i = 0; i < header->n_features; i++) {
		if (i > 0)
			rf_text_append(out, ",", 1);
		put_feature(out, &header->features[i]);
	}
	rf_text_append(out, "]", 1);
}

void
rf_forest_texts_free(char **texts, int32_t n_texts)
{
	if (texts == NULL)
		return;
	for (int32_t i = 0; i < n_texts; i++)
		free(texts[i]);
	free(texts);
}

/* *array is the caller's to give back. */
static enum rf_status
load_array(const char *json, size_t size, const char *key, json_t **array,
    struct rf_error *err)
{
	json_error_t where;

	*array = json_loadb(json, size, JSON_REJECT_DUPLICATES, &where);
	if (*array == NULL)
		return rf_error_set(err, RF_EDATA, "%s: not JSON: %s (byte %d)",
		    key, where.text, where.position);
	if (!json_is_array(*array) || json_array_size(*array) > INT32_MAX) {
		json_decref(*array);
		*array = NULL;
		return rf_error_set(
		    err, RF_EDATA, "%s: not an array in JSON", key);
	}
	return RF_OK;
}

enum rf_status
rf_forest_json_get_texts(const char *json, size_t size, const char *key,
    char ***texts, int32_t *n_texts, struct rf_error *err)
{
	json_t *array = NULL;
	enum rf_status status = load_array(json, size, key, &array, err);
	size_t n = json_array_size(array);
	char **made = NULL;

	if (status != RF_OK)
		return status;
	made = rf_alloc_zero(n, sizeof(*made));
	if (made == NULL)
		status = rf_error_memory(err, n * sizeof(*made), key);
	for (size_t i = 0; i < n && status == RF_OK; i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (text == NULL)
			status = rf_error_set(err, RF_EDATA,
			    "%s: element %zu is not a text", key, i + 1);
		else if ((made[i] = rf_strdup(text)) == NULL)
			status = rf_error_memory(err, strlen(text), key);
	}
	json_decref(array);
	if (status != RF_OK) {
		rf_forest_texts_free(made, made == NULL ? 0 : (int32_t)n);
		return status;
	}
	*texts = made;
	*n_texts = (int32_t)n;
	return RF_OK;
}

/* false: a type or precision that is not ours. */
static bool
get_type(const json_t *object, struct rf_forest_feature *feature)
{
	const char *type = json_string_value(json_object_get(object, "type"));
	const char *precision =
	    json_string_value(json_object_get(object, "precision"));

	if (type == NULL)
		return false;
	if (strcmp(type, "categorical") == 0) {
		feature->kind = RF_FEATURE_CATEGORICAL;
		return true;
	}
	feature->kind = RF_FEATURE_NUMERIC;
	feature->is_ordinal = strcmp(type, "ordinal") == 0;
	if (precision == NULL ||
	    (!feature->is_ordinal && strcmp(type, "numeric") != 0))
		return false;
	for (int i = 0; i < 3; i++)
		if (strcmp(precision, precision_names[i]) == 0) {
			feature->precision = (enum rf_precision)i;
			return true;
		}
	return false;
}

static enum rf_status
get_feature(const json_t *object, struct rf_forest_feature *feature,
    size_t number, struct rf_error *err)
{
	const char *name = json_string_value(json_object_get(object, "name"));
	const char *origin =
	    json_string_value(json_object_get(object, "origin"));

	if (name == NULL || !get_type(object, feature))
		return rf_error_set(err, RF_EDATA,
		    "rf.features: feature %zu lacks a name, or a type and "
		    "precision that are known",
		    number);
	feature->name = rf_strdup(name);
	if (feature->name == NULL)
		return rf_error_memory(err, strlen(name), "a feature");
	if (origin == NULL)
		return RF_OK;
	feature->origin = rf_strdup(origin);
	if (feature->origin == NULL)
		return rf_error_memory(err, strlen(origin), "a feature");
	return RF_OK;
}

enum rf_status
rf_forest_json_get_features(const char *json, size_t size,
    struct rf_forest_header *header, struct rf_error *err)
{
	json_t *array = NULL;
	enum rf_status status =
	    load_array(json, size, "rf.features", &array, err);
	size_t n = json_array_size(array);

	if (status != RF_OK)
		return status;
	header->features = rf_alloc_zero(n, sizeof(*header->features));
	if (header->features == NULL)
		status = rf_error_memory(
		    err, n * sizeof(*header->features), "the features");
	else
		header->n_features = (int32_t)n;
	for (size_t i = 0; i < n && status == RF_OK; i++)
		status = get_feature(
		    json_array_get(array, i), &header->features[i], i + 1, err);
	json_decref(array);
	return status;
}
