#include "train/bins.h"

#include <stdbool.h>
#include <stdlib.h>

#include "arith/arith.h"
#include "base/alloc.h"
#include "train/radix.h"

/* A value that many rows have, by its key. */
struct heavy {
	uint64_t key;
	int64_t n_rows;
};

struct column {
	uint64_t *keys, *spare;
	int64_t n; /* keys, of present rows */
	int32_t max_bins;
	bool is_int;
};

/* --- Edges --------------------------------------------------------------- */

static void
add_edge(
    struct rf_bins *bins, const struct column *column, uint64_t a, uint64_t b)
{
	int32_t at = bins->n_bins - 1;

	if (column->is_int)
		((int64_t *)bins->edges)[at] =
		    rf_threshold_int(rf_key_to_int(a), rf_key_to_int(b));
	else
		((double *)bins->edges)[at] = rf_threshold_float(
		    rf_key_to_double(a), rf_key_to_double(b));
	bins->n_bins++;
}

static enum rf_status
start_edges(struct rf_bins *bins, int64_t n_most, struct rf_error *err)
{
	bins->edges = rf_alloc((size_t)n_most, sizeof(double));
	if (bins->edges == NULL)
		return rf_error_memory(
		    err, (size_t)n_most * sizeof(double), "edges of bins");
	bins->n_bins = 1;
	return RF_OK;
}

/* --- A bin a value ------------------------------------------------------- */

/*
 * Puts the distinct keys into the free table of 2^bits words, key 0 aside.
 * Returns how many there are, or max + 1 as soon as there are more than max.
 */
static int64_t
collect_distinct(const struct column *column, uint64_t *table, int bits)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1, last = 0;
	int64_t n_distinct = 0;
	bool has_zero = false;

	for (int64_t i = 0; i < column->n; i++) {
		uint64_t key = column->keys[i], at;

		has_zero = has_zero || key == 0;
		if (key == last || key == 0)
			continue;
		last = key;
		at = key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits);
		while (table[at] != 0 && table[at] != key)
			at = (at + 1) & mask;
		if (table[at] == key)
			continue;
		table[at] = key;
		if (++n_distinct > column->max_bins)
			break;
	}
	return n_distinct + has_zero;
}

/* Moves the keys of the table together, and adds key 0 if they are one less
 * than n_distinct. */
static void
gather_distinct(uint64_t *table, int bits, int64_t n_distinct)
{
	int64_t n = 0;

	for (int64_t i = 0; i < INT64_C(1) << bits; i++)
		if (table[i] != 0)
			table[n++] = table[i];
	if (n < n_distinct)
		table[n] = 0;
}

static enum rf_status
bin_a_value(const struct column *column, uint64_t *distinct, int64_t n,
    struct rf_bins *bins, struct rf_error *err)
{
	const uint64_t *keys = rf_sort_keys(distinct, distinct + n, n);

	RF_TRY(start_edges(bins, n, err));
	for (int64_t i = 1; i < n; i++)
		add_edge(bins, column, keys[i - 1], keys[i]);
	return RF_OK;
}

/* The bins of a column of few values; *done is false where there are more than
 * max_bins. */
static enum rf_status
bin_few(const struct column *column, struct rf_bins *bins, bool *done,
    struct rf_error *err)
{
	int bits = rf_bit_length((uint64_t)column->max_bins) + 1;
	uint64_t *table = rf_alloc_zero((size_t)1 << bits, sizeof(*table));
	enum rf_status status = RF_OK;
	int64_t n;

	*done = false;
	if (table == NULL)
		return rf_error_memory(
		    err, sizeof(*table) << bits, "distinct values");
	n = collect_distinct(column, table, bits);
	if (n <= column->max_bins) {
		gather_distinct(table, bits, n);
		status = bin_a_value(column, table, n, bins, err);
		*done = true;
	}
	free(table);
	return status;
}

/* --- Many values --------------------------------------------------------- */

static int64_t
end_of_run(const uint64_t *keys, int64_t n, int64_t first)
{
	int64_t i = first + 1;

	while (i < n && keys[i] == keys[first])
		i++;
	return i;
}

