/*
 * From the best candidate of a node to its children.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "train/fast_state.h"

static uint32_t
count_bits(const uint64_t *bits, uint32_t first, uint32_t end)
{
	uint32_t n = 0;

	for (uint32_t i = first; i < end;) {
		uint32_t shift = i % 64, size = 64 - shift;
		uint64_t word = bits[i / 64] >> shift;

		if (size > end - i) {
			size = end - i;
			word &= (UINT64_C(1) << size) - 1;
		}
		n += (uint32_t)__builtin_popcountll(word);
		i += size;
	}
	return n;
}

/* Runs of the children; in copies right rows lie in reverse. */
static void
split_runs(const struct rf_fast *fast, const struct rf_fast_job *job,
    struct rf_class_run *left, struct rf_fast_job *left_job,
    struct rf_class_run *right, struct rf_fast_job *right_job)
{
	const struct rf_fast_node *node = &fast->node;
	uint32_t first = 0, n_left = 0, n_right = 0;

	left_job->n_runs = right_job->n_runs = 0;
	for (int32_t k = 0; k < node->n_runs; k++) {
		uint32_t end = node->runs[k].end;
		uint32_t n = count_bits(fast->bits, first, end);

		if (n > 0) {
			n_left += n;
			left[left_job->n_runs++] =
			    (struct rf_class_run){n_left, node->runs[k].class};
		}
		if (n < end - first) {
			n_right += end - first - n;
			right[right_job->n_runs++] =
			    (struct rf_class_run){n_right, node->runs[k].class};
		}
		first = end;
	}
	if (job->place == RF_LIST)
		return;
	for (int32_t i = 0, j = right_job->n_runs - 1; i < j; i++, j--) {
		struct rf_class_run swap = right[i];

		right[i] = right[j];
		right[j] = swap;
	}
	/* The ends, turned round: run i now ends where run i + 1 began. */
	for (int32_t i = 0; i + 1 < right_job->n_runs; i++)
		right[i].end = n_right - right[i + 1].end;
	if (right_job->n_runs > 0)
		right[right_job->n_runs - 1].end = n_right;
}

static void
move_list(struct rf_fast *fast, const struct rf_fast_job *job, uint32_t n_left)
{
	uint32_t *rows = fast->rows + job->first, *to = fast->spare_rows;
	uint8_t *weights = fast->weights + job->first;
	uint32_t left = 0, right = n_left;

	for (uint32_t i = 0; i < job->n; i++) {
		uint32_t is_left = fast->bits[i / 64] >> i % 64 & 1;
		uint32_t at = is_left ? left : right;

		to[at] = rows[i];
		fast->spare_weights[at] = weights[i];
		left += is_left;
		right += !is_left;
	}
	memcpy(rows, to, job->n * sizeof(*rows));
	memcpy(weights, fast->spare_weights, job->n);
	for (uint32_t i = 0; fast->is_regression && i < job->n; i++)
		fast->products[job->first + i] =
		    fast->problem->targets[rows[i]] * weights[i];
}

static void
move_products(struct rf_fast *fast, const struct rf_fast_job *job)
{
	const int64_t *from = fast->search.products;
	int64_t *to =
	    fast->copied_products[job->place == RF_COPY_0] + job->first;
	uint32_t left = 0, right = job->n - 1;

	for (uint32_t i = 0; i < job->n; i++) {
		uint32_t is_left = fast->bits[i / 64] >> i % 64 & 1;

		to[left] = to[right] = from[i];
		left += is_left;
		right -= !is_left;
	}
}

/* Moves the copy to the other one, and finds what is constant in children. */
static void
move_copy(struct rf_fast *fast, const struct rf_fast_job *job, uint32_t n_left,
    uint64_t *left_constants, uint64_t *right_constants)
{
	const struct rf_kernels *kernels = fast->kernels;
	const struct rf_kernels *movers =
	    job->n <= RF_SMALL ? &rf_kernels_plain : kernels;
	int32_t n_columns = fast->problem->n_active + 1;
	struct rf_fast_job to = *job;

	to.place = job->place == RF_COPY_0 ? RF_COPY_1 : RF_COPY_0;
	movers->plan(fast->bits, job->n, &fast->move);
	for (int32_t column = 0; column < n_columns; column++) {
		uint8_t *codes = rf_fast_copied(fast, &to, column);

		if (rf_fast_is_constant(fast, column))
			continue;
		movers->move(
		    &fast->move, rf_fast_copied(fast, job, column), codes);
		if (column == fast->problem->n_active)
			break;
		if (kernels->is_constant(codes, n_left))
			rf_fast_note_constant(left_constants, column);
		if (kernels->is_constant(codes + n_left, job->n - n_left))
			rf_fast_note_constant(right_constants, column);
	}
	if (fast->is_regression)
		move_products(fast, job);
}

