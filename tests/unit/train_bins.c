/*
 * Expected edges are by hand, or by tests/check-splits/codes.py's rule written
 * down in Python: sort, count, cut.
 */
#include "train/bins.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

#define N_MAX 4096

static uint64_t scratch[2 * N_MAX];

static struct rf_bins
bin(const double *values, int64_t n, int32_t max_bins)
{
	struct rf_bins bins = {0};
	struct rf_error err = {0};

	if (rf_bins_float64(values, n, max_bins, scratch, &bins, &err) != RF_OK)
		bins.n_bins = -1;
	return bins;
}

static bool
has_edges(const struct rf_bins *bins, const double *edges, int32_t n)
{
	if (bins->n_bins != n + 1)
		return false;
	for (int32_t i = 0; i < n; i++)
		if (memcmp(&((const double *)bins->edges)[i], &edges[i], 8) !=
		    0)
			return false;
	return true;
}

static void
a_bin_a_value(void)
{
	static const double values[] = {3, 1, -0.0, 1, 0.0, (double)NAN, 3};
	static const double edges[] = {0.5, 2};
	struct rf_bins bins = bin(values, 7, 254);

	check(has_edges(&bins, edges, 2), "midpoints; -0.0 and 0.0 are one");
	check_int(bins.n_present, 6, "NaN is missing");
	rf_bins_release(&bins);
	bins = bin(values + 5, 1, 254);
	check(bins.n_bins == 0 && bins.n_present == 0, "nothing but NaN");
	rf_bins_release(&bins);
	bins = bin(values, 0, 254);
	check_int(bins.n_bins, 0, "no row");
	rf_bins_release(&bins);
	bins = bin(values, 1, 2);
	check_int(bins.n_bins, 1, "one row");
	rf_bins_release(&bins);
}

static void
ends_of_range(void)
{
	static const double values[] = {-(double)INFINITY, -1.7e308, 1.7e308,
	    1.75e308, (double)INFINITY, 0x1p-1074, 0};
	/* a/2 + b/2, or a where that is not within [a, b) */
	static const double edges[] = {
	    -(double)INFINITY, -0.85e308, 0, 0.85e308, 1.725e308, 1.75e308};
	struct rf_bins bins = bin(values, 7, 254);

	check(has_edges(&bins, edges, 6), "infinities, denormals, no overflow");
	rf_bins_release(&bins);
}

static void
cuts_by_rank(void)
{
	/* 10 values, 4 bins: cuts below ranks 2, 5, 7. */
	static const double values[] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
	static const double edges[] = {1.5, 4.5, 6.5};
	struct rf_bins bins = bin(values, 10, 4);

	/* count * 4 >= 10 holds for none */
	check(has_edges(&bins, edges, 3), "cuts at ranks of distinct values");
	rf_bins_release(&bins);
}

static void
heavy_values(void)
{
	/*
	 * 0 six times, 1..10 once: n 16, B 6: 0 is heavy (6 * 6 >= 16), h 1,
	 * m 10, b 4: cuts below the others at ranks 2, 5, 7 (3, 6, 8), and
	 * above 0.
	 */
	static const double values[] = {
	    0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	static const double edges[] = {0.5, 2.5, 5.5, 7.5};
	struct rf_bins bins = bin(values, 16, 6);

	check(has_edges(&bins, edges, 4), "a frequent value has its own bin");
	rf_bins_release(&bins);
	/* B 2: no heavy value, one cut below rank 8 of 16 (3). */
	bins = bin(values, 16, 2);
	check(has_edges(&bins, (const double[]){2.5}, 1), "two bins");
	rf_bins_release(&bins);
}

/* B/2 - 1 heavy values at most, the most frequent, ties to the lower. */
static void
too_many_heavy(void)
{
	static const double values[] = {1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7};
	/*
	 * n 11, B 6: 6c >= 11 for 1, 2, 3; two stay: 2 (3 rows), 1 (2, tie).
	 * h 2, m 6 (3 3 4 5 6 7), b 2: a cut below rank 3 (5).
	 */
	static const double edges[] = {1.5, 2.5, 4.5};
	struct rf_bins bins = bin(values, 11, 6);

	check(has_edges(&bins, edges, 3), "the most frequent stay");
	rf_bins_release(&bins);
}

static void
integers(void)
{
	static const int64_t values[] = {
	    INT64_MIN, INT64_MAX, INT64_MAX - 1, 0, 7};
	static const uint8_t is_missing[] = {0, 0, 0, 1, 0};
	/* a + floor((b - a) / 2), by Python's integers */
	static const int64_t edges[] = {-INT64_C(4611686018427387901),
	    INT64_C(4611686018427387906), INT64_MAX - 1};
	struct rf_bins bins = {0};

	check(rf_bins_int64(values, is_missing, 5, 254, scratch, &bins, NULL) ==
		    RF_OK &&
		bins.n_bins == 4 && memcmp(bins.edges, edges, 24) == 0,
	    "int64 over its whole range");
	rf_bins_release(&bins);
}

static void
float32(void)
{
	static const float values[] = {0.1f, 0.2f, NAN, -0.0f};
	struct rf_bins bins = {0};
	double edges[2];

	edges[0] = (double)0.1f / 2;
	edges[1] = (double)0.1f / 2 + (double)0.2f / 2;
	check(rf_bins_float32(values, 4, 254, scratch, &bins, NULL) == RF_OK &&
		has_edges(&bins, edges, 2),
	    "float32 values, float64 edges");
	rf_bins_release(&bins);
}

/* Every row count, against the rule by counting in order. */
static int
wrong_cuts(const double *sorted, int n, int32_t max_bins)
{
	struct rf_bins bins = bin(sorted, n, max_bins);
	int n_wrong = 0, edge = 0;

	/* all distinct: no heavy value for n > B */
	for (int k = 1; k < max_bins; k++) {
		int rank = k * n / max_bins;
		double wanted = sorted[rank - 1] / 2 + sorted[rank] / 2;

		if (edge >= bins.n_bins - 1 ||
		    ((double *)bins.edges)[edge++] - wanted != 0)
			n_wrong++;
	}
	n_wrong += bins.n_bins != max_bins;
	rf_bins_release(&bins);
	return n_wrong;
}

static void
distinct_values(void)
{
	static double values[N_MAX];
	int n_wrong = 0;

	for (int i = 0; i < N_MAX; i++)
		values[i] = i * 1.25 - 777;
	for (int n = 41; n < 300; n++)
		n_wrong += wrong_cuts(values, n, 20);
	n_wrong += wrong_cuts(values, N_MAX, 254);
	n_wrong += wrong_cuts(values, 256, 255);
	check_int(n_wrong, 0, "distinct values are cut by rank alone");
}

int
main(void)
{
	a_bin_a_value();
	ends_of_range();
	cuts_by_rank();
	heavy_values();
	too_many_heavy();
	integers();
	float32();
	distinct_values();
	return unit_end();
}