static int
compare_counts(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;

	if (x->n_rows != y->n_rows)
		return x->n_rows < y->n_rows ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

static int
compare_keys(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Values that have a bin of their own, ascending; returns how many. */
static int32_t
find_heavy(const struct column *column, struct heavy *heavy)
{
	int32_t n_heavy = 0, most = column->max_bins / 2 - 1;

	for (int64_t i = 0, end; i < column->n; i = end) {
		end = end_of_run(column->keys, column->n, i);
		if ((end - i) * column->max_bins < column->n)
			continue;
		heavy[n_heavy].key = column->keys[i];
		heavy[n_heavy++].n_rows = end - i;
	}
	if (n_heavy <= most)
		return n_heavy;
	qsort(heavy, (size_t)n_heavy, sizeof(*heavy), compare_counts);
	qsort(heavy, (size_t)most, sizeof(*heavy), compare_keys);
	return most;
}

/* Whether a run of other values, from rank on, has the rank of a next cut. */
static bool
has_cut(int64_t rank, int64_t n, int64_t n_other, int64_t n_cuts, int64_t *k)
{
	bool found = false;

	while (*k < n_cuts && *k * n_other / n_cuts < rank + n) {
		found = true;
		++*k;
	}
	return found;
}

/* Edges below the cuts that fall on runs of the sorted keys. */
static void
cut_runs(const struct column *column, const struct heavy *heavy,
    int32_t n_heavy, struct rf_bins *bins)
{
	int64_t n_cuts = column->max_bins - 2 * n_heavy, k = 1;
	int64_t n_other = column->n, rank = 0;
	bool after_heavy = false;
	int32_t at = 0;

	for (int32_t i = 0; i < n_heavy; i++)
		n_other -= heavy[i].n_rows;
	for (int64_t i = 0, end; i < column->n; i = end) {
		uint64_t key = column->keys[i];
		bool is_heavy = at < n_heavy && heavy[at].key == key, cut;

		end = end_of_run(column->keys, column->n, i);
		cut = is_heavy || after_heavy;
		if (is_heavy) {
			at++;
		} else {
			if (has_cut(rank, end - i, n_other, n_cuts, &k))
				cut = true;
			rank += end - i;
		}
		if (cut && i > 0)
			add_edge(bins, column, column->keys[i - 1], key);
		after_heavy = is_heavy;
	}
}

static enum rf_status
bin_many(struct column *column, struct rf_bins *bins, struct rf_error *err)
{
	size_t n = (size_t)column->max_bins;
	struct heavy *heavy = rf_alloc(n, sizeof(*heavy));
	enum rf_status status;

	if (heavy == NULL)
		return rf_error_memory(
		    err, n * sizeof(*heavy), "frequent values");
	column->keys = rf_sort_keys(column->keys, column->spare, column->n);
	status = start_edges(bins, column->max_bins, err);
	if (status == RF_OK) {
		void *less;

		cut_runs(column, heavy, find_heavy(column, heavy), bins);
		less = rf_realloc(
		    bins->edges, (size_t)bins->n_bins, sizeof(double));
		bins->edges = less != NULL ? less : bins->edges;
	}
	free(heavy);
	return status;
}

/* --- Columns ------------------------------------------------------------- */

static enum rf_status
bin_keys(struct column *column, struct rf_bins *bins, struct rf_error *err)
{
	bool done;

	*bins = (struct rf_bins){.n_present = column->n};
	if (column->n == 0)
		return RF_OK;
	RF_TRY(bin_few(column, bins, &done, err));
	return done ? RF_OK : bin_many(column, bins, err);
}

enum rf_status
rf_bins_float64(const double *values, int64_t n_rows, int32_t max_bins,
    uint64_t *scratch, struct rf_bins *bins, struct rf_error *err)
{
	struct column column = {
	    .keys = scratch, .spare = scratch + n_rows, .max_bins = max_bins};

	for (int64_t i = 0; i < n_rows; i++) {
		scratch[column.n] = rf_key_of_double(values[i]);
		column.n += values[i] == values[i];
	}
	return bin_keys(&column, bins, err);
}

enum rf_status
rf_bins_float32(const float *values, int64_t n_rows, int32_t max_bins,
    uint64_t *scratch, struct rf_bins *bins, struct rf_error *err)
{
	struct column column = {
	    .keys = scratch, .spare = scratch + n_rows, .max_bins = max_bins};

	for (int64_t i = 0; i < n_rows; i++) {
		scratch[column.n] = rf_key_of_double((double)values[i]);
		column.n += values[i] == values[i];
	}
	return bin_keys(&column, bins, err);
}

enum rf_status
rf_bins_int64(const int64_t *values, const uint8_t *is_missing, int64_t n_rows,
    int32_t max_bins, uint64_t *scratch, struct rf_bins *bins,
    struct rf_error *err)
{
	struct column column = {.keys = scratch,
	    .spare = scratch + n_rows,
	    .max_bins = max_bins,
	    .is_int = true};

	for (int64_t i = 0; i < n_rows; i++) {
		scratch[column.n] = rf_key_of_int(values[i]);
		column.n += is_missing == NULL || !is_missing[i];
	}
	return bin_keys(&column, bins, err);
}

void
rf_bins_release(struct rf_bins *bins)
{
	free(bins->edges);
	*bins = (struct rf_bins){0};
}
