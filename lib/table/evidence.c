#include "table/evidence.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "table/groups.h"
#include "table/moment.h"

static void
note_spot(struct rf_spot *spot, struct rf_evidence_place *place,
    const struct rf_cell *cell)
{
	if (spot->text != NULL)
		return;
	spot->text = rf_strndup(cell->text, cell->size);
	spot->size = cell->size;
	place->line += rf_count_lines(place->counted, cell->text);
	place->counted = cell->text;
	spot->line = place->line;
	spot->file = place->file;
}

static bool
is_odd(const struct rf_cell *cell)
{
	const char *digits = cell->text + (cell->text[0] == '-');

	return cell->text[0] == '+' || (digits[0] == '0' && cell->size > 1);
}

static bool
is_number(const struct rf_dialect *dialect, const char *text, size_t size)
{
	int64_t whole;
	double real;

	return rf_number_parse(dialect, text, size, &whole, &real) !=
	    RF_NUMBER_NONE;
}

/* What a text might be by other options. */
static void
take_word(struct rf_evidence *evidence, const struct rf_dialect *dialect,
    const struct rf_cell *cell)
{
	struct rf_dialect other = {.point = dialect->point == '.' ? ',' : '.'};
	struct rf_cell inner = *cell;
	char sign = rf_groups_sign(dialect, cell->text, cell->size);

	if (sign != 0) {
		evidence->n_grouped++;
		if (evidence->group_sign == 0)
			evidence->group_sign = sign;
	}
	if (is_number(&other, cell->text, cell->size))
		evidence->n_comma++;
	while (inner.size > 0 && inner.text[0] == ' ') {
		inner.text++;
		inner.size--;
	}
	while (inner.size > 0 && inner.text[inner.size - 1] == ' ')
		inner.size--;
	if (inner.size < cell->size &&
	    is_number(dialect, inner.text, inner.size))
		evidence->n_padded++;
}

static bool
take_moment(struct rf_evidence *evidence, struct rf_evidence_place *place,
    const struct rf_cell *cell)
{
	struct rf_moment moment;

	if (!rf_moment_read(cell->text, cell->size, &moment))
		return false;
	if (rf_evidence_moments(evidence) == 0)
		evidence->first_second = evidence->last_second = moment.seconds;
	else if (moment.has_offset !=
	    (evidence->n_offset == rf_evidence_moments(evidence)))
		note_spot(&evidence->other_offset, place, cell);
	if (moment.seconds < evidence->first_second)
		evidence->first_second = moment.seconds;
	if (moment.seconds > evidence->last_second)
		evidence->last_second = moment.seconds;
	if (moment.n_digits > evidence->most_digits)
		evidence->most_digits = moment.n_digits;
	evidence->n_times += moment.has_clock;
	evidence->n_dates += !moment.has_clock;
	evidence->n_offset += moment.has_offset;
	return true;
}

/* Once a column has reals, that whole numbers are such matters no more. */
static enum rf_number
number_of(const struct rf_evidence *evidence, const struct rf_dialect *dialect,
    const struct rf_cell *cell, double *real)
{
	int64_t whole;

	if (evidence->n_real == 0 &&
	    rf_decimal_fast_whole(cell->text, cell->size, &whole))
		return RF_NUMBER_WHOLE;
	if (rf_decimal_fast_real(cell->text, cell->size, dialect->point, real))
		return RF_NUMBER_REAL;
	return rf_number_parse(dialect, cell->text, cell->size, &whole, real);
}

static void
take_number(struct rf_evidence *evidence, struct rf_evidence_place *place,
    const struct rf_cell *cell, enum rf_number number, double real)
{
	if (number == RF_NUMBER_REAL) {
		evidence->n_real++;
		/* Past 2^53 every double is whole, but not as it was meant. */
		evidence->n_fraction += !(real > -0x1p53 && real < 0x1p53 &&
		    real == (double)(int64_t)real);
		return;
	}
	evidence->n_whole++;
	evidence->n_odd += is_odd(cell);
	if (cell->text[0] == '0' && cell->size > 1) {
		evidence->n_codes++;
		note_spot(&evidence->code, place, cell);
	}
}

/* Of numbers in any form, and of times, only "inf" begins with a letter. */
static bool
is_plain_word(const struct rf_cell *cell)
{
	unsigned char small = (unsigned char)cell->text[0] | 0x20;

	return small >= 'a' && small <= 'z' && small != 'i';
}

/* No number has signs at both places. */
static bool
is_like_date(const struct rf_cell *cell)
{
	return cell->size >= 10 && cell->text[4] == '-' && cell->text[7] == '-';
}

bool
rf_evidence_take(struct rf_evidence *evidence, const struct rf_dialect *dialect,
    struct rf_evidence_place *place, const struct rf_cell *cell)
{
	enum rf_number number = RF_NUMBER_NONE;
	bool is_plain = is_plain_word(cell), is_boolean;
	double real = 0;

	evidence->n_present++;
	evidence->n_taken++;
	evidence->text_size += cell->size;
	if (!is_plain && !is_like_date(cell))
		number = number_of(evidence, dialect, cell, &real);
	if (number == RF_NUMBER_NONE) {
		note_spot(&evidence->no_number, place, cell);
		if (!is_plain && take_moment(evidence, place, cell))
			return false;
	}
	note_spot(&evidence->no_time, place, cell);
	if (number != RF_NUMBER_NONE) {
		take_number(evidence, place, cell, number, real);
		return false;
	}
	is_boolean = rf_boolean(cell->text, cell->size) >= 0;
	evidence->n_booleans += is_boolean;
	if (!is_boolean && !is_plain)
		take_word(evidence, dialect, cell);
	return !is_boolean;
}

void
rf_evidence_release(struct rf_evidence *evidence)
{
	free(evidence->no_number.text);
	free(evidence->no_time.text);
	free(evidence->code.text);
	free(evidence->other_offset.text);
}
