/*
 * The survey of a sample against looking at each of its cells: the same counts
 * and the same words, whatever the cells turn into on the way.
 */
#include "table/survey.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/decimal.h"
#include "unit.h"

#define N_COLUMNS 7
#define N_RECORDS 6000
#define ROOM	  (N_RECORDS * N_COLUMNS * 40)

static char memory[2][RF_DECIMAL_FRONT + ROOM + RF_TEXT_PADDING + 1];

/* What a column's cells are made of. */
static const char *const kinds[][5] = {{"1.5", "-2", "3e5", "0.25", ""},
    {"1", "-22", "333", "0", ""},
    {"2024-02-29", "1999-12-31", "0001-01-01", "2024-02-29", ""},
    {"2024-02-29T10:20:30", "1999-12-31 00:00:00", "", "2024-01-01T00:00:00",
	"2024-01-01T00:00:01"},
    {"true", "False", "TRUE", "", "false"},
    {"ab", "a b", "\"a,b\"", "", "a longer text than fits in a line"},
    {"1,5", "1 000", " 7", "x", "\"1,5\""}};
#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

/* Cells that are unlike the others. */
static const char *const odd[] = {"007", "+1", "inf", "Infinity", "-0", "1e400",
    "2024-02-30", "2024-02-29T10:20:30Z", "2024-02-29T10:20:30.25", "tRue",
    "word", "\"quo\"\"te\"", "NA", "99999999999999999999", "12:30", "i", "-"};
#define N_ODD (sizeof(odd) / sizeof(*odd))

static size_t
make_text(char *text, const char *line_end, int one_in)
{
	size_t size = 0, kind[N_COLUMNS];

	for (size_t c = 0; c < N_COLUMNS; c++)
		kind[c] = (size_t)rand() % N_KINDS;
	for (int i = 0; i < N_RECORDS; i++)
		for (size_t c = 0; c < N_COLUMNS; c++) {
			const char *cell = rand() % one_in == 0
			    ? odd[(size_t)rand() % N_ODD]
			    : kinds[kind[c]][rand() % 5];

			/* A record of nothing but blanks is none. */
			if (c == 0 && *cell == '\0')
				cell = kinds[kind[c]][0];
			size += (size_t)sprintf(text + size, "%s%s", cell,
			    c + 1 < N_COLUMNS ? ";" : line_end);
		}
	return size;
}

static void
init_plan(struct rf_plan *plan, struct rf_plan_column *columns)
{
	struct rf_error err;

	*plan = (struct rf_plan){.dialect = {.delimiter = ';', .point = '.'},
	    .n_columns = N_COLUMNS,
	    .label = -1,
	    .columns = columns};
	if (rf_missing_init(&plan->missing, true, &err) != RF_OK)
		abort();
}

/* Each cell by itself. */
static void
look_at_each(struct rf_plan *plan, struct rf_survey *out, char *at, char *end)
{
	struct rf_evidence_place place = {.counted = at};
	struct rf_cell cells[N_COLUMNS];
	struct rf_error err;
	size_t n;

	while (at < end &&
	    rf_record_next(&plan->dialect, &at, end, cells, N_COLUMNS, &n) ==
		RF_CELL_GOOD)
		for (size_t c = 0; c < n; c++) {
			if (rf_missing_has(
				&plan->missing, cells[c].text, cells[c].size))
				continue;
			out->has_others[c] |=
			    !rf_evidence_take(&out->evidence[c], &plan->dialect,
				&place, &cells[c]);
			if (!out->has_others[c] &&
			    rf_survey_keep_word(&plan->columns[c],
				&plan->columns[c].words, &cells[c],
				&err) != RF_OK)
				abort();
		}
}

static bool
is_same_spot(const struct rf_spot *a, const struct rf_spot *b)
{
	return (a->text == NULL) == (b->text == NULL) &&
	    (a->text == NULL ||
		(strcmp(a->text, b->text) == 0 && a->line == b->line));
}

static bool
is_same(const struct rf_evidence *a, const struct rf_evidence *b)
{
	/* After a real, whole numbers may count as either. */
	return a->n_present == b->n_present &&
	    rf_evidence_numbers(a) == rf_evidence_numbers(b) &&
	    (a->n_real > 0) == (b->n_real > 0) &&
	    (a->n_fraction > 0) == (b->n_fraction > 0) &&
	    (a->n_real > 0 ||
		(a->n_odd == b->n_odd && a->n_codes == b->n_codes)) &&
	    a->n_comma == b->n_comma && a->n_grouped == b->n_grouped &&
	    a->n_padded == b->n_padded && a->n_booleans == b->n_booleans &&
	    a->n_dates == b->n_dates && a->n_times == b->n_times &&
	    a->n_offset == b->n_offset && a->most_digits == b->most_digits &&
	    is_same_spot(&a->no_number, &b->no_number) &&
	    is_same_spot(&a->no_time, &b->no_time) &&
	    is_same_spot(&a->other_offset, &b->other_offset);
}

static bool
are_same_words(const struct rf_words *a, const struct rf_words *b)
{
	return a->n_words == b->n_words && a->data_size == b->data_size &&
	    (a->n_words == 0 || memcmp(a->data, b->data, a->data_size) == 0);
}

static bool
is_same_survey(const char *line_end, int one_in)
{
	struct rf_plan_column columns[2][N_COLUMNS] = {0};
	struct rf_plan plans[2];
	struct rf_survey surveys[2] = {0};
	struct rf_error err;
	size_t size = make_text(memory[0] + RF_DECIMAL_FRONT, line_end, one_in);
	bool is_ok = true;

	memcpy(memory[1], memory[0], sizeof(memory[0]));
	for (int i = 0; i < 2; i++) {
		char *text = memory[i] + RF_DECIMAL_FRONT, *end = text + size;

		memset(end, 0, 1 + RF_TEXT_PADDING);
		*end = '\n';
		init_plan(&plans[i], columns[i]);
		if (rf_survey_init(&surveys[i], &plans[i], &err) != RF_OK)
			abort();
		if (i == 0)
			look_at_each(&plans[i], &surveys[i], text, end);
		else if (rf_survey_text(
			     &surveys[i], text, end, 0, NULL, &err) != RF_OK)
			abort();
	}
	rf_survey_finish(&surveys[1]);
	for (size_t c = 0; c < N_COLUMNS; c++)
		is_ok &=
		    is_same(&surveys[0].evidence[c], &surveys[1].evidence[c]) &&
		    are_same_words(&columns[0][c].words, &columns[1][c].words);
	for (int i = 0; i < 2; i++) {
		rf_survey_release(&surveys[i]);
		rf_missing_release(&plans[i].missing);
		for (size_t c = 0; c < N_COLUMNS; c++)
			rf_words_release(&columns[i][c].words);
	}
	return is_ok;
}

int
main(void)
{
	int n_wrong = 0;

	srand(1);
	for (int turn = 0; turn < 60; turn++)
		n_wrong += !is_same_survey(
		    turn % 3 == 0 ? "\r\n" : "\n", turn % 2 == 0 ? 3000 : 20);
	check_int(n_wrong, 0, "each cell is counted once, and each word kept");
	return unit_end();
}
