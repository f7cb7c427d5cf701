/* Reading and writing whole streams: framing, ends, kinds, options. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "stream/flatbuf.h"
#include "stream_sample.h"
#include "unit.h"

/* The sample's messages: schema, 2 x (dictionary, batch), end batch, mark. */
enum part { SCHEMA, DICTIONARY_1, BATCH_1, DICTIONARY_2, BATCH_2, END, MARK };
#define N_PARTS 7

static struct rf_text sample;
static struct rf_bytes parts[N_PARTS];

/* rf-stream(5), Messages: marker, size of metadata, metadata, body. */
static void
split_sample(void)
{
	const uint8_t *data = (const uint8_t *)sample.data;
	size_t at = 0;
	uint32_t head[2];
	bool is_aligned = true, is_framed = true;

	for (int i = 0; i < N_PARTS; i++) {
		size_t start = at;
		struct rf_flat flat;

		memcpy(head, data + at, sizeof(head));
		is_framed = is_framed && head[0] == 0xffffffff;
		at += 8 + head[1];
		is_aligned = is_aligned && (i == MARK || at % 64 == 0);
		if (i != MARK) /* Message.fbs: slot 3 is bodyLength */
			at += (size_t)rf_flat_int64(&flat,
			    rf_flat_open(&flat, data + start + 8, head[1]), 3,
			    0);
		parts[i] =
		    (struct rf_bytes){data + start, (int64_t)(at - start)};
	}
	check(is_framed, "every message begins with the marker");
	check(is_aligned, "every body begins at a multiple of 64");
	check_int(at, sample.size, "the end mark is the last of it");
}

static struct rf_text
join(const enum part *list, size_t n)
{
	struct rf_text text = {0};

	for (size_t i = 0; i < n; i++)
		rf_text_append(
		    &text, parts[list[i]].data, (size_t)parts[list[i]].size);
	return text;
}

#define JOIN(...)                                                              \
 join((enum part[]){__VA_ARGS__},                                              \
     sizeof((enum part[]){__VA_ARGS__}) / sizeof(enum part))

/* Another word of the same length, everywhere. */
static void
replace(struct rf_text *text, const char *from, const char *to)
{
	size_t n = strlen(from);

	for (size_t i = 0; i + n <= text->size; i++)
		if (memcmp(text->data + i, from, n) == 0)
			memcpy(text->data + i, to, n);
}

static int n_notes;

static void
count_note(void *context, const char *message)
{
	(void)context;
	(void)message;
	n_notes++;
}

/* Reads all; releases the text; the message is in *err, rows in *n_rows. */
static enum rf_status
read_with(struct rf_text text, struct rf_reader_options options,
    int64_t *n_rows, struct rf_error *err)
{
	struct rf_log log = {.note = count_note};
	struct rf_reader *reader = NULL;
	struct rf_batch batch;
	enum rf_status status;

	n_notes = 0;
	*n_rows = 0;
	*err = (struct rf_error){0};
	options.log = &log;
	status = rf_reader_open_memory(
	    &reader, text.data, text.size, "s", &options, err);
	while (status == RF_OK) {
		status = rf_reader_next(reader, &batch, err);
		if (status != RF_OK || batch.columns == NULL)
			break;
		*n_rows += batch.n_rows;
	}
	rf_reader_close(status == RF_OK || reader != NULL ? reader : NULL);
	rf_text_release(&text);
	return status;
}

static void
check_refused(struct rf_text text, struct rf_reader_options options,
    const char *part_of_message, const char *name)
{
	struct rf_error err;
	int64_t n_rows;
	enum rf_status status = read_with(text, options, &n_rows, &err);

	if (!check(status == RF_EDATA &&
		    strstr(err.message, part_of_message) != NULL,
		name))
		printf("# status %d: %s\n", status, err.message);
}

static void
check_read(struct rf_text text, struct rf_reader_options options,
    int64_t wanted_rows, int wanted_notes, const char *name)
{
	struct rf_error err;
	int64_t n_rows;
	enum rf_status status = read_with(text, options, &n_rows, &err);

	if (!check(status == RF_OK && n_rows == wanted_rows &&
		    n_notes == wanted_notes,
		name))
		printf("# status %d, %lld rows, %d notes: %s\n", status,
		    (long long)n_rows, n_notes, err.message);
}

static const struct rf_reader_options plain;

