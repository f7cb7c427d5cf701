#include "table/guess.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "table/decimal.h"
#include "table/guess_check.h"
#include "table/moment.h"
#include "table/survey.h"

#define FEW_CATEGORIES 20 /* so many are never too many */

struct guess {
	struct rf_plan *plan;
	const struct rf_log *log;
	const struct rf_guess_text *texts;
	size_t n_texts;
	/* Of a text, which the reading of records changes, with room before it
	 * for decimal.h. */
	char *memory, *copy;
	struct rf_survey survey;
	struct rf_evidence *evidence; /* the survey's */
};

/* Copies a text; returns its end. */
static char *
copy_text(struct guess *guess, const struct rf_guess_text *text)
{
	size_t size = (size_t)(text->end - text->text);
	char *end = guess->copy + size;

	memcpy(guess->copy, text->text, size);
	memset(end, 0, 1 + RF_TEXT_PADDING);
	*end = '\n';
	return end;
}

static enum rf_status
survey_all(struct guess *guess, struct rf_error *err)
{
	for (size_t i = 0; i < guess->n_texts; i++) {
		const struct rf_guess_text *text = &guess->texts[i];
		char *end = copy_text(guess, text);

		RF_TRY(rf_survey_text(&guess->survey, guess->copy, end,
		    text->first_line, guess->n_texts > 1 ? text->name : NULL,
		    err));
	}
	rf_survey_finish(&guess->survey);
	return RF_OK;
}

/* Whether not all words of a category are known: numbers may be such too. */
static bool
lacks_words(const struct guess *guess, size_t c)
{
	return guess->plan->columns[c].cells == RF_CELLS_CATEGORY &&
	    guess->survey.has_others[c];
}

static bool
any_lacks_words(const struct guess *guess)
{
	for (size_t c = 0; c < guess->plan->n_columns; c++)
		if (lacks_words(guess, c))
			return true;
	return false;
}

static enum rf_status
keep_words_of(struct guess *guess, const struct rf_cell *cells, size_t n_cells,
    struct rf_error *err)
{
	struct rf_plan *plan = guess->plan;

	for (size_t c = 0; c < n_cells && c < plan->n_columns; c++)
		if (lacks_words(guess, c) &&
		    !rf_missing_has(
			&plan->missing, cells[c].text, cells[c].size))
			RF_TRY(rf_survey_keep_word(&plan->columns[c],
			    &plan->columns[c].words, &cells[c], err));
	return RF_OK;
}

static enum rf_status
keep_words(struct guess *guess, char *at, char *end, struct rf_error *err)
{
	struct rf_plan *plan = guess->plan;
	struct rf_cell *cells = guess->survey.cells;
	size_t n_cells;

	for (;;) {
		at = rf_skip_blank_lines(&plan->dialect, at, end);
		if (at >= end ||
		    rf_record_next(&plan->dialect, &at, end, cells,
			plan->n_columns, &n_cells) != RF_CELL_GOOD)
			return RF_OK;
		if (n_cells == plan->n_columns || plan->ragged == RF_RAGGED_PAD)
			RF_TRY(keep_words_of(guess, cells, n_cells, err));
	}
}

/* The words of the categories that the survey has not kept. */
static enum rf_status
keep_all_words(struct guess *guess, struct rf_error *err)
{
	if (!any_lacks_words(guess))
		return RF_OK;
	for (size_t i = 0; i < guess->n_texts; i++) {
		char *end = copy_text(guess, &guess->texts[i]);

		RF_TRY(keep_words(guess, guess->copy, end, err));
	}
	return RF_OK;
}

