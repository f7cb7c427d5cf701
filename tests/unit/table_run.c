/*
 * Runs of cells: each way of reading numbers against rf_decimal_parse, whose
 * own test is against Python, and texts against rf_cell_next.
 */
#include "table/run.h"

#include <stdlib.h>
#include <string.h>

#include "table/decimal.h"
#include "unit.h"

#define FRONT	32
#define LONGEST 20

static char memory[FRONT + 2 * LONGEST + 128];

struct way {
	const char *name;
	size_t (*run)(struct rf_slot *slots, const struct rf_plan *plan,
	    size_t c, char **at, int64_t row);
};

static const struct rf_plan plan = {
    .dialect = {.delimiter = ',', .point = '.'}, .n_columns = 1};
static int n_ways;
static int64_t n_failed;
static struct way ways[2];

/* One cell, as `fast` says; whether it was stored, with its bits. */
static bool
read_cell(const struct way *way, enum rf_cells fast, const char *cell,
    bool is_quoted, uint64_t *bits)
{
	uint8_t nulls = 0;
	struct rf_chunk_column column = {.nulls = &nulls};
	struct rf_slot slot = {
	    .cells = fast, .fast = fast, .values = bits, .column = &column};
	char *text = memory + FRONT, *at = text, *end = text;
	size_t n = strlen(cell);

	memset(slot.end, ',', sizeof(slot.end));
	/* What stands around a cell must not matter. */
	memset(memory, '7', sizeof(memory));
	if (is_quoted)
		*end++ = '"';
	memcpy(end, cell, n);
	end += n;
	if (is_quoted)
		*end++ = '"';
	*end++ = ',';
	if (way->run(&slot, &plan, 0, &at, 0) == 0)
		return at != text; /* refused, but moved: never right */
	return at == end && nulls == 0;
}

/* Digits, and a point among them at most, after a sign or none. */
static bool
is_common(const char *cell, enum rf_cells fast)
{
	size_t n_digits = 0, n_points = 0, size = strlen(cell);

	if (*cell == '-')
		cell++;
	if (fast == RF_CELLS_WHOLE && *cell == '0' && size > 1)
		return false;
	for (; *cell != '\0'; cell++) {
		n_points += *cell == '.';
		n_digits += *cell >= '0' && *cell <= '9';
		if (*cell != '.' && (*cell < '0' || *cell > '9'))
			return false;
	}
	return n_digits > 0 && size <= RF_DECIMAL_LONGEST &&
	    n_points <= (fast == RF_CELLS_REAL);
}

static bool
is_right(const struct way *way, enum rf_cells fast, const char *cell)
{
	uint64_t bits = 1, wanted;
	int64_t whole = 0;
	double real = 0;
	enum rf_number kind =
	    rf_decimal_parse(cell, strlen(cell), '.', &whole, &real);

	memcpy(&wanted, fast == RF_CELLS_REAL ? (void *)&real : (void *)&whole,
	    sizeof(wanted));
	for (int q = 0; q < 2; q++) {
		bool is_stored = read_cell(way, fast, cell, q == 1, &bits);

		/* The plain way leaves some of the common forms to others. */
		if (!is_stored && is_common(cell, fast) &&
		    strcmp(way->name, "plain") != 0)
			return false;
		if (is_stored &&
		    (bits != wanted || !is_common(cell, fast) ||
			kind == RF_NUMBER_NONE))
			return false;
	}
	return true;
}

static void
fail(const struct way *way, const char *cell)
{
	if (n_failed++ < 10)
		printf("# %s: '%s'\n", way->name, cell);
}

static void
check_cell(const char *cell, int64_t *n)
{
	for (int w = 0; w < n_ways; w++)
		for (int f = RF_CELLS_WHOLE; f <= RF_CELLS_REAL; f++, (*n)++)
			if (!is_right(&ways[w], (enum rf_cells)f, cell))
				fail(&ways[w], cell);
}

