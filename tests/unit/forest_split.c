/*
 * A tree too large for one batch, and as deep as a tree can be: it goes out in
 * parts below 64 MiB and comes back whole.
 */
#include <unistd.h>

#include "forest/forest_read.h"
#include "forest/forest_write.h"
#include "forest_make.h"
#include "unit.h"

#define N_INNER 700000
#define N_NODES (2 * N_INNER + 1)

/* A chain: each left child is a leaf, each right one goes on. */
static void
make_chain(struct rf_forest_tree *tree)
{
	tree->n_nodes = N_NODES;
	tree->feature = rf_alloc_zero(N_NODES, 4);
	tree->threshold = rf_alloc_zero(N_NODES, 8);
	tree->threshold_int = rf_alloc_zero(N_NODES, 8);
	tree->left = rf_alloc_zero(N_NODES, 4);
	tree->missing_left = rf_alloc_zero(N_NODES, 1);
	tree->gain = rf_alloc_zero(N_NODES, 4);
	tree->cover = rf_alloc_zero(N_NODES, 8);
	tree->cats_first = rf_alloc_zero(N_NODES + 1, 8);
	tree->leaf_first = rf_alloc_zero(N_NODES + 1, 8);
	tree->leaf_class = rf_alloc_zero(N_INNER + 1, 4);
	tree->leaf_value = rf_alloc_zero(N_INNER + 1, 8);
	for (int32_t i = 0; i < N_NODES; i++) {
		bool is_inner = i % 2 == 0 && i < N_NODES - 1;

		tree->feature[i] = is_inner ? 0 : -1;
		tree->left[i] = is_inner ? i + 1 : 0;
		tree->threshold[i] = is_inner ? i : 0;
		tree->cover[i] = N_NODES - i;
		tree->leaf_first[i + 1] = tree->leaf_first[i] + !is_inner;
		if (!is_inner)
			tree->leaf_value[tree->leaf_first[i]] =
			    i % 1000 * 0.001;
	}
}

static enum rf_status
write_forest(int fd, const struct rf_forest *forest, struct rf_error *err)
{
	struct rf_forest_writer *writer = NULL;
	enum rf_status status = rf_forest_writer_open(
	    &writer, fd, "test", &forest->header, true, err);

	if (status == RF_OK)
		status = rf_forest_writer_put(writer, &forest->trees[0], err);
	if (status == RF_OK)
		status = rf_forest_writer_finish(writer, err);
	rf_forest_writer_free(writer);
	return status;
}

static int64_t
count_batches(int fd)
{
	struct rf_reader_options options = {.kind = "forest"};
	struct rf_reader *reader = NULL;
	struct rf_error err;
	struct rf_batch batch;
	int64_t n = 0;

	(void)lseek(fd, 0, SEEK_SET);
	if (rf_reader_open(&reader, fd, "test", &options, &err) != RF_OK)
		return -1;
	while (rf_reader_next(reader, &batch, &err) == RF_OK &&
	    batch.columns != NULL)
		n += batch.n_rows > 0;
	rf_reader_close(reader);
	return n;
}

static enum rf_status
read_forest(int fd, struct rf_forest *forest, struct rf_error *err)
{
	struct rf_reader_options options = {.kind = "forest"};
	struct rf_reader *reader = NULL;
	enum rf_status status;

	(void)lseek(fd, 0, SEEK_SET);
	RF_TRY(rf_reader_open(&reader, fd, "test", &options, err));
	status = rf_forest_read(reader, forest, err);
	rf_reader_close(reader);
	return status;
}

int
main(void)
{
	struct rf_forest forest = {0}, back = {0};
	struct rf_error err = {0};
	FILE *file = tmpfile();

	if (file == NULL)
		return 1;
	make_header(&forest.header, RF_TASK_REGRESSION);
	forest.header.n_trees = forest.n_trees = 1;
	forest.trees = rf_alloc_zero(1, sizeof(*forest.trees));
	make_chain(forest.trees);
	check_int(write_forest(fileno(file), &forest, &err), 0, "writes");
	check_int(count_batches(fileno(file)), 2, "two batches");
	check_int(read_forest(fileno(file), &back, &err), 0, "reads");
	check_text(err.message, "", "without a message");
	check(back.n_trees == 1 && back.trees[0].n_nodes == N_NODES &&
		memcmp(back.trees[0].left, forest.trees[0].left,
		    4 * (size_t)N_NODES) == 0 &&
		memcmp(back.trees[0].threshold, forest.trees[0].threshold,
		    8 * (size_t)N_NODES) == 0 &&
		memcmp(back.trees[0].leaf_first, forest.trees[0].leaf_first,
		    8 * (size_t)N_NODES + 8) == 0 &&
		memcmp(back.trees[0].leaf_value, forest.trees[0].leaf_value,
		    8 * (size_t)N_INNER + 8) == 0,
	    "and gives the tree back");
	rf_forest_release(&forest);
	rf_forest_release(&back);
	fclose(file);
	return unit_end();
}
