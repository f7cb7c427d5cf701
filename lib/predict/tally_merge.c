#include "predict/tally_merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "predict/same_data.h"

static const char *
name_of(const struct rf_tally_input *input)
{
	return rf_reader_name(input->reader);
}

/* --- Do they belong together ----------------------------------------------- */

static enum rf_status
differ(const struct rf_tally_input *a, const struct rf_tally_input *b,
    const char *what, struct rf_error *err)
{
	return rf_error_set(err, RF_EDATA,
	    "%s and %s are not parts of one prediction: they differ in %s",
	    name_of(a), name_of(b), what);
}

static bool
same_classes(const struct rf_tally_header *a, const struct rf_tally_header *b)
{
	if (a->n_classes != b->n_classes)
		return false;
	for (int32_t i = 0; i < a->n_classes; i++)
		if (strcmp(a->classes[i], b->classes[i]) != 0)
			return false;
	return true;
}

static enum rf_status
check_same(const struct rf_tally_input *x, const struct rf_tally_input *y,
    struct rf_error *err)
{
	const struct rf_tally_header *a = &x->header, *b = &y->header;

	if (a->is_oob != b->is_oob || a->task != b->task)
		return differ(x, y, "kind", err);
	if (strcmp(a->forest, b->forest) != 0)
		return differ(x, y, "the forest (rf.forest)", err);
	if (strcmp(a->schema, b->schema) != 0)
		return differ(x, y, "the columns (rf.schema.hash)", err);
	if (a->is_oob && strcmp(a->params, b->params) != 0)
		return differ(x, y, "the training (rf.params.hash)", err);
	if (a->is_oob && strcmp(a->data, b->data) != 0)
		return differ(x, y, "the training rows (rf.data.hash)", err);
	if (a->vote != b->vote)
		return differ(x, y, "the vote (rf.vote)", err);
	if (a->unit_exponent != b->unit_exponent)
		return differ(x, y, "the unit (rf.unit)", err);
	if (!same_classes(a, b) || a->label_type != b->label_type)
		return differ(x, y, "the classes (rf.classes)", err);
	if (a->total_trees != b->total_trees)
		return differ(x, y, "the trees (rf.trees.total)", err);
	return RF_OK;
}

static bool
same_trees(const struct rf_tally_header *a, const struct rf_tally_header *b)
{
	if (a->n_ranges != b->n_ranges)
		return false;
	for (int64_t i = 0; i < a->n_ranges; i++)
		if (a->ranges[i].first != b->ranges[i].first ||
		    a->ranges[i].end != b->ranges[i].end)
			return false;
	return true;
}

/* A range of trees and whose it is. */
struct owned_range {
	struct rf_tree_range range;
	const struct rf_tally_input *input;
};

static int
compare_ranges(const void *a, const void *b)
{
	int64_t x = ((const struct owned_range *)a)->range.first;
	int64_t y = ((const struct owned_range *)b)->range.first;

	return (x > y) - (x < y);
}

/* Ranges in order: no overlap, and no gap unless partial. */
static enum rf_status
check_cover(struct rf_merge *merge, const struct owned_range *ranges, size_t n,
    bool partial_ok, struct rf_error *err)
{
	int64_t total = merge->inputs[0]->header.total_trees, end = 0;
	int64_t gap = -1, gap_end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct rf_tree_range *range = &ranges[i].range;

		if (range->first < end)
			return rf_error_set(err, RF_EDATA,
			    "%s and %s both have tree %" PRId64,
			    name_of(ranges[i - 1].input),
			    name_of(ranges[i].input), range->first);
		if (range->first > end && gap < 0) {
			gap = end;
			gap_end = range->first;
		}
		end = range->end;
		merge->n_trees += range->end - range->first;
	}
	if (end < total && gap < 0) {
		gap = end;
		gap_end = total;
	}
	merge->is_partial = gap >= 0;
	if (merge->n_trees > RF_TREES_MAX)
		return rf_error_set(err, RF_EDATA,
		    "tallies of %" PRId64 " trees: at most 2^22 add up",
		    merge->n_trees);
	if (merge->is_partial && !partial_ok)
		return rf_error_set(err, RF_EDATA,
		    "trees %" PRId64 ":%" PRId64 " of 0:%" PRId64
		    " are not there; --partial votes without them",
		    gap, gap_end, total);
	return RF_OK;
}

