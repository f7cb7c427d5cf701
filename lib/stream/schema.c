#include "stream/schema.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct type_facts {
	const char *name;
	size_t width; /* bytes a value; 0: not fixed, or not whole bytes */
	bool is_text, is_integer, is_nested;
};

static const struct type_facts type_facts[] = {
    [RF_TYPE_NULL] = {"null", 0, false, false, false},
    [RF_TYPE_BOOL] = {"bool", 0, false, false, false},
    [RF_TYPE_INT8] = {"int8", 1, false, true, false},
    [RF_TYPE_INT16] = {"int16", 2, false, true, false},
    [RF_TYPE_INT32] = {"int32", 4, false, true, false},
    [RF_TYPE_INT64] = {"int64", 8, false, true, false},
    [RF_TYPE_UINT8] = {"uint8", 1, false, true, false},
    [RF_TYPE_UINT16] = {"uint16", 2, false, true, false},
    [RF_TYPE_UINT32] = {"uint32", 4, false, true, false},
    [RF_TYPE_UINT64] = {"uint64", 8, false, true, false},
    [RF_TYPE_FLOAT16] = {"float16", 2, false, false, false},
    [RF_TYPE_FLOAT32] = {"float32", 4, false, false, false},
    [RF_TYPE_FLOAT64] = {"float64", 8, false, false, false},
    [RF_TYPE_UTF8] = {"utf8", 0, true, false, false},
    [RF_TYPE_LARGE_UTF8] = {"large_utf8", 0, true, false, false},
    [RF_TYPE_UTF8_VIEW] = {"utf8_view", 0, true, false, false},
    [RF_TYPE_BINARY] = {"binary", 0, false, false, false},
    [RF_TYPE_LARGE_BINARY] = {"large_binary", 0, false, false, false},
    [RF_TYPE_BINARY_VIEW] = {"binary_view", 0, false, false, false},
    [RF_TYPE_FIXED_BINARY] = {"fixed_size_binary", 0, false, false, false},
    [RF_TYPE_DECIMAL] = {"decimal", 0, false, false, false},
    [RF_TYPE_DATE32] = {"date32", 4, false, false, false},
    [RF_TYPE_DATE64] = {"date64", 8, false, false, false},
    [RF_TYPE_TIME32] = {"time32", 4, false, false, false},
    [RF_TYPE_TIME64] = {"time64", 8, false, false, false},
    [RF_TYPE_TIMESTAMP] = {"timestamp", 8, false, false, false},
    [RF_TYPE_DURATION] = {"duration", 8, false, false, false},
    [RF_TYPE_INTERVAL] = {"interval", 0, false, false, false},
    [RF_TYPE_LIST] = {"list", 0, false, false, true},
    [RF_TYPE_LARGE_LIST] = {"large_list", 0, false, false, true},
    [RF_TYPE_FIXED_LIST] = {"fixed_size_list", 0, false, false, true},
    [RF_TYPE_STRUCT] = {"struct", 0, false, false, true},
    [RF_TYPE_MAP] = {"map", 0, false, false, true},
    [RF_TYPE_UNION] = {"union", 0, false, false, true},
    [RF_TYPE_RUN_END] = {"run_end_encoded", 0, false, false, true},
    [RF_TYPE_LIST_VIEW] = {"list_view", 0, false, false, true},
    [RF_TYPE_LARGE_LIST_VIEW] = {"large_list_view", 0, false, false, true},
    [RF_TYPE_INT128] = {"int128", 16, false, false, false},
};

const char *
rf_type_name(enum rf_type type)
{
	return type_facts[type].name;
}

size_t
rf_type_width(enum rf_type type)
{
	return type_facts[type].width;
}

bool
rf_type_is_text(enum rf_type type)
{
	return type_facts[type].is_text;
}

bool
rf_type_is_integer(enum rf_type type)
{
	return type_facts[type].is_integer;
}

bool
rf_type_is_nested(enum rf_type type)
{
	return type_facts[type].is_nested;
}

