#include "table/describe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "stream/pipe.h"
#include "table/cell_text.h"
#include "table/digits.h"
#include "table/slot.h"

#define MOST_DIFFERENT	4096
#define MOST_VALUES	(MOST_DIFFERENT * 1024) /* of all columns */
#define LEAST_DIFFERENT 16

/* The different values so far, by bits, each at most once. */
struct value_set {
	uint64_t *values; /* 0: free */
	size_t n, size;	  /* size: 0 or a power of 2 */
	bool has_zero, is_full;
};

struct column_facts {
	int64_t n_missing, n_present;
	struct value_set set;
	union {
		int64_t whole;
		double real;
	} low, high;
	int64_t *counts; /* of the codes of CATEGORY, or of BOOLEAN */
	size_t counts_capacity, n_counts;
};

struct rf_describe {
	const struct rf_plan *plan;
	size_t most; /* different values that a column counts */
	int64_t n_rows;
	struct column_facts *columns; /* of the file */
};

/* --- Different values ---------------------------------------------------- */

/* Mixes all bits (splitmix64), so that whole numbers spread. */
static size_t
place_of(uint64_t value, size_t size)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return (size_t)(value ^ value >> 31) & (size - 1);
}

static bool
put_value(uint64_t *values, size_t size, uint64_t value)
{
	size_t i = place_of(value, size);

	for (; values[i] != 0; i = (i + 1) & (size - 1))
		if (values[i] == value)
			return false;
	values[i] = value;
	return true;
}

static enum rf_status
widen(struct value_set *set, struct rf_error *err)
{
	size_t size = set->size == 0 ? 32 : set->size * 2;
	uint64_t *values = rf_alloc_zero(size, sizeof(*values));

	if (values == NULL)
		return rf_error_memory(err, size * sizeof(*values), "values");
	for (size_t i = 0; i < set->size; i++)
		if (set->values[i] != 0)
			put_value(values, size, set->values[i]);
	free(set->values);
	set->values = values;
	set->size = size;
	return RF_OK;
}

static enum rf_status
take_value(
    struct value_set *set, size_t most, uint64_t value, struct rf_error *err)
{
	if (set->is_full)
		return RF_OK;
	if (value == 0) {
		set->n += !set->has_zero;
		set->has_zero = true;
	} else {
		if (set->n * 2 >= set->size)
			RF_TRY(widen(set, err));
		set->n += put_value(set->values, set->size, value);
	}
	if (set->n > most) {
		set->is_full = true;
		free(set->values);
		set->values = NULL;
	}
	return RF_OK;
}

/* --- Cells --------------------------------------------------------------- */

static enum rf_status
take_whole(struct column_facts *facts, size_t most, int64_t value,
    struct rf_error *err)
{
	if (facts->n_present == 0 || value < facts->low.whole)
		facts->low.whole = value;
	if (facts->n_present == 0 || value > facts->high.whole)
		facts->high.whole = value;
	return take_value(&facts->set, most, (uint64_t)value, err);
}

static enum rf_status
take_real(
    struct column_facts *facts, size_t most, double value, struct rf_error *err)
{
	uint64_t bits;

	value += 0.0; /* -0 is 0 */
	if (facts->n_present == 0 || value < facts->low.real)
		facts->low.real = value;
	if (facts->n_present == 0 || value > facts->high.real)
		facts->high.real = value;
	memcpy(&bits, &value, sizeof(bits));
	return take_value(&facts->set, most, bits, err);
}

static enum rf_status
take_code(struct column_facts *facts, size_t code, struct rf_error *err)
{
	void *counts = facts->counts;

	if (code >= facts->n_counts) {
		if (rf_grow(&counts, &facts->counts_capacity, code + 1,
			sizeof(*facts->counts)) != 0)
			return rf_error_memory(err, code, "counts");
		facts->counts = counts;
		memset(facts->counts + facts->n_counts, 0,
		    (code + 1 - facts->n_counts) * sizeof(*facts->counts));
		facts->n_counts = code + 1;
	}
	facts->counts[code]++;
	return RF_OK;
}

