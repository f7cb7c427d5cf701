#include "stream/batch_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define ALIGNMENT 64

void
rf_body_release(struct rf_body *body)
{
	free(body->nodes);
	free(body->buffers);
	free(body->parts);
	rf_scratch_release(&body->scratch);
	*body = (struct rf_body){0};
}

void
rf_body_clear(struct rf_body *body)
{
	body->n_nodes = body->n_buffers = 0;
	body->n_parts = RF_BODY_HEAD;
	body->size = 0;
	body->failed = false;
	rf_scratch_clear(&body->scratch);
}

void
rf_body_append(struct rf_body *body, const void *data, size_t size)
{
	void *parts = body->parts;

	if (size == 0 || body->failed)
		return;
	if (rf_grow(&parts, &body->parts_capacity, body->n_parts + 1,
		sizeof(*body->parts)) != 0) {
		body->failed = true;
		return;
	}
	body->parts = parts;
	body->parts[body->n_parts++] =
	    (struct iovec){(void *)(uintptr_t)data, size};
}

static void
push_pair(struct rf_body *body, struct rf_body_pair **pairs, size_t *n,
    size_t *capacity, struct rf_body_pair pair)
{
	void *grown = *pairs;

	if (rf_grow(&grown, capacity, *n + 1, sizeof(pair)) != 0) {
		body->failed = true;
		return;
	}
	*pairs = grown;
	(*pairs)[(*n)++] = pair;
}

static void
put_node(struct rf_body *body, int64_t n_rows, int64_t n_nulls)
{
	push_pair(body, &body->nodes, &body->n_nodes, &body->nodes_capacity,
	    (struct rf_body_pair){n_rows, n_nulls});
}

static void
put_buffer(struct rf_body *body, const void *data, int64_t size)
{
	static const uint8_t zeros[ALIGNMENT];
	int64_t padding = (ALIGNMENT - size % ALIGNMENT) % ALIGNMENT;

	push_pair(body, &body->buffers, &body->n_buffers,
	    &body->buffers_capacity, (struct rf_body_pair){body->size, size});
	rf_body_append(body, data, (size_t)size);
	rf_body_append(body, zeros, (size_t)padding);
	body->size += size + padding;
}

static void *
take(struct rf_body *body, int64_t size)
{
	void *memory = rf_scratch_take(&body->scratch, (size_t)size);

	if (memory == NULL)
		body->failed = true;
	return memory;
}

/* n bits, those past the end as 0, and with `mask` not NULL those under
 * nulls too. */
static void
put_bits(
    struct rf_body *body, const uint8_t *bits, const uint8_t *mask, int64_t n)
{
	int64_t size = (n + 7) / 8;
	uint8_t past = (uint8_t)(n % 8 == 0 ? 0 : 0xff << n % 8);
	uint8_t *copy;

	if (mask == NULL && (past == 0 || (bits[size - 1] & past) == 0)) {
		put_buffer(body, bits, size);
		return;
	}
	copy = take(body, size);
	if (copy == NULL)
		return;
	memcpy(copy, bits, (size_t)size);
	for (int64_t i = 0; mask != NULL && i < size; i++)
		copy[i] &= mask[i];
	if (size != 0)
		copy[size - 1] &= (uint8_t)~past;
	put_buffer(body, copy, size);
}

static void
put_validity(
    struct rf_body *body, const struct rf_column *column, int64_t n_nulls)
{
	if (n_nulls == 0)
		put_buffer(body, NULL, 0);
	else
		put_bits(body, column->validity, NULL, column->n_rows);
}

/* Whether all values under nulls are 0 as they lie. */
static bool
has_zeros(const struct rf_column *column, size_t width)
{
	static const uint8_t zeros[16];
	const uint8_t *values = column->values;
	size_t n = (size_t)column->n_rows;

	if (width > sizeof(zeros))
		return false;
	for (size_t row = 0; row < n; row += 8) {
		uint8_t valid = column->validity[row / 8];
		size_t end = n - row < 8 ? n : row + 8;

		for (size_t i = row; valid != 0xff && i < end; i++)
			if ((valid >> (i & 7) & 1) == 0 &&
			    memcmp(values + i * width, zeros, width) != 0)
				return false;
	}
	return true;
}

