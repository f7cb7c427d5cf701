/* Schemas: metadata, copies, and every type out and back. */
#include "stream/schema.h"

#include <stdlib.h>

#include "stream/message.h"
#include "stream_sample.h"
#include "unit.h"

static struct rf_error err;

static void
check_metadata(void)
{
	struct rf_metadata metadata = {0}, copy = {0};
	size_t size = 0;
	const char *value;

	check(rf_metadata_get(&metadata, "a", NULL) == NULL,
	    "an empty metadata has nothing");
	if (rf_metadata_set(&metadata, "a", "1", &err) != RF_OK ||
	    rf_metadata_set_bytes(&metadata, "b", "x\0\xff", 3, &err) !=
		RF_OK ||
	    rf_metadata_set(&metadata, "a", "22", &err) != RF_OK ||
	    rf_metadata_append(&metadata, "abc", 1, "3", 1, &err) != RF_OK ||
	    rf_metadata_copy(&copy, &metadata, &err) != RF_OK)
		abort();
	rf_metadata_release(&metadata);
	check_int(copy.n_entries, 3, "a set replaces, an append does not");
	check_text(rf_metadata_get(&copy, "a", NULL), "22",
	    "the first of a key counts");
	value = rf_metadata_get(&copy, "b", &size);
	check(size == 3 && memcmp(value, "x\0\xff", 4) == 0,
	    "values are bytes with a length");
	rf_metadata_release(&copy);
	check(copy.entries == NULL, "released is empty");
}

static void
check_find(void)
{
	struct rf_schema schema = {0}, copy = {0};

	sample_field(&schema, "a", RF_TYPE_INT8);
	sample_field(&schema, "b", RF_TYPE_INT8);
	sample_field(&schema, "a", RF_TYPE_INT8);
	if (rf_schema_copy(&copy, &schema, &err) != RF_OK)
		abort();
	rf_schema_release(&schema);
	check_int(rf_schema_find(&copy, "b"), 1, "a name is found");
	check_int(rf_schema_find(&copy, "c"), -1, "or not");
	check_int(rf_schema_find(&copy, "a"), -2, "or not the only one");
	rf_schema_release(&copy);
	check(copy.fields == NULL && copy.n_fields == 0, "released is empty");
	rf_schema_release(&copy);
}

static bool
is_same(const struct rf_field *a, const struct rf_field *b)
{
	bool is_ok = strcmp(a->name, b->name) == 0 && a->type == b->type &&
	    a->nullable == b->nullable && a->unit == b->unit &&
	    a->width_bits == b->width_bits && a->precision == b->precision &&
	    a->scale == b->scale && a->size == b->size &&
	    a->is_dictionary == b->is_dictionary &&
	    a->is_ordered == b->is_ordered &&
	    a->dictionary_id == b->dictionary_id &&
	    a->index_type == b->index_type && a->n_children == b->n_children &&
	    a->metadata.n_entries == b->metadata.n_entries &&
	    (a->timezone == NULL) == (b->timezone == NULL);

	if (is_ok && a->timezone != NULL)
		is_ok = strcmp(a->timezone, b->timezone) == 0;
	for (size_t i = 0; is_ok && i < a->n_children; i++)
		is_ok = is_same(&a->children[i], &b->children[i]);
	return is_ok;
}

/* A field of the type with what the type needs. */
static void
add_field(struct rf_schema *schema, enum rf_type type, int unit)
{
	struct rf_field *field = sample_field(schema, rf_type_name(type), type);

	field->nullable = unit % 2 == 0;
	if (type == RF_TYPE_TIMESTAMP || type == RF_TYPE_DURATION ||
	    type == RF_TYPE_TIME32 || type == RF_TYPE_TIME64 ||
	    type == RF_TYPE_INTERVAL)
		field->unit = (enum rf_time_unit)unit;
	if (type == RF_TYPE_TIMESTAMP && unit == 2)
		field->timezone = rf_strdup("Europe/Berlin");
	if (type == RF_TYPE_DECIMAL) {
		field->width_bits = 32 << unit;
		field->precision = 7 + unit;
		field->scale = unit - 2;
	}
	if (type == RF_TYPE_FIXED_BINARY)
		field->size = 3 * unit;
	if (type == RF_TYPE_LIST || type == RF_TYPE_LARGE_LIST ||
	    type == RF_TYPE_STRUCT) {
		if (rf_field_add_children(field, 1, &err) != RF_OK)
			abort();
		field->children[0].name = rf_strdup("item");
		field->children[0].type = RF_TYPE_DATE64;
	}
}

