#include "predict/walk.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "predict/ranks.h"
#include "predict/walk_kernel.h"
#include "predict/walk_layout.h"
#include "predict/walk_top.h"

/*
 * Rows of a block.  What a tree costs to come from a far cache is shared by
 * all rows of a block, so it is large: 2048 rows took 0.6 of the time of 512
 * (100 trees of 6000 nodes, 54 columns).  Codes of a block should stay in the
 * second cache.
 */
#define BLOCK_ROWS_MOST	 2048
#define BLOCK_ROWS_LEAST 32
#define BLOCK_BYTES	 (192 * 1024)
/* Leaves read that far past the codes of a row: walk_layout.h. */
#define PADDING 256
/* Below this many rows x trees one thread does it all. */
#define PARALLEL_WALKS 20000
/* More tallies a thread are not worth their sums at the end. */
#define TALLIES_MOST (1 << 18)

/* A block's codes, row by row, and for the tops column by column. */
struct codes {
	void *rows;
	int8_t *columns;
};

/* What a thread needs for walking. */
struct scratch {
	struct rf_walk_lane *lanes;
	uint32_t *starts, *ends;
	int64_t *tallies; /* of the thread's trees alone */
	/* Leaves of one vote met since the last flush, n_outputs a row, and
	 * trees since then. */
	uint16_t *counts;
	int n_counted;
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
	struct rf_walk_top
	    *tops;     /* of the trees; NULL: rows begin at the root */
	bool by_trees; /* threads share a block's rows and take its trees */
	struct codes *codes;	 /* of each thread; [0] of all by trees */
	struct scratch *scratch; /* of each thread */
};

struct block {
	const struct rf_walk_batch *batch;
	int64_t first;
	int n_rows;
};

/* Codes of rows first .. first + n - 1 of column c. */
static void
store_codes(const struct rf_walk_cpu *walker, const struct codes *codes,
    int first, int n, int32_t c, const uint32_t *ranks)
{
	size_t stride = walker->stride;
	size_t at = (size_t)first * stride + (size_t)c;

	if (walker->tops != NULL) {
		int8_t *column =
		    codes->columns + (size_t)c * (size_t)walker->block_rows;

		for (int i = 0; i < n; i++)
			column[first + i] = (int8_t)(ranks[i] ^ 0x80);
	}
	for (size_t i = 0; i < (size_t)n; i++)
		if (walker->layout.code_bytes == 1)
			((uint8_t *)codes->rows)[at + i * stride] =
			    (uint8_t)ranks[i];
		else if (walker->layout.code_bytes == 2)
			((uint16_t *)codes->rows)[at + i * stride] =
			    (uint16_t)ranks[i];
		else
			((uint32_t *)codes->rows)[at + i * stride] = ranks[i];
}

static void
category_codes(const int32_t *values, int n, uint32_t n_levels, uint32_t *codes)
{
	for (int i = 0; i < n; i++)
		codes[i] = (uint32_t)values[i] < n_levels ? (uint32_t)values[i]
							  : n_levels;
}

/* Whether column c has the ranks of the one before it, and with it is filled. */
static bool
is_second(const struct rf_walk_layout *layout, int32_t c)
{
	return c > 0 && c < layout->n_columns &&
	    layout->columns[c].feature == layout->columns[c - 1].feature;
}

/* Codes of all rows of the block for column c and its second. */
static void
code_column(const struct rf_walk_cpu *walker, const struct block *block,
    const struct codes *codes, int32_t c)
{
	const struct rf_layout_column *column = &walker->layout.columns[c];
	const struct rf_walk_feature *feature;
	const struct rf_walk_column *input;
	struct rf_rank_source source;
	uint32_t ranks[RF_RANK_BLOCK];

	if (column->feature < 0 || is_second(&walker->layout, c))
		return;
	feature = &walker->features[column->feature];
	input = &block->batch->columns[column->feature];
	source = (struct rf_rank_source){(int)feature->precision, input->values,
	    input->is_missing, feature->thresholds, feature->n_thresholds};
	for (int first = 0; first < block->n_rows; first += RF_RANK_BLOCK) {
		int64_t row = block->first + first;
		int n = block->n_rows - first;

		n = n < RF_RANK_BLOCK ? n : RF_RANK_BLOCK;
		if (feature->is_categorical)
			category_codes((const int32_t *)input->values + row, n,
			    column->missing_code, ranks);
		else
			rf_rank_block(
			    &source, row, n, column->missing_code, ranks);
		store_codes(walker, codes, first, n, c, ranks);
		if (!is_second(&walker->layout, c + 1))
			continue;
		for (int i = 0; i < n; i++)
			if (ranks[i] == column->missing_code)
				ranks[i] = column[1].missing_code;
		store_codes(walker, codes, first, n, c + 1, ranks);
	}
}

