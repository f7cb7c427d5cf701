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
#include "stream_sample.h"
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

/* Two batches whose dictionaries are equal, then one that differs. */
static void
write_categories(int fd, bool by_column)
{
	static const int64_t offsets[] = {0, 1, 2};
	static const int32_t rows[] = {0, 1};
	static const char *const texts[] = {"ab", "ab", "cd"};
	struct rf_schema schema = {0};
	struct rf_field inner = {.type = RF_TYPE_LARGE_UTF8};
	struct rf_field *field = sample_field(&schema, "c", RF_TYPE_UTF8);
	struct rf_writer *writer;
	struct rf_error err = {0};
	bool is_ok;

	field->is_dictionary = true;
	field->index_type = RF_TYPE_INT32;
	is_ok = rf_writer_open(&writer, fd, "out", &schema, &err) == RF_OK;
	for (int i = 0; is_ok && i < 3; i++) {
		struct rf_column entries = {.field = &inner,
		    .n_rows = 2,
		    .offsets = offsets,
		    .data = {(const uint8_t *)texts[i], 2}};
		struct rf_column column = {
		    .field = field, .n_rows = 2, .values = rows};
		struct rf_batch batch = {2, &column, 1, NULL};

		if (by_column) {
			column.dictionary = &entries;
			column.dictionary_serial = i < 2 ? 5 : 6;
		} else if (i != 1) {
			is_ok = rf_writer_dictionary(
				    writer, 0, &entries, &err) == RF_OK;
		}
		is_ok = is_ok && rf_writer_batch(writer, &batch, &err) == RF_OK;
	}
	if (!is_ok || rf_writer_finish(writer, NULL, &err) != RF_OK)
		abort();
	rf_writer_free(writer);
	rf_schema_release(&schema);
}

static void
check_dictionaries(void)
{
	FILE *one = tmpfile(), *other = tmpfile();
	struct rf_text a = {0}, b = {0};
	struct rf_reader *reader;
	struct rf_batch batch;
	struct rf_bytes text;
	struct rf_error err;
	uint64_t serials[3];

	if (one == NULL || other == NULL)
		abort();
	write_categories(fileno(one), false);
	write_categories(fileno(other), true);
	rewind(one);
	rewind(other);
	sample_read_all(fileno(one), &a);
	sample_read_all(fileno(other), &b);
	check(a.size == b.size && memcmp(a.data, b.data, a.size) == 0,
	    "a column's own dictionary is sent where it is new");
	if (rf_reader_open_memory(&reader, a.data, a.size, "s", NULL, &err) !=
	    RF_OK)
		abort();
	for (int i = 0; i < 3; i++) {
		if (rf_reader_next(reader, &batch, &err) != RF_OK)
			abort();
		serials[i] = batch.columns[0].dictionary_serial;
	}
	check(rf_column_text(batch.columns, 1, &text) && text.data[0] == 'd',
	    "a dictionary is replaced, not appended to");
	check(serials[0] == serials[1] && serials[1] != serials[2] &&
		serials[0] != 0,
	    "its serial is that of the content");
	rf_reader_close(reader);
	rf_text_release(&a);
	rf_text_release(&b);
	fclose(one);
	fclose(other);
}

static struct rf_text
written(enum rf_status *status, const struct rf_schema *schema,
    struct rf_batch *batch, const struct rf_metadata *end, struct rf_error *err)
{
	FILE *file = tmpfile();
	struct rf_writer *writer = NULL;
	struct rf_text text = {0};

	if (file == NULL)
		abort();
	*status = rf_writer_open(&writer, fileno(file), "out", schema, err);
	if (*status == RF_OK && batch != NULL)
		*status = rf_writer_batch(writer, batch, err);
	if (*status == RF_OK)
		*status = rf_writer_finish(writer, end, err);
	rf_writer_free(writer);
	rewind(file);
	sample_read_all(fileno(file), &text);
	fclose(file);
	return text;
}

/* What the end of the input said goes on, but for its counts. */
static void
check_end_metadata(void)
{
	struct rf_schema schema = {0};
	struct rf_metadata end = {0};
	const struct rf_metadata *got;
	struct rf_error err = {0};
	enum rf_status status;
	struct rf_reader *reader;
	struct rf_batch batch;
	struct rf_text text;

	sample_field(&schema, "x", RF_TYPE_INT8);
	if (rf_metadata_set(&end, "rf.end.rows", "99", &err) != RF_OK ||
	    rf_metadata_set(&end, "rf.forest", "cafe", &err) != RF_OK)
		abort();
	text = written(&status, &schema, NULL, &end, &err);
	if (status != RF_OK ||
	    rf_reader_open_memory(
		&reader, text.data, text.size, "s", NULL, &err) != RF_OK ||
	    rf_reader_next(reader, &batch, &err) != RF_OK)
		abort();
	got = rf_reader_end_metadata(reader);
	check_text(rf_metadata_get(got, "rf.end.rows", NULL), "0",
	    "the end batch counts what was written");
	check_text(rf_metadata_get(got, "rf.forest", NULL), "cafe",
	    "and says what it is told");
	rf_reader_close(reader);
	rf_metadata_release(&end);
	rf_schema_release(&schema);
	rf_text_release(&text);
}

static void
check_mistakes(void)
{
	static const int8_t values[] = {1};
	struct rf_schema schema = {0};
	struct rf_field other = {.type = RF_TYPE_INT16};
	struct rf_column column = {
	    .field = &other, .n_rows = 1, .values = values};
	struct rf_batch batch = {1, &column, 1, NULL};
	struct rf_error err = {0};
	enum rf_status status;
	struct rf_text text;

	sample_field(&schema, "x", RF_TYPE_INT8);
	text = written(&status, &schema, &batch, NULL, &err);
	check_int(status, RF_EBUG, "a column of another type is our bug");
	check(text.size > 8 &&
		memcmp(text.data + text.size - 8, "\xff\xff\xff\xff\0\0\0\0",
		    8) != 0,
	    "and no end mark was written");
	rf_text_release(&text);
	sample_field(&schema, "u", RF_TYPE_UNION);
	text = written(&status, &schema, NULL, NULL, &err);
	check_int(status, RF_EDATA, "a type that is not written is refused");
	check_text(err.message, "out: column 'u': type union is not supported",
	    "by name");
	check_int(text.size, 0, "before anything is written");
	rf_text_release(&text);
	rf_schema_release(&schema);
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "echo") == 0)
		return echo();
	if (argc == 2 && strcmp(argv[1], "sum") == 0)
		return sum();
	check_dictionaries();
	check_end_metadata();
	check_mistakes();
	return unit_end();
}
