#include "forest/pack.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/text.h"
#include "forest/forest_header.h"
#include "forest/pack_format.h"
#include "stream/pipe.h"

/* Level 1: statistics are the bulk, and hardly get smaller by more. */
#define DEFLATE_LEVEL 1

/* Many small arrays become few large writes. */
#define BUFFER_SIZE ((size_t)1 << 18)

struct packer {
	const struct rf_forest *forest;
	struct rf_pack_section sections[RF_PACK_TYPES];
	uint32_t n_sections;
	uint64_t file_size;
	struct rf_text stored[RF_PACK_TYPES]; /* of deflated ones, by type */
	int fd;
	char *buffer;
	size_t n_buffered;
};

static bool
has_section(const struct rf_forest *forest, enum rf_pack_type type)
{
	switch (type) {
	case RF_PACK_THRESHOLD_INT:
		return rf_forest_has_int64(&forest->header);
	case RF_PACK_CATS_FIRST:
	case RF_PACK_CATS:
		return rf_forest_has_categories(&forest->header);
	case RF_PACK_GAIN:
	case RF_PACK_COVER:
		return forest->n_trees > 0 && forest->trees[0].gain != NULL;
	case RF_PACK_HEADER:
	case RF_PACK_TREES:
	case RF_PACK_FEATURE:
	case RF_PACK_THRESHOLD:
	case RF_PACK_LEFT:
	case RF_PACK_MISSING_LEFT:
	case RF_PACK_LEAF_FIRST:
	case RF_PACK_LEAF_CLASS:
	case RF_PACK_LEAF_VALUE:
	case RF_PACK_TYPES:
		return true;
	}
	return true;
}

/* The tree's part of a section. */
static struct rf_pack_array
tree_array(const struct rf_forest_tree *tree, enum rf_pack_type type)
{
	size_t n = (size_t)tree->n_nodes;
	size_t n_entries = (size_t)tree->leaf_first[n];
	struct rf_pack_array none = {NULL, 0};

	switch (type) {
	case RF_PACK_FEATURE:
		return (struct rf_pack_array){tree->feature, 4 * n};
	case RF_PACK_THRESHOLD:
		return (struct rf_pack_array){tree->threshold, 8 * n};
	case RF_PACK_THRESHOLD_INT:
		return (struct rf_pack_array){tree->threshold_int, 8 * n};
	case RF_PACK_LEFT:
		return (struct rf_pack_array){tree->left, 4 * n};
	case RF_PACK_MISSING_LEFT:
		return (struct rf_pack_array){tree->missing_left, n};
	case RF_PACK_CATS_FIRST:
		return (struct rf_pack_array){tree->cats_first, 8 * n + 8};
	case RF_PACK_CATS:
		return (struct rf_pack_array){
		    tree->cats, (size_t)tree->cats_first[n]};
	case RF_PACK_LEAF_FIRST:
		return (struct rf_pack_array){tree->leaf_first, 8 * n + 8};
	case RF_PACK_LEAF_CLASS:
		return (struct rf_pack_array){tree->leaf_class, 4 * n_entries};
	case RF_PACK_LEAF_VALUE:
		return (struct rf_pack_array){tree->leaf_value, 8 * n_entries};
	case RF_PACK_GAIN:
		return (struct rf_pack_array){tree->gain, 4 * n};
	case RF_PACK_COVER:
		return (struct rf_pack_array){tree->cover, 8 * n};
	case RF_PACK_HEADER:
	case RF_PACK_TREES:
	case RF_PACK_TYPES:
		return none;
	}
	return none;
}

/* --- Deflate --------------------------------------------------------------- */

/* Appends what the stream gives for its input. */
static enum rf_status
deflate_some(z_stream *z, int flush, struct rf_text *out, struct rf_error *err)
{
	unsigned char chunk[16384];

	do {
		z->next_out = chunk;
		z->avail_out = sizeof(chunk);
		if (deflate(z, flush) == Z_STREAM_ERROR)
			return rf_error_set(err, RF_EBUG, "deflate failed");
		rf_text_append(out, chunk, sizeof(chunk) - z->avail_out);
		if (out->failed)
			return rf_error_memory(
			    err, out->size, "a packed section");
	} while (z->avail_out == 0);
	return RF_OK;
}

static enum rf_status
deflate_bytes(z_stream *z, const void *data, size_t size, struct rf_text *out,
    struct rf_error *err)
{
	const char *p = data;

	while (size > 0) {
		char chunk[4096];
		size_t n = size < sizeof(chunk) ? size : sizeof(chunk);

		/* next_in is not const in every zlib. */
		memcpy(chunk, p, n);
		z->next_in = (unsigned char *)chunk;
		z->avail_in = (unsigned)n;
		RF_TRY(deflate_some(z, Z_NO_FLUSH, out, err));
		p += n;
		size -= n;
	}
	return RF_OK;
}

