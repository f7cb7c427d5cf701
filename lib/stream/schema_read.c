#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/message.h"

static enum rf_status
malformed(struct rf_error *err)
{
	return rf_error_set(err, RF_EDATA, "malformed schema");
}

/* Names and keys are C strings to us: UTF-8 without a NUL. */
static bool
is_name(const char *text, size_t size)
{
	return size == 0 ||
	    (memchr(text, '\0', size) == NULL && rf_text_is_utf8(text, size));
}

static bool
is_ours(const char *key, size_t size)
{
	return size >= 3 && memcmp(key, "rf.", 3) == 0;
}

static enum rf_status
read_entry(struct rf_flat *flat, uint32_t table, struct rf_metadata *out,
    struct rf_error *err)
{
	uint32_t key_size, value_size;
	const char *key = rf_flat_string(flat, table, 0, &key_size);
	const char *value = rf_flat_string(flat, table, 1, &value_size);
	char quoted[RF_QUOTED_SIZE];

	if (flat->bad)
		return rf_error_set(err, RF_EDATA, "malformed metadata");
	if (key == NULL)
		key = "";
	if (value == NULL)
		value = "";
	if (!is_name(key, key_size))
		return rf_error_set(err, RF_EDATA,
		    "metadata key '%s' is not UTF-8 without NUL",
		    rf_text_quote(quoted, key, key_size));
	if (is_ours(key, key_size) && !is_name(value, value_size))
		return rf_error_set(err, RF_EDATA,
		    "metadata %s is not UTF-8 without NUL",
		    rf_text_quote(quoted, key, key_size));
	return rf_metadata_append(out, key, key_size, value, value_size, err);
}

enum rf_status
rf_metadata_read(struct rf_flat *flat, uint32_t table, int slot,
    struct rf_metadata *out, struct rf_error *err)
{
	uint32_t n, vector = rf_flat_vector(flat, table, slot, 4, &n);
	enum rf_status status = RF_OK;

	*out = (struct rf_metadata){0};
	flat->budget -= n;
	if (flat->bad || flat->budget < 0)
		return rf_error_set(err, RF_EDATA, "malformed metadata");
	for (uint32_t i = 0; i < n && status == RF_OK; i++)
		status = read_entry(
		    flat, rf_flat_element(flat, vector, i), out, err);
	if (status != RF_OK)
		rf_metadata_release(out);
	return status;
}

static bool
integer_type(int32_t bits, bool is_signed, enum rf_type *type)
{
	switch (bits) {
	case 8:
		*type = is_signed ? RF_TYPE_INT8 : RF_TYPE_UINT8;
		return true;
	case 16:
		*type = is_signed ? RF_TYPE_INT16 : RF_TYPE_UINT16;
		return true;
	case 32:
		*type = is_signed ? RF_TYPE_INT32 : RF_TYPE_UINT32;
		return true;
	case 64:
		*type = is_signed ? RF_TYPE_INT64 : RF_TYPE_UINT64;
		return true;
	case 128:
		*type = RF_TYPE_INT128;
		return true;
	}
	return false;
}

static bool
read_integer(struct rf_flat *flat, uint32_t table, enum rf_type *type)
{
	int32_t bits = rf_flat_int32(flat, table, 0, 0);
	bool is_signed = rf_flat_uint8(flat, table, 1, 0) != 0;

	return !flat->bad && integer_type(bits, is_signed, type);
}

static bool
read_float(struct rf_flat *flat, uint32_t table, struct rf_field *field)
{
	static const enum rf_type types[] = {
	    RF_TYPE_FLOAT16, RF_TYPE_FLOAT32, RF_TYPE_FLOAT64};
	int16_t precision = rf_flat_int16(flat, table, 0, 0);

	if (precision < 0 || precision > 2)
		return false;
	field->type = types[precision];
	return true;
}

static bool
read_unit(struct rf_flat *flat, uint32_t table, int16_t absent,
    struct rf_field *field)
{
	int16_t unit = rf_flat_int16(flat, table, 0, absent);

	if (unit < 0 || unit > 3)
		return false;
	field->unit = (enum rf_time_unit)unit;
	return true;
}

static bool
read_time(struct rf_flat *flat, uint32_t table, struct rf_field *field)
{
	int32_t bits = rf_flat_int32(flat, table, 1, 32);

	field->type = bits == 64 ? RF_TYPE_TIME64 : RF_TYPE_TIME32;
	return read_unit(flat, table, 1, field) && (bits == 32 || bits == 64);
}

static bool
read_date(struct rf_flat *flat, uint32_t table, struct rf_field *field)
{
	int16_t unit = rf_flat_int16(flat, table, 0, 1);

	field->type = unit == 0 ? RF_TYPE_DATE32 : RF_TYPE_DATE64;
	return unit == 0 || unit == 1;
}