static enum rf_status
check_trees(struct rf_merge *merge, bool partial_ok, struct rf_error *err)
{
	size_t n_inputs = merge->is_by_rows ? 1 : merge->n_inputs;
	struct owned_range *ranges;
	size_t n = 0;
	enum rf_status status;

	for (size_t i = 0; i < n_inputs; i++)
		n += (size_t)merge->inputs[i]->header.n_ranges;
	ranges = rf_alloc(n, sizeof(*ranges));
	if (ranges == NULL)
		return rf_error_memory(err, n * sizeof(*ranges), "ranges");
	n = 0;
	for (size_t i = 0; i < n_inputs; i++)
		for (int64_t k = 0; k < merge->inputs[i]->header.n_ranges; k++)
			ranges[n++] = (struct owned_range){
			    merge->inputs[i]->header.ranges[k],
			    merge->inputs[i]};
	qsort(ranges, n, sizeof(*ranges), compare_ranges);
	status = check_cover(merge, ranges, n, partial_ok, err);
	free(ranges);
	return status;
}

/* By the first row; those without rows last. */
static int
compare_rows(const void *a, const void *b)
{
	const struct rf_tally_input *x = *(struct rf_tally_input *const *)a;
	const struct rf_tally_input *y = *(struct rf_tally_input *const *)b;
	int64_t row_x, row_y;

	if (x->has_ended || y->has_ended)
		return x->has_ended - y->has_ended;
	row_x = rf_tally_input_row(x, 0);
	row_y = rf_tally_input_row(y, 0);
	return (row_x > row_y) - (row_x < row_y);
}

/* Columns that go on must be the same in all parts of rows. */
static enum rf_status
check_fields(const struct rf_tally_input *x, const struct rf_tally_input *y,
    struct rf_error *err)
{
	const struct rf_schema *a = rf_reader_schema(x->reader);
	const struct rf_schema *b = rf_reader_schema(y->reader);
	bool is_same = x->n_kept == y->n_kept;

	for (size_t i = 0; is_same && i < x->n_kept; i++) {
		const struct rf_field *p = &a->fields[x->kept[i]];
		const struct rf_field *q = &b->fields[y->kept[i]];

		is_same = strcmp(p->name, q->name) == 0 && p->type == q->type &&
		    p->is_dictionary == q->is_dictionary &&
		    p->index_type == q->index_type && p->unit == q->unit &&
		    p->size == q->size && p->scale == q->scale &&
		    p->width_bits == q->width_bits;
	}
	return is_same
	    ? RF_OK
	    : differ(x, y, "the columns passed on beside the tallies", err);
}

static enum rf_status
open_rows(struct rf_merge *merge, struct rf_error *err)
{
	for (size_t i = 0; i < merge->n_inputs; i++) {
		RF_TRY(rf_tally_input_fill(merge->inputs[i], err));
		RF_TRY(check_fields(merge->inputs[0], merge->inputs[i], err));
	}
	qsort(merge->inputs, merge->n_inputs, sizeof(*merge->inputs),
	    compare_rows);
	return RF_OK;
}

enum rf_status
rf_merge_open(struct rf_merge *merge, struct rf_tally_input *inputs,
    size_t n_inputs, bool partial_ok, struct rf_error *err)
{
	memset(merge, 0, sizeof(*merge));
	merge->n_inputs = n_inputs;
	merge->is_by_rows = n_inputs > 1;
	merge->inputs = rf_alloc(n_inputs, sizeof(*merge->inputs));
	if (merge->inputs == NULL)
		return rf_error_memory(err, 8 * n_inputs, "inputs");
	for (size_t i = 0; i < n_inputs; i++) {
		merge->inputs[i] = &inputs[i];
		RF_TRY(check_same(&inputs[0], &inputs[i], err));
		merge->is_by_rows = merge->is_by_rows &&
		    same_trees(&inputs[0].header, &inputs[i].header);
	}
	RF_TRY(check_trees(merge, partial_ok, err));
	if (merge->is_by_rows)
		RF_TRY(open_rows(merge, err));
	return inputs[0].is_sparse
	    ? rf_sums_init(&merge->list, inputs[0].n_sums, err)
	    : RF_OK;
}

void
rf_merge_release(struct rf_merge *merge)
{
	free(merge->inputs);
	free(merge->sums);
	free(merge->n);
	rf_sums_release(&merge->list);
	memset(merge, 0, sizeof(*merge));
}