static enum rf_status
take_row(struct column_facts *facts, size_t most, const struct rf_slot *slot,
    int64_t row, struct rf_error *err)
{
	const struct rf_chunk_column *column = slot->column;
	const uint8_t *bits = slot->values;
	int32_t at;

	switch (slot->cells) {
	case RF_CELLS_WHOLE:
	case RF_CELLS_TIME:
		return take_whole(
		    facts, most, ((const int64_t *)slot->values)[row], err);
	case RF_CELLS_DATE:
		return take_whole(
		    facts, most, ((const int32_t *)slot->values)[row], err);
	case RF_CELLS_REAL:
		return take_real(
		    facts, most, ((const double *)slot->values)[row], err);
	case RF_CELLS_CATEGORY:
		return take_code(
		    facts, (size_t)((const int32_t *)slot->values)[row], err);
	case RF_CELLS_BOOLEAN:
		return take_code(facts, bits[row >> 3] >> (row & 7) & 1, err);
	case RF_CELLS_TEXT:
		at = column->offsets[row];
		/* Equal hashes of different texts: 1 in 2^40 tables. */
		return take_value(&facts->set, most,
		    XXH3_64bits(column->data + at,
			(size_t)(column->offsets[row + 1] - at)),
		    err);
	case RF_CELLS_SKIP:
		break;
	}
	return RF_OK;
}

enum rf_status
rf_describe_chunk(struct rf_describe *describe, const struct rf_chunk *chunk,
    struct rf_error *err)
{
	describe->n_rows += chunk->n_rows;
	for (size_t c = 0; c < describe->plan->n_columns; c++) {
		struct column_facts *facts = &describe->columns[c];
		const struct rf_slot *slot = &chunk->slots[c];

		if (slot->cells == RF_CELLS_SKIP)
			continue;
		for (int64_t row = 0; row < chunk->n_rows; row++) {
			if ((slot->column->nulls[row >> 3] >> (row & 7) & 1) !=
			    0) {
				facts->n_missing++;
				continue;
			}
			RF_TRY(take_row(facts, describe->most, slot, row, err));
			facts->n_present++;
		}
	}
	return RF_OK;
}

/* --- The text ------------------------------------------------------------ */

/* The code of the most cells, the first of several; -1: there is none. */
static int64_t
most_frequent(const struct column_facts *facts, int64_t *n_different)
{
	int64_t best = -1;

	*n_different = 0;
	for (size_t i = 0; i < facts->n_counts; i++) {
		*n_different += facts->counts[i] > 0;
		if (facts->counts[i] > 0 &&
		    (best < 0 || facts->counts[i] > facts->counts[best]))
			best = (int64_t)i;
	}
	return best;
}

static void
put_whole(struct rf_text *out, int64_t value)
{
	rf_text_printf(out, "%" PRId64, value);
}

static void
put_real(struct rf_text *out, double value)
{
	char text[RF_DIGITS_SIZE];

	rf_text_append(out, text, rf_digits_double(text, value));
}

static void
put_end(struct rf_text *out, const struct rf_plan_column *column, int64_t whole,
    double real)
{
	if (column->cells == RF_CELLS_REAL)
		put_real(out, real);
	else if (column->cells == RF_CELLS_DATE)
		rf_date_text(out, whole);
	else if (column->cells == RF_CELLS_TIME)
		rf_timestamp_text(out, whole, column->unit, column->has_offset);
	else
		put_whole(out, whole);
}

static void
put_range(struct rf_text *out, const struct rf_plan_column *column,
    const struct column_facts *facts)
{
	bool is_real = column->cells == RF_CELLS_REAL;

	put_end(out, column, is_real ? 0 : facts->low.whole,
	    is_real ? facts->low.real : 0);
	rf_text_puts(out, "..");
	put_end(out, column, is_real ? 0 : facts->high.whole,
	    is_real ? facts->high.real : 0);
}

static void
put_counted(struct rf_text *out, const struct rf_plan_column *column,
    const struct column_facts *facts, int64_t code)
{
	const struct rf_words *words = &column->words;
	char text[RF_QUOTED_SIZE];

	if (column->cells == RF_CELLS_BOOLEAN)
		rf_text_puts(out, code != 0 ? "true" : "false");
	else
		rf_text_puts(out,
		    rf_text_quote(text, rf_words_text(words, (size_t)code),
			words->words[code].size));
	rf_text_printf(out, " (%" PRId64 ")", facts->counts[code]);
}

