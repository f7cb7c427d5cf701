#include "table/guess.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "table/decimal.h"

#define MOST_CATEGORIES 4096 /* of a feature that nobody called a category */
#define FEW_CATEGORIES	20   /* so many are never too many */

struct tally {
	int64_t n_present, n_whole, n_real;
	int64_t n_fraction; /* reals that are no whole number */
	int64_t n_odd;	    /* whole, but not as we would write it: 007, +1 */
	int64_t n_comma;    /* numbers with the other decimal point */
	int64_t n_padded;   /* numbers between blanks */
	int64_t word_line;  /* of the first cell that is no number */
	const char *word_file;
	char *word;
	size_t word_size;
	size_t text_size; /* of all cells */
};

struct guess {
	struct rf_plan *plan;
	const struct rf_log *log;
	const struct rf_guess_text *texts;
	size_t n_texts;
	const struct rf_guess_text *text; /* the one that is read */
	/* Lines are counted on from where they were last asked for. */
	const char *counted;
	int64_t line; /* there */
	/* Of the text, which the reading of records changes, with room before
	 * it for decimal.h. */
	char *memory, *copy;
	struct rf_cell *cells;
	struct tally *tallies;
};

static bool
is_number(const char *text, size_t size, char point)
{
	int64_t whole;
	double real;

	return rf_decimal_parse(text, size, point, &whole, &real) !=
	    RF_NUMBER_NONE;
}

static bool
is_odd(const struct rf_cell *cell)
{
	const char *digits = cell->text + (cell->text[0] == '-');

	return cell->text[0] == '+' || (digits[0] == '0' && cell->size > 1);
}

static void
note_word(struct guess *guess, struct tally *tally, const struct rf_cell *cell)
{
	char point = guess->plan->dialect.point;
	struct rf_cell inner = *cell;

	if (is_number(cell->text, cell->size, point == '.' ? ',' : '.'))
		tally->n_comma++;
	while (inner.size > 0 && inner.text[0] == ' ') {
		inner.text++;
		inner.size--;
	}
	while (inner.size > 0 && inner.text[inner.size - 1] == ' ')
		inner.size--;
	if (inner.size < cell->size && is_number(inner.text, inner.size, point))
		tally->n_padded++;
	if (tally->word != NULL)
		return;
	tally->word = rf_strndup(cell->text, cell->size);
	tally->word_size = cell->size;
	guess->line += rf_count_lines(guess->counted, cell->text);
	guess->counted = cell->text;
	tally->word_line = guess->line;
	tally->word_file = guess->text->name;
}

static enum rf_number
number_of(const struct rf_cell *cell, char point, double *real)
{
	int64_t whole;

	if (rf_decimal_fast_whole(cell->text, cell->size, &whole))
		return RF_NUMBER_WHOLE;
	if (rf_decimal_fast_real(cell->text, cell->size, point, real))
		return RF_NUMBER_REAL;
	return rf_decimal_parse(cell->text, cell->size, point, &whole, real);
}

static void
tally_cell(struct guess *guess, struct tally *tally, const struct rf_cell *cell)
{
	double real;

	if (rf_missing_has(&guess->plan->missing, cell->text, cell->size))
		return;
	tally->n_present++;
	tally->text_size += cell->size;
	switch (number_of(cell, guess->plan->dialect.point, &real)) {
	case RF_NUMBER_WHOLE:
		tally->n_whole++;
		tally->n_odd += is_odd(cell);
		break;
	case RF_NUMBER_REAL:
		tally->n_real++;
		/* Past 2^53 every double is whole, but not as it was meant. */
		tally->n_fraction += !(real > -0x1p53 && real < 0x1p53 &&
		    real == (double)(int64_t)real);
		break;
	case RF_NUMBER_NONE:
		note_word(guess, tally, cell);
		break;
	}
}

static bool
keeps_words(const struct rf_plan_column *column)
{
	return column->wish == RF_WISH_CATEGORY ||
	    column->role == RF_ROLE_LABEL;
}