static bool
is_written(enum rf_type type)
{
	return type != RF_TYPE_FIXED_LIST && type != RF_TYPE_MAP &&
	    type != RF_TYPE_UNION && type != RF_TYPE_RUN_END &&
	    type != RF_TYPE_LIST_VIEW && type != RF_TYPE_LARGE_LIST_VIEW;
}

static void
fill(struct rf_schema *schema)
{
	static const enum rf_type indices[] = {
	    RF_TYPE_INT8, RF_TYPE_UINT16, RF_TYPE_INT32, RF_TYPE_UINT64};

	for (int type = 0; type <= (int)RF_TYPE_INT128; type++)
		for (int unit = 0; unit < 4; unit++)
			if (is_written((enum rf_type)type) &&
			    !(type == RF_TYPE_INTERVAL && unit == 3) &&
			    type != RF_TYPE_UTF8_VIEW &&
			    type != RF_TYPE_BINARY_VIEW)
				add_field(schema, (enum rf_type)type, unit);
	for (int i = 0; i < 4; i++) {
		struct rf_field *field =
		    sample_field(schema, "words", RF_TYPE_UTF8);

		field->is_dictionary = true;
		field->index_type = indices[i];
		field->dictionary_id = i - 1;
		field->is_ordered = i == 2;
	}
}

static void
check_round_trip(void)
{
	struct rf_flat_builder builder = {0};
	struct rf_schema schema = {0}, back = {0};
	struct rf_flat flat;
	uint32_t table, root;
	const uint8_t *data;
	size_t size;

	fill(&schema);
	if (rf_metadata_set(&schema.metadata, "rf.kind", "data", &err) !=
		RF_OK ||
	    rf_schema_put(&builder, &schema, &table, &err) != RF_OK)
		abort();
	data = rf_flat_finish(&builder, table, &size);
	root = rf_flat_open(&flat, data, size);
	if (!check(rf_schema_read(&flat, root, &back, &err) == RF_OK &&
		    back.n_fields == schema.n_fields &&
		    back.metadata.n_entries == 1,
		"every type that is written reads back"))
		printf("# %s\n", err.message);
	for (size_t i = 0; i < back.n_fields; i++)
		if (!is_same(&schema.fields[i], &back.fields[i]))
			check(false, schema.fields[i].name);
	rf_schema_release(&back);
	rf_schema_release(&schema);
	rf_flat_builder_release(&builder);
}

static void
check_facts(void)
{
	struct rf_field field = {.type = RF_TYPE_DECIMAL, .width_bits = 128};

	check_text(rf_type_name(RF_TYPE_LARGE_UTF8), "large_utf8",
	    "types have Arrow's names");
	check_int(rf_type_width(RF_TYPE_TIMESTAMP), 8, "and a width");
	check_int(rf_type_width(RF_TYPE_BOOL), 0, "or none in whole bytes");
	check_int(rf_field_width(&field), 16, "a decimal has that of its bits");
	field = (struct rf_field){
	    .type = RF_TYPE_INTERVAL, .unit = (enum rf_time_unit)2};
	check_int(rf_field_width(&field), 16,
	    "an interval of months, days, nanoseconds 16");
}

int
main(void)
{
	check_metadata();
	check_find();
	check_round_trip();
	check_facts();
	return unit_end();
}
