#include "table/fault.h"

#include <string.h>

#include "base/text.h"
#include "table/groups.h"
#include "table/moment.h"

static void
set_place(struct rf_chunk *chunk, const char *at)
{
	chunk->status = RF_EDATA;
	chunk->error_line = 1 + rf_count_lines(chunk->text, at);
}

/* The column's name, or its number where it has none. */
static const char *
name_of(const struct rf_chunk *chunk, size_t column, char out[RF_QUOTED_SIZE])
{
	struct rf_bytes name;

	if (column >= chunk->plan->n_columns)
		return "past the last";
	name = rf_plan_name(chunk->plan, column);
	return rf_text_quote(out, name.data, (size_t)name.size);
}

static void
set_number(struct rf_chunk *chunk, size_t column, const struct rf_cell *cell,
    const char *name, const char *text)
{
	const struct rf_plan_column *plan = &chunk->plan->columns[column];
	const struct rf_dialect *dialect = &chunk->plan->dialect;
	char other = dialect->point == '.' ? ',' : '.', sign;
	int64_t whole;
	double real;

	sign = rf_groups_sign(dialect, cell->text, cell->size);
	if (plan->refuses_codes && cell->text[0] == '0' &&
	    rf_decimal_parse(cell->text, cell->size, dialect->point, &whole,
		&real) == RF_NUMBER_WHOLE)
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': '%s' looks like a code among numbers; "
		    "--type %s=integer takes it as a number, --type %s=text "
		    "the column as text",
		    name, text, name, name);
	else if (rf_number_parse(dialect, cell->text, cell->size, &whole,
		     &real) != RF_NUMBER_NONE)
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': cannot read '%s' as a whole number; "
		    "--type %s=%s takes it",
		    name, text, name,
		    plan->takes_whole_reals ? "category" : "number");
	else if (rf_decimal_parse(cell->text, cell->size, other, &whole,
		     &real) != RF_NUMBER_NONE)
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': cannot read '%s' as a number; "
		    "--decimal %c does,%s --type %s=text takes the column as "
		    "text",
		    name, text, other,
		    sign == other ? " --thousands with it too," : "", name);
	else if (sign != 0)
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': cannot read '%s' as a number; "
		    "--thousands '%c' does, --type %s=text takes the column "
		    "as text",
		    name, text, sign, name);
	else
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': cannot read '%s' as a number; --na '%s' "
		    "takes it as missing, --type %s=text the column as text",
		    name, text, text, name);
}

static void
set_word(struct rf_chunk *chunk, const char *what, const char *type,
    const char *name, const char *text)
{
	rf_error_set(&chunk->error, RF_EDATA,
	    ", column '%s': cannot read '%s' as %s; --na '%s' takes it as "
	    "missing, --type %s=%s the column as text",
	    name, text, what, text, name, type);
}

static void
set_moment(struct rf_chunk *chunk, size_t column, const struct rf_cell *cell,
    const char *name, const char *text)
{
	static const char *const units[] = {"s", "ms", "us", "ns"};
	const struct rf_plan_column *plan = &chunk->plan->columns[column];
	bool is_date = plan->cells == RF_CELLS_DATE;
	struct rf_moment moment;
	enum rf_time_unit finer;

	if (!rf_moment_read(cell->text, cell->size, &moment)) {
		set_word(
		    chunk, is_date ? "a date" : "a time", "text", name, text);
		return;
	}
	finer = rf_moment_unit(moment.n_digits);
	if (is_date)
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': cannot read '%s' as a date; --type "
		    "%s=timestamp takes it",
		    name, text, name);
	else if (moment.has_offset != plan->has_offset)
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': '%s' has %s offset from UTC, unlike the "
		    "times before; --type %s=text takes the column as text",
		    name, text, moment.has_offset ? "an" : "no", name);
	else if (finer > plan->unit)
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': '%s' is finer than the column's unit, %s; "
		    "--type '%s=timestamp[%s]' takes it",
		    name, text, units[plan->unit], name, units[finer]);
	else
		rf_error_set(&chunk->error, RF_EDATA,
		    ", column '%s': '%s' is beyond what 64 bits hold in %s; "
		    "--type %s=text takes the column as text",
		    name, text, units[plan->unit], name);
}

void
rf_fault_type(struct rf_chunk *chunk, size_t column, const struct rf_cell *cell)
{
	char name[RF_QUOTED_SIZE], text[RF_QUOTED_SIZE];

	set_place(chunk, cell->text);
	name_of(chunk, column, name);
	rf_text_quote(text, cell->text, cell->size);
	switch (chunk->plan->columns[column].cells) {
	case RF_CELLS_WHOLE:
	case RF_CELLS_REAL:
		set_number(chunk, column, cell, name, text);
		break;
	case RF_CELLS_BOOLEAN:
		set_word(chunk, "true or false", "category", name, text);
		break;
	case RF_CELLS_DATE:
	case RF_CELLS_TIME:
		set_moment(chunk, column, cell, name, text);
		break;
	case RF_CELLS_SKIP:
	case RF_CELLS_CATEGORY:
	case RF_CELLS_TEXT:
		break;
	}
}

void
rf_fault_cell(struct rf_chunk *chunk, enum rf_cell_fault fault, size_t column,
    const char *at)
{
	char name[RF_QUOTED_SIZE];

	set_place(chunk, at);
	rf_error_set(&chunk->error, RF_EDATA, ", column '%s': %s",
	    name_of(chunk, column, name),
	    fault == RF_CELL_OPEN
		? "the cell's quote is never closed"
		: "text follows the cell's closing quote (a quote inside is "
		  "written twice)");
}

void
rf_fault_count(struct rf_chunk *chunk, const char *at, size_t n_cells)
{
	set_place(chunk, at);
	rf_error_set(&chunk->error, RF_EDATA,
	    ": %zu cell%s where %zu are wanted; --ragged pad takes what lacks "
	    "as missing, --ragged drop leaves such rows out",
	    n_cells, RF_PLURAL(n_cells), chunk->plan->n_columns);
}

/* false: this cell is at fault. */
static bool
check_cell(struct rf_chunk *chunk, size_t column, const struct rf_cell *cell)
{
	char name[RF_QUOTED_SIZE], text[RF_QUOTED_SIZE];
	bool has_zero = memchr(cell->text, '\0', cell->size) != NULL;

	if (!has_zero && rf_text_is_utf8(cell->text, cell->size))
		return true;
	set_place(chunk, cell->text);
	rf_error_set(&chunk->error, RF_EDATA, ", column '%s': '%s' %s",
	    name_of(chunk, column, name),
	    rf_text_quote(text, cell->text, cell->size),
	    has_zero ? "has a NUL byte"
		     : rf_encoding_fault(chunk->plan->encoding));
	return false;
}

void
rf_fault_bytes(struct rf_chunk *chunk)
{
	char *at = chunk->text, *end = chunk->text + chunk->size;
	struct rf_cell cell = {.is_last = true};
	size_t column = 0;

	if (memchr(chunk->text, '\0', chunk->size) == NULL &&
	    rf_text_is_utf8(chunk->text, chunk->size))
		return;
	while (at < end) {
		char *after = at;
		enum rf_cell_fault fault;

		column = cell.is_last ? 0 : column + 1;
		fault = rf_cell_next(&chunk->plan->dialect, &after, end, &cell);
		if (fault != RF_CELL_GOOD) {
			rf_fault_cell(chunk, fault, column, at);
			return;
		}
		if (!check_cell(chunk, column, &cell))
			return;
		at = after;
	}
}
