/* FlatBuffers: what is built reads back; what is damaged is bad. */
#include "stream/flatbuf.h"

#include <stdlib.h>

#include "stream/message.h"
#include "unit.h"

/* A table of one of each, twice in a vector. */
static const uint8_t *
build(struct rf_flat_builder *builder, size_t *size)
{
	static const int64_t numbers[] = {1, -2, 3};
	uint32_t text, vector, tables[2], references;

	rf_flat_builder_clear(builder);
	text = rf_flat_put_string(builder, "h\xc3\xa9", 3);
	vector = rf_flat_put_vector(builder, numbers, 3, 8);
	rf_flat_start(builder);
	rf_flat_put_int(builder, 3, -5, 8);
	rf_flat_put_int(builder, 2, 7, 4);
	rf_flat_put_reference(builder, 0, text);
	rf_flat_put_reference(builder, 5, vector);
	rf_flat_put_int(builder, 4, -3, 2);
	rf_flat_put_int(builder, 1, 200, 1);
	tables[0] = tables[1] = rf_flat_end(builder);
	references = rf_flat_put_references(builder, tables, 2);
	rf_flat_start(builder);
	rf_flat_put_reference(builder, 0, references);
	return rf_flat_finish(builder, rf_flat_end(builder), size);
}

static void
check_round_trip(const uint8_t *data, size_t size)
{
	struct rf_flat flat;
	uint32_t root = rf_flat_open(&flat, data, size), n, table, vector;
	uint32_t text_size;
	const char *text;

	check_int(size % 8, 0, "the size is a multiple of 8");
	vector = rf_flat_vector(&flat, root, 0, 4, &n);
	check_int(n, 2, "a vector of tables");
	table = rf_flat_element(&flat, vector, 1);
	text = rf_flat_string(&flat, table, 0, &text_size);
	check(
	    text != NULL && text_size == 3 && memcmp(text, "h\xc3\xa9", 4) == 0,
	    "a string, with a NUL behind");
	check_int(rf_flat_uint8(&flat, table, 1, 0), 200, "8 bits");
	check_int(rf_flat_int16(&flat, table, 4, 0), -3, "16 bits");
	check_int(rf_flat_int32(&flat, table, 2, 0), 7, "32 bits");
	check_int(rf_flat_int64(&flat, table, 3, 0), -5, "64 bits");
	vector = rf_flat_vector(&flat, table, 5, 8, &n);
	check(n == 3 && rf_flat_at(&flat, vector + 8) == -2, "numbers");
	check_int(((uintptr_t)vector) % 8, 0, "which are aligned");
	check_int(rf_flat_int64(&flat, table, 6, 42), 42,
	    "a slot past the end has its default");
	check_int(rf_flat_table(&flat, root, 1), 0, "or is no table");
	check(!flat.bad, "nothing was bad");
	check(rf_flat_vector(&flat, table, 5, 1000, &n) == 0 && flat.bad,
	    "a vector that does not fit is bad");
	check_int(
	    rf_flat_int32(&flat, table, 2, 9), 9, "after which all is absent");
}

/* Shared tables could be followed without end. */
static void
check_budget(const uint8_t *data, size_t size)
{
	struct rf_flat flat;
	uint32_t root = rf_flat_open(&flat, data, size), n, vector;
	size_t n_followed = 0;

	vector = rf_flat_vector(&flat, root, 0, 4, &n);
	while (!flat.bad && n_followed <= size) {
		(void)rf_flat_element(&flat, vector, 0);
		n_followed++;
	}
	check_int(n_followed, size, "as many references as bytes are followed");
}

static void
check_ends(uint8_t *data, size_t size)
{
	struct rf_flat flat;

	rf_flat_open(&flat, data, 7);
	check(flat.bad, "7 bytes are no buffer");
	rf_flat_open(&flat, data, (size_t)1 << 32);
	check(flat.bad, "nor are 4 GiB");
	data[3] = 0x7f;
	rf_flat_open(&flat, data, size);
	check(flat.bad, "the root is to be inside");
}

/* Schema.fbs: 0 endianness, 1 fields, 2 metadata. */
static void
check_schemas(struct rf_flat_builder *builder)
{
	struct rf_schema schema;
	struct rf_flat flat;
	struct rf_error err;
	size_t size;
	uint32_t fields;
	const uint8_t *data;

	rf_flat_builder_clear(builder);
	fields = rf_flat_put_references(builder, NULL, 0);
	rf_flat_start(builder);
	rf_flat_put_reference(builder, 1, fields);
	rf_flat_put_int(builder, 0, 1, 2);
	data = rf_flat_finish(builder, rf_flat_end(builder), &size);
	check_int(rf_schema_read(
		      &flat, rf_flat_open(&flat, data, size), &schema, &err),
	    RF_EDATA, "a big-endian schema is refused");
	check_text(err.message, "big-endian streams are not read", "by name");
}

/* A list of a list of .. of bool. */
static void
check_depth(struct rf_flat_builder *builder)
{
	struct rf_schema schema;
	struct rf_flat flat;
	struct rf_error err;
	size_t size;
	uint32_t child = 0, children, type;
	const uint8_t *data;

	rf_flat_builder_clear(builder);
	for (int depth = 0; depth < 70; depth++) {
		children =
		    rf_flat_put_references(builder, &child, depth == 0 ? 0 : 1);
		rf_flat_start(builder);
		type = rf_flat_end(builder);
		rf_flat_start(builder);
		rf_flat_put_reference(builder, 3, type);
		rf_flat_put_reference(builder, 5, children);
		rf_flat_put_int(
		    builder, 2, depth == 0 ? RF_WIRE_BOOL : RF_WIRE_LIST, 1);
		child = rf_flat_end(builder);
	}
	children = rf_flat_put_references(builder, &child, 1);
	rf_flat_start(builder);
	rf_flat_put_reference(builder, 1, children);
	data = rf_flat_finish(builder, rf_flat_end(builder), &size);
	check_int(rf_schema_read(
		      &flat, rf_flat_open(&flat, data, size), &schema, &err),
	    RF_EDATA, "a schema of 70 levels is refused");
	check_text(err.message, "schema nested deeper than 64", "by name");
}

int
main(void)
{
	struct rf_flat_builder builder = {0};
	size_t size;
	const uint8_t *data = build(&builder, &size);
	uint8_t *copy = malloc(size);

	if (data == NULL || copy == NULL)
		abort();
	memcpy(copy, data, size);
	check_round_trip(data, size);
	check_budget(data, size);
	check_ends(copy, size);
	check_schemas(&builder);
	check_depth(&builder);
	rf_flat_builder_release(&builder);
	free(copy);
	return unit_end();
}
