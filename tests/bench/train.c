/*
 * How long growing alone takes: train FILE [TREES [THREADS [plain]]]
 *
 * FILE, little-endian: int32 n, n_test, F, C; float32 (n + n_test) x F, row by
 * row; labels of n + n_test rows: int32 classes, or float32 where C is 0.  The
 * first n rows are trained on, in 254 bins, sqrt(F) features a node (all for
 * regression), fully grown; the others, if any, are predicted, so that speed
 * is never bought with accuracy.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "predict/ranks.h"
#include "stream/convert.h"
#include "train/bins.h"
#include "train/bootstrap.h"
#include "train/clear.h"
#include "train/grow.h"

struct data {
	int32_t n, n_test, n_features, n_classes;
	float *values; /* by column */
	int32_t *classes;
	float *targets;
};

struct bench {
	struct data data;
	struct rf_problem problem;
	struct rf_rules rules;
	uint8_t *codes; /* of all rows */
	struct rf_coded_feature *features;
	int32_t *active;
	int64_t *fixed_targets;
	double *tallies; /* n_test x max(C, 1) */
	int64_t n_nodes;
};

static double
seconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int
read_data(struct data *data, const char *name)
{
	FILE *file = fopen(name, "rb");
	int32_t head[4];
	size_t n, f;
	float *row;

	if (file == NULL || fread(head, 4, 4, file) != 4)
		return -1;
	data->n = head[0];
	data->n_test = head[1];
	data->n_features = head[2];
	data->n_classes = head[3];
	n = (size_t)data->n + (size_t)data->n_test;
	f = (size_t)data->n_features;
	data->values = rf_alloc(n * f, sizeof(float));
	data->classes = rf_alloc(n, sizeof(int32_t));
	data->targets = rf_alloc(n, sizeof(float));
	row = rf_alloc(f, sizeof(float));
	for (size_t i = 0; i < n; i++) {
		if (fread(row, sizeof(float), f, file) != f)
			return -1;
		for (size_t j = 0; j < f; j++)
			data->values[j * n + i] = row[j];
	}
	free(row);
	n = data->n_classes > 0 ? fread(data->classes, 4, n, file)
				: fread(data->targets, 4, n, file);
	fclose(file);
	return n == (size_t)data->n + (size_t)data->n_test ? 0 : -1;
}

static int
code_column(struct bench *bench, int32_t f, uint64_t *scratch)
{
	const struct data *data = &bench->data;
	size_t n = (size_t)data->n + (size_t)data->n_test;
	struct rf_bins bins = {0};
	struct rf_quantise_job job = {.n_rows = (int64_t)n,
	    .precision = RF_PRECISION_FLOAT32,
	    .values = data->values + (size_t)f * n,
	    .code_bytes = 1,
	    .codes = bench->codes + (size_t)f * bench->problem.stride_bytes};

	if (rf_bins_float32(job.values, data->n, 254, scratch, &bins, NULL) !=
	    RF_OK)
		return -1;
	job.thresholds = bins.edges;
	job.n_thresholds = bins.n_bins - 1;
	job.missing_code = (uint32_t)bins.n_bins;
	rf_quantise_cpu(&job);
	bench->features[f].n_values = bins.n_bins;
	if (bins.n_bins > 1)
		bench->active[bench->problem.n_active++] = f;
	rf_bins_release(&bins);
	return 0;
}

/* Targets to 30 bits: enough for a comparison of speed. */
static void
fix_targets(struct bench *bench)
{
	double most = 0;
	const float *y = bench->data.targets;

	for (int32_t i = 0; i < bench->data.n; i++)
		most = fabs((double)y[i]) > most ? fabs((double)y[i]) : most;
	bench->problem.target_shift = 30 - rf_exponent(most);
	for (int32_t i = 0; i < bench->data.n; i++)
		bench->fixed_targets[i] = rf_round(
		    rf_scale((double)y[i], bench->problem.target_shift));
}

static int
prepare(struct bench *bench)
{
	const struct data *data = &bench->data;
	struct rf_problem *problem = &bench->problem;
	size_t n = (size_t)data->n + (size_t)data->n_test;
	size_t f = (size_t)data->n_features;
	uint64_t *scratch = rf_alloc(2 * n, sizeof(*scratch));
	int failed = 0;

	problem->n_rows = data->n;
	problem->n_features = data->n_features;
	problem->n_classes = data->n_classes;
	problem->code_bytes = 1;
	problem->stride_bytes = (n + 127) / 64 * 64;
	bench->codes = rf_alloc_aligned(problem->stride_bytes * f);
	bench->features = rf_alloc_zero(f, sizeof(*bench->features));
	bench->active = rf_alloc(f, sizeof(*bench->active));
	bench->fixed_targets = rf_alloc(n, sizeof(int64_t));
	problem->codes = bench->codes;
	problem->features = bench->features;
	problem->active = bench->active;
	for (int32_t j = 0; j < data->n_features && !failed; j++)
		failed = code_column(bench, j, scratch);
	free(scratch);
	problem->classes = data->n_classes > 0 ? data->classes : NULL;
	if (data->n_classes == 0) {
		fix_targets(bench);
		problem->targets = bench->fixed_targets;
	}
	bench->rules = (struct rf_rules){.criterion = data->n_classes > 0
		? RF_CRITERION_GINI
		: RF_CRITERION_SQUARED_ERROR,
	    .seed = 1,
	    .max_features = data->n_classes > 0 ? (int32_t)sqrt((double)f)
						: data->n_features,
	    .max_depth = INT32_MAX,
	    .min_samples_split = 2,
	    .min_samples_leaf = 1,
	    .bootstrap = true,
	    .n_draws = data->n};
	bench->tallies =
	    rf_alloc_zero((size_t)data->n_test * (size_t)(data->n_classes + 1),
		sizeof(double));
	return failed;
}