/* The type of a column that no option and no model speaks of. */
static enum rf_cells
guess_cells(const struct rf_plan *plan, const struct rf_plan_column *column,
    const struct rf_evidence *evidence)
{
	int64_t n = evidence->n_present;
	int64_t n_numbers = rf_evidence_numbers(evidence);
	int64_t n_moments = rf_evidence_moments(evidence);
	bool is_id = column->role == RF_ROLE_ID;

	if (plan->bad_cells_are_missing && !is_id &&
	    rf_evidence_is_most(evidence, n_numbers))
		n = n_numbers;
	if (plan->bad_cells_are_missing && rf_guess_takes_moments(column) &&
	    rf_evidence_is_most(evidence, n_moments))
		n = n_moments;
	if (is_id &&
	    (n_numbers < n || evidence->n_real > 0 || evidence->n_odd > 0))
		return RF_CELLS_TEXT;
	if (n_numbers == n && rf_guess_is_of_codes(plan, column, evidence))
		return RF_CELLS_CATEGORY;
	if (n_numbers == n)
		return evidence->n_real > 0 || n == 0 ? RF_CELLS_REAL
						      : RF_CELLS_WHOLE;
	if (evidence->n_booleans == n)
		return RF_CELLS_BOOLEAN;
	if (n_moments == n && rf_guess_takes_moments(column))
		return evidence->n_times > 0 ? RF_CELLS_TIME : RF_CELLS_DATE;
	return RF_CELLS_CATEGORY;
}

static enum rf_cells
cells_of(const struct rf_plan *plan, const struct rf_plan_column *column,
    const struct rf_evidence *evidence)
{
	if (column->is_left_out)
		return RF_CELLS_SKIP;
	switch (column->wish) {
	case RF_WISH_INTEGER:
		return RF_CELLS_WHOLE;
	case RF_WISH_NUMBER:
		return column->takes_booleans && evidence->n_booleans > 0 &&
			evidence->n_booleans == evidence->n_present
		    ? RF_CELLS_BOOLEAN
		    : RF_CELLS_REAL;
	case RF_WISH_CATEGORY:
		return RF_CELLS_CATEGORY;
	case RF_WISH_TEXT:
		return column->role == RF_ROLE_ID ? RF_CELLS_TEXT
						  : RF_CELLS_CATEGORY;
	case RF_WISH_ANY_NUMBER:
		return evidence->n_real > 0 || evidence->n_present == 0
		    ? RF_CELLS_REAL
		    : RF_CELLS_WHOLE;
	case RF_WISH_BOOLEAN:
		return RF_CELLS_BOOLEAN;
	case RF_WISH_DATE:
		return RF_CELLS_DATE;
	case RF_WISH_TIME:
		return RF_CELLS_TIME;
	case RF_WISH_MOMENT:
		return evidence->n_times > 0 ? RF_CELLS_TIME : RF_CELLS_DATE;
	case RF_WISH_NONE:
		break;
	}
	return guess_cells(plan, column, evidence);
}

/* Whether the texts of a feature are too many for categories. */
static bool
is_plain_text(
    const struct rf_plan_column *column, const struct rf_evidence *evidence)
{
	int64_t n = (int64_t)column->words.n_words;

	if (column->cells != RF_CELLS_CATEGORY || rf_survey_keeps_words(column))
		return false;
	return n > RF_MOST_CATEGORIES ||
	    (n > FEW_CATEGORIES && n * 2 > evidence->n_present);
}

static void
note_plain_text(const struct guess *guess, size_t c)
{
	struct rf_bytes bytes = rf_plan_name(guess->plan, c);
	char name[RF_QUOTED_SIZE];

	rf_text_quote(name, bytes.data, (size_t)bytes.size);
	rf_note(guess->log,
	    "column '%s' is text with %s different cells: it is passed on and "
	    "not a feature (--type %s=category keeps it)",
	    name,
	    guess->plan->columns[c].words.n_words > RF_MOST_CATEGORIES
		? "more than 4096"
		: "mostly",
	    name);
}

static void
set_cells(struct guess *guess)
{
	struct rf_plan *plan = guess->plan;

	for (size_t c = 0; c < plan->n_columns; c++) {
		struct rf_plan_column *column = &plan->columns[c];
		const struct rf_evidence *evidence = &guess->evidence[c];

		column->cells = cells_of(plan, column, evidence);
		/* One in the sample would have made the column text. */
		column->refuses_codes = column->wish == RF_WISH_NONE &&
		    column->cells == RF_CELLS_WHOLE && evidence->n_codes == 0 &&
		    !rf_guess_is_of_numbers(plan, column);
		if (!column->unit_is_given)
			column->unit = rf_moment_unit(evidence->most_digits);
		column->has_offset = evidence->n_offset > 0;
		if (column->cells != RF_CELLS_CATEGORY)
			rf_words_release(&column->words);
		if (evidence->n_taken > 0)
			column->text_size =
			    evidence->text_size / (size_t)evidence->n_taken;
	}
}

