/* Forest streams: written and read back, and what is wrong refused. */
#include <math.h>
#include <unistd.h>

#include "forest/forest_header.h"
#include "forest/forest_read.h"
#include "forest/forest_write.h"
#include "forest_make.h"
#include "unit.h"

static char stream[16 << 20];
static size_t stream_size;

static enum rf_status
write_fd(int fd, const struct rf_forest *forest, bool with_stats,
    struct rf_error *err)
{
	struct rf_forest_writer *writer = NULL;
	enum rf_status status = rf_forest_writer_open(
	    &writer, fd, "test", &forest->header, with_stats, err);

	for (int64_t i = 0; i < forest->n_trees && status == RF_OK; i++)
		status = rf_forest_writer_put(writer, &forest->trees[i], err);
	if (status == RF_OK)
		status = rf_forest_writer_finish(writer, err);
	rf_forest_writer_free(writer);
	return status;
}

/* The forest as a stream in memory. */
static enum rf_status
write_stream(
    const struct rf_forest *forest, bool with_stats, struct rf_error *err)
{
	FILE *file = tmpfile();
	enum rf_status status;

	if (file == NULL)
		abort();
	status = write_fd(fileno(file), forest, with_stats, err);
	rewind(file);
	stream_size = fread(stream, 1, sizeof(stream), file);
	fclose(file);
	return status;
}

static enum rf_status
read_stream(size_t size, struct rf_forest *forest, struct rf_error *err)
{
	struct rf_reader_options options = {.kind = "forest"};
	struct rf_reader *reader = NULL;
	enum rf_status status;

	memset(forest, 0, sizeof(*forest));
	RF_TRY(rf_reader_open_memory(
	    &reader, stream, size, "test", &options, err));
	status = rf_forest_read(reader, forest, err);
	rf_reader_close(reader);
	return status;
}

static bool
same_node(const struct rf_forest *forest, const struct rf_forest_tree *a,
    const struct rf_forest_tree *b, int32_t i)
{
	int32_t feature = a->feature[i];
	int64_t n = a->leaf_first[i + 1] - a->leaf_first[i];

	if (b->feature[i] != feature ||
	    b->leaf_first[i + 1] != a->leaf_first[i + 1] ||
	    b->cats_first[i + 1] != a->cats_first[i + 1] ||
	    (b->cover != NULL && b->cover[i] != a->cover[i]))
		return false;
	if (feature < 0)
		return b->left[i] == 0 && b->threshold[i] == 0 &&
		    memcmp(a->leaf_class + a->leaf_first[i],
			b->leaf_class + b->leaf_first[i], 4 * (size_t)n) == 0 &&
		    memcmp(a->leaf_value + a->leaf_first[i],
			b->leaf_value + b->leaf_first[i], 8 * (size_t)n) == 0;
	if (b->left[i] != a->left[i] ||
	    b->missing_left[i] != a->missing_left[i] ||
	    (b->gain != NULL && b->gain[i] != a->gain[i]))
		return false;
	if (forest->header.features[feature].precision == RF_PRECISION_INT64)
		return b->threshold_int[i] == a->threshold_int[i];
	if (forest->header.features[feature].kind == RF_FEATURE_CATEGORICAL)
		return memcmp(a->cats + a->cats_first[i],
			   b->cats + b->cats_first[i],
			   (size_t)(a->cats_first[i + 1] - a->cats_first[i])) ==
		    0;
	return b->threshold[i] == a->threshold[i];
}

static bool
same_trees(const struct rf_forest *a, const struct rf_forest *b)
{
	if (a->n_trees != b->n_trees)
		return false;
	for (int64_t t = 0; t < a->n_trees; t++) {
		if (a->trees[t].tree != b->trees[t].tree ||
		    a->trees[t].n_nodes != b->trees[t].n_nodes)
			return false;
		for (int32_t i = 0; i < a->trees[t].n_nodes; i++)
			if (!same_node(a, &a->trees[t], &b->trees[t], i))
				return false;
	}
	return true;
}

