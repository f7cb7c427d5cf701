/*
 * Streams through reader and writer and back.  With an argument it is the
 * filter that tests/interop uses: "echo" reads stdin and writes it to stdout,
 * "sum" prints the last column's name and sum.
 */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "stream/arrow_read.h"
#include "stream/arrow_write.h"
#include "unit.h"

static void
print_note(void *context, const char *message)
{
	(void)context;
	fprintf(stderr, "note: %s\n", message);
}

static enum rf_status
copy(struct rf_reader *reader, struct rf_writer *writer, struct rf_error *err)
{
	struct rf_batch batch;

	for (;;) {
		RF_TRY(rf_reader_next(reader, &batch, err));
		if (batch.columns == NULL)
			break;
		RF_TRY(rf_writer_batch(writer, &batch, err));
	}
	return rf_writer_finish(writer, rf_reader_end_metadata(reader), err);
}

static int
echo(void)
{
	struct rf_log log = {.note = print_note};
	struct rf_reader_options options = {.log = &log};
	struct rf_reader *reader = NULL;
	struct rf_writer *writer = NULL;
	struct rf_error err = {0};
	enum rf_status status;

	status = rf_reader_open(&reader, 0, "<stdin>", &options, &err);
	if (status == RF_OK)
		status = rf_writer_open(
		    &writer, 1, "<stdout>", rf_reader_schema(reader), &err);
	if (status == RF_OK)
		status = copy(reader, writer, &err);
	if (status != RF_OK)
		fprintf(stderr, "echo: %s\n", err.message);
	rf_writer_free(writer);
	rf_reader_close(reader);
	return (int)status;
}

static int
sum(void)
{
	struct rf_reader *reader = NULL;
	struct rf_error err = {0};
	struct rf_batch batch = {0};
	int64_t total = 0;
	enum rf_status status;
	const char *name = "";

	status = rf_reader_open(&reader, 0, "<stdin>", NULL, &err);
	while (status == RF_OK) {
		status = rf_reader_next(reader, &batch, &err);
		if (status != RF_OK || batch.columns == NULL)
			break;
		for (int64_t row = 0; row < batch.n_rows; row++)
			total += rf_column_int(
			    &batch.columns[batch.n_columns - 1], row);
		name = batch.columns[batch.n_columns - 1].field->name;
	}
	if (status == RF_OK)
		printf("%s %lld\n", name, (long long)total);
	else
		fprintf(stderr, "sum: %s\n", err.message);
	rf_reader_close(reader);
	return (int)status;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "echo") == 0)
		return echo();
	if (argc == 2 && strcmp(argv[1], "sum") == 0)
		return sum();
	return unit_end();
}