static bool
read_decimal(struct rf_flat *flat, uint32_t table, struct rf_field *field)
{
	field->type = RF_TYPE_DECIMAL;
	field->precision = rf_flat_int32(flat, table, 0, 0);
	field->scale = rf_flat_int32(flat, table, 1, 0);
	field->width_bits = rf_flat_int32(flat, table, 2, 128);
	return (field->width_bits == 32 || field->width_bits == 64 ||
	    field->width_bits == 128 || field->width_bits == 256);
}

static bool
read_size(struct rf_flat *flat, uint32_t table, enum rf_type type,
    struct rf_field *field)
{
	field->type = type;
	field->size = rf_flat_int32(flat, table, 0, 0);
	return field->size >= 0;
}

/* Types whose table has nothing to read. */
static bool
plain_type(uint8_t wire, struct rf_field *field)
{
	static const uint8_t types[] = {
	    [RF_WIRE_BINARY] = RF_TYPE_BINARY,
	    [RF_WIRE_UTF8] = RF_TYPE_UTF8,
	    [RF_WIRE_BOOL] = RF_TYPE_BOOL,
	    [RF_WIRE_LIST] = RF_TYPE_LIST,
	    [RF_WIRE_STRUCT] = RF_TYPE_STRUCT,
	    [RF_WIRE_MAP] = RF_TYPE_MAP,
	    [RF_WIRE_LARGE_BINARY] = RF_TYPE_LARGE_BINARY,
	    [RF_WIRE_LARGE_UTF8] = RF_TYPE_LARGE_UTF8,
	    [RF_WIRE_LARGE_LIST] = RF_TYPE_LARGE_LIST,
	    [RF_WIRE_RUN_END] = RF_TYPE_RUN_END,
	    [RF_WIRE_BINARY_VIEW] = RF_TYPE_BINARY_VIEW,
	    [RF_WIRE_UTF8_VIEW] = RF_TYPE_UTF8_VIEW,
	    [RF_WIRE_LIST_VIEW] = RF_TYPE_LIST_VIEW,
	    [RF_WIRE_LARGE_LIST_VIEW] = RF_TYPE_LARGE_LIST_VIEW,
	};

	if (wire == RF_WIRE_NULL) {
		field->type = RF_TYPE_NULL;
		return true;
	}
	if (wire >= sizeof(types) || types[wire] == 0)
		return false;
	field->type = (enum rf_type)types[wire];
	return true;
}

static bool
read_type(
    struct rf_flat *flat, uint8_t wire, uint32_t table, struct rf_field *field)
{
	switch (wire) {
	case RF_WIRE_INT:
		return read_integer(flat, table, &field->type);
	case RF_WIRE_FLOAT:
		return read_float(flat, table, field);
	case RF_WIRE_DECIMAL:
		return read_decimal(flat, table, field);
	case RF_WIRE_DATE:
		return read_date(flat, table, field);
	case RF_WIRE_TIME:
		return read_time(flat, table, field);
	case RF_WIRE_TIMESTAMP:
		field->type = RF_TYPE_TIMESTAMP;
		return read_unit(flat, table, 0, field);
	case RF_WIRE_INTERVAL:
		field->type = RF_TYPE_INTERVAL;
		return read_unit(flat, table, 0, field) && field->unit <= 2;
	case RF_WIRE_DURATION:
		field->type = RF_TYPE_DURATION;
		return read_unit(flat, table, 1, field);
	case RF_WIRE_FIXED_BINARY:
		return read_size(flat, table, RF_TYPE_FIXED_BINARY, field);
	case RF_WIRE_FIXED_LIST:
		return read_size(flat, table, RF_TYPE_FIXED_LIST, field);
	case RF_WIRE_UNION:
		field->type = RF_TYPE_UNION;
		field->is_dense = rf_flat_int16(flat, table, 0, 0) == 1;
		return true;
	}
	return plain_type(wire, field);
}

static bool
children_fit(const struct rf_field *field)
{
	switch ((int)field->type) {
	case RF_TYPE_LIST:
	case RF_TYPE_LARGE_LIST:
	case RF_TYPE_FIXED_LIST:
	case RF_TYPE_MAP:
	case RF_TYPE_LIST_VIEW:
	case RF_TYPE_LARGE_LIST_VIEW:
		return field->n_children == 1;
	case RF_TYPE_RUN_END:
		return field->n_children == 2;
	case RF_TYPE_STRUCT:
	case RF_TYPE_UNION:
		return true;
	}
	return field->n_children == 0;
}

static bool
read_dictionary(struct rf_flat *flat, uint32_t table, struct rf_field *field)
{
	uint32_t index;

	if (table == 0)
		return !flat->bad;
	field->is_dictionary = true;
	field->dictionary_id = rf_flat_int64(flat, table, 0, 0);
	field->is_ordered = rf_flat_uint8(flat, table, 2, 0) != 0;
	field->index_type = RF_TYPE_INT32;
	index = rf_flat_table(flat, table, 1);
	if (index == 0)
		return !flat->bad;
	return read_integer(flat, index, &field->index_type) &&
	    field->index_type != RF_TYPE_INT128;
}

