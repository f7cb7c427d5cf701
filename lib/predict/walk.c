#include "predict/walk.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "predict/ranks.h"
#include "predict/walk_kernel.h"
#include "predict/walk_layout.h"

/* Rows of a block: their codes should stay in the nearest caches, yet many
 * rows share each load of a tree. */
#define BLOCK_ROWS_MOST	 512
#define BLOCK_ROWS_LEAST 16
#define BLOCK_BYTES	 (48 * 1024)

struct scratch {
	void *codes;
	struct rf_walk_lane *lanes;
	uint32_t *ends;
};

struct rf_walk_cpu {
	const struct rf_walk_feature *features;
	enum rf_vote vote;
	int32_t n_outputs;
	const int64_t *leaf_first;
	const int32_t *leaf_output;
	const int64_t *leaf_amount;
	struct rf_walk_layout layout;
	struct rf_walk_kernel kernel;
	int n_threads;
	int block_rows;
	size_t stride; /* codes from row to row */
	struct scratch *scratch;
};

struct block {
	const struct rf_walk_batch *batch;
	int64_t first;
	int n_rows;
};

static void
store_codes(const struct rf_walk_cpu *walker, void *codes, size_t at, int n,
    const uint32_t *ranks)
{
	size_t stride = walker->stride;

	for (size_t i = 0; i < (size_t)n; i++)
		if (walker->layout.code_bytes == 1)
			((uint8_t *)codes)[at + i * stride] = (uint8_t)ranks[i];
		else if (walker->layout.code_bytes == 2)
			((uint16_t *)codes)[at + i * stride] =
			    (uint16_t)ranks[i];
		else
			((uint32_t *)codes)[at + i * stride] = ranks[i];
}

static void
category_codes(const int32_t *values, int n, uint32_t n_levels, uint32_t *codes)
{
	for (int i = 0; i < n; i++)
		codes[i] = (uint32_t)values[i] < n_levels ? (uint32_t)values[i]
							  : n_levels;
}

/* Codes of up to RF_RANK_BLOCK rows, from row `first` of the block on, for
 * column c and, where it is of the same feature, the one after it. */
static int32_t
code_columns(const struct rf_walk_cpu *walker, const struct block *block,
    int first, int n, int32_t c, void *codes)
{
	const struct rf_layout_column *column = &walker->layout.columns[c];
	const struct rf_walk_feature *feature =
	    &walker->features[column->feature];
	const struct rf_walk_column *input =
	    &block->batch->columns[column->feature];
	const struct rf_rank_source source = {
	    .precision = (int)feature->precision,
	    .values = input->values,
	    .is_missing = input->is_missing,
	    .thresholds = feature->thresholds,
	    .n_thresholds = feature->n_thresholds,
	};
	int64_t row = block->first + first;
	size_t at = (size_t)first * walker->stride + (size_t)c;
	uint32_t ranks[RF_RANK_BLOCK];

	if (feature->is_categorical)
		category_codes((const int32_t *)input->values + row, n,
		    column->missing_code, ranks);
	else
		rf_rank_block(&source, row, n, column->missing_code, ranks);
	store_codes(walker, codes, at, n, ranks);
	if (c + 1 >= walker->layout.n_columns ||
	    column[1].feature != column->feature)
		return c + 1;
	for (int i = 0; i < n; i++)
		if (ranks[i] == column->missing_code)
			ranks[i] = column[1].missing_code;
	store_codes(walker, codes, at + 1, n, ranks);
	return c + 2;
}

static void
code_block(
    const struct rf_walk_cpu *walker, const struct block *block, void *codes)
{
	for (int first = 0; first < block->n_rows; first += RF_RANK_BLOCK) {
		int n = block->n_rows - first;

		if (n > RF_RANK_BLOCK)
			n = RF_RANK_BLOCK;
		for (int32_t c = 0; c < walker->layout.n_columns;)
			c = walker->layout.columns[c].feature < 0
			    ? c + 1
			    : code_columns(walker, block, first, n, c, codes);
	}
}

static void
add_votes(const struct rf_walk_cpu *walker, const uint32_t *refs,
    const uint32_t *ends, int n_rows, int64_t *tallies)
{
	int64_t pure_amount = walker->layout.pure_amount;

	for (int row = 0; row < n_rows; row++) {
		uint32_t ref = refs[ends[row]];
		int64_t *tally =
		    tallies + (size_t)row * (size_t)walker->n_outputs;

		if (ref & RF_REF_PURE) {
			tally[ref & ~RF_REF_PURE] += pure_amount;
			continue;
		}
		for (int64_t i = walker->leaf_first[ref];
		     i < walker->leaf_first[ref + 1]; i++)
			tally[walker->leaf_output[i]] += walker->leaf_amount[i];
	}
}