/* Values with those under nulls as 0. */
static void
put_fixed(struct rf_body *body, const struct rf_column *column, size_t width,
    int64_t n_nulls)
{
	const uint8_t *values = column->values;
	size_t n = (size_t)column->n_rows;
	uint8_t *copy;

	if (n_nulls == 0 || has_zeros(column, width)) {
		put_buffer(body, values, (int64_t)(n * width));
		return;
	}
	copy = take(body, (int64_t)(n * width));
	if (copy == NULL)
		return;
	for (size_t row = 0; row < n; row += 8) {
		uint8_t valid = column->validity[row / 8];
		size_t end = n - row < 8 ? n : row + 8;

		memcpy(copy + row * width, values + row * width,
		    (end - row) * width);
		for (size_t i = row; valid != 0xff && i < end; i++)
			if ((valid >> (i & 7) & 1) == 0)
				memset(copy + i * width, 0, width);
	}
	put_buffer(body, copy, (int64_t)(n * width));
}

static bool
is_large(enum rf_type type)
{
	return type == RF_TYPE_LARGE_UTF8 || type == RF_TYPE_LARGE_BINARY ||
	    type == RF_TYPE_UTF8_VIEW || type == RF_TYPE_BINARY_VIEW;
}

static bool
is_view(enum rf_type type)
{
	return type == RF_TYPE_UTF8_VIEW || type == RF_TYPE_BINARY_VIEW;
}

static int64_t
offset_at(const struct rf_column *column, int64_t row)
{
	if (is_large(column->field->type))
		return ((const int64_t *)column->offsets)[row];
	return ((const int32_t *)column->offsets)[row];
}

/* Whether text can go out as it lies. */
static bool
is_plain_text(const struct rf_column *column, bool large, int64_t n_nulls)
{
	enum rf_type type = column->field->type;

	if (is_view(type) || is_large(type) != large ||
	    offset_at(column, 0) != 0)
		return false;
	for (int64_t row = 0; n_nulls != 0 && row < column->n_rows; row++)
		if (!rf_column_is_valid(column, row) &&
		    offset_at(column, row) != offset_at(column, row + 1))
			return false;
	return true;
}

static struct rf_bytes
text_at(const struct rf_column *column, int64_t row)
{
	struct rf_bytes text = {NULL, 0};

	if (!rf_column_is_valid(column, row) ||
	    !rf_column_text(column, row, &text))
		text.size = 0;
	return text;
}

/* 64-bit offsets to 32-bit ones in place, from the front. */
static void
narrow_offsets(int64_t *offsets, int64_t n)
{
	uint8_t *to = (uint8_t *)offsets;

	for (int64_t i = 0; i < n; i++) {
		int32_t narrow = (int32_t)offsets[i];

		memcpy(to + 4 * i, &narrow, sizeof(narrow));
	}
}

static enum rf_status
copy_text(struct rf_body *body, const struct rf_column *column, bool large,
    struct rf_error *err)
{
	int64_t n = column->n_rows, size = 0;
	int64_t *offsets = take(body, (n + 1) * (int64_t)sizeof(*offsets));
	uint8_t *data;

	if (offsets == NULL)
		return RF_OK;
	offsets[0] = 0;
	for (int64_t row = 0; row < n; row++)
		offsets[row + 1] = size += text_at(column, row).size;
	if (!large && size > INT32_MAX)
		return rf_error_set(err, RF_EDATA,
		    "%lld bytes of text in one batch of a utf8 column",
		    (long long)size);
	data = take(body, size);
	if (data == NULL)
		return RF_OK;
	for (int64_t row = 0; row < n; row++) {
		struct rf_bytes text = text_at(column, row);

		if (text.size != 0)
			memcpy(
			    data + offsets[row], text.data, (size_t)text.size);
	}
	if (!large)
		narrow_offsets(offsets, n + 1);
	put_buffer(body, offsets, (n + 1) * (large ? 8 : 4));
	put_buffer(body, data, size);
	return RF_OK;
}

static enum rf_status
put_text(struct rf_body *body, const struct rf_field *field,
    const struct rf_column *column, int64_t n_nulls, struct rf_error *err)
{
	bool large = is_large(field->type);
	int64_t size;

	if (!is_plain_text(column, large, n_nulls))
		return copy_text(body, column, large, err);
	size = offset_at(column, column->n_rows);
	put_buffer(
	    body, column->offsets, (column->n_rows + 1) * (large ? 8 : 4));
	put_buffer(body, column->data.data, size);
	return RF_OK;
}

static enum rf_status
put_children(struct rf_body *body, const struct rf_field *field,
    const struct rf_column *column, struct rf_error *err)
{
	for (size_t i = 0; i < field->n_children; i++)
		RF_TRY(rf_body_add(body, &field->children[i],
		    column == NULL ? NULL : &column->children[i], err));
	return RF_OK;
}

/* Some readers want one offset even of 0 rows. */
static void
put_zero_offset(struct rf_body *body, enum rf_type type)
{
	static const int64_t zero;
	bool wide = is_large(type) || type == RF_TYPE_LARGE_LIST;

	put_buffer(body, &zero, wide ? 8 : 4);
}