size_t
rf_field_width(const struct rf_field *field)
{
	static const size_t interval_width[] = {4, 8, 16, 0};

	if (field->type == RF_TYPE_DECIMAL)
		return (size_t)field->width_bits / 8;
	if (field->type == RF_TYPE_FIXED_BINARY)
		return (size_t)field->size;
	if (field->type == RF_TYPE_INTERVAL)
		return interval_width[field->unit & 3];
	return rf_type_width(field->type);
}

const char *
rf_metadata_get(
    const struct rf_metadata *metadata, const char *key, size_t *value_size)
{
	for (size_t i = 0; i < metadata->n_entries; i++) {
		if (strcmp(metadata->entries[i].key, key) != 0)
			continue;
		if (value_size != NULL)
			*value_size = metadata->entries[i].value_size;
		return metadata->entries[i].value;
	}
	return NULL;
}

enum rf_status
rf_metadata_append(struct rf_metadata *metadata, const void *key,
    size_t key_size, const void *value, size_t value_size, struct rf_error *err)
{
	struct rf_metadata_entry entry = {0};
	void *entries = metadata->entries;

	entry.key = rf_strndup(key, key_size);
	entry.value = rf_strndup(value, value_size);
	entry.value_size = value_size;
	if (entry.key == NULL || entry.value == NULL ||
	    rf_grow(&entries, &metadata->capacity, metadata->n_entries + 1,
		sizeof(entry)) != 0) {
		free(entry.key);
		free(entry.value);
		return rf_error_memory(err, key_size + value_size, "metadata");
	}
	metadata->entries = entries;
	metadata->entries[metadata->n_entries++] = entry;
	return RF_OK;
}

enum rf_status
rf_metadata_set_bytes(struct rf_metadata *metadata, const char *key,
    const void *value, size_t value_size, struct rf_error *err)
{
	char *copy;

	for (size_t i = 0; i < metadata->n_entries; i++) {
		if (strcmp(metadata->entries[i].key, key) != 0)
			continue;
		copy = rf_strndup(value, value_size);
		if (copy == NULL)
			return rf_error_memory(err, value_size, "metadata");
		free(metadata->entries[i].value);
		metadata->entries[i].value = copy;
		metadata->entries[i].value_size = value_size;
		return RF_OK;
	}
	return rf_metadata_append(
	    metadata, key, strlen(key), value, value_size, err);
}

enum rf_status
rf_metadata_set(struct rf_metadata *metadata, const char *key,
    const char *value, struct rf_error *err)
{
	return rf_metadata_set_bytes(metadata, key, value, strlen(value), err);
}

enum rf_status
rf_metadata_copy(struct rf_metadata *to, const struct rf_metadata *from,
    struct rf_error *err)
{
	struct rf_metadata copy = {0};
	enum rf_status status;

	for (size_t i = 0; i < from->n_entries; i++) {
		const struct rf_metadata_entry *entry = &from->entries[i];

		status = rf_metadata_append(&copy, entry->key,
		    strlen(entry->key), entry->value, entry->value_size, err);
		if (status != RF_OK) {
			rf_metadata_release(&copy);
			return status;
		}
	}
	*to = copy;
	return RF_OK;
}

void
rf_metadata_release(struct rf_metadata *metadata)
{
	for (size_t i = 0; i < metadata->n_entries; i++) {
		free(metadata->entries[i].key);
		free(metadata->entries[i].value);
	}
	free(metadata->entries);
	*metadata = (struct rf_metadata){0};
}

enum rf_status
rf_schema_add(struct rf_schema *schema, const char *name, enum rf_type type,
    bool nullable, struct rf_field **field, struct rf_error *err)
{
	struct rf_field added = {.type = type, .nullable = nullable};
	void *fields = schema->fields;

	added.name = rf_strdup(name);
	if (added.name == NULL ||
	    rf_grow(&fields, &schema->capacity, schema->n_fields + 1,
		sizeof(added)) != 0) {
		free(added.name);
		return rf_error_memory(err, sizeof(added), "a schema");
	}
	schema->fields = fields;
	schema->fields[schema->n_fields] = added;
	if (field != NULL)
		*field = &schema->fields[schema->n_fields];
	schema->n_fields++;
	return RF_OK;
}

