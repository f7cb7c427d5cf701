/*
 * A few rows by the trees as they are, against the same rows by a model of
 * them, which compares ranks in place of values (predict_walk.c holds it
 * against a plain walker).  Values fall on thresholds and beside them.
 */
#include "predict/walk_few.h"

#include <math.h>

#include "forest_make.h"
#include "predict/walk.h"
#include "predict/walk_forest.h"
#include "unit.h"

#define N_ROWS	64
#define N_TREES 7

static double wide[N_ROWS];
static int64_t whole[N_ROWS];
static uint8_t is_missing[N_ROWS];
static int32_t codes[N_ROWS];
static float narrow[N_ROWS];

static const struct rf_walk_column columns[] = {
    {wide, NULL}, {whole, is_missing}, {codes, NULL}, {narrow, NULL}};

static void
make_rows(uint64_t seed)
{
	struct make make = {.state = seed};

	for (int row = 0; row < N_ROWS; row++) {
		wide[row] = 0.1 * make_draw(&make, 1000);
		whole[row] = (int64_t)make_draw(&make, 1002) - 501;
		codes[row] = (int32_t)make_draw(&make, 12) - 1;
		narrow[row] = (float)(0.1 * make_draw(&make, 1000));
		is_missing[row] = make_draw(&make, 7) == 0;
		if (make_draw(&make, 7) == 0)
			wide[row] = (double)NAN;
		if (make_draw(&make, 7) == 0)
			narrow[row] = NAN;
		if (make_draw(&make, 9) == 0)
			wide[row] = (double)INFINITY;
	}
}

/* Every present value goes left at some nodes. */
static void
open_some(struct rf_forest *forest)
{
	for (int64_t t = 0; t < forest->n_trees; t++)
		for (int32_t i = 0; i < forest->trees[t].n_nodes; i += 5) {
			forest->trees[t].threshold[i] = (double)INFINITY;
			forest->trees[t].threshold_int[i] = INT64_MAX;
		}
}

static void
try_vote(const struct rf_forest *forest, enum rf_vote vote, const char *name)
{
	static int64_t few_tallies[N_ROWS * 3], tallies[N_ROWS * 3];
	static int32_t few_leaves[N_ROWS * N_TREES], leaves[N_ROWS * N_TREES];
	struct rf_walk_batch batch = {N_ROWS, columns, few_tallies, few_leaves};
	struct rf_walk_forest walk;
	struct rf_walk_few few;
	struct rf_walk_cpu *walker;
	size_t n;

	if (rf_walk_few_init(&few, forest, 1, N_TREES, vote, NULL) != RF_OK ||
	    rf_walk_forest_init(
		&walk, forest, 1, N_TREES, vote, false, 1, NULL) != RF_OK ||
	    rf_walk_cpu_load(&walk.model, 1, &walker, NULL) != RF_OK)
		abort();
	memset(few_tallies, 77, sizeof(few_tallies));
	check_int(rf_walk_few_run(&few, &batch), true, "64 rows are few");
	batch.tallies = tallies;
	batch.leaves = leaves;
	if (rf_walk_cpu_run(walker, &batch, NULL) != RF_OK)
		abort();
	n = (size_t)walk.model.n_outputs * N_ROWS;
	check_int(vote == RF_VOTE_LEAF
		? memcmp(few_leaves, leaves, n * sizeof(*leaves))
		: memcmp(few_tallies, tallies, n * sizeof(*tallies)),
	    0, name);
	check_int(
	    rf_walk_few_run(&few, &batch), false, "64 rows more are not few");
	rf_walk_cpu_free(walker);
	rf_walk_forest_release(&walk);
	rf_walk_few_release(&few);
}

int
main(void)
{
	struct rf_forest classes, numbers;

	for (uint64_t seed = 1; seed <= 5; seed++) {
		make_rows(seed);
		make_forest(
		    &classes, RF_TASK_CLASSIFICATION, seed, 0, N_TREES, 9);
		make_forest(&numbers, RF_TASK_REGRESSION, seed, 0, N_TREES, 9);
		open_some(&classes);
		open_some(&numbers);
		try_vote(&classes, RF_VOTE_SOFT, "soft votes");
		try_vote(&classes, RF_VOTE_HARD, "hard votes");
		try_vote(&classes, RF_VOTE_LEAF, "leaves");
		try_vote(&numbers, RF_VOTE_VALUE, "regression");
		rf_forest_release(&classes);
		rf_forest_release(&numbers);
	}
	return unit_end();
}