/* Counts and keeps the different texts of a column, as far as they matter. */
static enum rf_status
take_word(const struct guess *guess, struct rf_plan_column *column,
    const struct rf_cell *cell, struct rf_error *err)
{
	int32_t code;

	if (column->cells != RF_CELLS_CATEGORY ||
	    (!keeps_words(column) && column->words.n_words > MOST_CATEGORIES) ||
	    rf_missing_has(&guess->plan->missing, cell->text, cell->size))
		return RF_OK;
	return rf_words_code(
	    &column->words, cell->text, cell->size, &code, err);
}

enum pass { PASS_NUMBERS, PASS_WORDS };

static enum rf_status
pass_record(
    struct guess *guess, enum pass pass, size_t n_cells, struct rf_error *err)
{
	struct rf_plan *plan = guess->plan;

	if (n_cells > plan->n_columns)
		n_cells = plan->n_columns;
	for (size_t c = 0; c < n_cells; c++) {
		if (plan->columns[c].is_left_out)
			continue;
		if (pass == PASS_NUMBERS)
			tally_cell(guess, &guess->tallies[c], &guess->cells[c]);
		else
			RF_TRY(take_word(
			    guess, &plan->columns[c], &guess->cells[c], err));
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

	guess->counted = guess->copy;
	guess->line = guess->text->first_line;
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
has_categories(const struct rf_plan *plan)
{
	for (size_t c = 0; c < plan->n_columns; c++)
		if (plan->columns[c].cells == RF_CELLS_CATEGORY)
			return true;
	return false;
}

static enum rf_status
pass_over(struct guess *guess, enum pass pass, struct rf_error *err)
{
	if (pass == PASS_WORDS && !has_categories(guess->plan))
		return RF_OK;
	for (size_t i = 0; i < guess->n_texts; i++) {
		guess->text = &guess->texts[i];
		RF_TRY(pass_text(guess, pass, err));
	}
	return RF_OK;
}

static bool
is_mixed(const struct rf_plan_column *column, const struct tally *tally)
{
	int64_t n_numbers = tally->n_whole + tally->n_real;

	if (column->is_left_out || column->wish != RF_WISH_NONE ||
	    column->role == RF_ROLE_ID || tally->n_present == n_numbers)
		return false;
	return n_numbers * 5 >= tally->n_present * 4 ||
	    (n_numbers + tally->n_comma) * 5 >= tally->n_present * 4;
}

/* All columns of numbers with words among them, in one message. */
static enum rf_status
refuse_mixed(const struct guess *guess, struct rf_error *err)
{
	const struct rf_plan *plan = guess->plan;
	char name[RF_QUOTED_SIZE], word[RF_QUOTED_SIZE];
	struct rf_text text = {0};
	enum rf_status status = RF_OK;
	bool has_comma = false;
	int n = 0;

	for (size_t c = 0; c < plan->n_columns; c++) {
		const struct tally *tally = &guess->tallies[c];
		struct rf_bytes bytes = rf_plan_name(plan, c);

		if (!is_mixed(&plan->columns[c], tally))
			continue;
		has_comma |= tally->n_comma > 0;
		rf_text_printf(&text, "%s '%s' (%s%sline %" PRId64 ": '%s')",
		    n++ == 0 ? "" : ",",
		    rf_text_quote(name, bytes.data, (size_t)bytes.size),
		    guess->n_texts > 1 ? tally->word_file : "",
		    guess->n_texts > 1 ? " " : "", tally->word_line,
		    rf_text_quote(word, tally->word, tally->word_size));
	}
	if (n > 0 && !text.failed)
		status = rf_error_set(err, RF_EDATA,
		    "numbers with other words among them (%sgive --na WORD or "
		    "--type COLUMN=text) in column%s%s",
		    has_comma ? plan->dialect.point == '.'
			    ? "give --decimal ,; or "
			    : "give --decimal .; or "
			      : "",
		    n == 1 ? "" : "s", text.data);
	rf_text_release(&text);
	return status;
}

static enum rf_cells
cells_of(const struct rf_plan_column *column, const struct tally *tally)
{
	bool has_words = tally->n_whole + tally->n_real < tally->n_present;

	if (column->is_left_out)
		return RF_CELLS_SKIP;
	switch (column->wish) {
	case RF_WISH_INTEGER:
		return RF_CELLS_WHOLE;
	case RF_WISH_NUMBER:
		return RF_CELLS_REAL;
	case RF_WISH_CATEGORY:
		return RF_CELLS_CATEGORY;
	case RF_WISH_TEXT:
		has_words = true;
		break;
	case RF_WISH_ANY_NUMBER:
		has_words = false;
		break;
	case RF_WISH_NONE:
		break;
	}
	if (column->role == RF_ROLE_ID &&
	    (has_words || tally->n_real > 0 || tally->n_odd > 0))
		return RF_CELLS_TEXT;
	if (has_words)
		return RF_CELLS_CATEGORY;
	return tally->n_real > 0 || tally->n_present == 0 ? RF_CELLS_REAL
							  : RF_CELLS_WHOLE;
}

/* Whether the texts of a feature are too many for categories. */
static bool
is_plain_text(const struct rf_plan_column *column, const struct tally *tally)
{
	int64_t n = (int64_t)column->words.n_words;

	if (column->cells != RF_CELLS_CATEGORY || keeps_words(column))
		return false;
	return n > MOST_CATEGORIES ||
	    (n > FEW_CATEGORIES && n * 2 > tally->n_present);
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
		const struct tally *tally = &guess->tallies[c];

		column->cells = cells_of(column, tally);
		if (tally->n_present > 0)
			column->text_size =
			    tally->text_size / (size_t)tally->n_present;
	}
}

/* Numbers between blanks are text, which is seldom what was meant. */
static void
note_padded(const struct guess *guess)
{
	const struct rf_plan *plan = guess->plan;
	char name[RF_QUOTED_SIZE];
	struct rf_bytes first = {0};
	size_t n = 0;

	for (size_t c = 0; c < plan->n_columns; c++)
		if (plan->columns[c].wish == RF_WISH_NONE &&
		    guess->tallies[c].n_padded > 0 && n++ == 0)
			first = rf_plan_name(plan, c);
	if (n > 0)
		rf_note(guess->log,
		    "numbers between blanks in %zu column(s) are text, '%s' "
		    "first: --trim reads them as numbers",
		    n, rf_text_quote(name, first.data, (size_t)first.size));
}

static void
set_plain_texts(struct guess *guess)
{
	struct rf_plan *plan = guess->plan;

	for (size_t c = 0; c < plan->n_columns; c++) {
		struct rf_plan_column *column = &plan->columns[c];

		if (!is_plain_text(column, &guess->tallies[c]))
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
		if (guess->tallies[plan->label].n_fraction > 0)
			return rf_error_set(err, RF_EUSAGE,
			    "--task classification: the label '%s' has decimal "
			    "numbers (--type %s=category takes their texts as "
			    "classes)",
			    name, name);
		column->cells = RF_CELLS_WHOLE;
	}
	column->takes_whole_reals |= is_classes;
	if (task == NULL)
		plan->task = column->cells == RF_CELLS_CATEGORY
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
	guess.tallies = rf_alloc_zero(plan->n_columns, sizeof(*guess.tallies));
	if (guess.memory == NULL || guess.cells == NULL ||
	    guess.tallies == NULL) {
		status = rf_error_memory(err, size, "the sample");
		goto out;
	}
	memset(guess.memory, 0, RF_DECIMAL_FRONT);
	guess.copy = guess.memory + RF_DECIMAL_FRONT;
	status = pass_over(&guess, PASS_NUMBERS, err);
	if (status == RF_OK)
		status = refuse_mixed(&guess, err);
	if (status != RF_OK)
		goto out;
	set_cells(&guess);
	status = pass_over(&guess, PASS_WORDS, err);
	if (status != RF_OK)
		goto out;
	set_plain_texts(&guess);
	note_padded(&guess);
	status = settle_label(&guess, err);
out:
	for (size_t c = 0; c < plan->n_columns && guess.tallies != NULL; c++)
		free(guess.tallies[c].word);
	free(guess.tallies);
	free(guess.cells);
	free(guess.memory);
	return status;
}