static void
add_tree(const struct rf_walk_cpu *walker, const struct block *block,
    int64_t tree, const uint32_t *ends)
{
	const struct rf_walk_batch *batch = block->batch;
	const uint32_t *refs =
	    walker->layout.refs + walker->layout.tree_first[tree];
	int64_t first = block->first * walker->n_outputs;

	if (walker->vote == RF_VOTE_LEAF)
		for (int row = 0; row < block->n_rows; row++)
			batch->leaves[first + row * (int64_t)walker->n_outputs +
			    tree] = (int32_t)refs[ends[row]];
	else if (walker->vote == RF_VOTE_VALUE)
		for (int row = 0; row < block->n_rows; row++)
			batch->tallies[first + row] +=
			    walker->leaf_amount[refs[ends[row]]];
	else
		add_votes(
		    walker, refs, ends, block->n_rows, batch->tallies + first);
}

static void
walk_block(const struct rf_walk_cpu *walker, const struct block *block,
    const struct scratch *scratch)
{
	const struct rf_walk_layout *layout = &walker->layout;
	struct rf_walk_tree tree = {
	    .codes = scratch->codes,
	    .stride = walker->stride,
	    .column_shift = layout->column_shift,
	    .offset_shift = layout->offset_shift,
	    .n_categorical = (uint32_t)layout->n_categorical,
	};

	code_block(walker, block, scratch->codes);
	if (walker->vote != RF_VOTE_LEAF)
		memset(block->batch->tallies + block->first * walker->n_outputs,
		    0,
		    (size_t)block->n_rows * (size_t)walker->n_outputs *
			sizeof(*block->batch->tallies));
	for (int64_t t = 0; t < layout->n_trees; t++) {
		tree.nodes = (const char *)layout->nodes +
		    (size_t)layout->tree_first[t] * (size_t)layout->node_bytes;
		tree.sets = layout->sets + layout->set_first[t];
		walker->kernel.walk(
		    &tree, block->n_rows, scratch->lanes, scratch->ends);
		add_tree(walker, block, t, scratch->ends);
	}
}

enum rf_status
rf_walk_cpu_run(struct rf_walk_cpu *walker, const struct rf_walk_batch *batch,
    struct rf_error *err)
{
	int64_t block_rows = walker->block_rows, n_blocks;

	(void)err;
	/* A small batch is cut so that all threads get some of it. */
	while (block_rows > BLOCK_ROWS_LEAST &&
	    block_rows * (walker->n_threads - 1) >= batch->n_rows)
		block_rows /= 2;
	n_blocks = (batch->n_rows + block_rows - 1) / block_rows;
#pragma omp parallel for schedule(dynamic)                                     \
    num_threads(walker->n_threads) if (n_blocks > 1)
	for (int64_t b = 0; b < n_blocks; b++) {
		int64_t first = b * block_rows, rest = batch->n_rows - first;
		struct block block = {
		    batch, first, (int)(rest < block_rows ? rest : block_rows)};

		walk_block(
		    walker, &block, &walker->scratch[omp_get_thread_num()]);
	}
	return RF_OK;
}

static void
choose_block(struct rf_walk_cpu *walker)
{
	size_t row_bytes;

	walker->stride = ((size_t)walker->layout.n_columns + 3) & ~(size_t)3;
	row_bytes = walker->stride * (size_t)walker->layout.code_bytes;
	walker->block_rows = BLOCK_ROWS_MOST;
	while (walker->block_rows > BLOCK_ROWS_LEAST &&
	    (size_t)walker->block_rows * row_bytes > BLOCK_BYTES)
		walker->block_rows /= 2;
}

static enum rf_status
make_scratch(struct rf_walk_cpu *walker, struct rf_error *err)
{
	size_t n_rows = (size_t)walker->block_rows;
	size_t size =
	    n_rows * walker->stride * (size_t)walker->layout.code_bytes;

	walker->scratch =
	    rf_alloc_zero((size_t)walker->n_threads, sizeof(*walker->scratch));
	if (walker->scratch == NULL)
		return rf_error_memory(err, 0, "threads");
	for (int i = 0; i < walker->n_threads; i++) {
		struct scratch *scratch = &walker->scratch[i];

		scratch->codes = rf_alloc_aligned(size);
		scratch->lanes = rf_alloc(n_rows, sizeof(*scratch->lanes));
		scratch->ends = rf_alloc(n_rows, sizeof(*scratch->ends));
		if (scratch->codes == NULL || scratch->lanes == NULL ||
		    scratch->ends == NULL)
			return rf_error_memory(err, size, "codes of rows");
	}
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
	status =
	    rf_walk_layout_init(&walker->layout, model, walker->n_threads, err);
	if (status == RF_OK) {
		walker->kernel = rf_walk_kernel_for(&walker->layout);
		choose_block(walker);
		status = make_scratch(walker, err);
	}
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
	for (int i = 0; walker->scratch != NULL && i < walker->n_threads; i++) {
		rf_free_aligned(walker->scratch[i].codes);
		free(walker->scratch[i].lanes);
		free(walker->scratch[i].ends);
	}
	free(walker->scratch);
	rf_walk_layout_release(&walker->layout);
	free(walker);
}
