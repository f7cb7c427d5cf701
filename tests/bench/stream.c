/*
 * How fast streams are written and read: stream [MEGABYTES [ROWS]]
 *
 * Batches of ROWS (9216) rows of 28 columns, MEGABYTES (512) in all, go to a
 * file that has no name, and come back from the page cache; best of 5.  "used"
 * brings every column besides to the form that rf-predict compares.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "stream/arrow_read.h"
#include "stream/arrow_write.h"
#include "stream/convert.h"

#define N_COLUMNS 28

static struct rf_error err;

static void
need(enum rf_status status)
{
	if (status == RF_OK)
		return;
	fprintf(stderr, "stream: %s\n", err.message);
	exit((int)status);
}

static double
now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns GB/s. */
static double
write_stream(FILE *file, enum rf_type type, const void *values, int64_t n_rows,
    int64_t n_batches)
{
	struct rf_schema schema = {0};
	struct rf_column columns[N_COLUMNS] = {0};
	struct rf_batch batch = {n_rows, columns, N_COLUMNS, NULL};
	struct rf_writer *writer;
	double start;
	char name[16];

	for (int i = 0; i < N_COLUMNS; i++) {
		snprintf(name, sizeof(name), "c%d", i);
		need(rf_schema_add(&schema, name, type, false, NULL, &err));
	}
	for (int i = 0; i < N_COLUMNS; i++)
		columns[i] = (struct rf_column){.field = &schema.fields[i],
		    .n_rows = n_rows,
		    .values = values};
	start = now();
	need(rf_writer_open(&writer, fileno(file), "file", &schema, &err));
	for (int64_t i = 0; i < n_batches; i++)
		need(rf_writer_batch(writer, &batch, &err));
	need(rf_writer_finish(writer, NULL, &err));
	start = now() - start;
	rf_writer_free(writer);
	rf_schema_release(&schema);
	return 1e-9 * (double)rf_type_width(type) * N_COLUMNS *
	    (double)(n_rows * n_batches) / start;
}

static enum rf_status
use(const struct rf_column *column, void *out)
{
	if (column->field->type == RF_TYPE_FLOAT32)
		return rf_column_to_float32(column, out, &err);
	return rf_column_to_float64(column, out, NULL, &err);
}

static double
read_stream(FILE *file, void *out)
{
	struct rf_reader *reader;
	struct rf_batch batch;
	double start = now();
	int64_t n_bytes;

	if (lseek(fileno(file), 0, SEEK_SET) != 0)
		abort();
	need(rf_reader_open(&reader, fileno(file), "file", NULL, &err));
	for (;;) {
		need(rf_reader_next(reader, &batch, &err));
		if (batch.columns == NULL)
			break;
		for (size_t i = 0; out != NULL && i < batch.n_columns; i++)
			need(use(&batch.columns[i], out));
	}
	n_bytes = rf_reader_n_bytes(reader);
	rf_reader_close(reader);
	return 1e-9 * (double)n_bytes / (now() - start);
}

static void
print_best(const char *type, const char *what, FILE *file, void *out)
{
	double best = 0, speed;

	for (int i = 0; i < 5; i++) {
		speed = read_stream(file, out);
		best = speed > best ? speed : best;
	}
	printf("%s %-5s %6.2f GB/s\n", type, what, best);
}

static int
measure(enum rf_type type, int64_t megabytes, int64_t n_rows)
{
	const char *name = rf_type_name(type);
	int64_t width = (int64_t)rf_type_width(type);
	FILE *file = tmpfile();
	void *values = rf_alloc_aligned((size_t)(n_rows * width));

	if (file == NULL || values == NULL)
		return RF_ENOMEM;
	memset(values, 0, (size_t)(n_rows * width));
	printf("%s write %6.2f GB/s\n", name,
	    write_stream(file, type, values, n_rows,
		(megabytes << 20) / (width * N_COLUMNS * n_rows) + 1));
	print_best(name, "read", file, NULL);
	print_best(name, "used", file, values);
	rf_free_aligned(values);
	fclose(file);
	return 0;
}

int
main(int argc, char **argv)
{
	int64_t megabytes = argc > 1 ? atol(argv[1]) : 512;
	int64_t n_rows = argc > 2 ? atol(argv[2]) : 9216;
	int status;

	if (n_rows < 1 || megabytes < 1)
		return RF_EUSAGE;
	status = measure(RF_TYPE_FLOAT32, megabytes, n_rows);
	return status != 0 ? status
			   : measure(RF_TYPE_FLOAT64, megabytes, n_rows);
}