/* Every text of up to 5 of the bytes that matter. */
static void
test_short(void)
{
	static const char bytes[] = "059.-+e \x80";
	size_t n_bytes = sizeof(bytes) - 1;
	char cell[8];
	int64_t n = 0;

	for (size_t size = 0, n_texts = 1; size <= 5;
	     size++, n_texts *= n_bytes)
		for (size_t i = 0; i < n_texts; i++) {
			size_t rest = i;

			for (size_t j = 0; j < size; j++, rest /= n_bytes)
				cell[j] = bytes[rest % n_bytes];
			cell[size] = '\0';
			check_cell(cell, &n);
		}
	check(n > 100000 && n_failed == 0, "all short cells");
}

/* Digits of each count, a point at each place, and one byte that is wrong. */
static void
test_long(void)
{
	static const char wrong[] = {'/', ':', '"', ' ', '\xb0', '\x01'};
	char cell[LONGEST + 4];
	int64_t n = 0;

	for (int turn = 0; turn < 40000; turn++) {
		size_t size = (size_t)(rand() % LONGEST) + 1, at = 0;

		if (rand() % 2 == 0)
			cell[at++] = '-';
		for (; at < size; at++)
			cell[at] = (char)('0' + rand() % 10);
		cell[at] = '\0';
		if (rand() % 4 != 0)
			cell[(size_t)rand() % at] = '.';
		if (rand() % 8 == 0)
			cell[(size_t)rand() % at] =
			    wrong[(size_t)rand() % sizeof(wrong)];
		check_cell(cell, &n);
	}
	check(n > 100000 && n_failed == 0, "long cells");
}

/* A cell of text, plain or quoted, against rf_cell_next. */
static bool
is_right_text(const struct way *way, enum rf_cells fast, const char *text)
{
	static const char known[2][16] = {"ab", "a\nb c,d"};
	struct rf_plan two = plan;
	char data[64] = "", *at = memory + FRONT, *start = at, *after = at;
	size_t size = strlen(text);
	int32_t code = -9, offsets[2] = {0}, values[1];
	uint8_t nulls = 0;
	struct rf_chunk_column column = {.nulls = &nulls,
	    .data = data,
	    .data_capacity = sizeof(data),
	    .offsets = offsets};
	struct rf_slot slot = {
	    .cells = fast, .fast = fast, .values = values, .column = &column};
	struct rf_cell cell;
	bool is_ok, is_good;

	two.n_columns = 1;
	memset(slot.end, ',', sizeof(slot.end));
	memset(memory, ',', sizeof(memory));
	memcpy(start, text, size);
	start[LONGEST + 90] = '\n';
	if (rf_words_code(&column.words, known[0], 2, &code, NULL) != RF_OK ||
	    rf_words_code(&column.words, known[1], 7, &code, NULL) != RF_OK)
		return false;
	if (way->run(&slot, &two, 0, &at, 0) == 0) {
		is_ok = at == start && column.data_size == 0 && nulls == 0;
		goto out;
	}
	is_good = rf_cell_next(&two.dialect, &after, start + LONGEST + 90,
		      &cell) == RF_CELL_GOOD;
	is_ok = is_good && at == after && !cell.is_last;
	if (nulls != 0)
		is_ok &= cell.size == 0 && column.data_size == 0;
	else if (fast == RF_CELLS_CATEGORY)
		is_ok &= values[0] ==
		    rf_words_find(&column.words, cell.text, cell.size,
			rf_words_hash(cell.text, cell.size));
	else
		is_ok &= (size_t)offsets[1] == cell.size &&
		    column.data_size == cell.size &&
		    memcmp(data, cell.text, cell.size) == 0;
out:
	rf_words_release(&column.words);
	return is_ok;
}

