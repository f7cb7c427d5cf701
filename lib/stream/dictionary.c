#include "stream/dictionary.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_ENTRIES ((int64_t)1 << 40)

static bool
is_stretchy(enum rf_type type)
{
	return rf_type_is_text(type) || type == RF_TYPE_BINARY ||
	    type == RF_TYPE_LARGE_BINARY || type == RF_TYPE_BINARY_VIEW;
}

static void
dictionary_release(struct rf_dictionary *dictionary)
{
	rf_field_release(&dictionary->source);
	rf_field_release(&dictionary->field);
	free(dictionary->validity);
	free(dictionary->fixed);
	free(dictionary->text);
	free(dictionary->offsets);
}

static enum rf_status
add_dictionary(struct rf_dictionaries *dictionaries,
    const struct rf_field *field, struct rf_error *err)
{
	struct rf_dictionary added = {.id = field->dictionary_id};
	void *items = dictionaries->items;
	enum rf_status status;

	status = rf_field_copy(&added.source, field, err);
	if (status == RF_OK) {
		added.source.is_dictionary = false;
		status = rf_field_copy(&added.field, &added.source, err);
	}
	if (status == RF_OK &&
	    rf_grow(&items, &dictionaries->capacity, dictionaries->n_items + 1,
		sizeof(added)) != 0)
		status = rf_error_memory(err, sizeof(added), "a dictionary");
	dictionaries->items = items;
	if (status == RF_OK)
		status = rf_id_map_add(&dictionaries->numbers, added.id, err);
	if (status != RF_OK) {
		dictionary_release(&added);
		return status;
	}
	added.is_usable = !rf_type_is_nested(field->type);
	if (is_stretchy(field->type))
		added.field.type = rf_type_is_text(field->type)
		    ? RF_TYPE_LARGE_UTF8
		    : RF_TYPE_LARGE_BINARY;
	dictionaries->items[dictionaries->n_items++] = added;
	return RF_OK;
}

static bool
is_same_type(const struct rf_field *a, const struct rf_field *b)
{
	return a->type == b->type && a->unit == b->unit &&
	    a->width_bits == b->width_bits && a->scale == b->scale &&
	    a->size == b->size && a->n_children == b->n_children;
}

static enum rf_status
collect(struct rf_dictionaries *dictionaries, const struct rf_field *fields,
    size_t n_fields, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	for (size_t i = 0; i < n_fields; i++) {
		const struct rf_field *field = &fields[i];
		const struct rf_dictionary *known = NULL;

		if (field->is_dictionary)
			known = rf_dictionaries_find(
			    dictionaries, field->dictionary_id);
		if (known != NULL && !is_same_type(&known->source, field))
			return rf_error_set(err, RF_EDATA,
			    "column '%s': its dictionary has another type "
			    "in another column",
			    rf_text_quote(
				quoted, field->name, strlen(field->name)));
		if (field->is_dictionary && known == NULL)
			RF_TRY(add_dictionary(dictionaries, field, err));
		RF_TRY(collect(
		    dictionaries, field->children, field->n_children, err));
	}
	return RF_OK;
}

enum rf_status
rf_dictionaries_init(struct rf_dictionaries *dictionaries,
    const struct rf_schema *schema, struct rf_error *err)
{
	enum rf_status status;

	*dictionaries = (struct rf_dictionaries){0};
	status = collect(dictionaries, schema->fields, schema->n_fields, err);
	if (status != RF_OK) {
		rf_dictionaries_release(dictionaries);
		return status;
	}
	for (size_t i = 0; i < dictionaries->n_items; i++)
		dictionaries->items[i].values.field =
		    &dictionaries->items[i].field;
	return RF_OK;
}

void
rf_dictionaries_release(struct rf_dictionaries *dictionaries)
{
	for (size_t i = 0; i < dictionaries->n_items; i++)
		dictionary_release(&dictionaries->items[i]);
	free(dictionaries->items);
	rf_id_map_release(&dictionaries->numbers);
	*dictionaries = (struct rf_dictionaries){0};
}

struct rf_dictionary *
rf_dictionaries_find(const struct rf_dictionaries *dictionaries, int64_t id)
{
	int64_t i = rf_id_map_find(&dictionaries->numbers, id);

	return i < 0 ? NULL : &dictionaries->items[i];
}

/* rf_grow for bytes, with what is new set to zero. */
static bool
grow_bytes(uint8_t **bytes, size_t *capacity, int64_t needed)
{
	size_t before = *capacity;
	void *grown = *bytes;

	if (rf_grow(&grown, capacity, (size_t)needed, 1) != 0)
		return false;
	*bytes = grown;
	if (*capacity > before)
		memset(*bytes + before, 0, *capacity - before);
	return true;
}

static void
put_bit(uint8_t *bits, int64_t i, bool value)
{
	uint8_t mask = (uint8_t)(1u << (i & 7));

	bits[i >> 3] =
	    (uint8_t)(value ? bits[i >> 3] | mask : bits[i >> 3] & ~mask);
}

