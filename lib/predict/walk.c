#include "predict/walk.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "predict/ranks.h"
#include "predict/walk_parts.h"

/*
 * Rows of a block.  What a tree costs to come from a far cache is shared by
 * all rows of a block, so it is large: 2048 rows took 0.6 of the time of 512
 * (100 trees of 6000 nodes, 54 columns), 4096 rows 0.9 of that of 2048 (0.7 at
 * 20 000 nodes and 9 columns).  Codes of a block should stay in the second
 * cache.
 */
#define BLOCK_ROWS_MOST	 4096
#define BLOCK_ROWS_LEAST 32
#define BLOCK_BYTES	 (384 * 1024)
/* Leaves read that far past the codes of a row: walk_layout.h. */
#define PADDING 256
/* Below this many rows x trees one thread does it all. */
#define PARALLEL_WALKS 20000
/* More tallies a thread are not worth their sums at the end. */
#define TALLIES_MOST (1 << 19)

/* A batch under way. */
struct run {
	struct rf_walk_cpu *walker;
	const struct rf_walk_batch *batch;
	int64_t most;		    /* rows of a block */
	struct rf_walk_block block; /* by trees: the one in hand */
};

static struct rf_walk_block
block_at(const struct rf_walk_batch *batch, int64_t first, int64_t most)
{
	int64_t rest = batch->n_rows - first;

	return (struct rf_walk_block){
	    batch, first, (int)(rest < most ? rest : most)};
}

static int64_t *
tallies_of(const struct rf_walk_cpu *walker, const struct rf_walk_block *block)
{
	return walker->vote == RF_VOTE_LEAF
	    ? NULL
	    : block->batch->tallies + block->first * walker->n_outputs;
}

/* All columns and trees of a block of rows. */
static void
walk_rows(void *context, int64_t item, int thread)
{
	const struct run *run = context;
	const struct rf_walk_cpu *walker = run->walker;
	const struct rf_walk_codes *codes = &walker->codes[thread];
	struct rf_walk_block block =
	    block_at(run->batch, item * run->most, run->most);
	struct rf_walk_scratch *scratch = &walker->scratch[thread];
	int64_t *tallies = tallies_of(walker, &block);

	rf_walk_clear(walker, block.n_rows, tallies);
	for (int first = 0; first < block.n_rows; first += RF_RANK_BLOCK)
		rf_walk_code_rows(walker, &block, codes, first);
	for (int64_t t = 0; t < walker->layout.n_trees; t++)
		rf_walk_tree(walker, &block, codes, t, scratch, tallies);
	rf_walk_flush(walker, scratch, block.n_rows, tallies);
}

static void
run_by_rows(struct run *run)
{
	const struct rf_walk_cpu *walker = run->walker;
	int64_t n_rows = run->batch->n_rows;

	/* A small batch is cut so that all threads get some of it. */
	while (run->most > BLOCK_ROWS_LEAST &&
	    run->most * (walker->n_threads - 1) >= n_rows &&
	    n_rows * walker->layout.n_trees >= PARALLEL_WALKS)
		run->most /= 2;
	rf_pool_run(
	    walker->pool, (n_rows + run->most - 1) / run->most, walk_rows, run);
}

static void
code_rows(void *context, int64_t item, int thread)
{
	const struct run *run = context;

	(void)thread;
	rf_walk_code_rows(run->walker, &run->block, &run->walker->codes[0],
	    (int)item * RF_RANK_BLOCK);
}

static void
walk_tree(void *context, int64_t item, int thread)
{
	const struct run *run = context;
	const struct rf_walk_cpu *walker = run->walker;
	struct rf_walk_scratch *scratch = &walker->scratch[thread];

	if (!scratch->is_used)
		rf_walk_clear(walker, run->block.n_rows, scratch->tallies);
	scratch->is_used = true;
	rf_walk_tree(walker, &run->block, &walker->codes[0], item, scratch,
	    scratch->tallies);
}

