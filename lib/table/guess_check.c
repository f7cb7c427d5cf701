#include "table/guess_check.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "table/moment.h"

bool
rf_guess_is_of_numbers(
    const struct rf_plan *plan, const struct rf_plan_column *column)
{
	return column->role == RF_ROLE_LABEL && plan->task != NULL &&
	    strcmp(plan->task, "regression") == 0;
}

bool
rf_guess_is_of_codes(const struct rf_plan *plan,
    const struct rf_plan_column *column, const struct rf_evidence *evidence)
{
	return evidence->n_codes > 0 && evidence->n_real == 0 &&
	    !rf_guess_is_of_numbers(plan, column);
}

enum mixture { MIXED_NOT, MIXED_NUMBERS, MIXED_MOMENTS };

static enum mixture
mixture_of(const struct rf_plan *plan, const struct rf_plan_column *column,
    const struct rf_evidence *evidence)
{
	int64_t n_numbers = rf_evidence_numbers(evidence);
	int64_t n_moments = rf_evidence_moments(evidence);
	int64_t n_other = evidence->n_comma > evidence->n_grouped
	    ? evidence->n_comma
	    : evidence->n_grouped;

	if (column->is_left_out || column->wish != RF_WISH_NONE ||
	    column->role == RF_ROLE_ID)
		return MIXED_NOT;
	if (n_numbers < evidence->n_present &&
	    (rf_evidence_is_most(evidence, n_numbers)
		    ? !plan->bad_cells_are_missing
		    : rf_evidence_is_most(evidence, n_numbers + n_other)))
		return MIXED_NUMBERS;
	if (n_moments < evidence->n_present && rf_guess_takes_moments(column) &&
	    !plan->bad_cells_are_missing &&
	    rf_evidence_is_most(evidence, n_moments))
		return MIXED_MOMENTS;
	return MIXED_NOT;
}

static void
put_spot(struct rf_text *text, const struct rf_plan *plan, size_t c,
    const struct rf_spot *spot)
{
	char name[RF_QUOTED_SIZE], word[RF_QUOTED_SIZE];
	struct rf_bytes bytes = rf_plan_name(plan, c);

	rf_text_printf(text, "%s '%s' (%s%sline %" PRId64 ": '%s')",
	    text->size == 0 ? "" : ",",
	    rf_text_quote(name, bytes.data, (size_t)bytes.size),
	    spot->file != NULL ? spot->file : "", spot->file != NULL ? " " : "",
	    spot->line, rf_text_quote(word, spot->text, spot->size));
}

/* Options that would read the texts as numbers, with "; or " after each. */
static void
put_remedies(struct rf_text *text, const struct rf_plan *plan, bool has_comma,
    char group_sign)
{
	if (group_sign == ' ' || group_sign == '\'')
		rf_text_printf(
		    text, "give --thousands \"%c\"; or ", group_sign);
	else if (group_sign != 0)
		rf_text_printf(text, "give --thousands %c; or ", group_sign);
	if (has_comma)
		rf_text_printf(text, "give --decimal %c; or ",
		    plan->dialect.point == '.' ? ',' : '.');
}

/* All columns of numbers, or of times, with words among them, in one message. */
static enum rf_status
refuse_mixed(const struct rf_plan *plan, const struct rf_evidence *evidence,
    enum mixture mixture, struct rf_error *err)
{
	bool is_of_numbers = mixture == MIXED_NUMBERS, has_comma = false;
	struct rf_text text = {0}, remedies = {0};
	enum rf_status status = RF_OK;
	char group_sign = 0;
	size_t n = 0;

	for (size_t c = 0; c < plan->n_columns; c++) {
		if (mixture_of(plan, &plan->columns[c], &evidence[c]) !=
		    mixture)
			continue;
		n++;
		has_comma |= evidence[c].n_comma > 0;
		if (group_sign == 0)
			group_sign = evidence[c].group_sign;
		put_spot(&text, plan, c,
		    is_of_numbers ? &evidence[c].no_number
				  : &evidence[c].no_time);
	}
	if (is_of_numbers)
		put_remedies(&remedies, plan, has_comma, group_sign);
	if (n > 0 && !text.failed && !remedies.failed)
		status = rf_error_set(err, RF_EDATA,
		    "%s with other words among them (%sgive --na WORD or "
		    "--type COLUMN=text) in column%s%s",
		    is_of_numbers ? "numbers" : "dates or times",
		    remedies.data != NULL ? remedies.data : "",
		    n == 1 ? "" : "s", text.data);
	rf_text_release(&text);
	rf_text_release(&remedies);
	return status;
}