/* --- Rows ------------------------------------------------------------------ */

static enum rf_status
make_room(struct rf_merge *merge, int64_t n_rows, struct rf_error *err)
{
	size_t n = (size_t)n_rows;
	size_t n_sums =
	    merge->lead->is_sparse ? 0 : (size_t)merge->lead->n_sums;

	if (n > merge->capacity) {
		free(merge->sums);
		free(merge->n);
		merge->capacity = 0;
		merge->n = rf_alloc(n, sizeof(*merge->n));
		merge->sums = rf_alloc(n, n_sums * sizeof(*merge->sums));
		if (merge->n == NULL || merge->sums == NULL)
			return rf_error_memory(
			    err, n * (n_sums + 1) * 8, "tallies");
		merge->capacity = n;
	}
	memset(merge->n, 0, n * sizeof(*merge->n));
	memset(merge->sums, 0, n * n_sums * sizeof(*merge->sums));
	return RF_OK;
}

static enum rf_status
check_rows(const struct rf_merge *merge, const struct rf_tally_input *input,
    int64_t at, int64_t n, struct rf_error *err)
{
	const struct rf_tally_input *lead = merge->lead;

	for (int64_t i = 0; i < n; i++)
		if (rf_tally_input_row(input, i) !=
		    rf_tally_input_row(lead, at + i))
			return rf_error_set(err, RF_EDATA,
			    "%s and %s are not of the same rows: row %" PRIu64
			    " here, %" PRIu64 " there",
			    name_of(lead), name_of(input),
			    (uint64_t)rf_tally_input_row(lead, at + i) + 1,
			    (uint64_t)rf_tally_input_row(input, i) + 1);
	return rf_same_data(lead, at, input, n, err);
}

static enum rf_status
add_counts(struct rf_merge *merge, const struct rf_tally_input *input,
    int64_t at, int64_t n, struct rf_error *err)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t count = rf_tally_input_n(input, i);

		if (count < 0 || count > merge->n_trees - merge->n[at + i])
			return rf_tally_input_fail(input,
			    rf_tally_input_row(input, i),
			    "rf.n is not a number of trees", err);
		merge->n[at + i] += count;
	}
	return RF_OK;
}

/* n rows in hand to rows `at` .. of the sums. */
static enum rf_status
add_rows(struct rf_merge *merge, const struct rf_tally_input *input, int64_t at,
    int64_t n, struct rf_error *err)
{
	if (input != merge->lead)
		RF_TRY(check_rows(merge, input, at, n, err));
	if (input->header.is_oob)
		RF_TRY(add_counts(merge, input, at, n, err));
	for (int32_t k = 0; !input->is_sparse && k < input->n_sums; k++)
		rf_tally_input_add(
		    input, k, n, merge->sums + k * merge->n_rows + at);
	return RF_OK;
}

/* The i-th row in hand of an input to the open row of the lists. */
static enum rf_status
add_list(struct rf_merge *merge, const struct rf_tally_input *input, int64_t i,
    int32_t *n_touched, struct rf_error *err)
{
	int64_t first, end, class, sum;

	rf_tally_input_list(input, i, &first, &end);
	for (int64_t at = first; at < end; at++) {
		rf_tally_input_entry(input, at, &class, &sum);
		if (class < 0 || class >= input->n_sums || sum < 0 ||
		    sum > INT64_MAX / 2 - merge->list.tally[class])
			return rf_tally_input_fail(input,
			    rf_tally_input_row(input, i),
			    "a class or sum that cannot be", err);
		*n_touched =
		    rf_sums_add(&merge->list, *n_touched, (int32_t) class, sum);
	}
	return RF_OK;
}

/* Lists of n rows that all inputs have in hand; the lead's from `at` on. */
static enum rf_status
add_lists(struct rf_merge *merge, size_t n_inputs, int64_t at, int64_t n,
    struct rf_error *err)
{
	for (int64_t i = 0; i < n; i++) {
		int32_t n_touched = 0;

		RF_TRY(add_list(merge, merge->lead, at + i, &n_touched, err));
		for (size_t k = 1; k < n_inputs; k++)
			RF_TRY(add_list(
			    merge, merge->inputs[k], i, &n_touched, err));
		RF_TRY(rf_sums_end_row(&merge->list, n_touched, err));
	}
	return RF_OK;
}

