#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/message.h"

uint32_t
rf_metadata_put(
    struct rf_flat_builder *builder, const struct rf_metadata *metadata)
{
	uint32_t *tables, vector, key, value;

	if (metadata == NULL || metadata->n_entries == 0)
		return 0;
	tables = rf_alloc(metadata->n_entries, sizeof(*tables));
	if (tables == NULL) {
		builder->failed = true;
		return 0;
	}
	for (size_t i = metadata->n_entries; i-- > 0;) {
		const struct rf_metadata_entry *entry = &metadata->entries[i];

		value = rf_flat_put_string(
		    builder, entry->value, entry->value_size);
		key =
		    rf_flat_put_string(builder, entry->key, strlen(entry->key));
		rf_flat_start(builder);
		rf_flat_put_reference(builder, 1, value);
		rf_flat_put_reference(builder, 0, key);
		tables[i] = rf_flat_end(builder);
	}
	vector = rf_flat_put_references(builder, tables, metadata->n_entries);
	free(tables);
	return vector;
}

/* The wire type; -1 for those that are not written. */
static int
wire_type(enum rf_type type)
{
	switch (type) {
	case RF_TYPE_NULL:
		return RF_WIRE_NULL;
	case RF_TYPE_BOOL:
		return RF_WIRE_BOOL;
	case RF_TYPE_INT8:
	case RF_TYPE_INT16:
	case RF_TYPE_INT32:
	case RF_TYPE_INT64:
	case RF_TYPE_UINT8:
	case RF_TYPE_UINT16:
	case RF_TYPE_UINT32:
	case RF_TYPE_UINT64:
	case RF_TYPE_INT128:
		return RF_WIRE_INT;
	case RF_TYPE_FLOAT16:
	case RF_TYPE_FLOAT32:
	case RF_TYPE_FLOAT64:
		return RF_WIRE_FLOAT;
	case RF_TYPE_UTF8:
		return RF_WIRE_UTF8;
	case RF_TYPE_LARGE_UTF8:
	case RF_TYPE_UTF8_VIEW: /* joined to text: one 64-bit offset each */
		return RF_WIRE_LARGE_UTF8;
	case RF_TYPE_BINARY:
		return RF_WIRE_BINARY;
	case RF_TYPE_LARGE_BINARY:
	case RF_TYPE_BINARY_VIEW:
		return RF_WIRE_LARGE_BINARY;
	case RF_TYPE_FIXED_BINARY:
		return RF_WIRE_FIXED_BINARY;
	case RF_TYPE_DECIMAL:
		return RF_WIRE_DECIMAL;
	case RF_TYPE_DATE32:
	case RF_TYPE_DATE64:
		return RF_WIRE_DATE;
	case RF_TYPE_TIME32:
	case RF_TYPE_TIME64:
		return RF_WIRE_TIME;
	case RF_TYPE_TIMESTAMP:
		return RF_WIRE_TIMESTAMP;
	case RF_TYPE_DURATION:
		return RF_WIRE_DURATION;
	case RF_TYPE_INTERVAL:
		return RF_WIRE_INTERVAL;
	case RF_TYPE_LIST:
		return RF_WIRE_LIST;
	case RF_TYPE_LARGE_LIST:
		return RF_WIRE_LARGE_LIST;
	case RF_TYPE_STRUCT:
		return RF_WIRE_STRUCT;
	case RF_TYPE_FIXED_LIST:
	case RF_TYPE_MAP:
	case RF_TYPE_UNION:
	case RF_TYPE_RUN_END:
	case RF_TYPE_LIST_VIEW:
	case RF_TYPE_LARGE_LIST_VIEW:
		break;
	}
	return -1;
}

static uint32_t
put_integer(struct rf_flat_builder *builder, enum rf_type type)
{
	bool is_signed = type == RF_TYPE_INT8 || type == RF_TYPE_INT16 ||
	    type == RF_TYPE_INT32 || type == RF_TYPE_INT64 ||
	    type == RF_TYPE_INT128;

	rf_flat_start(builder);
	rf_flat_put_int(builder, 0, (int64_t)rf_type_width(type) * 8, 4);
	rf_flat_put_int(builder, 1, is_signed, 1);
	return rf_flat_end(builder);
}

static uint32_t
put_timestamp(struct rf_flat_builder *builder, const struct rf_field *field)
{
	uint32_t zone = 0;

	if (field->timezone != NULL)
		zone = rf_flat_put_string(
		    builder, field->timezone, strlen(field->timezone));
	rf_flat_start(builder);
	rf_flat_put_reference(builder, 1, zone);
	rf_flat_put_int(builder, 0, field->unit, 2);
	return rf_flat_end(builder);
}

static uint32_t
put_type(
    struct rf_flat_builder *builder, int wire, const struct rf_field *field)
{
	size_t width = rf_field_width(field);