static bool
is_of_times(
    const struct rf_plan_column *column, const struct rf_evidence *evidence)
{
	if (column->is_left_out || evidence->n_times == 0)
		return false;
	if (column->wish == RF_WISH_NONE)
		return rf_guess_takes_moments(column) &&
		    rf_evidence_is_most(
			evidence, rf_evidence_moments(evidence));
	return column->wish == RF_WISH_TIME || column->wish == RF_WISH_MOMENT;
}

/* Times that have no meaning beside each other, or no unit. */
static enum rf_status
refuse_times(const struct rf_plan *plan, const struct rf_evidence *evidence,
    size_t c, struct rf_error *err)
{
	const struct rf_plan_column *column = &plan->columns[c];
	char name[RF_QUOTED_SIZE];
	struct rf_bytes bytes = rf_plan_name(plan, c);
	struct rf_text text = {0};

	if (!is_of_times(column, evidence))
		return RF_OK;
	rf_text_quote(name, bytes.data, (size_t)bytes.size);
	if (evidence->other_offset.text != NULL) {
		put_spot(&text, plan, c, &evidence->other_offset);
		(void)rf_error_set(err, RF_EDATA,
		    "times with and without an offset from UTC in column%s: "
		    "--type %s=text takes it as text",
		    text.failed ? "" : text.data, name);
		rf_text_release(&text);
		return RF_EDATA;
	}
	/* Whole seconds that have all of their nanoseconds in 64 bits. */
	if (!column->unit_is_given &&
	    rf_moment_unit(evidence->most_digits) == RF_UNIT_NS &&
	    (evidence->first_second < -INT64_C(9223372036) ||
		evidence->last_second >= INT64_C(9223372036)))
		return rf_error_set(err, RF_EDATA,
		    "column '%s' has times of nanoseconds and times before "
		    "1677-09-21 or after 2262-04-11, which 64 bits do not "
		    "hold: --type %s=text takes it as text",
		    name, name);
	return RF_OK;
}

enum rf_status
rf_guess_refuse(const struct rf_plan *plan, const struct rf_evidence *evidence,
    struct rf_error *err)
{
	RF_TRY(refuse_mixed(plan, evidence, MIXED_NUMBERS, err));
	RF_TRY(refuse_mixed(plan, evidence, MIXED_MOMENTS, err));
	for (size_t c = 0; c < plan->n_columns; c++)
		RF_TRY(refuse_times(plan, &evidence[c], c, err));
	return RF_OK;
}

/* Digits with a zero before them are no quantity, so they stay as written. */
static void
note_codes(const struct rf_plan *plan, const struct rf_evidence *evidence,
    const struct rf_log *log)
{
	const struct rf_spot *spot = NULL;
	char name[RF_QUOTED_SIZE], word[RF_QUOTED_SIZE];
	size_t n = 0;

	for (size_t c = 0; c < plan->n_columns; c++) {
		const struct rf_plan_column *column = &plan->columns[c];
		struct rf_bytes bytes = rf_plan_name(plan, c);

		if (column->wish != RF_WISH_NONE || column->is_left_out ||
		    column->role == RF_ROLE_ID ||
		    evidence[c].n_whole < evidence[c].n_present ||
		    !rf_guess_is_of_codes(plan, column, &evidence[c]) ||
		    n++ > 0)
			continue;
		spot = &evidence[c].code;
		rf_text_quote(name, bytes.data, (size_t)bytes.size);
	}
	if (n > 0)
		rf_note(log,
		    "%zu column%s of codes with leading zeros taken as text, "
		    "'%s' first (%s%sline %" PRId64
		    ": '%s'): --type %s=integer "
		    "reads numbers",
		    n, RF_PLURAL(n), name, spot->file != NULL ? spot->file : "",
		    spot->file != NULL ? " " : "", spot->line,
		    rf_text_quote(word, spot->text, spot->size), name);
}

/* Numbers between blanks are text, which is seldom what was meant. */
static void
note_padded(const struct rf_plan *plan, const struct rf_evidence *evidence,
    const struct rf_log *log)
{
	char name[RF_QUOTED_SIZE];
	struct rf_bytes first = {0};
	size_t n = 0;

	for (size_t c = 0; c < plan->n_columns; c++)
		if (plan->columns[c].wish == RF_WISH_NONE &&
		    evidence[c].n_padded > 0 && n++ == 0)
			first = rf_plan_name(plan, c);
	if (n > 0)
		rf_note(log,
		    "numbers between blanks in %zu column%s are text, '%s' "
		    "first: --trim reads them as numbers",
		    n, RF_PLURAL(n),
		    rf_text_quote(name, first.data, (size_t)first.size));
}

void
rf_guess_notes(const struct rf_plan *plan, const struct rf_evidence *evidence,
    const struct rf_log *log)
{
	note_codes(plan, evidence, log);
	note_padded(plan, evidence, log);
}