const char *
rf_field_role(const struct rf_field *field)
{
	const char *role = rf_metadata_get(&field->metadata, "rf.role", NULL);

	return role == NULL ? "" : role;
}

bool
rf_field_has_role(const struct rf_field *field, const char *role)
{
	return strcmp(rf_field_role(field), role) == 0;
}

enum rf_status
rf_field_add_children(
    struct rf_field *field, size_t n_children, struct rf_error *err)
{
	field->children = rf_alloc_zero(n_children, sizeof(*field->children));
	if (field->children == NULL)
		return rf_error_memory(
		    err, n_children * sizeof(*field->children), "a schema");
	field->n_children = n_children;
	return RF_OK;
}

static enum rf_status
copy_field_parts(
    struct rf_field *to, const struct rf_field *from, struct rf_error *err)
{
	if (from->name != NULL)
		to->name = rf_strdup(from->name);
	if (from->timezone != NULL)
		to->timezone = rf_strdup(from->timezone);
	if ((from->name != NULL && to->name == NULL) ||
	    (from->timezone != NULL && to->timezone == NULL))
		return rf_error_memory(err, sizeof(*to), "a schema");
	RF_TRY(rf_metadata_copy(&to->metadata, &from->metadata, err));
	if (from->n_children == 0)
		return RF_OK;
	RF_TRY(rf_field_add_children(to, from->n_children, err));
	for (size_t i = 0; i < from->n_children; i++)
		RF_TRY(
		    rf_field_copy(&to->children[i], &from->children[i], err));
	return RF_OK;
}

enum rf_status
rf_field_copy(
    struct rf_field *to, const struct rf_field *from, struct rf_error *err)
{
	struct rf_field copy = *from;
	enum rf_status status;

	copy.name = NULL;
	copy.timezone = NULL;
	copy.children = NULL;
	copy.n_children = 0;
	copy.metadata = (struct rf_metadata){0};
	status = copy_field_parts(&copy, from, err);
	if (status != RF_OK) {
		rf_field_release(&copy);
		return status;
	}
	*to = copy;
	return RF_OK;
}

enum rf_status
rf_schema_copy(
    struct rf_schema *to, const struct rf_schema *from, struct rf_error *err)
{
	struct rf_schema copy = {0};
	enum rf_status status;

	status = rf_metadata_copy(&copy.metadata, &from->metadata, err);
	if (status != RF_OK)
		goto out;
	copy.fields = rf_alloc_zero(from->n_fields, sizeof(*copy.fields));
	if (copy.fields == NULL) {
		status = rf_error_memory(
		    err, from->n_fields * sizeof(*copy.fields), "a schema");
		goto out;
	}
	copy.n_fields = copy.capacity = from->n_fields;
	for (size_t i = 0; i < from->n_fields && status == RF_OK; i++)
		status = rf_field_copy(&copy.fields[i], &from->fields[i], err);
out:
	if (status != RF_OK)
		rf_schema_release(&copy);
	else
		*to = copy;
	return status;
}

int64_t
rf_schema_find(const struct rf_schema *schema, const char *name)
{
	int64_t found = -1;

	for (size_t i = 0; i < schema->n_fields; i++) {
		if (strcmp(schema->fields[i].name, name) != 0)
			continue;
		if (found >= 0)
			return -2;
		found = (int64_t)i;
	}
	return found;
}

void
rf_field_release(struct rf_field *field)
{
	for (size_t i = 0; i < field->n_children; i++)
		rf_field_release(&field->children[i]);
	free(field->children);
	free(field->name);
	free(field->timezone);
	rf_metadata_release(&field->metadata);
	*field = (struct rf_field){0};
}

void
rf_schema_release(struct rf_schema *schema)
{
	for (size_t i = 0; i < schema->n_fields; i++)
		rf_field_release(&schema->fields[i]);
	free(schema->fields);
	rf_metadata_release(&schema->metadata);
	*schema = (struct rf_schema){0};
}