/* Header entries as bytes, the fingerprint the last of them. */
static enum rf_status
header_bytes(
    const struct rf_forest *forest, struct rf_text *out, struct rf_error *err)
{
	struct rf_metadata metadata = {0};
	enum rf_status status =
	    rf_forest_header_put(&forest->header, &metadata, err);
	uint32_t sizes[2];

	if (status == RF_OK)
		status = rf_metadata_set(
		    &metadata, "rf.forest", forest->fingerprint, err);
	sizes[0] = (uint32_t)metadata.n_entries;
	rf_text_append(out, sizes, 4);
	for (size_t i = 0; i < metadata.n_entries && status == RF_OK; i++) {
		const struct rf_metadata_entry *entry = &metadata.entries[i];

		if (entry->value_size > UINT32_MAX)
			status = rf_error_set(
			    err, RF_EDATA, "%s is beyond 4 GiB", entry->key);
		sizes[0] = (uint32_t)strlen(entry->key);
		sizes[1] = (uint32_t)entry->value_size;
		rf_text_append(out, sizes, 8);
		rf_text_append(out, entry->key, sizes[0]);
		rf_text_append(out, entry->value, sizes[1]);
	}
	if (status == RF_OK && out->failed)
		status = rf_error_memory(err, out->size, "the header");
	rf_metadata_release(&metadata);
	return status;
}

static enum rf_status
deflate_parts(struct packer *packer, struct rf_pack_section *section,
    z_stream *z, struct rf_error *err)
{
	struct rf_text *out = &packer->stored[section->type];
	struct rf_text header = {0};
	enum rf_status status = RF_OK;

	if (section->type == RF_PACK_HEADER) {
		status = header_bytes(packer->forest, &header, err);
		section->size = header.size;
		if (status == RF_OK)
			status = deflate_bytes(
			    z, header.data, header.size, out, err);
		rf_text_release(&header);
		return status;
	}
	for (int64_t i = 0; i < packer->forest->n_trees; i++) {
		struct rf_pack_array array =
		    tree_array(&packer->forest->trees[i],
			(enum rf_pack_type)section->type);

		section->size += array.size_bytes;
		RF_TRY(
		    deflate_bytes(z, array.data, array.size_bytes, out, err));
	}
	return RF_OK;
}

static enum rf_status
deflate_section(struct packer *packer, struct rf_pack_section *section,
    struct rf_error *err)
{
	struct rf_text *out = &packer->stored[section->type];
	z_stream z = {0};
	enum rf_status status;

	if (deflateInit(&z, DEFLATE_LEVEL) != Z_OK)
		return rf_error_memory(err, 0, "deflate");
	status = deflate_parts(packer, section, &z, err);
	if (status == RF_OK)
		status = deflate_some(&z, Z_FINISH, out, err);
	deflateEnd(&z);
	section->stored = out->size;
	section->checksum = XXH3_64bits(out->data, out->size);
	return status;
}

/* --- Sections as they are -------------------------------------------------- */

static void
tree_entry(const struct rf_forest_tree *tree, int64_t entry[2])
{
	entry[0] = tree->tree;
	entry[1] = tree->n_nodes;
}

static void
hash_section(const struct rf_forest *forest, struct rf_pack_section *section,
    XXH3_state_t *state)
{
	XXH3_64bits_reset(state);
	for (int64_t i = 0; i < forest->n_trees; i++) {
		const struct rf_forest_tree *tree = &forest->trees[i];
		struct rf_pack_array array =
		    tree_array(tree, (enum rf_pack_type)section->type);
		int64_t entry[2];

		if (section->type == RF_PACK_TREES) {
			tree_entry(tree, entry);
			array = (struct rf_pack_array){entry, sizeof(entry)};
		}
		if (array.size_bytes > 0)
			XXH3_64bits_update(state, array.data, array.size_bytes);
		section->size += array.size_bytes;
	}
	section->stored = section->size;
	section->checksum = XXH3_64bits_digest(state);
}

/* Sizes and checksums of all sections, then their places. */
static enum rf_status
plan(struct packer *packer, XXH3_state_t *state, struct rf_error *err)
{
	uint64_t at;

	for (int type = RF_PACK_HEADER; type < RF_PACK_TYPES; type++) {
		struct rf_pack_section *section =
		    &packer->sections[packer->n_sections];

		if (!has_section(packer->forest, (enum rf_pack_type)type))
			continue;
		packer->n_sections++;
		section->type = (uint32_t)type;
		section->encoding =
		    rf_pack_encoding_of((enum rf_pack_type)type);
		if (section->encoding == RF_PACK_DEFLATE)
			RF_TRY(deflate_section(packer, section, err));
		else
			hash_section(packer->forest, section, state);
	}
	at = RF_PACK_HEAD_SIZE + packer->n_sections * RF_PACK_ENTRY_SIZE;
	for (uint32_t i = 0; i < packer->n_sections; i++) {
		packer->sections[i].offset = rf_pack_align(at);
		at = packer->sections[i].offset + packer->sections[i].stored;
	}
	packer->file_size = rf_pack_align(at);
	return RF_OK;
}

