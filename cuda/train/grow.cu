#include "train/grow.cuh"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "device/errors.h"
#include "train/batch.cuh"

/* Rows of one batch: node numbers are 31 bits, two nodes a row. */
#define BATCH_ROWS_MAX (INT64_C(1) << 30)

/* Enough batches that the host's part hides behind the card's, each with
 * enough trees to fill the card. */
#define OVERLAP_BATCHES 3
#define BATCH_TREES_MIN 32

static int64_t
smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Which kernel takes nodes of which size; a forced one takes all it can. */
static void
set_tiers(enum rf_tier tier, struct rf_grow_view *view)
{
	view->most_rows[RF_QUEUE_LANE] = RF_LANE_ROWS;
	view->most_rows[RF_QUEUE_WARP] = RF_WARP_ROWS;
	view->most_rows[RF_QUEUE_BLOCK] = RF_BLOCK_ROWS;
	view->most_rows[RF_QUEUE_LEVEL] = UINT32_MAX;
	if (tier == RF_TIER_AUTO || tier == RF_TIER_LANE)
		return;
	view->most_rows[RF_QUEUE_LANE] = 0;
	view->most_rows[RF_QUEUE_WARP] = tier == RF_TIER_WARP ? UINT32_MAX : 0;
	view->most_rows[RF_QUEUE_BLOCK] =
	    tier == RF_TIER_BLOCK ? UINT32_MAX : 0;
}

/* Distinct in-bag rows that a tree will have, about. */
static int64_t
expected_rows(const struct rf_problem *problem, const struct rf_rules *rules)
{
	double n = (double)problem->n_rows, d = (double)rules->n_draws;
	double rows = rules->bootstrap ? n * (1 - exp(-d / n)) : n;

	return (int64_t)(rows * 1.02) + 64;
}

static enum rf_status
check_size(const struct rf_problem *problem, const struct rf_rules *rules,
    struct rf_error *err)
{
	if (problem->n_rows >= BATCH_ROWS_MAX ||
	    rules->n_draws >= (INT64_C(1) << 32))
		return rf_error_set(err, RF_EUNAVAILABLE,
		    "cuda: %lld rows are too many for one tree on the device",
		    (long long)problem->n_rows);
	return RF_OK;
}

/* Trees of one batch, by the memory that is left beside the table. */
static enum rf_status
plan_batch(struct rf_device *device, const struct rf_problem *problem,
    const struct rf_rules *rules, int64_t n_range, int64_t *n_trees,
    struct rf_error *err)
{
	int64_t rows = expected_rows(problem, rules), n_overlap;
	size_t memory;

	RF_TRY(rf_device_memory(device, &memory, err));
	*n_trees = (int64_t)(memory / ((size_t)rows * RF_BATCH_ROW_BYTES));
	*n_trees = smaller(*n_trees, BATCH_ROWS_MAX / rows);
	/* The host numbers and writes a batch while the next one grows. */
	n_overlap = (n_range + OVERLAP_BATCHES - 1) / OVERLAP_BATCHES;
	if (n_overlap < BATCH_TREES_MIN)
		n_overlap = BATCH_TREES_MIN;
	*n_trees = smaller(*n_trees, n_overlap);
	if (*n_trees < 1)
		*n_trees = 1;
	return RF_OK;
}

static enum rf_status
grow_range(struct rf_device *device, const struct rf_problem *problem,
    struct rf_grow_view *view, const struct rf_table *table, int64_t first,
    int64_t end, struct rf_courier *courier, struct rf_error *err)
{
	int64_t n_batch;

	RF_TRY(plan_batch(
	    device, problem, &view->rules, end - first, &n_batch, err));
	while (first < end) {
		int64_t n = smaller(n_batch, end - first);
		enum rf_status status;
		bool is_short;

		rf_progress(device->options.log, "growing trees", first, end);
		view->first_tree = first;
		status = rf_cuda_batch(
		    device, problem, view, table, n, courier, &is_short, err);
		if (is_short && n > 1) {
			n_batch = n / 2;
			rf_note(device->options.log,
			    "device memory is short: batches of %lld trees",
			    (long long)n_batch);
			continue;
		}
		RF_TRY(status);
		first += n;
	}
	return RF_OK;
}

enum rf_status
rf_cuda_grow(struct rf_device *device, const struct rf_problem *problem,
    const struct rf_rules *rules, int64_t first, int64_t end,
    const struct rf_tree_sink *sink, struct rf_error *err)
{
	struct rf_grow_view view;
	struct rf_table table;
	struct rf_courier courier;
	enum rf_status status, given;

	rf_courier_init(&courier, sink, device->options.n_threads);
	memset(&view, 0, sizeof(view));
	memset(&table, 0, sizeof(table));
	RF_TRY(check_size(problem, rules, err));
	RF_CUDA_TRY(cudaSetDevice(device->gpu), err);
	set_tiers(device->options.tier, &view);
	status = rf_cuda_table_open(device, problem, rules, &table, &view, err);
	if (status == RF_OK)
		status = grow_range(
		    device, problem, &view, &table, first, end, &courier, err);
	rf_cuda_table_close(&table);
	given = rf_courier_wait(&courier, status == RF_OK ? err : NULL);
	return status != RF_OK ? status : given;
}
