#include "table/survey.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "table/run.h"

/* Records after which columns are settled, for the first time and again. */
#define FIRST_LOOK INT64_C(256)
#define LOOKS	   INT64_C(4096)

enum rf_status
rf_survey_init(
    struct rf_survey *survey, struct rf_plan *plan, struct rf_error *err)
{
	size_t n = plan->n_columns;

	survey->plan = plan;
	survey->has_avx2 = rf_run_has_avx2();
	survey->evidence = rf_alloc_zero(n, sizeof(*survey->evidence));
	survey->has_others = rf_alloc_zero(n, sizeof(*survey->has_others));
	survey->cells = rf_alloc_zero(n, sizeof(*survey->cells));
	survey->numbers = rf_alloc_zero(n, sizeof(*survey->numbers));
	survey->slots = rf_alloc_zero(n, sizeof(*survey->slots));
	survey->columns = rf_alloc_zero(n, sizeof(*survey->columns));
	survey->n_looked_at = rf_alloc_zero(n, sizeof(*survey->n_looked_at));
	survey->since = rf_alloc_zero(n, sizeof(*survey->since));
	if (survey->evidence == NULL || survey->has_others == NULL ||
	    survey->cells == NULL || survey->numbers == NULL ||
	    survey->slots == NULL || survey->columns == NULL ||
	    survey->n_looked_at == NULL || survey->since == NULL)
		return rf_error_memory(
		    err, n * sizeof(*survey->evidence), "the sample");
	for (size_t c = 0; c < n; c++) {
		survey->slots[c].plan = &plan->columns[c];
		survey->slots[c].values = &survey->value;
		survey->slots[c].column = &survey->columns[c];
		survey->columns[c].values = &survey->value;
		survey->columns[c].nulls = &survey->null;
	}
	return RF_OK;
}

void
rf_survey_release(struct rf_survey *survey)
{
	size_t n = survey->plan != NULL ? survey->plan->n_columns : 0;

	for (size_t c = 0; c < n && survey->evidence != NULL; c++)
		rf_evidence_release(&survey->evidence[c]);
	for (size_t c = 0; c < n && survey->columns != NULL; c++)
		rf_words_release(&survey->columns[c].words);
	free(survey->evidence);
	free(survey->has_others);
	free(survey->cells);
	free(survey->numbers);
	free(survey->slots);
	free(survey->columns);
	free(survey->n_looked_at);
	free(survey->since);
	memset(survey, 0, sizeof(*survey));
}

/* --- Settled columns ------------------------------------------------------- */

static bool
has_words_alone(const struct rf_survey *survey, size_t c)
{
	const struct rf_evidence *evidence = &survey->evidence[c];

	return !survey->has_others[c] && evidence->n_comma == 0 &&
	    evidence->n_grouped == 0 && evidence->n_padded == 0;
}

/* The one type of all cells so far; SKIP: there is none that is taken fast. */
static enum rf_cells
type_of(const struct rf_survey *survey, size_t c)
{
	const struct rf_plan *plan = survey->plan;
	const struct rf_evidence *evidence = &survey->evidence[c];
	int64_t n = evidence->n_present;
	bool has_fast_numbers = !plan->missing.has_numbers &&
	    plan->dialect.point != plan->dialect.delimiter;

	if (plan->columns[c].is_left_out ||
	    plan->columns[c].role == RF_ROLE_ID || n == 0)
		return RF_CELLS_SKIP;
	if (has_words_alone(survey, c))
		/* Words that seldom come again would be looked for in vain. */
		return plan->columns[c].words.n_words * 4 < (size_t)n &&
			plan->columns[c].wish == RF_WISH_NONE &&
			!plan->dialect.trim
		    ? RF_CELLS_CATEGORY
		    : RF_CELLS_SKIP;
	if (evidence->n_booleans == n)
		return RF_CELLS_BOOLEAN;
	if (evidence->n_dates == n)
		return RF_CELLS_DATE;
	if (evidence->n_times == n && evidence->n_offset == 0 &&
	    evidence->most_digits == 0)
		return RF_CELLS_TIME;
	if (has_fast_numbers && evidence->n_whole == n && evidence->n_odd == 0)
		return RF_CELLS_WHOLE;
	if (has_fast_numbers && evidence->n_fraction > 0 &&
	    rf_evidence_numbers(evidence) == n)
		return RF_CELLS_REAL;
	return RF_CELLS_SKIP;
}

static void
settle(struct rf_survey *survey, size_t c, char line_end)
{
	struct rf_slot *slot = &survey->slots[c];
	bool is_last = c + 1 == survey->plan->n_columns;

	slot->fast = slot->cells = type_of(survey, c);
	if (slot->fast == RF_CELLS_SKIP)
		return;
	memset(slot->end, is_last ? line_end : survey->plan->dialect.delimiter,
	    sizeof(slot->end));
	survey->since[c] = survey->n_records;
	survey->n_looked_at[c] = slot->column->n_nulls = 0;
	if (slot->fast != RF_CELLS_CATEGORY)
		return;
	slot->column->words = survey->plan->columns[c].words;
	memset(&survey->plan->columns[c].words, 0, sizeof(struct rf_words));
}