/* The sums of all threads' trees. */
static void
add_threads(const struct run *run)
{
	const struct rf_walk_cpu *walker = run->walker;
	int64_t *sums = tallies_of(walker, &run->block);
	size_t n = (size_t)run->block.n_rows * (size_t)walker->n_outputs;

	rf_walk_clear(walker, run->block.n_rows, sums);
	for (int i = 0; i < walker->n_threads; i++) {
		struct rf_walk_scratch *scratch = &walker->scratch[i];

		if (scratch->is_used && sums != NULL) {
			rf_walk_flush(walker, scratch, run->block.n_rows,
			    scratch->tallies);
			for (size_t k = 0; k < n; k++)
				sums[k] += scratch->tallies[k];
		}
		scratch->is_used = false;
	}
}

/* All threads take rows, then trees, of one block after the other: so a
 * tree comes from afar once a block, not once a thread. */
static void
run_by_trees(struct run *run)
{
	const struct rf_walk_cpu *walker = run->walker;

	for (int64_t first = 0; first < run->batch->n_rows;
	     first += run->most) {
		run->block = block_at(run->batch, first, run->most);
		rf_pool_run(walker->pool,
		    (run->block.n_rows + RF_RANK_BLOCK - 1) / RF_RANK_BLOCK,
		    code_rows, run);
		rf_pool_run(
		    walker->pool, walker->layout.n_trees, walk_tree, run);
		add_threads(run);
	}
}

static void
choose_block(struct rf_walk_cpu *walker)
{
	size_t row_bytes;

	/* Rows of up to 64 columns should not lie across cache lines. */
	walker->stride = ((size_t)walker->layout.n_columns + 15) & ~(size_t)15;
	row_bytes = walker->stride * (size_t)walker->layout.code_bytes;
	walker->block_rows = BLOCK_ROWS_MOST;
	while (walker->block_rows > BLOCK_ROWS_LEAST &&
	    (size_t)walker->block_rows * row_bytes > BLOCK_BYTES)
		walker->block_rows /= 2;
}

static enum rf_status
make_codes(struct rf_walk_cpu *walker, struct rf_walk_codes *codes,
    struct rf_error *err)
{
	size_t n = (size_t)walker->block_rows * walker->stride;
	size_t size = n * (size_t)walker->layout.code_bytes + PADDING;

	codes->rows = rf_alloc_aligned(size);
	codes->columns = rf_alloc_aligned(walker->tops == NULL ? 1 : n);
	return codes->rows == NULL || codes->columns == NULL
	    ? rf_error_memory(err, size, "codes of rows")
	    : RF_OK;
}

static enum rf_status
make_thread(struct rf_walk_cpu *walker, struct rf_walk_scratch *scratch,
    struct rf_error *err)
{
	size_t n_rows = (size_t)walker->block_rows;
	size_t n_sums = walker->vote == RF_VOTE_LEAF
	    ? 0
	    : n_rows * (size_t)walker->n_outputs;

	scratch->lanes = rf_alloc(n_rows, sizeof(*scratch->lanes));
	scratch->ends = rf_alloc(n_rows, sizeof(*scratch->ends));
	scratch->starts = rf_alloc_zero(n_rows, sizeof(*scratch->starts));
	scratch->counts =
	    rf_alloc_zero(walker->layout.has_outputs ? n_sums : 0, 2);
	scratch->tallies = rf_alloc(walker->by_trees ? n_sums : 0, 8);
	return scratch->lanes == NULL || scratch->ends == NULL ||
		scratch->starts == NULL || scratch->counts == NULL ||
		scratch->tallies == NULL
	    ? rf_error_memory(err, 8 * (n_rows + n_sums), "tallies")
	    : RF_OK;
}