/* --- Output ---------------------------------------------------------------- */

static enum rf_status
flush(struct packer *packer, struct rf_error *err)
{
	struct iovec part = {packer->buffer, packer->n_buffered};

	packer->n_buffered = 0;
	return part.iov_len == 0 ? RF_OK
				 : rf_write_all(packer->fd, &part, 1, err);
}

static enum rf_status
put(struct packer *packer, const void *data, size_t size, struct rf_error *err)
{
	const char *p = data;

	while (size > 0) {
		size_t n = BUFFER_SIZE - packer->n_buffered;

		n = size < n ? size : n;
		memcpy(packer->buffer + packer->n_buffered, p, n);
		packer->n_buffered += n;
		p += n;
		size -= n;
		if (packer->n_buffered == BUFFER_SIZE)
			RF_TRY(flush(packer, err));
	}
	return RF_OK;
}

static enum rf_status
put_padding(struct packer *packer, uint64_t size, struct rf_error *err)
{
	static const char zeros[RF_PACK_ALIGN];

	return put(packer, zeros, (size_t)(rf_pack_align(size) - size), err);
}

static enum rf_status
put_table(struct packer *packer, struct rf_error *err)
{
	char table[RF_PACK_HEAD_SIZE + RF_PACK_TYPES * RF_PACK_ENTRY_SIZE] = {
	    0};
	uint32_t version = RF_PACK_VERSION;
	size_t size = RF_PACK_HEAD_SIZE;
	uint64_t checksum;

	memcpy(table, RF_PACK_MAGIC, RF_PACK_MAGIC_SIZE);
	memcpy(table + RF_PACK_AT_VERSION, &version, 4);
	memcpy(table + RF_PACK_AT_N_SECTIONS, &packer->n_sections, 4);
	memcpy(table + RF_PACK_AT_FILE_SIZE, &packer->file_size, 8);
	for (uint32_t i = 0; i < packer->n_sections; i++) {
		const struct rf_pack_section *section = &packer->sections[i];

		memcpy(table + size, &section->type, 4);
		memcpy(table + size + 4, &section->encoding, 4);
		memcpy(table + size + 8, &section->offset, 8);
		memcpy(table + size + 16, &section->size, 8);
		memcpy(table + size + 24, &section->stored, 8);
		memcpy(table + size + 32, &section->checksum, 8);
		size += RF_PACK_ENTRY_SIZE;
	}
	checksum = XXH3_64bits(table, size);
	memcpy(table + RF_PACK_AT_CHECKSUM, &checksum, 8);
	RF_TRY(put(packer, table, size, err));
	return put_padding(packer, size, err);
}

static enum rf_status
put_section(struct packer *packer, const struct rf_pack_section *section,
    struct rf_error *err)
{
	const struct rf_text *stored = &packer->stored[section->type];

	if (section->encoding == RF_PACK_DEFLATE)
		RF_TRY(put(packer, stored->data, stored->size, err));
	else
		for (int64_t i = 0; i < packer->forest->n_trees; i++) {
			const struct rf_forest_tree *tree =
			    &packer->forest->trees[i];
			struct rf_pack_array array =
			    tree_array(tree, (enum rf_pack_type)section->type);
			int64_t entry[2];

			if (section->type == RF_PACK_TREES) {
				tree_entry(tree, entry);
				array.data = entry;
				array.size_bytes = sizeof(entry);
			}
			RF_TRY(put(packer, array.data, array.size_bytes, err));
		}
	return put_padding(packer, section->stored, err);
}

static enum rf_status
put_all(struct packer *packer, struct rf_error *err)
{
	packer->buffer = rf_alloc(BUFFER_SIZE, 1);
	if (packer->buffer == NULL)
		return rf_error_memory(err, BUFFER_SIZE, "a buffer");
	RF_TRY(put_table(packer, err));
	for (uint32_t i = 0; i < packer->n_sections; i++)
		RF_TRY(put_section(packer, &packer->sections[i], err));
	return flush(packer, err);
}

enum rf_status
rf_pack_write(int fd, const char *name, const struct rf_forest *forest,
    struct rf_error *err)
{
	struct packer packer = {.forest = forest, .fd = fd};
	XXH3_state_t *state = XXH3_createState();
	enum rf_status status;

	if (state == NULL)
		return rf_error_memory(err, sizeof(void *), "a checksum");
	status = plan(&packer, state, err);
	if (status == RF_OK)
		status = put_all(&packer, err);
	XXH3_freeState(state);
	free(packer.buffer);
	for (int i = 0; i < RF_PACK_TYPES; i++)
		rf_text_release(&packer.stored[i]);
	return status == RF_OK ? RF_OK : rf_error_prefix(err, status, name);
}
