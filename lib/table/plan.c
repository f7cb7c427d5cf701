#include "table/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* The names in the making. */
struct naming {
	struct rf_words *names;	  /* of the columns so far */
	struct rf_words given;	  /* of the first record */
	int64_t *next;		  /* number to go on with, by name's code */
	size_t n_taken, is_taken; /* columns, the first of these */
};

static enum rf_status
add_word(struct rf_words *words, const char *text, size_t size, bool *is_new,
    struct rf_error *err)
{
	size_t n = words->n_words;
	int32_t code;

	RF_TRY(rf_words_add(
	    words, text, size, rf_words_hash(text, size), &code, err));
	*is_new = words->n_words > n;
	return RF_OK;
}

static int32_t
find_word(const struct rf_words *words, const char *text, size_t size)
{
	return rf_words_find(words, text, size, rf_words_hash(text, size));
}

/*
 * The first of name_2, name_3 .. that is free and that no column is given.
 * next, which has the number to go on with, keeps many equal names from taking
 * long.
 */
static enum rf_status
add_numbered(
    struct naming *naming, const char *text, size_t size, struct rf_error *err)
{
	int64_t *next = &naming->next[find_word(&naming->given, text, size)];
	enum rf_status status = RF_OK;
	struct rf_text name = {0};
	bool is_new = false;

	while (status == RF_OK && !is_new) {
		rf_text_clear(&name);
		rf_text_append(&name, text, size);
		rf_text_printf(&name, "_%" PRId64, 2 + (*next)++);
		if (name.failed)
			status =
			    rf_error_memory(err, name.size, "column names");
		else if (find_word(&naming->given, name.data, name.size) < 0)
			status = add_word(
			    naming->names, name.data, name.size, &is_new, err);
	}
	rf_text_release(&name);
	return status;
}

static bool
is_blank_text(const struct rf_cell *cell)
{
	for (size_t i = 0; i < cell->size; i++)
		if (cell->text[i] != ' ' && cell->text[i] != '\t')
			return false;
	return true;
}

static bool
is_given(const struct rf_cell *cells, size_t c)
{
	return cells != NULL && !is_blank_text(&cells[c]);
}

static enum rf_status
check_name(const struct rf_cell *cell, size_t column, enum rf_encoding encoding,
    struct rf_error *err)
{
	bool has_zero = memchr(cell->text, '\0', cell->size) != NULL;
	char text[RF_QUOTED_SIZE];

	if (!has_zero && rf_text_is_utf8(cell->text, cell->size))
		return RF_OK;
	return rf_error_set(err, RF_EDATA, "column %zu: the name '%s' %s",
	    column + 1, rf_text_quote(text, cell->text, cell->size),
	    has_zero ? "has a NUL byte" : rf_encoding_fault(encoding));
}

static enum rf_status
add_given(struct naming *naming, const struct rf_cell *cells, size_t n_cells,
    enum rf_encoding encoding, struct rf_error *err)
{
	bool is_new;

	for (size_t c = 0; c < n_cells; c++) {
		if (!is_given(cells, c))
			continue;
		RF_TRY(check_name(&cells[c], c, encoding, err));
		RF_TRY(add_word(&naming->given, cells[c].text, cells[c].size,
		    &is_new, err));
	}
	return RF_OK;
}

static enum rf_status
add_names(struct naming *naming, const struct rf_cell *cells, size_t n_cells,
    struct rf_error *err)
{
	char number[32];

	for (size_t c = 0; c < n_cells; c++) {
		const char *text = number;
		size_t size;
		bool is_new = false; /* V and a number is, if not given */

		if (is_given(cells, c)) {
			text = cells[c].text;
			size = cells[c].size;
		} else {
			size = (size_t)snprintf(
			    number, sizeof(number), "V%zu", c + 1);
		}
		if (text != number || find_word(&naming->given, text, size) < 0)
			RF_TRY(
			    add_word(naming->names, text, size, &is_new, err));
		if (is_new)
			continue;
		RF_TRY(add_numbered(naming, text, size, err));
		if (naming->n_taken++ == 0)
			naming->is_taken = c;
	}
	return RF_OK;
}

static void
note_taken(const struct rf_plan *plan, const struct naming *naming,
    const struct rf_log *log)
{
	struct rf_bytes name = rf_plan_name(plan, naming->is_taken);
	char quoted[RF_QUOTED_SIZE];

	rf_note(log,
	    "%zu column%s of a name that is taken: column %zu is called "
	    "'%s'",
	    naming->n_taken, RF_PLURAL(naming->n_taken), naming->is_taken + 1,
	    rf_text_quote(quoted, name.data, (size_t)name.size));
}

