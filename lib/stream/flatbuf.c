#include "stream/flatbuf.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
    "Arrow streams are read and written on little-endian hosts only");

static uint16_t
load16(const uint8_t *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint32_t
load32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint32_t
set_bad(struct rf_flat *flat)
{
	flat->bad = true;
	return 0;
}

/* Position of a slot of `size` bytes in a table, or 0 where it is absent. */
static uint32_t
find_slot(struct rf_flat *flat, uint32_t table, int slot, uint32_t size)
{
	int64_t vtable;
	uint32_t vtable_size, table_size, at;

	if (flat->bad || table < 4 || table > flat->size - 4)
		return set_bad(flat);
	vtable = (int64_t)table - (int32_t)load32(flat->data + table);
	if (vtable < 0 || vtable > (int64_t)flat->size - 4)
		return set_bad(flat);
	vtable_size = load16(flat->data + vtable);
	table_size = load16(flat->data + vtable + 2);
	if (vtable_size < 4 || vtable + vtable_size > flat->size ||
	    table_size < 4 || table_size > flat->size - table)
		return set_bad(flat);
	at = 4 + 2 * (uint32_t)slot;
	if (at + 2 > vtable_size)
		return 0;
	at = load16(flat->data + vtable + at);
	if (at == 0)
		return 0;
	if (at < 4 || at + size > table_size)
		return set_bad(flat);
	return table + at;
}

static uint32_t
follow(struct rf_flat *flat, uint32_t position)
{
	uint32_t distance;

	if (position == 0 || flat->bad)
		return 0;
	distance = load32(flat->data + position);
	if (distance < 4 || distance > flat->size - 4 - position)
		return set_bad(flat);
	if (--flat->budget < 0)
		return set_bad(flat);
	return position + distance;
}

uint32_t
rf_flat_open(struct rf_flat *flat, const uint8_t *data, size_t size)
{
	uint32_t root;

	*flat = (struct rf_flat){.data = data};
	if (size < 8 || size > INT32_MAX)
		return set_bad(flat);
	flat->size = (uint32_t)size;
	flat->budget = (int64_t)size;
	root = load32(data);
	if (root < 4 || root > flat->size - 4)
		return set_bad(flat);
	return root;
}

uint8_t
rf_flat_uint8(struct rf_flat *flat, uint32_t table, int slot, uint8_t absent)
{
	uint32_t at = find_slot(flat, table, slot, 1);

	return at == 0 ? absent : flat->data[at];
}

int16_t
rf_flat_int16(struct rf_flat *flat, uint32_t table, int slot, int16_t absent)
{
	uint32_t at = find_slot(flat, table, slot, 2);

	return at == 0 ? absent : (int16_t)load16(flat->data + at);
}

int32_t
rf_flat_int32(struct rf_flat *flat, uint32_t table, int slot, int32_t absent)
{
	uint32_t at = find_slot(flat, table, slot, 4);

	return at == 0 ? absent : (int32_t)load32(flat->data + at);
}

int64_t
rf_flat_int64(struct rf_flat *flat, uint32_t table, int slot, int64_t absent)
{
	uint32_t at = find_slot(flat, table, slot, 8);

	return at == 0 ? absent : rf_flat_at(flat, at);
}

uint32_t
rf_flat_table(struct rf_flat *flat, uint32_t table, int slot)
{
	return follow(flat, find_slot(flat, table, slot, 4));
}

uint32_t
rf_flat_vector(struct rf_flat *flat, uint32_t table, int slot,
    uint32_t element_size, uint32_t *count)
{
	uint32_t vector = rf_flat_table(flat, table, slot);
	uint32_t n;

	*count = 0;
	if (vector == 0)
		return 0;
	n = load32(flat->data + vector);
	if ((uint64_t)n * element_size > flat->size - vector - 4)
		return set_bad(flat);
	*count = n;
	return vector + 4;
}

uint32_t
rf_flat_element(struct rf_flat *flat, uint32_t vector, uint32_t i)
{
	return follow(flat, vector + 4 * i);
}

const char *
rf_flat_string(struct rf_flat *flat, uint32_t table, int slot, uint32_t *size)
{
	uint32_t at = rf_flat_vector(flat, table, slot, 1, size);

	if (at == 0)
		return NULL;
	flat->budget -= *size / 16;
	if (flat->budget < 0) {
		*size = 0;
		set_bad(flat);
		return NULL;
	}
	return (const char *)flat->data + at;
}

int64_t
rf_flat_at(const struct rf_flat *flat, uint32_t position)
{
	int64_t value;

	memcpy(&value, flat->data + position, sizeof(value));
	return value;
}

void
rf_flat_builder_release(struct rf_flat_builder *builder)
{
	free(builder->data);
	*builder = (struct rf_flat_builder){0};
}

void
rf_flat_builder_clear(struct rf_flat_builder *builder)
{
	builder->size = 0;
	builder->n_slots = 0;
	builder->failed = false;
}

/* Room for more bytes in front of what is there. */
static bool
make_room(struct rf_flat_builder *builder, size_t more)
{
	size_t capacity;
	uint8_t *grown;

	if (builder->failed)
		return false;
	if (more <= builder->capacity - builder->size)
		return true;
	if (more > INT32_MAX / 2 || builder->size > INT32_MAX / 4)
		goto fail;
	capacity = 2 * (builder->size + more) + 1024;
	grown = rf_alloc(capacity, 1);
	if (grown == NULL)
		goto fail;
	if (builder->size != 0)
		memcpy(grown + capacity - builder->size,
		    builder->data + builder->capacity - builder->size,
		    builder->size);
	free(builder->data);
	builder->data = grown;
	builder->capacity = capacity;
	return true;
fail:
	builder->failed = true;
	return false;
}

static void
push(struct rf_flat_builder *builder, const void *bytes, size_t size)
{
	if (size == 0 || !make_room(builder, size))
		return;
	builder->size += size;
	memcpy(builder->data + builder->capacity - builder->size, bytes, size);
}

/* Zeros, so that the size is a multiple of alignment after `after` more. */
static void
pad(struct rf_flat_builder *builder, size_t after, size_t alignment)
{
	static const uint8_t zeros[8];
	size_t over = (builder->size + after) % alignment;

	push(builder, zeros, over == 0 ? 0 : alignment - over);
}

static uint32_t
here(const struct rf_flat_builder *builder)
{
	return (uint32_t)builder->size;
}

static uint32_t
push_reference(struct rf_flat_builder *builder, uint32_t object)
{
	uint32_t distance;

	pad(builder, 0, 4);
	distance = here(builder) + 4 - object;
	push(builder, &distance, sizeof(distance));
	return here(builder);
}

uint32_t
rf_flat_put_string(
    struct rf_flat_builder *builder, const void *text, size_t size)
{
	uint32_t count = (uint32_t)size;

	if (size > INT32_MAX / 2)
		builder->failed = true;
	pad(builder, size + 1, 4);
	push(builder, "", 1);
	push(builder, text, size);
	push(builder, &count, sizeof(count));
	return here(builder);
}

uint32_t
rf_flat_put_vector(struct rf_flat_builder *builder, const void *elements,
    size_t n, size_t element_size)
{
	uint32_t count = (uint32_t)n;

	if (n > INT32_MAX / 2 / element_size) {
		builder->failed = true;
		return 0;
	}
	pad(builder, n * element_size, 8);
	push(builder, elements, n * element_size);
	push(builder, &count, sizeof(count));
	return here(builder);
}

uint32_t
rf_flat_put_references(
    struct rf_flat_builder *builder, const uint32_t *objects, size_t n)
{
	uint32_t count = (uint32_t)n;

	if (n > INT32_MAX / 8) {
		builder->failed = true;
		return 0;
	}
	pad(builder, 0, 4);
	for (size_t i = n; i-- > 0;)
		push_reference(builder, objects[i]);
	push(builder, &count, sizeof(count));
	return here(builder);
}

void
rf_flat_start(struct rf_flat_builder *builder)
{
	builder->table_start = builder->size;
	builder->n_slots = 0;
	memset(builder->at, 0, sizeof(builder->at));
}

static void
note_slot(struct rf_flat_builder *builder, int slot)
{
	builder->at[slot] = here(builder);
	if (builder->n_slots <= slot)
		builder->n_slots = slot + 1;
}

void
rf_flat_put_int(
    struct rf_flat_builder *builder, int slot, int64_t value, size_t size)
{
	pad(builder, 0, size);
	push(builder, &value, size);
	note_slot(builder, slot);
}

void
rf_flat_put_reference(
    struct rf_flat_builder *builder, int slot, uint32_t object)
{
	if (object == 0)
		return;
	push_reference(builder, object);
	note_slot(builder, slot);
}

uint32_t
rf_flat_end(struct rf_flat_builder *builder)
{
	int32_t vtable_size = 4 + 2 * builder->n_slots;
	uint16_t head[2], at;
	uint32_t table;

	pad(builder, 0, 4);
	/* The vtable stands right before its table. */
	push(builder, &vtable_size, sizeof(vtable_size));
	table = here(builder);
	for (int slot = builder->n_slots; slot-- > 0;) {
		at = builder->at[slot] == 0
		    ? 0
		    : (uint16_t)(table - builder->at[slot]);
		push(builder, &at, sizeof(at));
	}
	head[0] = (uint16_t)vtable_size;
	head[1] = (uint16_t)(table - builder->table_start);
	push(builder, head, sizeof(head));
	return table;
}

const uint8_t *
rf_flat_finish(struct rf_flat_builder *builder, uint32_t root, size_t *size)
{
	pad(builder, 4, 8);
	push_reference(builder, root);
	*size = builder->size;
	if (builder->failed)
		return NULL;
	return builder->data + builder->capacity - builder->size;
}