static enum rf_status
make_scratch(struct rf_walk_cpu *walker, struct rf_error *err)
{
	size_t n = (size_t)walker->n_threads;

	walker->by_trees = n > 1 && walker->layout.n_trees >= 4 * (int64_t)n &&
	    walker->n_outputs <= TALLIES_MOST / walker->block_rows;
	walker->scratch = rf_alloc_zero(n, sizeof(*walker->scratch));
	walker->codes = rf_alloc_zero(n, sizeof(*walker->codes));
	if (walker->scratch == NULL || walker->codes == NULL)
		return rf_error_memory(
		    err, n * sizeof(struct rf_walk_scratch), "threads");
	for (size_t i = 0; i < n; i++) {
		RF_TRY(make_codes(walker, &walker->codes[i], err));
		RF_TRY(make_thread(walker, &walker->scratch[i], err));
	}
	return RF_OK;
}

static enum rf_status
make_tops(struct rf_walk_cpu *walker, struct rf_error *err)
{
	const struct rf_walk_layout *layout = &walker->layout;
	size_t n = (size_t)layout->n_trees;

	if (!rf_walk_top_is_there(layout, layout->largest_code))
		return RF_OK;
	walker->tops = rf_alloc(n, sizeof(*walker->tops));
	if (walker->tops == NULL)
		return rf_error_memory(
		    err, n * sizeof(*walker->tops), "tops of trees");
	for (int64_t t = 0; t < layout->n_trees; t++)
		rf_walk_top_fill(
		    &walker->tops[t], layout, t, (size_t)walker->block_rows);
	return RF_OK;
}

static enum rf_status
lay_out(struct rf_walk_cpu *walker, const struct rf_walk_model *model,
    struct rf_error *err)
{
	RF_TRY(rf_walk_layout_init(
	    &walker->layout, model, walker->pool, walker->n_threads, err));
	walker->kernel = rf_walk_kernel_for(&walker->layout);
	choose_block(walker);
	RF_TRY(make_tops(walker, err));
	return make_scratch(walker, err);
}

enum rf_status
rf_walk_cpu_run(struct rf_walk_cpu *walker, const struct rf_walk_batch *batch,
    struct rf_error *err)
{
	struct run run = {
	    .walker = walker, .batch = batch, .most = walker->block_rows};

	(void)err;
	if (batch->n_rows * walker->layout.n_trees < PARALLEL_WALKS ||
	    !walker->by_trees)
		run_by_rows(&run);
	else
		run_by_trees(&run);
	return RF_OK;
}

enum rf_status
rf_walk_cpu_load(const struct rf_walk_model *model, int n_threads,
    struct rf_walk_cpu **out, struct rf_error *err)
{
	struct rf_walk_cpu *walker = rf_alloc_zero(1, sizeof(*walker));
	enum rf_status status;

	if (walker == NULL)
		return rf_error_memory(err, sizeof(*walker), "the walker");
	walker->features = model->features;
	walker->vote = model->vote;
	walker->n_outputs = model->n_outputs;
	walker->leaf_first = model->leaf_first;
	walker->leaf_output = model->leaf_output;
	walker->leaf_amount = model->leaf_amount;
	walker->n_threads = n_threads > 0 ? n_threads : omp_get_num_procs();
	status = rf_pool_open(&walker->pool, walker->n_threads, err);
	if (status == RF_OK)
		status = lay_out(walker, model, err);
	if (status != RF_OK) {
		rf_walk_cpu_free(walker);
		return status;
	}
	*out = walker;
	return RF_OK;
}

void
rf_walk_cpu_free(struct rf_walk_cpu *walker)
{
	if (walker == NULL)
		return;
	rf_pool_close(walker->pool);
	for (int i = 0; i < walker->n_threads; i++) {
		if (walker->codes != NULL) {
			rf_free_aligned(walker->codes[i].rows);
			rf_free_aligned(walker->codes[i].columns);
		}
		if (walker->scratch != NULL) {
			free(walker->scratch[i].lanes);
			free(walker->scratch[i].starts);
			free(walker->scratch[i].ends);
			free(walker->scratch[i].tallies);
			free(walker->scratch[i].counts);
		}
	}
	free(walker->codes);
	free(walker->scratch);
	free(walker->tops);
	rf_walk_layout_release(&walker->layout);
	free(walker);
}