enum rf_status
rf_plan_names(struct rf_plan *plan, const struct rf_cell *cells, size_t n_cells,
    const struct rf_log *log, struct rf_error *err)
{
	struct naming naming = {
	    .names = &plan->names,
	    .next = rf_alloc_zero(n_cells, sizeof(*naming.next)),
	};
	enum rf_status status;

	plan->label = -1;
	plan->columns = rf_alloc_zero(n_cells, sizeof(*plan->columns));
	if (naming.next == NULL || plan->columns == NULL) {
		status = rf_error_memory(
		    err, n_cells * sizeof(*plan->columns), "columns");
		goto out;
	}
	plan->n_columns = n_cells;
	status = add_given(&naming, cells, n_cells, plan->encoding, err);
	if (status == RF_OK)
		status = add_names(&naming, cells, n_cells, err);
	if (status == RF_OK && naming.n_taken > 0)
		note_taken(plan, &naming, log);
out:
	rf_words_release(&naming.given);
	free(naming.next);
	return status;
}

int64_t
rf_plan_find(const struct rf_plan *plan, const char *text, size_t size)
{
	uint64_t number = 0;
	int64_t column =
	    rf_words_find(&plan->names, text, size, rf_words_hash(text, size));

	if (column >= 0 || size == 0 || size > 9)
		return column;
	for (size_t i = 0; i < size; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		number = number * 10 + (uint64_t)(text[i] - '0');
	}
	return number >= 1 && number <= plan->n_columns ? (int64_t)number - 1
							: -1;
}

static enum rf_status
find_named(const struct rf_plan *plan, const char *option, const char *text,
    size_t size, int64_t *column, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	*column = rf_plan_find(plan, text, size);
	if (*column >= 0)
		return RF_OK;
	return rf_error_set(err, RF_EUSAGE,
	    "%s: no column is called '%s', nor has it that number (%zu "
	    "columns)",
	    option, rf_text_quote(quoted, text, size), plan->n_columns);
}

enum rf_status
rf_plan_role(struct rf_plan *plan, const char *option, size_t at,
    enum rf_column_role role, struct rf_error *err)
{
	struct rf_plan_column *column = &plan->columns[at];
	struct rf_bytes name = rf_plan_name(plan, at);
	char quoted[RF_QUOTED_SIZE];

	if (column->role != RF_ROLE_FEATURE)
		return rf_error_set(err, RF_EUSAGE,
		    "%s: column '%s' has another role already", option,
		    rf_text_quote(quoted, name.data, (size_t)name.size));
	column->role = role;
	if (role == RF_ROLE_LABEL)
		plan->label = (int64_t)at;
	if (role == RF_ROLE_WEIGHT && column->wish == RF_WISH_NONE)
		column->wish = RF_WISH_NUMBER;
	if (role == RF_ROLE_FOLD && column->wish == RF_WISH_NONE)
		column->wish = RF_WISH_INTEGER;
	return RF_OK;
}

static enum rf_status
set_role(struct rf_plan *plan, const char *option, const char *text,
    enum rf_column_role role, struct rf_error *err)
{
	int64_t at;

	if (text == NULL)
		return RF_OK;
	RF_TRY(find_named(plan, option, text, strlen(text), &at, err));
	return rf_plan_role(plan, option, (size_t)at, role, err);
}

static const struct {
	const char *word;
	enum rf_wish wish;
	int unit; /* -1: by the sample */
} types[] = {
    {"number", RF_WISH_NUMBER, -1},
    {"integer", RF_WISH_INTEGER, -1},
    {"category", RF_WISH_CATEGORY, -1},
    {"text", RF_WISH_TEXT, -1},
    {"boolean", RF_WISH_BOOLEAN, -1},
    {"date", RF_WISH_DATE, -1},
    {"timestamp", RF_WISH_TIME, -1},
    {"timestamp[s]", RF_WISH_TIME, RF_UNIT_S},
    {"timestamp[ms]", RF_WISH_TIME, RF_UNIT_MS},
    {"timestamp[us]", RF_WISH_TIME, RF_UNIT_US},
    {"timestamp[ns]", RF_WISH_TIME, RF_UNIT_NS},
};