static void
set_plain_texts(struct guess *guess)
{
	struct rf_plan *plan = guess->plan;

	for (size_t c = 0; c < plan->n_columns; c++) {
		struct rf_plan_column *column = &plan->columns[c];

		if (!is_plain_text(column, &guess->evidence[c]))
			continue;
		note_plain_text(guess, c);
		column->cells = RF_CELLS_TEXT;
		column->role = RF_ROLE_IGNORE;
		rf_words_release(&column->words);
	}
}

/* The label and the task must fit; numbers that are classes go as int64. */
static enum rf_status
settle_label(struct guess *guess, struct rf_error *err)
{
	struct rf_plan *plan = guess->plan;
	struct rf_plan_column *column;
	struct rf_bytes bytes;
	const char *task = plan->task;
	char name[RF_QUOTED_SIZE];
	bool is_classes = task != NULL && strcmp(task, "classification") == 0;

	if (plan->label < 0)
		return RF_OK;
	column = &plan->columns[plan->label];
	bytes = rf_plan_name(plan, (size_t)plan->label);
	rf_text_quote(name, bytes.data, (size_t)bytes.size);
	if (column->cells == RF_CELLS_WHOLE && task == NULL)
		return rf_error_set(err, RF_EUSAGE,
		    "the label '%s' has whole numbers: give --task "
		    "classification or --task regression",
		    name);
	if (column->cells == RF_CELLS_CATEGORY && task != NULL && !is_classes)
		return rf_error_set(err, RF_EUSAGE,
		    "--task regression: the label '%s' is text", name);
	if (column->cells == RF_CELLS_REAL && is_classes) {
		if (guess->evidence[plan->label].n_fraction > 0)
			return rf_error_set(err, RF_EUSAGE,
			    "--task classification: the label '%s' has decimal "
			    "numbers (--type %s=category takes their texts as "
			    "classes)",
			    name, name);
		column->cells = RF_CELLS_WHOLE;
	}
	column->takes_whole_reals |= is_classes;
	if (task == NULL)
		plan->task = column->cells == RF_CELLS_CATEGORY ||
			column->cells == RF_CELLS_BOOLEAN
		    ? "classification"
		    : "regression";
	return RF_OK;
}

static size_t
longest(const struct rf_guess_text *texts, size_t n_texts)
{
	size_t most = 0;

	for (size_t i = 0; i < n_texts; i++) {
		size_t size = (size_t)(texts[i].end - texts[i].text);

		most = size > most ? size : most;
	}
	return most;
}

enum rf_status
rf_guess_types(struct rf_plan *plan, const struct rf_guess_text *texts,
    size_t n_texts, const struct rf_log *log, struct rf_error *err)
{
	struct guess guess = {
	    .plan = plan, .log = log, .texts = texts, .n_texts = n_texts};
	size_t size =
	    longest(texts, n_texts) + 1 + RF_TEXT_PADDING + RF_DECIMAL_FRONT;
	enum rf_status status = RF_OK;

	guess.memory = rf_alloc(size, 1);
	if (guess.memory == NULL) {
		status = rf_error_memory(err, size, "the sample");
		goto out;
	}
	memset(guess.memory, 0, RF_DECIMAL_FRONT);
	guess.copy = guess.memory + RF_DECIMAL_FRONT;
	status = rf_survey_init(&guess.survey, plan, err);
	if (status != RF_OK)
		goto out;
	guess.evidence = guess.survey.evidence;
	status = survey_all(&guess, err);
	if (status == RF_OK)
		status = rf_guess_refuse(plan, guess.evidence, err);
	if (status != RF_OK)
		goto out;
	set_cells(&guess);
	status = keep_all_words(&guess, err);
	if (status != RF_OK)
		goto out;
	set_plain_texts(&guess);
	rf_guess_notes(plan, guess.evidence, log);
	status = settle_label(&guess, err);
out:
	rf_survey_release(&guess.survey);
	free(guess.memory);
	return status;
}