static bool
append_validity(struct rf_dictionary *dictionary,
    const struct rf_column *column, int64_t start)
{
	int64_t n_nulls = rf_column_n_nulls(column);

	dictionary->values.n_nulls += n_nulls;
	if (dictionary->source.type == RF_TYPE_NULL ||
	    (dictionary->values.validity == NULL && n_nulls == 0))
		return true;
	if (!grow_bytes(&dictionary->validity, &dictionary->validity_capacity,
		(start + column->n_rows) / 8 + 1))
		return false;
	if (dictionary->values.validity == NULL)
		for (int64_t i = 0; i < start; i++)
			put_bit(dictionary->validity, i, true);
	for (int64_t i = 0; i < column->n_rows; i++)
		put_bit(dictionary->validity, start + i,
		    rf_column_is_valid(column, i));
	dictionary->values.validity = dictionary->validity;
	return true;
}

static bool
append_text(struct rf_dictionary *dictionary, const struct rf_column *column,
    int64_t start)
{
	void *offsets = dictionary->offsets;
	int64_t end = start == 0 ? 0 : dictionary->offsets[start];
	struct rf_bytes text;

	if (rf_grow(&offsets, &dictionary->offsets_capacity,
		(size_t)(start + column->n_rows) + 1, sizeof(int64_t)) != 0)
		return false;
	dictionary->offsets = offsets;
	dictionary->offsets[start] = end;
	for (int64_t i = 0; i < column->n_rows; i++) {
		text.size = 0;
		if (rf_column_is_valid(column, i) &&
		    rf_column_text(column, i, &text) && text.size != 0) {
			if (!grow_bytes(&dictionary->text,
				&dictionary->text_capacity, end + text.size))
				return false;
			memcpy(dictionary->text + end, text.data,
			    (size_t)text.size);
		}
		end += text.size;
		dictionary->offsets[start + i + 1] = end;
	}
	dictionary->values.offsets = dictionary->offsets;
	dictionary->values.data = (struct rf_bytes){dictionary->text, end};
	return true;
}

static bool
append_fixed(struct rf_dictionary *dictionary, const struct rf_column *column,
    int64_t start)
{
	int64_t width = (int64_t)rf_field_width(&dictionary->source);
	int64_t n = column->n_rows;
	const uint8_t *values = column->values;

	if (!grow_bytes(&dictionary->fixed, &dictionary->fixed_capacity,
		(start + n) * width + 1))
		return false;
	if (dictionary->source.type == RF_TYPE_BOOL)
		for (int64_t i = 0; i < n; i++)
			put_bit(dictionary->fixed, start + i,
			    values[i >> 3] >> (i & 7) & 1);
	else if (n * width != 0)
		memcpy(dictionary->fixed + start * width, values,
		    (size_t)(n * width));
	dictionary->values.values = dictionary->fixed;
	return true;
}

/* 0 is kept for columns without a dictionary. */
static uint64_t
content_serial(const struct rf_dictionary *dictionary)
{
	const struct rf_column *values = &dictionary->values;
	size_t n = (size_t)values->n_rows;
	uint64_t hash = n;

	if (values->offsets != NULL) {
		hash = XXH3_64bits_withSeed(
		    values->offsets, (n + 1) * sizeof(int64_t), hash);
		hash = XXH3_64bits_withSeed(values->data.data == NULL
			? (const uint8_t *)""
			: values->data.data,
		    (size_t)values->data.size, hash);
	} else if (values->values != NULL) {
		size_t width = rf_field_width(&dictionary->source);

		hash = XXH3_64bits_withSeed(
		    values->values, width == 0 ? n / 8 : n * width, hash);
		for (size_t i = n & ~(size_t)7; width == 0 && i < n; i++)
			hash = hash * 31 +
			    (dictionary->fixed[i >> 3] >> (i & 7) & 1);
	}
	for (int64_t i = 0; values->validity != NULL && i < values->n_rows; i++)
		if (!rf_column_is_valid(values, i))
			hash = XXH3_64bits_withSeed(&i, sizeof(i), hash);
	return hash == 0 ? 1 : hash;
}

enum rf_status
rf_dictionary_take(struct rf_dictionary *dictionary,
    const struct rf_column *column, bool is_delta, struct rf_error *err)
{
	struct rf_column *values = &dictionary->values;
	int64_t start;
	bool done;

	if (!is_delta)
		*values = (struct rf_column){.field = &dictionary->field};
	start = values->n_rows;
	if (start > MAX_ENTRIES - column->n_rows)
		return rf_error_set(
		    err, RF_EDATA, "a dictionary of more than 2^40 entries");
	done = append_validity(dictionary, column, start);
	if (done && is_stretchy(dictionary->source.type))
		done = append_text(dictionary, column, start);
	else if (done && dictionary->source.type != RF_TYPE_NULL)
		done = append_fixed(dictionary, column, start);
	if (!done)
		return rf_error_memory(
		    err, (size_t)(start + column->n_rows), "a dictionary");
	values->n_rows = start + column->n_rows;
	dictionary->is_sent = true;
	dictionary->serial = content_serial(dictionary);
	return RF_OK;
}