static enum rf_status
set_type(struct rf_plan *plan, const char *text, struct rf_error *err)
{
	/* A name may have a '=' in it, a type has none. */
	const char *sign = strrchr(text, '=');
	char quoted[RF_QUOTED_SIZE];
	int64_t at;

	if (sign == NULL)
		return rf_error_set(err, RF_EUSAGE,
		    "--type: '%s' is not COLUMN=TYPE",
		    rf_text_quote(quoted, text, strlen(text)));
	RF_TRY(
	    find_named(plan, "--type", text, (size_t)(sign - text), &at, err));
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct rf_plan_column *column = &plan->columns[at];

		if (strcmp(sign + 1, types[i].word) != 0)
			continue;
		column->wish = types[i].wish;
		column->unit_is_given = types[i].unit >= 0;
		if (types[i].unit >= 0)
			column->unit = (enum rf_time_unit)types[i].unit;
		return RF_OK;
	}
	return rf_error_set(err, RF_EUSAGE,
	    "--type: '%s' is none of number, integer, category, text, boolean, "
	    "date, timestamp, timestamp[s], [ms], [us] or [ns]",
	    rf_text_quote(quoted, sign + 1, strlen(sign + 1)));
}

static enum rf_status
choose_columns(struct rf_plan *plan, const char *list, struct rf_error *err)
{
	bool leaves_out;
	int64_t at;

	if (list == NULL)
		return RF_OK;
	leaves_out = list[0] == '!';
	list += leaves_out;
	for (size_t c = 0; c < plan->n_columns; c++)
		plan->columns[c].is_left_out = !leaves_out;
	/* A name with a comma in it can be the whole list. */
	at = rf_plan_find(plan, list, strlen(list));
	if (at >= 0) {
		plan->columns[at].is_left_out = leaves_out;
		return RF_OK;
	}
	for (const char *p = list; *p != '\0';) {
		size_t size = strcspn(p, ",");

		RF_TRY(find_named(plan, "--columns", p, size, &at, err));
		plan->columns[at].is_left_out = leaves_out;
		p += size + (p[size] == ',');
	}
	return RF_OK;
}

static enum rf_status
set_missing(struct rf_plan *plan, const struct rf_csv_options *options,
    struct rf_error *err)
{
	const char *json =
	    options->like != NULL ? options->like->missing_words : NULL;
	char point = plan->dialect.point;

	RF_TRY(rf_missing_init(
	    &plan->missing, !options->only_these_missing && json == NULL, err));
	if (json != NULL)
		RF_TRY(rf_missing_add_json(&plan->missing, json, point, err));
	for (size_t i = 0; i < options->n_missing; i++)
		RF_TRY(rf_missing_add(&plan->missing, options->missing[i],
		    strlen(options->missing[i]), point, err));
	return RF_OK;
}

enum rf_status
rf_plan_options(struct rf_plan *plan, const struct rf_csv_options *options,
    struct rf_error *err)
{
	size_t n_sent = 0;

	plan->ragged = options->ragged;
	plan->bad_cells_are_missing =
	    options->bad_cells == RF_BAD_CELLS_MISSING;
	plan->task = options->task;
	RF_TRY(set_missing(plan, options, err));
	for (size_t i = 0; i < options->n_types; i++)
		RF_TRY(set_type(plan, options->types[i], err));
	RF_TRY(set_role(plan, "--label", options->label, RF_ROLE_LABEL, err));
	RF_TRY(
	    set_role(plan, "--weight", options->weight, RF_ROLE_WEIGHT, err));
	RF_TRY(set_role(plan, "--id", options->id, RF_ROLE_ID, err));
	RF_TRY(set_role(plan, "--fold", options->fold, RF_ROLE_FOLD, err));
	RF_TRY(choose_columns(plan, options->columns, err));
	if (options->like != NULL)
		RF_TRY(rf_plan_like(plan, options, err));
	for (size_t c = 0; c < plan->n_columns; c++) {
		if (plan->columns[c].role != RF_ROLE_FEATURE)
			plan->columns[c].is_left_out = false;
		n_sent += !plan->columns[c].is_left_out;
	}
	return n_sent > 0 ? RF_OK
			  : rf_error_set(err, RF_EUSAGE,
				"no column of the table is to be sent");
}

void
rf_plan_release(struct rf_plan *plan)
{
	for (size_t c = 0; c < plan->n_columns && plan->columns != NULL; c++)
		rf_words_release(&plan->columns[c].words);
	free(plan->columns);
	rf_words_release(&plan->names);
	rf_missing_release(&plan->missing);
	memset(plan, 0, sizeof(*plan));
}