static void
check_ends(void)
{
	struct rf_reader_options no_eos = {.no_eos = true};
	struct rf_text text;

	check_read(JOIN(SCHEMA, DICTIONARY_1, BATCH_1, DICTIONARY_2, BATCH_2,
		       END, MARK),
	    plain, 10, 0, "a whole stream is read");
	check_refused(JOIN(SCHEMA, DICTIONARY_1, BATCH_1), plain, "no end mark",
	    "a stream of ours without its end is refused");
	check_read(JOIN(SCHEMA, DICTIONARY_1, BATCH_1), no_eos, 5, 1,
	    "with no_eos it is read with a note");
	check_read(JOIN(SCHEMA, DICTIONARY_1, BATCH_1, MARK), plain, 5, 1,
	    "a data stream without its end batch is read with a note");
	text = JOIN(SCHEMA, DICTIONARY_1, BATCH_1, MARK);
	replace(&text, "rf.version", "xy.version");
	check_read(text, plain, 5, 0, "one that is not ours without a note");
	text = JOIN(SCHEMA, DICTIONARY_1, BATCH_1);
	replace(&text, "rf.version", "xy.version");
	check_read(text, plain, 5, 1,
	    "one that is not ours needs no end mark, but a note");
	text = JOIN(SCHEMA, MARK);
	replace(&text, "rf.version", "xy.version");
	check_read(text, plain, 0, 0, "no batches are no rows");
	check_refused(JOIN(SCHEMA, DICTIONARY_1, BATCH_1, END, MARK), plain,
	    "5 rows came where 10 were sent", "a lost batch is found");
	check_refused(
	    JOIN(SCHEMA, DICTIONARY_1, BATCH_1, BATCH_2, END, MARK, SCHEMA),
	    plain, "data after the end", "two streams in a row are refused");
	check_refused(JOIN(SCHEMA, SCHEMA, MARK), plain, "second schema",
	    "a second schema is refused");
	check_refused(JOIN(BATCH_1, MARK), plain, "not a schema",
	    "a batch in front of the schema is refused");
	check_refused(JOIN(MARK), plain, "ends before a schema",
	    "an end mark alone is refused");
	check_refused(
	    (struct rf_text){0}, plain, "empty input", "empty input is named");
	check_refused(JOIN(SCHEMA, BATCH_1, END, MARK), plain,
	    "outside its dictionary of 0 entries",
	    "codes without their dictionary are refused");
}

static void
check_kinds(void)
{
	struct rf_reader_options data = {.kind = "data"};
	struct rf_reader_options forest = {.kind = "forest"};
	struct rf_reader_options foreign = {
	    .kind = "data", .want_foreign = true};
	struct rf_text text;

	check_read(JOIN(SCHEMA, DICTIONARY_1, BATCH_1, BATCH_2, END, MARK),
	    data, 10, 0, "a data stream is read as one");
	check_refused(JOIN(SCHEMA, END, MARK), forest,
	    "a data stream where a forest stream is needed: rf-fit first?",
	    "a stream of another kind is named");
	text = JOIN(SCHEMA, DICTIONARY_1, BATCH_1, MARK);
	replace(&text, "rf.kind", "xy.kind");
	check_refused(
	    text, data, "it has no rf.kind", "one without a kind is refused");
	text = JOIN(SCHEMA, DICTIONARY_1, BATCH_1, MARK);
	replace(&text, "rf.kind", "xy.kind");
	check_read(text, foreign, 5, 1, "unless strangers are welcome");
}

static struct rf_text
bytes(const void *data, size_t size)
{
	struct rf_text text = {0};

	rf_text_append(&text, data, size);
	return text;
}