static void
test_round_trip(enum rf_task task, bool with_stats)
{
	struct rf_forest forest, back;
	struct rf_error err = {0};
	char *before;
	size_t size;

	make_forest(&forest, task, 1, 5, 20, 9);
	check_int(write_stream(&forest, with_stats, &err), 0, "writes");
	check_int(read_stream(stream_size, &back, &err), 0, "reads");
	check_text(err.message, "", "without a message");
	check(same_trees(&forest, &back), "and gives the trees back");
	check((back.trees[0].gain != NULL) == with_stats, "with statistics");
	check_text(back.header.features[2].levels[2], "c\n", "levels");
	check_text(back.header.features[1].origin, "timestamp[us]", "origin");
	check(back.header.features[3].is_ordinal, "ordinal");
	check_int(
	    back.header.unit_exponent, forest.header.unit_exponent, "unit");
	check_int(back.header.first_tree, 5, "first tree");
	check_text(rf_metadata_get(&back.header.metadata, "rf.seed", NULL), "7",
	    "parameters");
	before = malloc(stream_size);
	memcpy(before, stream, stream_size);
	size = stream_size;
	check_int(write_stream(&back, with_stats, &err), 0, "writes again");
	check(size == stream_size && memcmp(before, stream, size) == 0,
	    "the same bytes");
	free(before);
	rf_forest_release(&forest);
	rf_forest_release(&back);
}

static void
test_cuts(void)
{
	struct rf_forest forest, back;
	struct rf_error err = {0};
	size_t n_good = 0, n_data = 0;

	make_forest(&forest, RF_TASK_CLASSIFICATION, 1, 0, 2, 3);
	check_int(write_stream(&forest, true, &err), 0, "writes a small one");
	for (size_t size = 0; size < stream_size; size++) {
		enum rf_status status = read_stream(size, &back, &err);

		n_good += status == RF_OK;
		n_data += status == RF_EDATA && err.message[0] != '\0';
		if (status == RF_OK)
			rf_forest_release(&back);
	}
	check_int(n_good, 0, "no cut of it is taken for whole");
	check_int(n_data, stream_size, "each is an error of the data");
	rf_forest_release(&forest);
}

/* A stream of ours has no checksums a byte; what is read must be a forest. */
static void
test_flips(void)
{
	struct rf_forest forest, back;
	struct rf_error err = {0};
	size_t n_other = 0;

	make_forest(&forest, RF_TASK_CLASSIFICATION, 2, 0, 2, 3);
	check_int(write_stream(&forest, true, &err), 0, "writes a small one");
	for (size_t bit = 0; bit < stream_size * 8; bit += 3) {
		enum rf_status status;

		stream[bit / 8] ^= (char)(1 << bit % 8);
		status = read_stream(stream_size, &back, &err);
		stream[bit / 8] ^= (char)(1 << bit % 8);
		if (status == RF_OK) {
			n_other += !same_trees(&forest, &back);
			rf_forest_release(&back);
		}
	}
	check_int(n_other, 0, "no flipped bit gives other trees");
	rf_forest_release(&forest);
}

/* What a changed tree of the forest is refused with. */
static void
refuses(void (*change)(struct rf_forest *), const char *part, const char *name)
{
	struct rf_forest forest, back;
	struct rf_error err = {0};
	enum rf_status status;

	make_forest(&forest, RF_TASK_CLASSIFICATION, 3, 0, 2, 4);
	change(&forest);
	status = write_stream(&forest, true, &err);
	if (status == RF_OK)
		status = read_stream(stream_size, &back, &err);
	check_int(status, RF_EDATA, name);
	if (!check(strstr(err.message, part) != NULL, part))
		printf("# %s\n", err.message);
	rf_forest_release(&forest);
}

static void
child_out_of_range(struct rf_forest *forest)
{
	forest->trees[1].left[0] = INT32_MAX;
}

static void
child_before_parent(struct rf_forest *forest)
{
	forest->trees[1].left[1] = 1;
}

static void
child_shared(struct rf_forest *forest)
{
	forest->trees[1].left[1] = forest->trees[1].left[2];
}

static void
leaf_not_finite(struct rf_forest *forest)
{
	forest->trees[0].leaf_value[0] = (double)INFINITY;
}

static void
leaf_negative(struct rf_forest *forest)
{
	forest->trees[0].leaf_value[0] = -1;
}

static void
class_unknown(struct rf_forest *forest)
{
	forest->trees[0]
	    .leaf_class[forest->trees[0].leaf_first[forest->trees[0].n_nodes] -
		1] = 3;
}

int
main(void)
{
	test_round_trip(RF_TASK_CLASSIFICATION, true);
	test_round_trip(RF_TASK_REGRESSION, true);
	test_round_trip(RF_TASK_CLASSIFICATION, false);
	test_cuts();
	test_flips();
	refuses(child_out_of_range, "child 2147483647",
	    "a child out of range is refused");
	refuses(child_before_parent, "node 1: child 1",
	    "a child before its parent is refused");
	refuses(child_shared, "tree 1", "a node of two parents is refused");
	refuses(leaf_not_finite, "finite", "an infinite weight is refused");
	refuses(leaf_negative, "at least 0", "a negative weight is refused");
	refuses(class_unknown, "class 3", "an unknown class is refused");
	return unit_end();
}
