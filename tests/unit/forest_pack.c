/* Packed forests: written, loaded, and refused wherever a bit is not right. */
#include <unistd.h>
#include <xxhash.h>

#include "forest/forest_read.h"
#include "forest/forest_write.h"
#include "forest/pack.h"
#include "forest/pack_format.h"
#include "forest_make.h"
#include "unit.h"

static char file[4 << 20];
static size_t file_size;

/* What `write` writes, into file. */
static enum rf_status
capture(enum rf_status (*write_it)(
	    int, const struct rf_forest *, struct rf_error *),
    const struct rf_forest *forest, struct rf_error *err)
{
	FILE *stream = tmpfile();
	enum rf_status status;

	if (stream == NULL)
		abort();
	status = write_it(fileno(stream), forest, err);
	rewind(stream);
	file_size = fread(file, 1, sizeof(file), stream);
	fclose(stream);
	return status;
}

static enum rf_status
write_pack(int fd, const struct rf_forest *forest, struct rf_error *err)
{
	return rf_pack_write(fd, "test", forest, err);
}

static enum rf_status
write_stream(int fd, const struct rf_forest *forest, struct rf_error *err)
{
	struct rf_forest_writer *writer = NULL;
	enum rf_status status = rf_forest_writer_open(&writer, fd, "test",
	    &forest->header, forest->trees[0].gain != NULL, err);

	for (int64_t i = 0; i < forest->n_trees && status == RF_OK; i++)
		status = rf_forest_writer_put(writer, &forest->trees[i], err);
	if (status == RF_OK)
		status = rf_forest_writer_finish(writer, err);
	rf_forest_writer_free(writer);
	return status;
}

static enum rf_status
load(size_t size, bool want_stats, struct rf_forest *out, struct rf_error *err)
{
	void *memory = rf_alloc_aligned(size + 1);

	memcpy(memory, file, size);
	return rf_model_load_memory(memory, size, "test", want_stats, out, err);
}

/* A forest as read from its stream, which stays in `file`. */
static void
make_read(struct rf_forest *out, enum rf_task task, int64_t n, int depth)
{
	struct rf_reader_options options = {.kind = "forest"};
	struct rf_reader *reader = NULL;
	struct rf_forest made;
	struct rf_error err = {0};

	make_forest(&made, task, 11, 3, n, depth);
	if (capture(write_stream, &made, &err) != RF_OK ||
	    rf_reader_open_memory(
		&reader, file, file_size, "test", &options, &err) != RF_OK ||
	    rf_forest_read(reader, out, &err) != RF_OK)
		printf("# %s\n", err.message);
	rf_reader_close(reader);
	rf_forest_release(&made);
}

static void
test_round_trip(enum rf_task task)
{
	static char stream[sizeof(file)];
	struct rf_forest forest, loaded;
	struct rf_error err = {0};
	size_t stream_size;

	make_read(&forest, task, 20, 8);
	stream_size = file_size;
	memcpy(stream, file, file_size);
	check_int(capture(write_pack, &forest, &err), 0, "packs");
	check_int(file_size % 64, 0, "to a multiple of 64 bytes");
	check_int(load(file_size, true, &loaded, &err), 0, "loads");
	check_text(err.message, "", "without a message");
	check_text(loaded.fingerprint, forest.fingerprint, "fingerprint");
	check_int(capture(write_stream, &loaded, &err), 0, "unpacks");
	check(file_size == stream_size && memcmp(file, stream, file_size) == 0,
	    "to the bytes of the stream");
	rf_forest_release(&loaded);
	check_int(capture(write_pack, &forest, &err), 0, "packs again");
	check_int(load(file_size, false, &loaded, &err), 0,
	    "loads without statistics");
	check(loaded.trees[0].gain == NULL, "which are then absent");
	rf_forest_release(&loaded);
	rf_forest_release(&forest);
}

/* Whether load refuses `file` of this size, and says something. */
static bool
is_refused(size_t size, bool want_stats)
{
	struct rf_forest loaded;
	struct rf_error err = {0};
	enum rf_status status = load(size, want_stats, &loaded, &err);

	if (status == RF_OK)
		rf_forest_release(&loaded);
	return status == RF_EDATA && strncmp(err.message, "test: ", 6) == 0;
}

static void
test_damage(enum rf_task task)
{
	struct rf_forest forest;
	struct rf_error err = {0};
	size_t n_cuts = 0, n_flips = 0;

	make_read(&forest, task, 2, 2);
	check_int(capture(write_pack, &forest, &err), 0, "packs a small one");
	rf_forest_release(&forest);
	for (size_t size = 0; size < file_size; size++)
		n_cuts += is_refused(size, size % 2 == 0);
	check_int(n_cuts, file_size, "every cut is refused");
	for (size_t bit = 0; bit < file_size * 8; bit++) {
		file[bit / 8] ^= (char)(1 << bit % 8);
		n_flips += is_refused(file_size, bit % 2 == 0);
		file[bit / 8] ^= (char)(1 << bit % 8);
	}
	check_int(n_flips, file_size * 8, "every flipped bit is refused");
	file[file_size] = 0;
	check(is_refused(file_size + 1, true), "a byte more is refused");
}

