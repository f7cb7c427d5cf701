#include "forest/forest_keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "forest/forest_json.h"

static const char *const task_names[] = {"classification", "regression"};
static const char *const type_names[] = {"text", "int", "bool", "float"};

const char *
rf_task_name(enum rf_task task)
{
	return task_names[task];
}

const char *
rf_label_type_name(enum rf_label_type type)
{
	return type_names[type];
}

enum rf_status
rf_key_put_text(struct rf_metadata *metadata, const char *key,
    struct rf_text *text, struct rf_error *err)
{
	enum rf_status status;

	if (text->failed)
		status = rf_error_memory(err, text->size, key);
	else if (!rf_text_is_utf8(text->data, text->size))
		status = rf_error_set(err, RF_EDATA, "%s: not UTF-8", key);
	else
		status = rf_metadata_set_bytes(
		    metadata, key, text->data, text->size, err);
	rf_text_release(text);
	return status;
}

enum rf_status
rf_key_put_int(struct rf_metadata *metadata, const char *key, int64_t value,
    struct rf_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	return rf_metadata_set(metadata, key, text, err);
}

enum rf_status
rf_key_put_unit(
    struct rf_metadata *metadata, int exponent, struct rf_error *err)
{
	char text[32];

	snprintf(text, sizeof(text), "0x1p%+d", exponent);
	return rf_metadata_set(metadata, "rf.unit", text, err);
}

enum rf_status
rf_key_get_word(const struct rf_metadata *metadata, const char *key,
    const char *const *names, int n, int *out, struct rf_error *err)
{
	const char *text = rf_metadata_get(metadata, key, NULL);
	char quoted[RF_QUOTED_SIZE];

	if (text == NULL)
		return rf_error_set(err, RF_EDATA, "the header lacks %s", key);
	for (int i = 0; i < n; i++)
		if (strcmp(text, names[i]) == 0) {
			*out = i;
			return RF_OK;
		}
	return rf_error_set(err, RF_EDATA, "%s: '%s' is not known", key,
	    rf_text_quote(quoted, text, strlen(text)));
}

enum rf_status
rf_key_get_int(const char *text, const char *key, long long low, long long high,
    int64_t *out, struct rf_error *err)
{
	long long value;

	if (rf_text_to_int(text, low, high, key, &value, err) != RF_OK) {
		if (err != NULL)
			err->status = RF_EDATA;
		return RF_EDATA;
	}
	*out = value;
	return RF_OK;
}

enum rf_status
rf_key_get_task(
    const struct rf_metadata *metadata, enum rf_task *out, struct rf_error *err)
{
	int task;

	RF_TRY(rf_key_get_word(metadata, "rf.task", task_names, 2, &task, err));
	*out = (enum rf_task)task;
	return RF_OK;
}

/* rf.unit is 0x1p-40 and the like; other numbers of C are not taken. */
static enum rf_status
get_unit(
    const struct rf_metadata *metadata, int *exponent, struct rf_error *err)
{
	const char *text = rf_metadata_get(metadata, "rf.unit", NULL);
	long long value = 0;

	if (text == NULL || strncmp(text, "0x1p", 4) != 0 ||
	    rf_text_to_int(text + 4, -1200, 1200, "rf.unit", &value, NULL) !=
		RF_OK)
		return rf_error_set(err, RF_EDATA,
		    "rf.unit is not a power of two in the form 0x1p-40");
	*exponent = (int)value;
	return RF_OK;
}

enum rf_status
rf_key_get_label(const struct rf_metadata *metadata, enum rf_task task,
    struct rf_label *out, struct rf_error *err)
{
	size_t size;
	const char *name = rf_metadata_get(metadata, "rf.label", NULL);
	const char *json = rf_metadata_get(metadata, "rf.classes", &size);
	int type;

	*out = (struct rf_label){0};
	if (name != NULL && (out->name = rf_strdup(name)) == NULL)
		return rf_error_memory(err, strlen(name), "the label's name");
	RF_TRY(rf_key_get_word(
	    metadata, "rf.label.type", type_names, 4, &type, err));
	out->type = (enum rf_label_type)type;
	if (task == RF_TASK_REGRESSION)
		return get_unit(metadata, &out->unit_exponent, err);
	if (json == NULL)
		return rf_error_set(
		    err, RF_EDATA, "the header lacks rf.classes");
	RF_TRY(rf_forest_json_get_texts(
	    json, size, "rf.classes", &out->classes, &out->n_classes, err));
	if (out->n_classes == 0)
		return rf_error_set(err, RF_EDATA, "rf.classes is empty");
	return RF_OK;
}
