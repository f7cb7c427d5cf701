#include "forest/pack_table.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

#include "base/alloc.h"
#include "forest/forest_header.h"
#include "forest/pack.h"

#define FAIL(...) rf_error_set(err, RF_EDATA, __VA_ARGS__)

/* Deflate makes nothing smaller than by this factor. */
#define DEFLATE_MOST 1032

static uint32_t
get_u32(const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, 4);
	return value;
}

static uint64_t
get_u64(const uint8_t *p)
{
	uint64_t value;

	memcpy(&value, p, 8);
	return value;
}

static enum rf_status
check_zeros(const struct rf_pack_table *table, uint64_t from, uint64_t end,
    struct rf_error *err)
{
	uint8_t any = 0;

	for (uint64_t i = from; i < end; i++)
		any |= table->data[i];
	if (any != 0)
		return FAIL("padding at byte %llu is not zero: the file is "
			    "damaged",
		    (unsigned long long)from);
	return RF_OK;
}

static uint64_t
table_checksum(const uint8_t *data, size_t size)
{
	uint8_t head[RF_PACK_HEAD_SIZE +
	    RF_PACK_MOST_SECTIONS * RF_PACK_ENTRY_SIZE];

	memcpy(head, data, size);
	memset(head + RF_PACK_AT_CHECKSUM, 0, 8);
	return XXH3_64bits(head, size);
}

static enum rf_status
check_head(
    const struct rf_pack_table *table, uint64_t true_size, struct rf_error *err)
{
	const uint8_t *data = table->data;
	uint64_t stated;

	if (table->size >= 4 && get_u32(data) == UINT32_MAX)
		return FAIL(
		    "an Arrow stream, not a packed forest (MODEL comes first; "
		    "of a forest stream rf-pack makes one)");
	if (table->size == 0)
		return FAIL("empty input");
	if (table->size < RF_PACK_MAGIC_SIZE ||
	    memcmp(data, RF_PACK_MAGIC, RF_PACK_MAGIC_SIZE) != 0)
		return FAIL("not a packed forest");
	if (table->size < RF_PACK_HEAD_SIZE)
		return FAIL("the packed forest is cut off after %zu bytes",
		    table->size);
	if (get_u32(data + RF_PACK_AT_VERSION) != RF_PACK_VERSION)
		return FAIL("a packed forest of version %u; this is for "
			    "version %d",
		    get_u32(data + RF_PACK_AT_VERSION), RF_PACK_VERSION);
	stated = get_u64(data + RF_PACK_AT_FILE_SIZE);
	if (true_size != 0 && stated != true_size)
		return FAIL("the packed forest has %llu bytes where its head "
			    "says %llu",
		    (unsigned long long)true_size, (unsigned long long)stated);
	return RF_OK;
}

/* Sections follow each other without gaps; sizes fit what they encode. */
static enum rf_status
read_entry(struct rf_pack_table *table, uint32_t number, uint64_t *at,
    uint64_t file_size, struct rf_error *err)
{
	const uint8_t *p = table->data + RF_PACK_HEAD_SIZE +
	    number * (size_t)RF_PACK_ENTRY_SIZE;
	uint32_t type = get_u32(p);
	struct rf_pack_section *section;

	if (type < RF_PACK_HEADER || type >= RF_PACK_TYPES ||
	    (number > 0 && type <= table->order[number - 1]))
		return FAIL("section %u is of type %u", number + 1, type);
	table->order[number] = type;
	section = &table->sections[type];
	section->type = type;
	section->encoding = get_u32(p + 4);
	section->offset = get_u64(p + 8);
	section->size = get_u64(p + 16);
	section->stored = get_u64(p + 24);
	section->checksum = get_u64(p + 32);
	if (section->encoding != rf_pack_encoding_of((enum rf_pack_type)type) ||
	    section->offset != rf_pack_align(*at) ||
	    section->offset > file_size ||
	    section->stored > file_size - section->offset ||
	    (section->encoding == RF_PACK_RAW
		    ? section->size != section->stored
		    : section->size > section->stored * DEFLATE_MOST + 64))
		return FAIL("section %u lies out of bounds", number + 1);
	*at = section->offset + section->stored;
	return RF_OK;
}

enum rf_status
rf_pack_table_read(struct rf_pack_table *table, const uint8_t *data,
    size_t size, uint64_t true_size, struct rf_error *err)
{
	uint64_t at, file_size;
	size_t table_size;

	memset(table, 0, sizeof(*table));
	table->data = data;
	table->size = size;
	RF_TRY(check_head(table, true_size, err));
	table->n_sections = get_u32(data + RF_PACK_AT_N_SECTIONS);
	file_size = get_u64(data + RF_PACK_AT_FILE_SIZE);
	if (table->n_sections == 0 || table->n_sections > RF_PACK_MOST_SECTIONS)
		return FAIL(
		    "a packed forest of %u sections", table->n_sections);
	table_size =
	    RF_PACK_HEAD_SIZE + table->n_sections * (size_t)RF_PACK_ENTRY_SIZE;
	if (size < table_size || file_size < table_size)
		return FAIL("the packed forest is cut off in its table");
	if (table_checksum(data, table_size) !=
	    get_u64(data + RF_PACK_AT_CHECKSUM))
		return FAIL("the table's checksum is wrong: the file is "
			    "damaged");
	at = table_size;
	for (uint32_t i = 0; i < table->n_sections; i++)
		RF_TRY(read_entry(table, i, &at, file_size, err));
	if (rf_pack_align(at) != file_size)
		return FAIL("the file's size is not that of its sections");
	return RF_OK;
}