static void
add_entries(const struct rf_walk_cpu *walker, uint32_t leaf, int64_t *tally)
{
	for (int64_t i = walker->leaf_first[leaf];
	     i < walker->leaf_first[leaf + 1]; i++)
		tally[walker->leaf_output[i]] += walker->leaf_amount[i];
}

static void
flush_counts(const struct rf_walk_cpu *walker, struct scratch *scratch,
    int n_rows, int64_t *tallies)
{
	size_t n = (size_t)n_rows * (size_t)walker->n_outputs;

	for (size_t i = 0; scratch->n_counted > 0 && i < n; i++) {
		tallies[i] += scratch->counts[i] * walker->layout.pure_amount;
		scratch->counts[i] = 0;
	}
	scratch->n_counted = 0;
}

/* Leaves that say in their word for what they vote. */
static void
count_votes(const struct rf_walk_cpu *walker, const struct rf_walk_tree *tree,
    const uint32_t *refs, int n_rows, struct scratch *scratch, int64_t *tallies)
{
	const uint32_t *nodes = tree->nodes;
	size_t n_outputs = (size_t)walker->n_outputs;

	if (scratch->n_counted == UINT16_MAX)
		flush_counts(walker, scratch, n_rows, tallies);
	scratch->n_counted++;
	for (size_t row = 0; row < (size_t)n_rows; row++) {
		uint32_t end = scratch->ends[row], output = nodes[end] >> 8;

		if (output != RF_LEAF_MIXED)
			scratch->counts[row * n_outputs + output]++;
		else
			add_entries(
			    walker, refs[end], tallies + row * n_outputs);
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

		if (ref & RF_REF_PURE)
			tally[ref & ~RF_REF_PURE] += pure_amount;
		else
			add_entries(walker, ref, tally);
	}
}

/* What the rows get from the leaves of a tree that they ended in. */
static void
add_tree(const struct rf_walk_cpu *walker, const struct block *block,
    const struct rf_walk_tree *tree, int64_t number, struct scratch *scratch,
    int64_t *tallies)
{
	const uint32_t *refs =
	    walker->layout.refs + walker->layout.tree_first[number];
	const uint32_t *ends = scratch->ends;
	int64_t n_outputs = walker->n_outputs;

	if (walker->vote == RF_VOTE_LEAF)
		for (int row = 0; row < block->n_rows; row++)
			block->batch->leaves[(block->first + row) * n_outputs +
			    number] = (int32_t)refs[ends[row]];
	else if (walker->vote == RF_VOTE_VALUE)
		for (int row = 0; row < block->n_rows; row++)
			tallies[row] += walker->leaf_amount[refs[ends[row]]];
	else if (walker->layout.has_outputs)
		count_votes(
		    walker, tree, refs, block->n_rows, scratch, tallies);
	else
		add_votes(walker, refs, ends, block->n_rows, tallies);
}

static void
walk_tree(const struct rf_walk_cpu *walker, const struct block *block,
    const struct codes *codes, int64_t number, struct scratch *scratch,
    int64_t *tallies)
{
	const struct rf_walk_layout *layout = &walker->layout;
	struct rf_walk_tree tree = {
	    .nodes = (const char *)layout->nodes +
		(size_t)layout->tree_first[number] * (size_t)layout->node_bytes,
	    .sets = layout->sets + layout->set_first[number],
	    .codes = codes->rows,
	    .starts = scratch->starts,
	    .stride = walker->stride,
	    .column_shift = layout->column_shift,
	    .offset_shift = layout->offset_shift,
	    .n_categorical = (uint32_t)layout->n_categorical,
	};

	if (walker->tops != NULL)
		rf_walk_top_rows(&walker->tops[number], codes->columns,
		    block->n_rows, scratch->starts);
	walker->kernel.walk(
	    &tree, block->n_rows, scratch->lanes, scratch->ends);
	add_tree(walker, block, &tree, number, scratch, tallies);
}

static void
clear_tallies(const struct rf_walk_cpu *walker, int n_rows, int64_t *tallies)
{
	if (walker->vote != RF_VOTE_LEAF)
		memset(tallies, 0,
		    (size_t)n_rows * (size_t)walker->n_outputs *
			sizeof(*tallies));
}