static void
test_texts(void)
{
	static const char bytes[] = "ab\",\n\r";
	static const char *const others[] = {"a\nb c,d", "\"a\nb c,d\"",
	    "\"a\nb c,d\"\"\"", "0123456789012345678901234567890",
	    "01234567890123456789012345678901", "\"0123456789012345\""};
	int64_t n = 0;
	char text[8];

	for (int w = 0; w < n_ways; w++)
		for (int f = RF_CELLS_CATEGORY; f <= RF_CELLS_TEXT; f++) {
			for (size_t i = 0; i < 6; i++)
				if (!is_right_text(
					&ways[w], (enum rf_cells)f, others[i]))
					fail(&ways[w], others[i]);
			for (int i = 0; i < 6 * 6 * 6 * 6 * 6; i++, n++) {
				for (int j = 0, rest = i; j < 5; j++, rest /= 6)
					text[j] = bytes[rest % 6];
				text[n % 6] = '\0';
				if (!is_right_text(
					&ways[w], (enum rf_cells)f, text))
					fail(&ways[w], text);
			}
		}
	check(n > 10000 && n_failed == 0, "categories and texts");
}

/* The value of a cell by the slow way; false: it has none. */
static bool
formed_value(enum rf_cells fast, const char *cell, int64_t *value)
{
	size_t size = strlen(cell);
	struct rf_moment moment;
	int32_t days;

	*value = rf_boolean(cell, size);
	if (fast == RF_CELLS_BOOLEAN)
		return *value >= 0;
	if (fast == RF_CELLS_DATE) {
		bool is_date = rf_moment_days(cell, size, &days);

		*value = days;
		return is_date;
	}
	if (!rf_moment_read(cell, size, &moment) || size != 19 ||
	    moment.has_offset)
		return false;
	*value = moment.seconds;
	return true;
}

static bool
is_right_formed(const struct way *way, enum rf_cells fast, const char *cell)
{
	int64_t wanted;
	bool has_value = formed_value(fast, cell, &wanted), is_ok = true;

	for (int q = 0; q < 2; q++) {
		uint64_t bits = 0;
		int64_t got;

		if (read_cell(way, fast, cell, q == 1, &bits) != has_value)
			return false;
		got = fast == RF_CELLS_DATE ? (int32_t)bits : (int64_t)bits;
		is_ok &= !has_value || got == wanted;
	}
	return is_ok;
}

static void
test_formed(void)
{
	static const char *const cells[] = {"true", "True", "TRUE", "false",
	    "False", "FALSE", "tRue", "trues", "falsy", "fals", "1", "yes",
	    "2024-02-29", "2023-02-29", "2024-02-2", "2024-02-299",
	    "1969-12-31", "2024/02/29", "2024-02-29T10:20:30",
	    "2024-02-29 10:20:30", "2024-02-29T10:20", "2024-02-29T24:00:00",
	    "2024-02-29T10:20:30Z", "2024-02-29T10:20:30.5",
	    "1960-02-29T10:20:30", "2024-02-29t10:20:30"};
	size_t n = sizeof(cells) / sizeof(*cells);

	n_failed = 0;
	for (int w = 0; w < n_ways; w++)
		for (size_t i = 0; i < n; i++) {
			static const enum rf_cells kinds[] = {
			    RF_CELLS_BOOLEAN, RF_CELLS_DATE, RF_CELLS_TIME};

			for (int k = 0; k < 3; k++)
				if (!is_right_formed(
					&ways[w], kinds[k], cells[i]))
					fail(&ways[w], cells[i]);
		}
	check(n_failed == 0, "booleans, dates and times");
}

int
main(void)
{
	ways[n_ways++] = (struct way){"plain", rf_run_plain};
#ifdef __x86_64__
	if (rf_run_has_avx2())
		ways[n_ways++] = (struct way){"avx2", rf_run_avx2};
#endif
	srand(1);
	test_short();
	test_long();
	test_texts();
	test_formed();
	return unit_end();
}