static void
vote(struct bench *bench, const struct rf_grown *tree, int32_t row)
{
	const struct rf_grown_node *node = tree->nodes;
	size_t n_classes = (size_t)bench->data.n_classes;
	const uint8_t *codes = bench->codes + bench->data.n + row;
	int64_t entry;

	while (node->feature >= 0) {
		int32_t code =
		    codes[(size_t)node->feature * bench->problem.stride_bytes];

		node = tree->nodes + node->left + (code > node->cut);
	}
	entry = node->payload;
	if (n_classes == 0)
		bench->tallies[row] += rf_leaf_mean(0, node->payload,
		    (int64_t)node->cover, bench->problem.target_shift);
	else
		bench->tallies[(size_t)row * n_classes +
		    (size_t)tree->leaf_class[entry]] += 1;
}

static double vote_cpu; /* time that is not growing */

static enum rf_status
take_tree(void *context, const struct rf_grown *tree, struct rf_error *err)
{
	struct bench *bench = context;
	double begin = seconds(CLOCK_THREAD_CPUTIME_ID);

	(void)err;
	bench->n_nodes += tree->n_nodes;
	for (int32_t row = 0; row < bench->data.n_test; row++)
		vote(bench, tree, row);
	vote_cpu += seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
	return RF_OK;
}

static double
accuracy(const struct bench *bench)
{
	const struct data *data = &bench->data;
	size_t n_classes = (size_t)data->n_classes;
	int32_t n_right = 0;

	for (int32_t row = 0; row < data->n_test; row++) {
		const double *tally = bench->tallies + (size_t)row * n_classes;
		size_t best = 0;

		for (size_t c = 1; c < n_classes; c++)
			if (tally[c] > tally[best])
				best = c;
		n_right += (int32_t)best == data->classes[data->n + row];
	}
	return (double)n_right / (double)data->n_test;
}

static double
r2(const struct bench *bench, int64_t n_trees)
{
	const struct data *data = &bench->data;
	const float *y = data->targets + data->n;
	double mean = 0, rest = 0, all = 0;

	for (int32_t row = 0; row < data->n_test; row++)
		mean += (double)y[row] / (double)data->n_test;
	for (int32_t row = 0; row < data->n_test; row++) {
		double e =
		    (double)y[row] - bench->tallies[row] / (double)n_trees;

		rest += e * e;
		all += ((double)y[row] - mean) * ((double)y[row] - mean);
	}
	return 1 - rest / all;
}

static enum rf_status
grow_plain(struct bench *bench, int64_t n_trees, struct rf_error *err)
{
	size_t n = (size_t)bench->data.n;
	uint32_t *counts = rf_alloc(n, sizeof(*counts));
	uint32_t *blocks = rf_alloc(n / RF_BAG_BLOCK + 1, sizeof(*blocks));
	struct rf_tree_builder builder = {0};
	struct rf_clear *clear = NULL;
	enum rf_status status =
	    rf_clear_new(&clear, &bench->problem, &bench->rules, err);

	for (int64_t tree = 0; tree < n_trees && status == RF_OK; tree++) {
		struct rf_grown grown;

		rf_bootstrap(
		    &bench->rules, bench->problem.n_rows, tree, blocks, counts);
		status = rf_tree_start(&builder, tree, err);
		if (status == RF_OK)
			status = rf_clear_tree(clear, counts, &builder, err);
		if (status == RF_OK)
			status = rf_tree_finish(
			    &builder, &bench->problem, &grown, err);
		if (status == RF_OK)
			status = take_tree(bench, &grown, err);
	}
	rf_clear_free(clear);
	rf_tree_release(&builder);
	free(counts);
	free(blocks);
	return status;
}

int
main(int argc, char **argv)
{
	struct bench bench = {0};
	struct rf_error err = {0};
	struct rf_tree_sink sink = {&bench, take_tree};
	int64_t n_trees = argc > 2 ? strtol(argv[2], NULL, 10) : 100;
	int n_threads = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;
	double wall, cpu, prepared;

	if (argc < 2 || read_data(&bench.data, argv[1]) != 0 ||
	    prepare(&bench) != 0) {
		fprintf(
		    stderr, "usage: train FILE [TREES [THREADS [plain]]]\n");
		return 64;
	}
	prepared = seconds(CLOCK_PROCESS_CPUTIME_ID);
	wall = seconds(CLOCK_MONOTONIC);
	if ((argc > 4 ? grow_plain(&bench, n_trees, &err)
		      : rf_grow_cpu(&bench.problem, &bench.rules, 0, n_trees,
			    n_threads, &sink, &err)) != RF_OK) {
		fprintf(stderr, "train: %s\n", err.message);
		return 70;
	}
	wall = seconds(CLOCK_MONOTONIC) - wall;
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - prepared - vote_cpu;
	printf("%lld trees, %d threads: %.3f s wall (with votes), growing "
	       "%.3f s of processor time, %.2f ms a tree, %.0f nodes a tree, "
	       "%s %.5f\n",
	    (long long)n_trees, n_threads, wall, cpu,
	    1e3 * cpu / (double)n_trees,
	    (double)bench.n_nodes / (double)n_trees,
	    bench.data.n_classes > 0 ? "accuracy" : "R2",
	    bench.data.n_classes > 0 ? accuracy(&bench) : r2(&bench, n_trees));
	return 0;
}
