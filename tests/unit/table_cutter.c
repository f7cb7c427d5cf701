/* Cuts, cells, masks and the words that mean missing. */
#include "table/cutter.h"

#include <stdint.h>

#include "table/masks.h"
#include "table/missing.h"
#include "unit.h"

static uint64_t state = 1;

static unsigned
draw(unsigned n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static void
fill(char *text, size_t size, const char *alphabet)
{
	for (size_t i = 0; i < size; i++)
		text[i] = alphabet[draw((unsigned)strlen(alphabet))];
}

static void
test_masks(void)
{
	char text[64 + 16], wanted[16];
	bool is_ok = true;

	for (int i = 0; i < 2000; i++) {
		struct rf_masks one, two;

		fill(text, sizeof(text), i % 2 == 0 ? "a,\n\r\"" : "ab,\xc3z");
		if (i % 5 == 0)
			text[draw(64)] = '\0';
		memset(&one, 0, sizeof(one));
		memset(&two, 0, sizeof(two));
		rf_masks_scalar(&one, text);
		rf_masks_of(&two, text);
		is_ok &= one.ends == two.ends && one.quotes == two.quotes &&
		    one.has_carriage_return == two.has_carriage_return &&
		    one.has_high == two.has_high &&
		    one.has_zero == two.has_zero;
		memset(wanted, ',', sizeof(wanted));
		is_ok &= rf_find_near(text, wanted) ==
		    rf_find_near_scalar(text, wanted);
		is_ok &=
		    rf_count_feeds(text, 70) == rf_count_feeds_scalar(text, 70);
		is_ok &=
		    rf_mask_byte(text, ',') == rf_mask_byte_scalar(text, ',');
		text[60] = '\n';
		is_ok &=
		    rf_find_end(text, ',') == rf_find_end_scalar(text, ',');
	}
	check(is_ok, "vector and plain code find the same bytes");
}

/* One byte at a time, by the definition of a record. */
static size_t
next_start(const char *text, size_t size, size_t from)
{
	bool in_quotes = false, in_record = false;

	for (size_t i = from; i < size; i++) {
		bool is_end = text[i] == '\n' || text[i] == '\r';

		if (in_quotes) {
			if (text[i] != '"')
				continue;
			if (i + 1 < size && text[i + 1] == '"')
				i++;
			else
				in_quotes = false;
		} else if (is_end) {
			in_record = false;
		} else {
			if (!in_record && i > from)
				return i;
			in_record = true;
			if (text[i] == '"' &&
			    (i == from || text[i - 1] == ',' ||
				text[i - 1] == '\n' || text[i - 1] == '\r'))
				in_quotes = true;
		}
	}
	return size;
}

static void
test_cuts(void)
{
	char text[1000];
	bool is_ok = true;

	for (int i = 0; i < 3000; i++) {
		struct rf_cutter cutter = {.dialect = {.delimiter = ','},
		    .max_records = 1,
		    .max_bytes = SIZE_MAX};
		size_t size = 1 + draw(sizeof(text)), start = 0;

		fill(text, size, i % 3 == 0 ? "ab,\n" : "abcdefgh,\n\r\"");
		while (text[0] == '\n' || text[0] == '\r')
			text[0] = 'x';
		while (start < size) {
			size_t at = start, to = start, cut;

			/* The bytes arrive in pieces of any size. */
			do {
				to += 1 + draw(200);
				to = to < size ? to : size;
				cut = start +
				    rf_cutter_scan(&cutter, text + start,
					at - start, to - start);
				at = to;
			} while (cut == to && to < size);
			is_ok &= cut == next_start(text, size, start);
			rf_cutter_restart(&cutter);
			start = cut;
		}
	}
	check(is_ok, "records are cut as by one byte at a time");
}

/* A table whose cells are plain, quoted or, seldom, quoted wrongly. */
static void
fill_table(char *text, size_t size)
{
	static const char *const cells[] = {"a,", "bcd\n", "\"e\",", "\"\",",
	    "\"f\"\"g\"\n", "\"\"\"h\"\"\",", "\"i,\nj\"\r\n", ",", "\n\n",
	    "a long cell without any quote,", "\"a long, quoted, cell\",",
	    "k\"l\",", "\"m\"n,"};
	unsigned n = sizeof(cells) / sizeof(*cells);
	size_t at = 0;

	if (draw(3) > 0)
		n -= 2;
	while (at < size) {
		const char *cell = cells[draw(n)];

		for (; *cell != '\0' && at < size; cell++)
			text[at++] = *cell;
	}
}

/* Blocks of 64 bytes leave the cutter as single bytes do. */
static void
test_blocks(void)
{
	char text[1000];
	bool is_ok = true;

	for (int i = 0; i < 20000; i++) {
		struct rf_cutter one = {
		    .dialect = {.delimiter = ',', .trim = i % 7 == 0},
		    .max_records = 1 + draw(100),
		    .max_bytes = 1 + draw(1500)};
		struct rf_cutter many = one;
		size_t size = 1 + draw(sizeof(text)), cut = 0, at = 0;

		fill_table(text, size);
		while (at < size && cut == at)
			cut = rf_cutter_scan(&one, text, at++, cut + 1);
		is_ok &= rf_cutter_scan(&many, text, 0, size) == cut &&
		    one.state == many.state &&
		    one.n_records == many.n_records &&
		    one.in_record == many.in_record &&
		    one.last_start == many.last_start &&
		    one.open_quote == many.open_quote;
	}
	check(is_ok, "64 bytes at once are as one at a time");
}

static void
test_limits(void)
{
	static const char text[] = "a\nb\n\nc\nd\n";
	struct rf_cutter cutter = {.dialect = {.delimiter = ','},
	    .max_records = 2,
	    .max_bytes = SIZE_MAX};

	check_int(rf_cutter_scan(&cutter, text, 0, 9), 5, "two records");
	rf_cutter_restart(&cutter);
	cutter.max_records = 100;
	cutter.max_bytes = 1;
	check_int(rf_cutter_scan(&cutter, text, 0, 9), 2, "more than a byte");
	rf_cutter_restart(&cutter);
	cutter.max_bytes = SIZE_MAX;
	check_int(rf_cutter_scan(&cutter, text, 0, 9), 9, "no cut");
	check_int(cutter.n_records, 4, "of four records");
	check_int(cutter.last_start, 7, "and the last begins there");
}

static void
check_cells(const char *text, const struct rf_dialect *dialect,
    const char *wanted, const char *name)
{
	char buffer[256], got[256] = "", *at = buffer;
	size_t size = strlen(text);
	struct rf_cell cell = {0};
	enum rf_cell_fault fault;

	memset(buffer, 0, sizeof(buffer));
	memcpy(buffer, text, size);
	buffer[size] = '\n';
	while (at < buffer + size) {
		fault = rf_cell_next(dialect, &at, buffer + size, &cell);
		if (fault != RF_CELL_GOOD) {
			strcat(got, "!");
			break;
		}
		strcat(got, "[");
		strncat(got, cell.text, cell.size);
		strcat(got, cell.is_last ? "]." : "]");
	}
	check_text(got, wanted, name);
}

static void
test_cells(void)
{
	struct rf_dialect plain = {.delimiter = ','};
	struct rf_dialect trim = {.delimiter = ',', .trim = true};

	check_cells("a,b\nc,", &plain, "[a][b].[c]", "plain cells");
	check_cells("a\r\nb\rc", &plain, "[a].[b].[c].", "ends of lines");
	check_cells("\"a\"\"b\",\"\"\n", &plain, "[a\"b][].", "quoted");
	check_cells("\"a\nb\"\n", &plain, "[a\nb].", "a line end in quotes");
	check_cells("a\"b\",c\n", &plain, "[a\"b\"][c].", "a quote inside");
	check_cells(" a , b\n", &plain, "[ a ][ b].", "blanks are kept");
	check_cells(" a , \"b \" \n", &trim, "[a][b ].", "or trimmed");
	check_cells("\"a\" ,b\n", &plain, "!", "text after a quote");
	check_cells("\"a", &plain, "!", "an open quote");
}

static void
test_missing(void)
{
	struct rf_missing missing;
	struct rf_text json = {0};

	check_int(rf_missing_init(&missing, true, NULL), RF_OK, "words");
	check(rf_missing_has(&missing, "", 0), "nothing is missing");
	check(rf_missing_has(&missing, " \t ", 3), "so are blanks");
	check(rf_missing_has(&missing, "N/A", 3), "so is N/A");
	check(!rf_missing_has(&missing, "NAN", 3), "NAN is a word");
	check(!rf_missing_has(&missing, " NA", 3), "blanks count");
	check(!missing.has_numbers, "none is a number");
	check_int(rf_missing_add(&missing, "-9", 2, '.', NULL), RF_OK, "-9");
	check(missing.has_numbers && rf_missing_has(&missing, "-9", 2),
	    "a number can be one");
	rf_missing_json(&missing, &json);
	check_text(json.data,
	    "[\"NA\",\"N/A\",\"NaN\",\"nan\",\"null\",\"NULL\",\"?\",\"-9\"]",
	    "as JSON");
	rf_missing_release(&missing);
	check_int(rf_missing_init(&missing, false, NULL), RF_OK, "no words");
	check_int(rf_missing_add_json(&missing, json.data, '.', NULL), RF_OK,
	    "and back");
	check(rf_missing_has(&missing, "NULL", 4) &&
		rf_missing_has(&missing, "-9", 2),
	    "the same words");
	check_int(rf_missing_add_json(&missing, "{}", '.', NULL), RF_EDATA,
	    "an object is none");
	rf_missing_release(&missing);
	rf_text_release(&json);
}

static void
test_lines(void)
{
	static const char text[] = "a\r\nb\rc\n\r\n";

	check_int(rf_count_lines(text, text + 9), 4, "lines of all kinds");
	check_int(rf_count_lines(text, text + 5), 2, "CR at the end");
	check_int(rf_count_lines(text, text), 0, "none");
}

int
main(void)
{
	test_masks();
	test_cuts();
	test_blocks();
	test_limits();
	test_cells();
	test_missing();
	test_lines();
	return unit_end();
}