static void
check_strangers(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *says;
	} all[] = {
	    {"age,income\n1,2\n", 15, "csv2bin first?"},
	    {"\xef\xbb\xbf"
	     "a,b\n1,2\n",
		11, "csv2bin first?"},
	    {"1\n", 2, "csv2bin first?"},
	    {"\x1f\x8b\x08\0\0\0\0\0", 8, "gzip"},
	    {"\x28\xb5\x2f\xfd\0\0\0\0", 8, "zstd"},
	    {"\x04\x22\x4d\x18\0\0\0\0", 8, "lz4"},
	    {"PAR1\x15\0\x15\0", 8, "Parquet"},
	    {"FEA1\0\0\0\0", 8, "Feather"},
	    {"ARROW1\0\0", 8, "Arrow file"},
	    {"\xff\xff\xff\xff\xff\xff\xff\x7f", 8, "2147483647 bytes"},
	    {"\xff\xff\xff\xff\x08\0\0\0", 8, "8 bytes"},
	    {"\xff\xff\xff\xff\0\0\0\x01\1\1", 10, "truncated"},
	    {"\0\0\0\1\0\0\0\0", 8, "truncated"},
	    {"\1\0\0\1\0\0\0\0", 8, "16777217 bytes"},
	    {"\xff\xff", 2, "truncated"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		check_refused(bytes(all[i].bytes, all[i].size), plain,
		    all[i].says, all[i].says);
}

static int n_allocated;

static void *
count_allocate(void *context, size_t size)
{
	n_allocated += *(int *)context;
	return rf_alloc_aligned(size);
}

static void
count_release(void *context, void *memory)
{
	n_allocated -= *(int *)context;
	rf_free_aligned(memory);
}

/* From a place that is not aligned, so that bodies must be copied. */
static void
check_allocator(void)
{
	int one = 1;
	struct rf_reader_options options = {.allocate = count_allocate,
	    .release = count_release,
	    .allocate_context = &one};
	char *moved = rf_alloc_aligned(sample.size + 1);
	struct rf_reader *reader;
	struct rf_batch batch;
	struct rf_error err;
	bool is_aligned = true;

	memcpy(moved + 1, sample.data, sample.size);
	if (rf_reader_open_memory(
		&reader, moved + 1, sample.size, "s", &options, &err) != RF_OK)
		abort();
	check_int(n_allocated, 2, "buffers come from the caller's allocator");
	while (rf_reader_next(reader, &batch, &err) == RF_OK &&
	    batch.columns != NULL)
		is_aligned =
		    is_aligned && (uintptr_t)batch.columns[0].values % 64 == 0;
	check(is_aligned, "values are aligned wherever the stream lies");
	check_int(rf_reader_n_rows(reader), 10, "rows are counted");
	check_int(rf_reader_n_bytes(reader), sample.size, "and bytes");
	check_text(rf_metadata_get(
		       rf_reader_end_metadata(reader), "rf.end.rows", NULL),
	    "10", "the end batch's metadata is there");
	check(rf_reader_next(reader, &batch, &err) == RF_OK &&
		batch.columns == NULL,
	    "the end stays the end");
	rf_reader_close(reader);
	check_int(n_allocated, 0, "and go back to it");
	rf_free_aligned(moved);
}

static enum rf_status
write_sample_to(int fd, struct rf_error *err)
{
	struct rf_schema schema = {0};
	struct sample_columns columns;
	struct rf_batch batch = {5, columns.all, 8, NULL};
	struct rf_writer *writer = NULL;
	enum rf_status status;

	sample_schema(&schema);
	sample_batch(&columns, &schema);
	status = rf_writer_open(&writer, fd, "out", &schema, err);
	if (status == RF_OK)
		status = rf_writer_dictionary(writer, 7, &columns.texts, err);
	if (status == RF_OK)
		status = rf_writer_batch(writer, &batch, err);
	if (status == RF_OK)
		status = rf_writer_finish(writer, NULL, err);
	rf_writer_free(writer);
	rf_schema_release(&schema);
	return status;
}

static void
check_write_errors(void)
{
	struct rf_error err = {0};
	int ends[2], full = open("/dev/full", O_WRONLY);

	(void)signal(SIGPIPE, SIG_IGN);
	if (pipe(ends) != 0)
		abort();
	close(ends[0]);
	check_int(write_sample_to(ends[1], &err), RF_EIO,
	    "a reader that left is an error of input and output");
	check(strncmp(err.message, "out: cannot write: ", 19) == 0,
	    "which names the output");
	close(ends[1]);
	if (full >= 0)
		check_int(
		    write_sample_to(full, &err), RF_EIO, "so is a full disk");
	close(full);
}

static void
check_values(void)
{
	struct rf_reader *reader;
	struct rf_batch batch;
	struct rf_error err;
	struct rf_bytes text;
	int64_t first, end;

	if (rf_reader_open_memory(
		&reader, sample.data, sample.size, "s", NULL, &err) != RF_OK ||
	    rf_reader_next(reader, &batch, &err) != RF_OK)
		abort();
	check_int(batch.n_rows, 5, "rows");
	check(!rf_column_is_valid(&batch.columns[0], 1) &&
		rf_column_is_valid(&batch.columns[0], 4),
	    "row 2 is null");
	check_int(rf_column_int(&batch.columns[0], 0), 1, "integers");
	check_int(rf_column_int(&batch.columns[0], 1), 0, "0 under a null");
	check(rf_column_text(&batch.columns[3], 3, &text) && text.size == 4 &&
		memcmp(text.data, "dddd", 4) == 0,
	    "text");
	check(rf_column_text(&batch.columns[3], 1, &text) && text.size == 0,
	    "no text under a null");
	check(rf_column_text(&batch.columns[4], 2, &text) && text.size == 2 &&
		memcmp(text.data, "\xc3\xa9", 2) == 0,
	    "text through a dictionary");
	check_int(rf_column_int(&batch.columns[4], 1), 0,
	    "a code under a null is 0, which polars wants");
	rf_column_list(&batch.columns[5], 0, &first, &end);
	check(first == 0 && end == 2, "lists");
	check_int(rf_column_int(&batch.columns[5].children[0].children[0], 1),
	    -2, "and their elements' parts");
	check_int(rf_column_n_nulls(&batch.columns[7]), 5, "null columns");
	check_text(
	    rf_reader_schema(reader)->fields[6].timezone, "UTC", "time zones");
	check_int(
	    rf_reader_schema(reader)->fields[6].unit, RF_UNIT_US, "and units");
	rf_reader_close(reader);
}

int
main(void)
{
	struct rf_text again = {0};

	sample_stream(&sample);
	sample_stream(&again);
	check(again.size == sample.size &&
		memcmp(again.data, sample.data, sample.size) == 0,
	    "equal calls give equal bytes");
	rf_text_release(&again);
	split_sample();
	check_values();
	check_ends();
	check_kinds();
	check_strangers();
	check_allocator();
	check_write_errors();
	check_int(rf_writer_batch_rows(8), 131072, "1 MiB of 8 bytes a row");
	check_int(rf_writer_batch_rows(112), 9216, "rows are 1024 at a time");
	check_int(rf_writer_batch_rows(16384), 1024, "at least, up to 16 MiB");
	check_int(rf_writer_batch_rows(16385), 64, "and 64 past that");
	rf_text_release(&sample);
	return unit_end();
}