/* The lowest present code above lo; 256: none. */
static int32_t
next_code(const uint8_t *codes, uint32_t n, int32_t lo, int32_t missing)
{
	int32_t hi = 256;

	for (uint32_t i = 0; i < n; i++)
		hi = codes[i] > lo && codes[i] < hi ? codes[i] : hi;
	return hi == missing ? 256 : hi;
}

/* Marks the present rows that go left, and finds the cut. */
static int32_t
mark_present(struct rf_fast *fast, uint32_t n, const uint8_t *codes,
    int32_t feature, int32_t missing)
{
	const struct rf_fast_best *best = &fast->search.best;
	int32_t hi;

	if (best->is_general) {
		rf_general_mark(fast->general, feature, codes, n, fast->bits);
		return fast->general->cut;
	}
	fast->kernels->mark(codes, n, best->lo, fast->bits);
	hi = next_code(codes, n, best->lo, missing);
	return hi == 256 ? RF_CUT_PRESENT : rf_cut_between(best->lo, hi);
}

/* Rows that have the code of missing; by option they are marked. */
static uint32_t
mark_missing(struct rf_fast *fast, uint32_t n, const uint8_t *codes,
    int32_t missing, bool is_left)
{
	uint32_t n_missing = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool is_missing = codes[i] == missing;

		n_missing += is_missing;
		fast->bits[i / 64] |= (uint64_t)(is_missing && is_left)
		    << i % 64;
	}
	return n_missing;
}

/* Marks the rows that go left, and says what splits the node. */
static void
choose(struct rf_fast *fast, const struct rf_fast_job *job,
    struct rf_choice *choice, uint32_t *n_left)
{
	const struct rf_fast_best *best = &fast->search.best;
	const uint8_t *codes = job->place == RF_LIST
	    ? rf_fast_gather(fast, job, best->column, fast->codes)
	    : rf_fast_copied(fast, job, best->column);
	const struct rf_coded_feature *feature;
	int32_t missing;
	uint32_t n_missing = 0;

	choice->feature = fast->problem->active[best->column];
	feature = &fast->problem->features[choice->feature];
	missing = feature->has_missing ? feature->n_values : -1;
	choice->cover = fast->node.weight;
	choice->cut =
	    mark_present(fast, job->n, codes, choice->feature, missing);
	if (feature->has_missing)
		n_missing = mark_missing(
		    fast, job->n, codes, missing, best->missing_left);
	*n_left = count_bits(fast->bits, 0, job->n);
	choice->missing_left = n_missing > 0
	    ? best->missing_left
	    : rf_missing_by_majority(*n_left, job->n - *n_left);
	if (!feature->is_categorical)
		return;
	rf_general_settle(fast->general, choice->feature, codes, job->n,
	    choice->missing_left);
	choice->set = fast->general->set;
	choice->n_set_words = ((size_t)feature->n_values + 63) / 64;
}

enum rf_status
rf_fast_split(struct rf_fast *fast, const struct rf_fast_job *job, double gain,
    struct rf_error *err)
{
	struct rf_fast_job left = *job, right = *job;
	struct rf_class_run left_runs[RF_FAST_CLASSES],
	    right_runs[RF_FAST_CLASSES];
	uint64_t *sets = fast->child_sets;
	struct rf_choice choice = {0};

	choice.gain = gain;
	choose(fast, job, &choice, &left.n);
	right.n = job->n - left.n;
	right.first += left.n;
	RF_TRY(rf_tree_split(
	    fast->builder, job->index, &choice, &left.index, err));
	right.index = left.index + 1;
	left.depth = right.depth = job->depth + 1;
	left.key = rf_key_child(job->key, 0);
	right.key = rf_key_child(job->key, 1);
	split_runs(fast, job, left_runs, &left, right_runs, &right);
	for (size_t i = 0; i < fast->n_words; i++)
		sets[i] = sets[fast->n_words + i] = fast->constants[i];
	if (job->place == RF_LIST) {
		move_list(fast, job, left.n);
	} else {
		move_copy(fast, job, left.n, sets, sets + fast->n_words);
		left.place = right.place =
		    job->place == RF_COPY_0 ? RF_COPY_1 : RF_COPY_0;
	}
	RF_TRY(
	    rf_fast_push(fast, &right, right_runs, sets + fast->n_words, err));
	return rf_fast_push(fast, &left, left_runs, sets, err);
}