/* Counts what was taken fast. */
static void
unsettle(struct rf_survey *survey, size_t c)
{
	struct rf_evidence *evidence = &survey->evidence[c];
	struct rf_slot *slot = &survey->slots[c];
	int64_t n = survey->n_records - survey->since[c] -
	    survey->n_looked_at[c] - slot->column->n_nulls;

	switch (slot->fast) {
	case RF_CELLS_SKIP:
	case RF_CELLS_TEXT:
		return;
	case RF_CELLS_WHOLE:
		evidence->n_whole += n;
		break;
	case RF_CELLS_REAL:
		evidence->n_real += n;
		break;
	case RF_CELLS_BOOLEAN:
		evidence->n_booleans += n;
		break;
	case RF_CELLS_DATE:
		evidence->n_dates += n;
		break;
	case RF_CELLS_TIME:
		evidence->n_times += n;
		break;
	case RF_CELLS_CATEGORY:
		survey->plan->columns[c].words = slot->column->words;
		memset(&slot->column->words, 0, sizeof(struct rf_words));
		break;
	}
	evidence->n_present += n;
	slot->fast = RF_CELLS_SKIP;
}

/* `at` is where a record begins that is not the first. */
static void
settle_all(struct rf_survey *survey, const char *at)
{
	bool has_return = at[-1] == '\r' || at[-2] == '\r';

	for (size_t c = 0; c < survey->plan->n_columns; c++)
		if (survey->slots[c].fast == RF_CELLS_SKIP)
			settle(survey, c, has_return ? '\r' : '\n');
}

void
rf_survey_finish(struct rf_survey *survey)
{
	for (size_t c = 0; c < survey->plan->n_columns; c++)
		unsettle(survey, c);
}

/* --- Cells that are looked at ---------------------------------------------- */

enum rf_status
rf_survey_keep_word(const struct rf_plan_column *column, struct rf_words *words,
    const struct rf_cell *cell, struct rf_error *err)
{
	int32_t code;

	if (!rf_survey_keeps_words(column) &&
	    words->n_words > RF_MOST_CATEGORIES)
		return RF_OK;
	return rf_words_code(words, cell->text, cell->size, &code, err);
}

static enum rf_status
look_at(struct rf_survey *survey, size_t c, const struct rf_cell *cell,
    struct rf_error *err)
{
	struct rf_plan *plan = survey->plan;
	struct rf_slot *slot = &survey->slots[c];
	struct rf_words *words = &plan->columns[c].words;
	bool is_word;

	survey->n_looked_at[c]++;
	if (plan->columns[c].is_left_out ||
	    rf_missing_has(&plan->missing, cell->text, cell->size))
		return RF_OK;
	is_word = rf_evidence_take(
	    &survey->evidence[c], &plan->dialect, &survey->place, cell);
	survey->has_others[c] |= !is_word;
	if (survey->has_others[c])
		return RF_OK;
	/* Such words are to be counted whenever they come. */
	if (slot->fast == RF_CELLS_CATEGORY && !has_words_alone(survey, c))
		unsettle(survey, c);
	if (slot->fast == RF_CELLS_CATEGORY)
		words = &slot->column->words;
	return rf_survey_keep_word(&plan->columns[c], words, cell, err);
}

/* Ragged records say nothing where they are refused. */
static enum rf_status
look_at_all(struct rf_survey *survey, size_t n_looked_at, size_t n_cells,
    struct rf_error *err)
{
	const struct rf_plan *plan = survey->plan;

	if (n_cells != plan->n_columns && plan->ragged != RF_RAGGED_PAD)
		return RF_OK;
	for (size_t i = 0; i < n_looked_at; i++)
		RF_TRY(look_at(
		    survey, survey->numbers[i], &survey->cells[i], err));
	survey->n_records++;
	return RF_OK;
}

/* --- Records --------------------------------------------------------------- */

/* Passes over settled cells from column c on; returns the first other one. */
static size_t
run(struct rf_survey *survey, size_t c, char **at)
{
#ifdef __x86_64__
	if (survey->has_avx2)
		return rf_run_avx2(survey->slots, survey->plan, c, at, 0);
#endif
	return rf_run_plain(survey->slots, survey->plan, c, at, 0);
}

/*
 * A record's cells but for the settled ones.  false: its quotes do not match.
 * With --ragged pad a record may end anywhere, so each cell is looked at.
 */
static bool
read_record(struct rf_survey *survey, char **at, char *end, size_t *n_looked_at,
    size_t *n_cells)
{
	size_t n = survey->plan->n_columns, c = 0;
	struct rf_cell cell = {0};

	*n_looked_at = 0;
	for (; !cell.is_last; c++) {
		if (c < n && survey->slots[c].fast != RF_CELLS_SKIP)
			c = run(survey, c, at);
		if (c == n && (*at)[-1] != survey->plan->dialect.delimiter) {
			*at += *at < end && (*at)[-1] == '\r' && **at == '\n';
			break;
		}
		if (rf_cell_next(&survey->plan->dialect, at, end, &cell) !=
		    RF_CELL_GOOD)
			return false;
		if (c >= n)
			continue;
		survey->cells[*n_looked_at] = cell;
		survey->numbers[(*n_looked_at)++] = c;
	}
	*n_cells = c;
	return true;
}

enum rf_status
rf_survey_text(struct rf_survey *survey, char *at, char *end, int64_t line,
    const char *name, struct rf_error *err)
{
	const struct rf_plan *plan = survey->plan;
	size_t n_looked_at, n_cells;

	survey->place = (struct rf_evidence_place){
	    .counted = at, .line = line, .file = name};
	for (int64_t i = 0;; i++) {
		if (plan->ragged == RF_RAGGED_ERROR &&
		    (i == FIRST_LOOK || (i > 0 && i % LOOKS == 0)))
			settle_all(survey, at);
		at = rf_skip_blank_lines(&plan->dialect, at, end);
		if (at >= end ||
		    !read_record(survey, &at, end, &n_looked_at, &n_cells))
			return RF_OK;
		RF_TRY(look_at_all(survey, n_looked_at, n_cells, err));
	}
}