/* How many rows all others have in hand, at most n. */
static enum rf_status
fill_others(
    struct rf_merge *merge, size_t n_inputs, int64_t *n, struct rf_error *err)
{
	for (size_t k = 1; k < n_inputs; k++) {
		struct rf_tally_input *input = merge->inputs[k];

		RF_TRY(rf_tally_input_fill(input, err));
		if (input->has_ended)
			return rf_error_set(err, RF_EDATA,
			    "%s has fewer rows than %s", name_of(input),
			    name_of(merge->lead));
		if (rf_tally_input_n_rows(input) < *n)
			*n = rf_tally_input_n_rows(input);
	}
	return RF_OK;
}

/* All sums of the lead's n_rows rows, whatever the cuts of the others. */
static enum rf_status
add_all(struct rf_merge *merge, struct rf_error *err)
{
	size_t n_inputs = merge->is_by_rows ? 1 : merge->n_inputs;

	RF_TRY(add_rows(merge, merge->lead, 0, merge->n_rows, err));
	for (int64_t at = 0, n; at < merge->n_rows; at += n) {
		n = merge->n_rows - at;
		RF_TRY(fill_others(merge, n_inputs, &n, err));
		for (size_t k = 1; k < n_inputs; k++)
			RF_TRY(add_rows(merge, merge->inputs[k], at, n, err));
		if (merge->lead->is_sparse)
			RF_TRY(add_lists(merge, n_inputs, at, n, err));
		for (size_t k = 1; k < n_inputs; k++)
			merge->inputs[k]->first += n;
	}
	return RF_OK;
}

/* Rows of parts of rows follow each other without gap. */
static enum rf_status
check_order(const struct rf_merge *merge, int64_t before, struct rf_error *err)
{
	for (int64_t i = 0; i < merge->n_rows; i++) {
		int64_t row = rf_tally_input_row(merge->lead, i);

		if (before >= 0 && row <= before)
			return rf_tally_input_fail(merge->lead, row,
			    "is there twice, or out of order, in parts with "
			    "the same trees (parts of rows need rf-predict "
			    "--row0)",
			    err);
		if (before >= 0 && row > before + 1 && i == 0 &&
		    merge->lead->last_row < 0)
			return rf_error_set(err, RF_EDATA,
			    "rows %" PRId64 " to %" PRId64
			    " are in none of the parts",
			    before + 2, row);
		before = row;
	}
	return RF_OK;
}

static enum rf_status
end_all(const struct rf_merge *merge, struct rf_error *err)
{
	for (size_t k = 1; !merge->is_by_rows && k < merge->n_inputs; k++) {
		struct rf_tally_input *input = merge->inputs[k];

		RF_TRY(rf_tally_input_fill(input, err));
		if (!input->has_ended)
			return rf_error_set(err, RF_EDATA,
			    "%s has more rows than %s", name_of(input),
			    name_of(merge->inputs[0]));
	}
	return RF_OK;
}

/* The input that leads, with rows in hand; by rows, the next where one ends.
 * *before: the last row so far. */
static enum rf_status
find_lead(struct rf_merge *merge, int64_t *before, struct rf_error *err)
{
	struct rf_tally_input *input = merge->inputs[merge->current];

	*before = input->last_row;
	for (;;) {
		RF_TRY(rf_tally_input_fill(input, err));
		merge->lead = input;
		if (!input->has_ended || !merge->is_by_rows ||
		    merge->current + 1 == merge->n_inputs)
			return RF_OK;
		input = merge->inputs[++merge->current];
	}
}

enum rf_status
rf_merge_next(struct rf_merge *merge, int64_t most_rows, struct rf_error *err)
{
	struct rf_tally_input *input = merge->inputs[merge->current];
	int64_t before = -1;

	if (merge->n_rows > 0) {
		input->last_row = rf_tally_input_row(input, merge->n_rows - 1);
		input->first += merge->n_rows;
	}
	RF_TRY(find_lead(merge, &before, err));
	merge->first = merge->lead->first;
	merge->n_rows = rf_tally_input_n_rows(merge->lead);
	if (merge->n_rows == 0)
		return end_all(merge, err);
	if (merge->n_rows > most_rows)
		merge->n_rows = most_rows;
	if (merge->is_by_rows)
		RF_TRY(check_order(merge, before, err));
	RF_TRY(make_room(merge, merge->n_rows, err));
	rf_sums_clear(&merge->list);
	return add_all(merge, err);
}
