/*
 * Any bytes as a packed forest, under checksums made right where there is a
 * table: what loads is a forest that can be walked.
 */
#include "fuzz.h"
#include "forest/pack.h"

#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "forest/pack_format.h"

static volatile int64_t sum;

static void
forge(uint8_t *file, size_t size)
{
	uint32_t n;
	uint64_t file_size = size, place[3], checksum = 0;

	memcpy(&n, file + RF_PACK_AT_N_SECTIONS, 4);
	if (n >= RF_PACK_TYPES ||
	    size < RF_PACK_HEAD_SIZE + n * RF_PACK_ENTRY_SIZE)
		return;
	memcpy(file, RF_PACK_MAGIC, RF_PACK_MAGIC_SIZE);
	memcpy(file + RF_PACK_AT_FILE_SIZE, &file_size, 8);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *entry =
		    file + RF_PACK_HEAD_SIZE + i * RF_PACK_ENTRY_SIZE;

		memcpy(place, entry + 8, 24);
		if (place[0] > size || place[2] > size - place[0])
			return;
		checksum = XXH3_64bits(file + place[0], place[2]);
		memcpy(entry + 32, &checksum, 8);
	}
	memset(file + RF_PACK_AT_CHECKSUM, 0, 8);
	checksum =
	    XXH3_64bits(file, RF_PACK_HEAD_SIZE + n * RF_PACK_ENTRY_SIZE);
	memcpy(file + RF_PACK_AT_CHECKSUM, &checksum, 8);
}

/* Everything that a walk may look at. */
static void
touch(const struct rf_forest_tree *tree)
{
	for (int32_t i = 0; i < tree->n_nodes; i++) {
		if (tree->feature[i] >= 0)
			sum += tree->feature[tree->left[i] + 1];
		for (int64_t e = tree->leaf_first[i];
		     e < tree->leaf_first[i + 1]; e++)
			sum += tree->leaf_class[e];
		if (tree->cats_first == NULL)
			continue;
		for (int64_t e = tree->cats_first[i];
		     e < tree->cats_first[i + 1]; e++)
			sum += tree->cats[e];
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *file = rf_alloc_aligned(size + 1);
	struct rf_forest forest;
	struct rf_error err;

	if (file == NULL)
		return 0;
	if (size > 0)
		memcpy(file, data, size);
	if (size > RF_PACK_HEAD_SIZE)
		forge(file, size);
	if (rf_model_load_memory(
		file, size, "input", size % 2 == 0, &forest, &err) != RF_OK)
		return 0;
	for (int64_t i = 0; i < forest.n_trees; i++)
		touch(&forest.trees[i]);
	rf_forest_release(&forest);
	return 0;
}
