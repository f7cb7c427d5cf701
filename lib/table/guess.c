#include "table/guess.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "table/decimal.h"
#include "table/guess_check.h"
#include "table/moment.h"

#define MOST_CATEGORIES 4096 /* of a feature that nobody called a category */
#define FEW_CATEGORIES	20   /* so many are never too many */

struct guess {
	struct rf_plan *plan;
	const struct rf_log *log;
	const struct rf_guess_text *texts;
	size_t n_texts;
	const struct rf_guess_text *text; /* the one that is read */
	struct rf_evidence_place place;
	/* Of the text, which the reading of records changes, with room before
	 * it for decimal.h. */
	char *memory, *copy;
	struct rf_cell *cells;
	struct rf_evidence *evidence;
	bool *has_others; /* a column: cells that are no mere words */
};

static bool
keeps_words(const struct rf_plan_column *column)
{
	return column->wish == RF_WISH_CATEGORY ||
	    column->role == RF_ROLE_LABEL;
}

/* Counts and keeps the different texts of a column, as far as they matter. */
static enum rf_status
take_word(struct rf_plan_column *column, const struct rf_cell *cell,
    struct rf_error *err)
{
	int32_t code;

	if (!keeps_words(column) && column->words.n_words > MOST_CATEGORIES)
		return RF_OK;
	return rf_words_code(
	    &column->words, cell->text, cell->size, &code, err);
}

/*
 * The words of a column of nothing else are kept at once; of another, only
 * those before the first cell that is none, and the rest when its type is known.
 */
static enum rf_status
take_evidence(struct guess *guess, size_t c, const struct rf_cell *cell,
    struct rf_error *err)
{
	bool is_word = rf_evidence_take(
	    &guess->evidence[c], &guess->plan->dialect, &guess->place, cell);

	guess->has_others[c] |= !is_word;
	return guess->has_others[c]
	    ? RF_OK
	    : take_word(&guess->plan->columns[c], cell, err);
}

static bool
lacks_words(const struct guess *guess, size_t c)
{
	return guess->plan->columns[c].cells == RF_CELLS_CATEGORY &&
	    guess->has_others[c];
}

enum pass { PASS_TYPES, PASS_WORDS };

static enum rf_status
pass_record(
    struct guess *guess, enum pass pass, size_t n_cells, struct rf_error *err)
{
	struct rf_plan *plan = guess->plan;

	if (n_cells > plan->n_columns)
		n_cells = plan->n_columns;
	for (size_t c = 0; c < n_cells; c++) {
		const struct rf_cell *cell = &guess->cells[c];

		if (plan->columns[c].is_left_out ||
		    (pass == PASS_WORDS && !lacks_words(guess, c)) ||
		    rf_missing_has(&plan->missing, cell->text, cell->size))
			continue;
		if (pass == PASS_TYPES)
			RF_TRY(take_evidence(guess, c, cell, err));
		else
			RF_TRY(take_word(&plan->columns[c], cell, err));
	}
	return RF_OK;
}

/* All records of a text, up to one whose quotes do not match. */
static enum rf_status
pass_text(struct guess *guess, enum pass pass, struct rf_error *err)
{
	struct rf_plan *plan = guess->plan;
	size_t size = (size_t)(guess->text->end - guess->text->text), n_cells;
	char *at = guess->copy, *end = guess->copy + size;

	guess->place.counted = guess->copy;
	guess->place.line = guess->text->first_line;
	guess->place.file = guess->n_texts > 1 ? guess->text->name : NULL;
	memcpy(guess->copy, guess->text->text, size);
	memset(end, 0, 1 + RF_TEXT_PADDING);
	*end = '\n';
	for (;;) {
		at = rf_skip_blank_lines(&plan->dialect, at, end);
		if (at >= end ||
		    rf_record_next(&plan->dialect, &at, end, guess->cells,
			plan->n_columns, &n_cells) != RF_CELL_GOOD)
			return RF_OK;
		/* Ragged records say nothing where they are refused. */
		if (n_cells != plan->n_columns && plan->ragged != RF_RAGGED_PAD)
			continue;
		RF_TRY(pass_record(guess, pass, n_cells, err));
	}
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
pass_over(struct guess *guess, enum pass pass, struct rf_error *err)
{
	if (pass == PASS_WORDS && !any_lacks_words(guess))
		return RF_OK;
	for (size_t i = 0; i < guess->n_texts; i++) {
		guess->text = &guess->texts[i];
		RF_TRY(pass_text(guess, pass, err));
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

	if (column->cells != RF_CELLS_CATEGORY || keeps_words(column))
		return false;
	return n > MOST_CATEGORIES ||
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
	    guess->plan->columns[c].words.n_words > MOST_CATEGORIES
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
		if (!column->unit_is_given)
			column->unit = rf_moment_unit(evidence->most_digits);
		column->has_offset = evidence->n_offset > 0;
		if (column->cells != RF_CELLS_CATEGORY)
			rf_words_release(&column->words);
		if (evidence->n_present > 0)
			column->text_size =
			    evidence->text_size / (size_t)evidence->n_present;
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
	guess.cells = rf_alloc_zero(plan->n_columns, sizeof(*guess.cells));
	guess.evidence =
	    rf_alloc_zero(plan->n_columns, sizeof(*guess.evidence));
	guess.has_others =
	    rf_alloc_zero(plan->n_columns, sizeof(*guess.has_others));
	if (guess.memory == NULL || guess.cells == NULL ||
	    guess.evidence == NULL || guess.has_others == NULL) {
		status = rf_error_memory(err, size, "the sample");
		goto out;
	}
	memset(guess.memory, 0, RF_DECIMAL_FRONT);
	guess.copy = guess.memory + RF_DECIMAL_FRONT;
	status = pass_over(&guess, PASS_TYPES, err);
	if (status == RF_OK)
		status = rf_guess_refuse(plan, guess.evidence, err);
	if (status != RF_OK)
		goto out;
	set_cells(&guess);
	status = pass_over(&guess, PASS_WORDS, err);
	if (status != RF_OK)
		goto out;
	set_plain_texts(&guess);
	rf_guess_notes(plan, guess.evidence, log);
	status = settle_label(&guess, err);
out:
	for (size_t c = 0; c < plan->n_columns && guess.evidence != NULL; c++)
		rf_evidence_release(&guess.evidence[c]);
	free(guess.has_others);
	free(guess.evidence);
	free(guess.cells);
	free(guess.memory);
	return status;
}