/* Sets all checksums anew, so that only the content can be found wrong. */
static void
forge(void)
{
	uint32_t n_sections;
	uint64_t zero = 0, sum, place[3];
	size_t table;

	memcpy(&n_sections, file + RF_PACK_AT_N_SECTIONS, 4);
	table = RF_PACK_HEAD_SIZE + n_sections * (size_t)RF_PACK_ENTRY_SIZE;
	for (uint32_t i = 0; i < n_sections; i++) {
		char *entry = file + RF_PACK_HEAD_SIZE + i * RF_PACK_ENTRY_SIZE;

		memcpy(place, entry + 8, 24);
		sum = XXH3_64bits(file + place[0], place[2]);
		memcpy(entry + 32, &sum, 8);
	}
	memcpy(file + RF_PACK_AT_CHECKSUM, &zero, 8);
	sum = XXH3_64bits(file, table);
	memcpy(file + RF_PACK_AT_CHECKSUM, &sum, 8);
}

/* Goes through all of a forest as a walk may. */
static int64_t
touch(const struct rf_forest *forest)
{
	int64_t sum = 0;

	for (int64_t t = 0; t < forest->n_trees; t++) {
		const struct rf_forest_tree *tree = &forest->trees[t];

		for (int32_t i = 0; i < tree->n_nodes; i++) {
			if (tree->feature[i] >= 0)
				sum += tree->feature[tree->left[i] + 1];
			for (int64_t e = tree->leaf_first[i];
			     e < tree->leaf_first[i + 1]; e++)
				sum += tree->leaf_class[e];
			for (int64_t e = tree->cats_first[i];
			     e < tree->cats_first[i + 1]; e++)
				sum += tree->cats[e];
		}
	}
	return sum;
}

/*
 * A word of a section that is not deflated gets an awkward value, under
 * checksums that are right: what loads can be walked (best under a sanitizer).
 */
static void
test_forged(enum rf_task task)
{
	static const int32_t words[] = {
	    0, 1, -1, -2, 3, 255, 1 << 20, INT32_MAX, INT32_MIN};
	struct rf_forest forest, loaded;
	struct rf_error err = {0};
	uint64_t first;
	int64_t n_loaded = 0, n_refused = 0, sum = 0;

	make_read(&forest, task, 2, 3);
	check_int(capture(write_pack, &forest, &err), 0, "packs a small one");
	rf_forest_release(&forest);
	memcpy(&first, file + RF_PACK_HEAD_SIZE + RF_PACK_ENTRY_SIZE + 8, 8);
	for (size_t at = first; at < file_size; at += 4)
		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
			int32_t old;

			memcpy(&old, file + at, 4);
			memcpy(file + at, &words[w], 4);
			forge();
			if (load(file_size, false, &loaded, &err) == RF_OK) {
				n_loaded++;
				sum += touch(&loaded);
				rf_forest_release(&loaded);
			} else
				n_refused++;
			memcpy(file + at, &old, 4);
		}
	printf("# %lld loaded, %lld refused, %lld\n", (long long)n_loaded,
	    (long long)n_refused, (long long)sum);
	check(n_refused > 1000, "forged files are refused by their content");
}

static void
test_header(void)
{
	struct rf_forest forest;
	struct rf_forest_header header;
	struct rf_error err = {0};
	char path[] = "/tmp/forest_pack_XXXXXX";
	int fd = mkstemp(path);

	make_read(&forest, RF_TASK_CLASSIFICATION, 2, 3);
	check_int(rf_pack_write(fd, path, &forest, &err), 0, "packs to a file");
	rf_forest_release(&forest);
	check_int(rf_model_load_header(path, &header, &err), 0, "header loads");
	check_text(header.features[2].levels[8], "\xc3\xa9", "with its levels");
	check_text(header.classes[1], "perhaps", "and classes");
	rf_forest_header_release(&header);
	check_int(rf_model_load(path, false, &forest, &err), 0, "all loads");
	rf_forest_release(&forest);
	check(ftruncate(fd, 2048) == 0, "a cut file");
	check_int(rf_model_load_header(path, &header, &err), RF_EDATA,
	    "is refused for its header too");
	unlink(path);
	check_int(rf_model_load(path, false, &forest, &err), RF_ENOINPUT,
	    "no file is no input");
	close(fd);
}

int
main(void)
{
	test_round_trip(RF_TASK_CLASSIFICATION);
	test_round_trip(RF_TASK_REGRESSION);
	test_damage(RF_TASK_CLASSIFICATION);
	test_damage(RF_TASK_REGRESSION);
	test_forged(RF_TASK_CLASSIFICATION);
	test_forged(RF_TASK_REGRESSION);
	test_header();
	return unit_end();
}
