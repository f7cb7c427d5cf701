/* Rows of libsvm: expected by hand, from the format in LIBSVM's README. */
#include "table/libsvm_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static enum rf_status
add(struct rf_libsvm_rows *rows, const char *line)
{
	/* Without a byte after it, so that a sanitizer sees what is read. */
	size_t size = strlen(line);
	char *copy = malloc(size + 1);
	enum rf_status status;

	memcpy(copy, line, size);
	status = rf_libsvm_add(rows, copy, copy + size, NULL);
	free(copy);
	return status;
}

static void
test_rows(void)
{
	struct rf_libsvm_rows rows = {.width = 10};

	check(add(&rows, "1.5 1:2 3:-.5") == RF_OK, "a row");
	check(add(&rows, "  # nothing") == RF_OK, "a comment");
	check(add(&rows, "") == RF_OK, "an empty line");
	check(add(&rows, "-1\t10:nan # 11:1") == RF_OK, "a row and a comment");
	check(rows.n_rows == 2 && rows.n_pairs == 3 && rows.n_missing == 1,
	    "two rows of three cells");
	check(rows.offsets[1] == 2 && rows.offsets[2] == 3, "two and one");
	check(rows.columns[0] == 0 && rows.columns[1] == 2 &&
		rows.columns[2] == 9,
	    "columns count from 0");
	check(rows.values[0] == 2 && rows.values[1] == -.5 &&
		isnan(rows.values[2]),
	    "values");
	check(
	    rows.labels[0].real == 1.5 && rows.labels[1].real == -1, "labels");
	check(rows.n_columns == 10 && rows.has_fraction, "what was seen");
	check(add(&rows, "1 11:1") == RF_EDATA, "an index that is too high");
	rows.leaves_out = true;
	rf_libsvm_clear(&rows);
	check(add(&rows, "1 2:1 11:1") == RF_OK && rows.n_pairs == 1,
	    "an index that is left out");
	rf_libsvm_release(&rows);
}

static void
test_form(void)
{
	static const struct {
		const char *text;
		bool is_cut, is_form;
	} cases[] = {{"1 1:2", false, true},
	    {"\n#\n-1 2:.5 7:1\nx", false, true}, {"1 qid:2 1:1", false, true},
	    {"1 qid:2", false, false}, {"1", false, false}, {"", false, false},
	    {"x 1:1", false, false}, {"1 1:1 x", false, false},
	    {"1 1:1 2:", false, false}, {"1 1:1 2:", true, true},
	    {"1 12:30,5", false, false}, {"1 a:2", false, false},
	    {"1,2 1:2", false, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *text = cases[i].text;

		check(rf_libsvm_is_form(text, text + strlen(text),
			  cases[i].is_cut) == cases[i].is_form,
		    "whether a record begins so");
	}
}

int
main(void)
{
	test_rows();
	test_form();
	return unit_end();
}