static enum rf_status
put_empty(
    struct rf_body *body, const struct rf_field *field, struct rf_error *err)
{
	put_node(body, 0, 0);
	if (!field->is_dictionary && field->type == RF_TYPE_NULL)
		return RF_OK;
	put_buffer(body, NULL, 0);
	if (field->is_dictionary) {
		put_buffer(body, NULL, 0);
		return RF_OK;
	}
	switch ((int)field->type) {
	case RF_TYPE_UTF8:
	case RF_TYPE_LARGE_UTF8:
	case RF_TYPE_UTF8_VIEW:
	case RF_TYPE_BINARY:
	case RF_TYPE_LARGE_BINARY:
	case RF_TYPE_BINARY_VIEW:
		put_zero_offset(body, field->type);
		put_buffer(body, NULL, 0);
		return RF_OK;
	case RF_TYPE_LIST:
	case RF_TYPE_LARGE_LIST:
		put_zero_offset(body, field->type);
		return put_children(body, field, NULL, err);
	case RF_TYPE_STRUCT:
		return put_children(body, field, NULL, err);
	}
	put_buffer(body, NULL, 0);
	return RF_OK;
}

static bool
is_stretchy(enum rf_type type)
{
	return type == RF_TYPE_UTF8 || type == RF_TYPE_BINARY || is_large(type);
}

static enum rf_status
check_type(const struct rf_field *field, const struct rf_column *column,
    struct rf_error *err)
{
	const struct rf_field *given = column->field;
	bool fits = given->is_dictionary == field->is_dictionary &&
	    (given->type == field->type ||
		(rf_type_is_text(given->type) &&
		    rf_type_is_text(field->type)) ||
		(is_stretchy(given->type) && is_stretchy(field->type))) &&
	    (field->is_dictionary || column->n_children == field->n_children) &&
	    (!field->is_dictionary || given->index_type == field->index_type);

	if (fits)
		return RF_OK;
	return rf_error_set(err, RF_EBUG,
	    "column '%s' of type %s in a schema of type %s", field->name,
	    rf_type_name(given->type), rf_type_name(field->type));
}

static enum rf_status
put_content(struct rf_body *body, const struct rf_field *field,
    const struct rf_column *column, int64_t n_nulls, struct rf_error *err)
{
	int64_t width;

	put_validity(body, column, n_nulls);
	if (field->is_dictionary) {
		put_fixed(
		    body, column, rf_type_width(field->index_type), n_nulls);
		return RF_OK;
	}
	if (is_stretchy(field->type))
		return put_text(body, field, column, n_nulls, err);
	switch ((int)field->type) {
	case RF_TYPE_LIST:
	case RF_TYPE_LARGE_LIST:
		width = field->type == RF_TYPE_LIST ? 4 : 8;
		put_buffer(body, column->offsets, (column->n_rows + 1) * width);
		return put_children(body, field, column, err);
	case RF_TYPE_STRUCT:
		return put_children(body, field, column, err);
	case RF_TYPE_BOOL:
		put_bits(body, column->values,
		    n_nulls == 0 ? NULL : column->validity, column->n_rows);
		return RF_OK;
	}
	put_fixed(body, column, rf_field_width(field), n_nulls);
	return RF_OK;
}

enum rf_status
rf_body_add(struct rf_body *body, const struct rf_field *field,
    const struct rf_column *column, struct rf_error *err)
{
	int64_t n_nulls;

	if (column != NULL)
		RF_TRY(check_type(field, column, err));
	if (column == NULL || (column->n_rows == 0 && column->offsets == NULL))
		return put_empty(body, field, err);
	n_nulls = rf_column_n_nulls(column);
	put_node(body, column->n_rows, n_nulls);
	if (!field->is_dictionary && field->type == RF_TYPE_NULL)
		return RF_OK;
	return put_content(body, field, column, n_nulls, err);
}

uint32_t
rf_body_put(
    const struct rf_body *body, struct rf_flat_builder *builder, int64_t n_rows)
{
	uint32_t nodes, buffers;

	buffers = rf_flat_put_vector(builder, body->buffers, body->n_buffers,
	    sizeof(struct rf_body_pair));
	nodes = rf_flat_put_vector(
	    builder, body->nodes, body->n_nodes, sizeof(struct rf_body_pair));
	rf_flat_start(builder);
	rf_flat_put_int(builder, 0, n_rows, 8);
	rf_flat_put_reference(builder, 2, buffers);
	rf_flat_put_reference(builder, 1, nodes);
	return rf_flat_end(builder);
}