	if (wire == RF_WIRE_INT)
		return put_integer(builder, field->type);
	if (wire == RF_WIRE_TIMESTAMP)
		return put_timestamp(builder, field);
	rf_flat_start(builder);
	if (wire == RF_WIRE_FLOAT)
		rf_flat_put_int(builder, 0, (int64_t)width / 4, 2);
	if (wire == RF_WIRE_DATE)
		rf_flat_put_int(builder, 0, width == 8, 2);
	if (wire == RF_WIRE_TIME)
		rf_flat_put_int(builder, 1, (int64_t)width * 8, 4);
	if (wire == RF_WIRE_TIME || wire == RF_WIRE_DURATION ||
	    wire == RF_WIRE_INTERVAL)
		rf_flat_put_int(builder, 0, field->unit, 2);
	if (wire == RF_WIRE_FIXED_BINARY)
		rf_flat_put_int(builder, 0, field->size, 4);
	if (wire == RF_WIRE_DECIMAL) {
		rf_flat_put_int(builder, 2, field->width_bits, 4);
		rf_flat_put_int(builder, 1, field->scale, 4);
		rf_flat_put_int(builder, 0, field->precision, 4);
	}
	return rf_flat_end(builder);
}

static uint32_t
put_dictionary(struct rf_flat_builder *builder, const struct rf_field *field)
{
	uint32_t index;

	if (!field->is_dictionary)
		return 0;
	index = put_integer(builder, field->index_type);
	rf_flat_start(builder);
	rf_flat_put_int(builder, 0, field->dictionary_id, 8);
	rf_flat_put_reference(builder, 1, index);
	rf_flat_put_int(builder, 2, field->is_ordered, 1);
	return rf_flat_end(builder);
}

static enum rf_status put_fields(struct rf_flat_builder *builder,
    const struct rf_field *fields, size_t n_fields, uint32_t *vector,
    struct rf_error *err);

static enum rf_status
put_field(struct rf_flat_builder *builder, const struct rf_field *field,
    uint32_t *table, struct rf_error *err)
{
	int wire = wire_type(field->type);
	const char *name = field->name == NULL ? "" : field->name;
	uint32_t children, metadata, type, dictionary, name_at;
	char quoted[RF_QUOTED_SIZE];

	if (wire < 0 ||
	    (field->is_dictionary && rf_type_is_nested(field->type)))
		return rf_error_set(err, RF_EDATA,
		    "column '%s': type %s%s is not supported",
		    rf_text_quote(quoted, name, strlen(name)),
		    field->is_dictionary ? "dictionary of " : "",
		    rf_type_name(field->type));
	RF_TRY(put_fields(
	    builder, field->children, field->n_children, &children, err));
	metadata = rf_metadata_put(builder, &field->metadata);
	dictionary = put_dictionary(builder, field);
	type = put_type(builder, wire, field);
	name_at = rf_flat_put_string(builder, name, strlen(name));
	rf_flat_start(builder);
	rf_flat_put_reference(builder, 6, metadata);
	rf_flat_put_reference(builder, 5, children);
	rf_flat_put_reference(builder, 4, dictionary);
	rf_flat_put_reference(builder, 3, type);
	rf_flat_put_reference(builder, 0, name_at);
	rf_flat_put_int(builder, 2, wire, 1);
	rf_flat_put_int(builder, 1, field->nullable, 1);
	*table = rf_flat_end(builder);
	return RF_OK;
}

static enum rf_status
put_fields(struct rf_flat_builder *builder, const struct rf_field *fields,
    size_t n_fields, uint32_t *vector, struct rf_error *err)
{
	uint32_t *tables = rf_alloc(n_fields, sizeof(*tables));
	enum rf_status status = RF_OK;

	if (tables == NULL)
		return rf_error_memory(
		    err, n_fields * sizeof(*tables), "a schema");
	for (size_t i = n_fields; i-- > 0 && status == RF_OK;)
		status = put_field(builder, &fields[i], &tables[i], err);
	if (status == RF_OK)
		*vector = rf_flat_put_references(builder, tables, n_fields);
	free(tables);
	return status;
}

enum rf_status
rf_schema_put(struct rf_flat_builder *builder, const struct rf_schema *schema,
    uint32_t *table, struct rf_error *err)
{
	uint32_t fields, metadata;

	metadata = rf_metadata_put(builder, &schema->metadata);
	RF_TRY(put_fields(
	    builder, schema->fields, schema->n_fields, &fields, err));
	rf_flat_start(builder);
	rf_flat_put_reference(builder, 2, metadata);
	rf_flat_put_reference(builder, 1, fields);
	rf_flat_put_int(builder, 0, 0, 2);
	*table = rf_flat_end(builder);
	return RF_OK;
}
