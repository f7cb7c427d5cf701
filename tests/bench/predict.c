/*
 * How fast rows in memory go through a forest in memory: predict MODEL DATA
 * [THREADS [TIMES]]
 *
 * Ranks, walk and vote of all rows of a data stream, whose columns have been
 * read before; best of TIMES (5).  Also what comes before: reading the model,
 * making its nodes ready and laying them out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fcntl.h>

#include "base/alloc.h"
#include "forest/pack.h"
#include "predict/columns.h"
#include "predict/walk.h"
#include "predict/walk_forest.h"
#include "stream/arrow_read.h"

/* As rf-predict takes them. */
#define SLICE_ROWS 16384

static struct rf_error err;

static void
need(enum rf_status status)
{
	if (status == RF_OK)
		return;
	fprintf(stderr, "predict: %s\n", err.message);
	exit((int)status);
}

static double
now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* All rows of the stream: columns of 8 bytes a value at most. */
struct rows {
	int64_t n_rows, capacity;
	char **values;
	uint8_t **is_missing;
};

static size_t
width_of(const struct rf_walk_feature *feature)
{
	return feature->is_categorical ||
		feature->precision == RF_PRECISION_FLOAT32
	    ? 4
	    : 8;
}

static void
append(struct rows *rows, const struct rf_walk_model *model,
    const struct rf_walk_column *columns, int64_t n_rows)
{
	int64_t end = rows->n_rows + n_rows;

	if (end > rows->capacity)
		rows->capacity = 2 * end;
	for (int32_t f = 0; f < model->n_features; f++) {
		size_t width = width_of(&model->features[f]);
		size_t capacity = (size_t)rows->capacity;

		rows->values[f] = rf_realloc(rows->values[f], capacity, 8);
		rows->is_missing[f] =
		    rf_realloc(rows->is_missing[f], capacity, 1);
		if (rows->values[f] == NULL || rows->is_missing[f] == NULL)
			abort();
		memset(rows->is_missing[f] + rows->n_rows, 0, (size_t)n_rows);
		if (columns[f].values == NULL)
			continue;
		memcpy(rows->values[f] + (size_t)rows->n_rows * width,
		    columns[f].values, (size_t)n_rows * width);
		if (columns[f].is_missing != NULL)
			memcpy(rows->is_missing[f] + rows->n_rows,
			    columns[f].is_missing, (size_t)n_rows);
	}
	rows->n_rows = end;
}

static void
read_rows(const char *path, const struct rf_forest *forest,
    const struct rf_walk_model *model, struct rows *rows)
{
	const struct rf_inputs_options options = {.missing_ok = true};
	struct rf_reader *reader;
	struct rf_inputs *inputs;
	struct rf_batch batch;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	rows->values = rf_alloc_zero((size_t)model->n_features, sizeof(char *));
	rows->is_missing =
	    rf_alloc_zero((size_t)model->n_features, sizeof(uint8_t *));
	if (rows->values == NULL || rows->is_missing == NULL)
		abort();
	need(rf_reader_open(&reader, fd, path, NULL, &err));
	need(rf_inputs_open(&inputs, &forest->header, model->features,
	    rf_reader_schema(reader), &options, &err));
	for (;;) {
		need(rf_reader_next(reader, &batch, &err));
		if (batch.columns == NULL)
			break;
		need(rf_inputs_convert(inputs, &batch, 0, batch.n_rows, &err));
		append(rows, model, rf_inputs_values(inputs), batch.n_rows);
	}
	rf_inputs_free(inputs);
	rf_reader_close(reader);
}

static void
free_rows(struct rows *rows, int32_t n_features)
{
	for (int32_t f = 0; f < n_features; f++) {
		free(rows->values[f]);
		free(rows->is_missing[f]);
	}
	free(rows->values);
	free(rows->is_missing);
}

/* The heaviest class of each row, the lowest of several; or its value. */
static void
vote(const struct rf_walk_model *model, const int64_t *tallies, int64_t n_rows,
    double *answers)
{
	for (int64_t row = 0; row < n_rows; row++) {
		const int64_t *tally = tallies + row * model->n_outputs;
		int32_t best = 0;

		for (int32_t k = 1; k < model->n_outputs; k++)
			if (tally[k] > tally[best])
				best = k;
		answers[row] = model->vote == RF_VOTE_VALUE
		    ? (double)tally[0] / (double)model->n_trees
		    : best;
	}
}

/* Returns the seconds for all rows. */
static double
predict(struct rf_walk_cpu *walker, const struct rf_walk_model *model,
    const struct rows *rows, int64_t *tallies, double *answers)
{
	struct rf_walk_column *columns =
	    rf_alloc_zero((size_t)model->n_features, sizeof(*columns));
	double start = now();

	if (columns == NULL)
		abort();
	for (int64_t first = 0; first < rows->n_rows; first += SLICE_ROWS) {
		int64_t n = rows->n_rows - first;
		struct rf_walk_batch batch = {
		    n < SLICE_ROWS ? n : SLICE_ROWS, columns, tallies, NULL};

		for (int32_t f = 0; f < model->n_features; f++)
			columns[f] = (struct rf_walk_column){rows->values[f] +
				(size_t)first * width_of(&model->features[f]),
			    rows->is_missing[f] + first};
		need(rf_walk_cpu_run(walker, &batch, &err));
		vote(model, tallies, batch.n_rows, answers + first);
	}
	start = now() - start;
	free(columns);
	return start;
}

static void
time_rows(struct rf_walk_cpu *walker, const struct rf_walk_model *model,
    const struct rows *rows, int times)
{
	int64_t *tallies =
	    rf_alloc(SLICE_ROWS * (size_t)model->n_outputs, sizeof(*tallies));
	double *answers = rf_alloc((size_t)rows->n_rows, sizeof(*answers));
	double best = 1e9, seconds;

	if (tallies == NULL || answers == NULL)
		abort();
	(void)predict(walker, model, rows, tallies, answers);
	for (int i = 0; i < times; i++) {
		seconds = predict(walker, model, rows, tallies, answers);
		best = seconds < best ? seconds : best;
	}
	printf("predict %.6f s\n", best);
	free(tallies);
	free(answers);
}

int
main(int argc, char **argv)
{
	int n_threads = argc > 3 ? atoi(argv[3]) : 0;
	struct rf_forest forest;
	struct rf_walk_forest walk;
	struct rf_walk_cpu *walker;
	struct rows rows = {0};
	double start = now(), loaded;

	if (argc < 3)
		return RF_EUSAGE;
	need(rf_model_load_parallel(argv[1], n_threads, &forest, &err));
	loaded = now();
	printf("read    %.6f s\n", loaded - start);
	need(rf_walk_forest_init(&walk, &forest, 0, forest.n_trees,
	    forest.header.task == RF_TASK_REGRESSION ? RF_VOTE_VALUE
						     : RF_VOTE_SOFT,
	    false, n_threads, &err));
	printf("ready   %.6f s\n", now() - loaded);
	read_rows(argv[2], &forest, &walk.model, &rows);
	loaded = now();
	need(rf_walk_cpu_load(&walk.model, n_threads, &walker, &err));
	printf("lay out %.6f s\n", now() - loaded);
	time_rows(walker, &walk.model, &rows, argc > 4 ? atoi(argv[4]) : 5);
	rf_walk_cpu_free(walker);
	free_rows(&rows, walk.model.n_features);
	rf_walk_forest_release(&walk);
	rf_forest_release(&forest);
	return 0;
}