/* The padding before a section counts to it, and after the last one too. */
enum rf_status
rf_pack_table_verify(
    const struct rf_pack_table *table, uint32_t number, struct rf_error *err)
{
	const struct rf_pack_section *section =
	    &table->sections[table->order[number]];
	uint64_t before = RF_PACK_HEAD_SIZE +
	    table->n_sections * (uint64_t)RF_PACK_ENTRY_SIZE;
	uint64_t end = section->offset + section->stored;

	if (number > 0) {
		const struct rf_pack_section *last =
		    &table->sections[table->order[number - 1]];

		before = last->offset + last->stored;
	}
	if (end > table->size)
		return FAIL("the packed forest is cut off after %zu bytes",
		    table->size);
	RF_TRY(check_zeros(table, before, section->offset, err));
	if (XXH3_64bits(table->data + section->offset,
		(size_t)section->stored) != section->checksum)
		return FAIL("the checksum of section %u is wrong: the file is "
			    "damaged",
		    number + 1);
	if (number + 1 < table->n_sections)
		return RF_OK;
	if (rf_pack_align(end) > table->size)
		return FAIL("the packed forest is cut off after %zu bytes",
		    table->size);
	return check_zeros(table, end, rf_pack_align(end), err);
}

enum rf_status
rf_pack_table_inflate(const struct rf_pack_table *table, enum rf_pack_type type,
    uint8_t *out, struct rf_error *err)
{
	const struct rf_pack_section *section = &table->sections[type];
	unsigned char *stored =
	    (unsigned char *)(uintptr_t)(table->data + section->offset);
	uint64_t left_in = section->stored, left_out = section->size;
	z_stream z = {0};
	int code = Z_OK;

	if (inflateInit(&z) != Z_OK)
		return rf_error_memory(err, 0, "inflate");
	z.next_in = stored;
	z.next_out = out;
	while (code == Z_OK) {
		unsigned n_in =
		    left_in < (1u << 30) ? (unsigned)left_in : 1u << 30;
		unsigned n_out =
		    left_out < (1u << 30) ? (unsigned)left_out : 1u << 30;

		z.avail_in = n_in;
		z.avail_out = n_out;
		code = inflate(&z, Z_NO_FLUSH);
		left_in -= n_in - z.avail_in;
		left_out -= n_out - z.avail_out;
	}
	inflateEnd(&z);
	if (code != Z_STREAM_END || left_in != 0 || left_out != 0)
		return FAIL("a packed section does not unpack: the file is "
			    "damaged");
	return RF_OK;
}

/* n entries of sizes, key, value; their end is that of the bytes. */
static enum rf_status
get_entries(const uint8_t *p, uint64_t size, struct rf_metadata *out,
    struct rf_error *err)
{
	uint32_t n = size < 4 ? 0 : get_u32(p);
	uint64_t at = 4;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t key_size, value_size;

		if (size - at < 8)
			return FAIL("the header is cut off");
		key_size = get_u32(p + at);
		value_size = get_u32(p + at + 4);
		at += 8;
		if (key_size + value_size > size - at)
			return FAIL("the header is cut off");
		RF_TRY(rf_metadata_append(out, p + at, (size_t)key_size,
		    p + at + key_size, (size_t)value_size, err));
		at += key_size + value_size;
	}
	if (at != size)
		return FAIL("the header has bytes after its end");
	return RF_OK;
}

enum rf_status
rf_pack_table_header(const struct rf_pack_table *table,
    struct rf_forest_header *out, char fingerprint[33], struct rf_error *err)
{
	const struct rf_pack_section *section =
	    &table->sections[RF_PACK_HEADER];
	struct rf_metadata metadata = {0};
	uint8_t *bytes;
	const char *stated;
	enum rf_status status;

	if (section->type == 0)
		return FAIL("the packed forest has no header");
	bytes = rf_alloc((size_t)section->size, 1);
	if (bytes == NULL)
		return rf_error_memory(
		    err, (size_t)section->size, "the header");
	status = rf_pack_table_inflate(table, RF_PACK_HEADER, bytes, err);
	if (status == RF_OK)
		status = get_entries(bytes, section->size, &metadata, err);
	if (status == RF_OK)
		status = rf_forest_header_get(out, &metadata, err);
	stated = rf_metadata_get(&metadata, "rf.forest", NULL);
	if (status == RF_OK && (stated == NULL || strlen(stated) != 32)) {
		rf_forest_header_release(out);
		status = FAIL("the header lacks rf.forest");
	}
	if (status == RF_OK)
		memcpy(fingerprint, stated, 33);
	rf_metadata_release(&metadata);
	free(bytes);
	return status;
}