static struct block
block_at(const struct rf_walk_batch *batch, int64_t first, int64_t most)
{
	int64_t rest = batch->n_rows - first;

	return (struct block){batch, first, (int)(rest < most ? rest : most)};
}

/* Each thread takes blocks of rows. */
static void
run_by_rows(struct rf_walk_cpu *walker, const struct rf_walk_batch *batch)
{
	int64_t most = walker->block_rows, n_blocks;

	/* A small batch is cut so that all threads get some of it. */
	while (most > BLOCK_ROWS_LEAST &&
	    most * (walker->n_threads - 1) >= batch->n_rows &&
	    batch->n_rows * walker->layout.n_trees >= PARALLEL_WALKS)
		most /= 2;
	n_blocks = (batch->n_rows + most - 1) / most;
#pragma omp parallel for schedule(dynamic)                                     \
    num_threads(walker->n_threads) if (n_blocks > 1)
	for (int64_t b = 0; b < n_blocks; b++) {
		int me = omp_get_thread_num();
		struct block block = block_at(batch, b * most, most);
		struct scratch *scratch = &walker->scratch[me];
		int64_t *tallies = batch->tallies +
		    (batch->tallies == NULL ? 0
					    : block.first * walker->n_outputs);

		clear_tallies(walker, block.n_rows, tallies);
		for (int32_t c = 0; c < walker->layout.n_columns; c++)
			code_column(walker, &block, &walker->codes[me], c);
		for (int64_t t = 0; t < walker->layout.n_trees; t++)
			walk_tree(walker, &block, &walker->codes[me], t,
			    scratch, tallies);
		flush_counts(walker, scratch, block.n_rows, tallies);
	}
}

/* The sums of all threads for a row of the block. */
static void
add_threads(const struct rf_walk_cpu *walker, const struct block *block,
    int n_threads, int row)
{
	size_t n = (size_t)walker->n_outputs, at = (size_t)row * n;
	int64_t *sums = block->batch->tallies + (size_t)block->first * n + at;

	memcpy(sums, walker->scratch[0].tallies + at, n * sizeof(*sums));
	for (int i = 1; i < n_threads; i++)
		for (size_t k = 0; k < n; k++)
			sums[k] += walker->scratch[i].tallies[at + k];
}

/* All threads take columns, then trees, of one block after the other: so a
 * tree comes from afar once a block, not once a thread. */
static void
run_by_trees(struct rf_walk_cpu *walker, const struct rf_walk_batch *batch)
{
	const struct rf_walk_layout *layout = &walker->layout;

	for (int64_t first = 0; first < batch->n_rows;
	     first += walker->block_rows) {
		struct block block = block_at(batch, first, walker->block_rows);

#pragma omp parallel num_threads(walker->n_threads)
		{
			struct scratch *scratch =
			    &walker->scratch[omp_get_thread_num()];

			clear_tallies(walker, block.n_rows, scratch->tallies);
#pragma omp for schedule(dynamic)
			for (int32_t c = 0; c < layout->n_columns; c++)
				code_column(
				    walker, &block, &walker->codes[0], c);
#pragma omp for schedule(dynamic)
			for (int64_t t = 0; t < layout->n_trees; t++)
				walk_tree(walker, &block, &walker->codes[0], t,
				    scratch, scratch->tallies);
			flush_counts(
			    walker, scratch, block.n_rows, scratch->tallies);
#pragma omp barrier
#pragma omp for schedule(static)
			for (int row = 0; row < block.n_rows; row++)
				if (walker->vote != RF_VOTE_LEAF)
					add_threads(walker, &block,
					    omp_get_num_threads(), row);
		}
	}
}

enum rf_status
rf_walk_cpu_run(struct rf_walk_cpu *walker, const struct rf_walk_batch *batch,
    struct rf_error *err)
{
	int64_t n_trees = walker->layout.n_trees;

	(void)err;
	if (batch->n_rows * n_trees < PARALLEL_WALKS || !walker->by_trees)
		run_by_rows(walker, batch);
	else
		run_by_trees(walker, batch);
	return RF_OK;
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
make_codes(
    struct rf_walk_cpu *walker, struct codes *codes, struct rf_error *err)
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
make_thread(
    struct rf_walk_cpu *walker, struct scratch *scratch, struct rf_error *err)
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
		    err, n * sizeof(struct scratch), "threads");
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
		status = make_tops(walker, err);
	}
	if (status == RF_OK)
		status = make_scratch(walker, err);
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