static enum rf_status
read_timezone(struct rf_flat *flat, uint32_t table, struct rf_field *field,
    struct rf_error *err)
{
	uint32_t size;
	const char *zone = rf_flat_string(flat, table, 1, &size);

	if (flat->bad || (zone != NULL && !is_name(zone, size)))
		return malformed(err);
	if (zone == NULL)
		return RF_OK;
	field->timezone = rf_strndup(zone, size);
	if (field->timezone == NULL)
		return rf_error_memory(err, size, "a time zone");
	return RF_OK;
}

static enum rf_status
read_field_head(struct rf_flat *flat, uint32_t table, struct rf_field *field,
    struct rf_error *err)
{
	uint32_t size, type;
	const char *name = rf_flat_string(flat, table, 0, &size);
	uint8_t wire = rf_flat_uint8(flat, table, 2, 0);
	char quoted[RF_QUOTED_SIZE];

	field->nullable = rf_flat_uint8(flat, table, 1, 0) != 0;
	type = rf_flat_table(flat, table, 3);
	if (flat->bad || type == 0)
		return malformed(err);
	if (name == NULL)
		name = "";
	if (!is_name(name, size))
		return rf_error_set(err, RF_EDATA,
		    "column name '%s' is not UTF-8 without NUL",
		    rf_text_quote(quoted, name, size));
	field->name = rf_strndup(name, size);
	if (field->name == NULL)
		return rf_error_memory(err, size, "a column name");
	if (!read_type(flat, wire, type, field) || flat->bad)
		return rf_error_set(err, RF_EDATA,
		    "column '%s': Arrow type %d, or its details, unknown",
		    rf_text_quote(quoted, name, size), wire);
	if (field->type == RF_TYPE_TIMESTAMP)
		RF_TRY(read_timezone(flat, type, field, err));
	if (!read_dictionary(flat, rf_flat_table(flat, table, 4), field))
		return rf_error_set(err, RF_EDATA,
		    "column '%s': malformed dictionary encoding",
		    rf_text_quote(quoted, name, size));
	return rf_metadata_read(flat, table, 6, &field->metadata, err);
}

static enum rf_status
read_field(struct rf_flat *flat, uint32_t table, int depth,
    struct rf_field *field, struct rf_error *err)
{
	uint32_t vector, n;
	char quoted[RF_QUOTED_SIZE];

	if (depth > RF_MAX_DEPTH)
		return rf_error_set(err, RF_EDATA,
		    "schema nested deeper than %d", RF_MAX_DEPTH);
	RF_TRY(read_field_head(flat, table, field, err));
	vector = rf_flat_vector(flat, table, 5, 4, &n);
	/* Fields may share a vector, so each pays before it gets its memory. */
	flat->budget -= n;
	if (flat->bad || flat->budget < 0)
		return malformed(err);
	if (n != 0)
		RF_TRY(rf_field_add_children(field, n, err));
	if (!children_fit(field))
		return rf_error_set(err, RF_EDATA,
		    "column '%s': type %s with %zu children",
		    rf_text_quote(quoted, field->name, strlen(field->name)),
		    rf_type_name(field->type), field->n_children);
	for (uint32_t i = 0; i < n; i++)
		RF_TRY(read_field(flat, rf_flat_element(flat, vector, i),
		    depth + 1, &field->children[i], err));
	return RF_OK;
}

static enum rf_status
read_fields(struct rf_flat *flat, uint32_t table, struct rf_schema *out,
    struct rf_error *err)
{
	uint32_t n, vector = rf_flat_vector(flat, table, 1, 4, &n);

	if (flat->bad || n > flat->budget)
		return malformed(err);
	out->fields = rf_alloc_zero(n, sizeof(*out->fields));
	if (out->fields == NULL)
		return rf_error_memory(
		    err, n * sizeof(*out->fields), "a schema");
	out->n_fields = out->capacity = n;
	for (uint32_t i = 0; i < n; i++)
		RF_TRY(read_field(flat, rf_flat_element(flat, vector, i), 1,
		    &out->fields[i], err));
	return rf_metadata_read(flat, table, 2, &out->metadata, err);
}

enum rf_status
rf_schema_read(struct rf_flat *flat, uint32_t table, struct rf_schema *out,
    struct rf_error *err)
{
	enum rf_status status;
	int16_t endianness = rf_flat_int16(flat, table, 0, 0);

	*out = (struct rf_schema){0};
	if (flat->bad)
		return malformed(err);
	if (endianness != 0)
		return rf_error_set(
		    err, RF_EDATA, "big-endian streams are not read");
	status = read_fields(flat, table, out, err);
	if (status != RF_OK)
		rf_schema_release(out);
	return status;
}
