#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "table/dialect.h"
#include "table/spaces.h"

#define GUESS_BYTES   ((size_t)1 << 18)
#define GUESS_RECORDS 1000
#define GUESS_LINES   3 /* at least, however long they are */

static const struct {
	char delimiter;
	const char *name;
} candidates[] = {
    {',', "comma"}, {'\t', "tab"}, {';', "semicolon"}, {'|', "pipe"}};

struct tally {
	int64_t first;	/* cells in the first record */
	int64_t n_same; /* records with as many */
	int64_t n_records;
};

/* Whole lines of the text, as far as they are looked at, and a copy of them. */
struct trial {
	const char *text;
	size_t size;
	char *copy;
};

static size_t
whole_lines(const char *text, const char *end, bool is_whole)
{
	size_t size = (size_t)(end - text), n;

	if (size <= GUESS_BYTES && is_whole)
		return size;
	n = size < GUESS_BYTES ? size : GUESS_BYTES;
	while (n < size && rf_count_lines(text, text + n) < GUESS_LINES)
		n = n * 4 < size ? n * 4 : size;
	size = n;
	while (n > 0 && text[n - 1] != '\n' && text[n - 1] != '\r')
		n--;
	return n > 0 ? n : size;
}

static char *
next_line(char *at, const char *end)
{
	while (at < end && *at != '\n' && *at != '\r')
		at++;
	return at;
}

static void
count_cells(
    struct tally *tally, const struct rf_dialect *dialect, char *at, char *end)
{
	size_t n;

	memset(tally, 0, sizeof(*tally));
	while (tally->n_records < GUESS_RECORDS) {
		enum rf_cell_fault fault;

		at = rf_skip_blank_lines(dialect, at, end);
		if (at >= end)
			return;
		fault = rf_record_next(dialect, &at, end, NULL, 0, &n);
		if (fault == RF_CELL_OPEN)
			return;
		if (fault == RF_CELL_AFTER_QUOTE) {
			n = 0;
			at = next_line(at, end);
		}
		if (tally->n_records++ == 0)
			tally->first = (int64_t)n;
		tally->n_same += (int64_t)n == tally->first;
	}
}

static void
try(const struct trial *trial, const struct rf_dialect *dialect,
    struct tally *tally)
{
	struct rf_spaces spaces = {0};
	size_t size = trial->size;

	memcpy(trial->copy, trial->text, size);
	if (dialect->has_runs)
		size =
		    rf_spaces_collapse(&spaces, trial->copy, trial->copy, size);
	memset(trial->copy + size, 0, 1 + RF_TEXT_PADDING);
	trial->copy[size] = '\n';
	count_cells(tally, dialect, trial->copy, trial->copy + size);
}

/* Shares of records, compared without a division. */
static int
compare(const struct tally *a, const struct tally *b)
{
	int64_t one = a->n_same * b->n_records, two = b->n_same * a->n_records;

	return (one > two) - (one < two);
}

/* The best candidate, or that two are; -1: none. */
static enum rf_status
choose(const struct trial *trial, const struct rf_dialect *dialect, int *best,
    struct rf_error *err)
{
	struct rf_dialect one = *dialect;
	struct tally tally, most = {0};
	int other = -1;

	*best = -1;
	for (int i = 0; i < (int)(sizeof(candidates) / sizeof(*candidates));
	     i++) {
		int order;

		one.delimiter = candidates[i].delimiter;
		try(trial, &one, &tally);
		if (tally.first < 2)
			continue;
		order = *best < 0 ? 1 : compare(&tally, &most);
		if (order == 0 && dialect->point == ',' && *best == 0)
			order = 1;
		if (order > 0) {
			*best = i;
			other = -1;
			most = tally;
		} else if (order == 0) {
			other = i;
		}
	}
	if (other < 0)
		return RF_OK;
	return rf_error_set(err, RF_EDATA,
	    "%s and %s give records of one size alike: say which it is by "
	    "--delimiter",
	    candidates[*best].name, candidates[other].name);
}

enum rf_status
rf_dialect_guess(struct rf_dialect *dialect, const char *text, const char *end,
    bool is_whole, struct rf_error *err)
{
	struct trial trial = {
	    .text = text, .size = whole_lines(text, end, is_whole)};
	struct rf_dialect spaces = *dialect;
	struct tally tally;
	enum rf_status status;
	int best;

	trial.copy = rf_alloc(trial.size + 1 + RF_TEXT_PADDING, 1);
	if (trial.copy == NULL)
		return rf_error_memory(err, trial.size, "the delimiter");
	status = choose(&trial, dialect, &best, err);
	if (status != RF_OK)
		goto out;
	dialect->delimiter = candidates[best < 0 ? 0 : best].delimiter;
	if (best >= 0)
		goto out;
	spaces.delimiter = ' ';
	spaces.has_runs = true;
	try(&trial, &spaces, &tally);
	if (tally.first > 1 && tally.n_records > 1 &&
	    tally.n_same == tally.n_records)
		*dialect = spaces;
out:
	free(trial.copy);
	return status;
}