/* The counts of different cells, and what they are like. */
static void
put_values(struct rf_text *out, const struct rf_plan_column *column,
    const struct column_facts *facts, size_t most)
{
	bool is_counted = column->cells == RF_CELLS_CATEGORY ||
	    column->cells == RF_CELLS_BOOLEAN;
	int64_t n = (int64_t)facts->set.n, code = -1;

	if (is_counted)
		code = most_frequent(facts, &n);
	if (facts->set.is_full)
		rf_text_printf(out, "\t>%zu\t", most);
	else
		rf_text_printf(out, "\t%" PRId64 "\t", n);
	if (is_counted && code >= 0)
		put_counted(out, column, facts, code);
	else if (facts->n_present > 0 && !is_counted &&
	    column->cells != RF_CELLS_TEXT)
		put_range(out, column, facts);
	else
		rf_text_puts(out, "-");
}

static void
put_column(struct rf_text *out, const struct rf_describe *describe, size_t c)
{
	static const char *const roles[] = {[RF_ROLE_FEATURE] = "feature",
	    [RF_ROLE_LABEL] = "label",
	    [RF_ROLE_WEIGHT] = "weight",
	    [RF_ROLE_ID] = "id",
	    [RF_ROLE_FOLD] = "fold",
	    [RF_ROLE_IGNORE] = "ignore"};
	const struct rf_plan_column *column = &describe->plan->columns[c];
	const struct column_facts *facts = &describe->columns[c];
	struct rf_bytes bytes = rf_plan_name(describe->plan, c);
	char name[RF_QUOTED_SIZE];

	rf_text_printf(out, "%zu\t%s\t", c + 1,
	    rf_text_quote(name, bytes.data, (size_t)bytes.size));
	if (column->cells == RF_CELLS_SKIP) {
		rf_text_puts(out, "-\tnot sent\t-\t-\t-\n");
		return;
	}
	rf_text_printf(out, "%s\t%s\t%" PRId64, rf_plan_type_name(column),
	    roles[column->role], facts->n_missing);
	put_values(out, column, facts, describe->most);
	rf_text_puts(out, "\n");
}

enum rf_status
rf_describe_print(const struct rf_describe *describe,
    const struct rf_csv_options *options, int fd, const char *name,
    struct rf_error *err)
{
	struct rf_text out = {0};
	struct iovec part;
	enum rf_status status;

	rf_text_puts(
	    &out, "number\tname\ttype\trole\tmissing\tdifferent\tvalues\n");
	for (size_t c = 0; c < describe->plan->n_columns; c++)
		put_column(&out, describe, c);
	rf_text_printf(&out, "\n%" PRId64 " row%s\ncsv2bin", describe->n_rows,
	    RF_PLURAL(describe->n_rows));
	rf_describe_options(&out, describe->plan, options);
	rf_text_puts(&out, "\n");
	if (out.failed) {
		status = rf_error_memory(err, out.size, "output");
	} else {
		part = (struct iovec){out.data, out.size};
		status = rf_write_all(fd, &part, 1, err);
		if (status != RF_OK)
			(void)rf_error_prefix(err, status, name);
	}
	rf_text_release(&out);
	return status;
}

/* --- Life ---------------------------------------------------------------- */

enum rf_status
rf_describe_new(
    struct rf_describe **out, const struct rf_plan *plan, struct rf_error *err)
{
	struct rf_describe *describe = rf_alloc_zero(1, sizeof(*describe));
	size_t n = plan->n_columns, most;

	*out = describe;
	if (describe == NULL)
		return rf_error_memory(err, sizeof(*describe), "columns");
	describe->plan = plan;
	most = n > 1024 ? MOST_VALUES / n : MOST_DIFFERENT;
	describe->most = most > LEAST_DIFFERENT ? most : LEAST_DIFFERENT;
	describe->columns = rf_alloc_zero(n, sizeof(*describe->columns));
	return describe->columns != NULL
	    ? RF_OK
	    : rf_error_memory(err, n * sizeof(*describe->columns), "columns");
}

void
rf_describe_free(struct rf_describe *describe)
{
	if (describe == NULL)
		return;
	for (size_t c = 0;
	     describe->columns != NULL && c < describe->plan->n_columns; c++) {
		free(describe->columns[c].set.values);
		free(describe->columns[c].counts);
	}
	free(describe->columns);
	free(describe);
}
