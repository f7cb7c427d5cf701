/* Expected ranks are counted by hand or by comparing with every threshold. */
#include "predict/ranks.h"

#include <math.h>
#include <string.h>

#include "arith/rng.h"
#include "stream/convert.h"
#include "unit.h"

static void
ranks_of_few_values(void)
{
	static const double thresholds[] = {-1, 0, 2.5};
	static const double values[] = {-1, -0.5, -0.0, 0x1p-1074, 2.5,
	    (double)INFINITY, -(double)INFINITY, (double)NAN};
	static const uint8_t expected[] = {0, 1, 1, 2, 2, 3, 0, 9};
	uint8_t codes[8];
	struct rf_quantise_job job = {.n_rows = 8,
	    .precision = RF_PRECISION_FLOAT64,
	    .values = values,
	    .thresholds = thresholds,
	    .n_thresholds = 3,
	    .missing_code = 9,
	    .code_bytes = 1,
	    .codes = codes};

	rf_quantise_cpu(&job);
	check(memcmp(codes, expected, 8) == 0, "-0, denormal, inf and NaN");
	job.n_thresholds = 0;
	job.thresholds = NULL;
	rf_quantise_cpu(&job);
	check(codes[0] == 0 && codes[5] == 0 && codes[7] == 9, "no threshold");
}

static void
float32_against_double(void)
{
	/* 0.1f = 0.100000001490116 is above 0.1, 1.9f = 1.89999997615814 is
	 * below 1.89999998. */
	static const double thresholds[] = {0.1, 1.89999998, 1e300};
	static const float values[] = {0.1f, 1.9f, INFINITY, NAN};
	uint16_t codes[4];
	struct rf_quantise_job job = {.n_rows = 4,
	    .precision = RF_PRECISION_FLOAT32,
	    .values = values,
	    .thresholds = thresholds,
	    .n_thresholds = 3,
	    .missing_code = 999,
	    .code_bytes = 2,
	    .codes = codes};

	rf_quantise_cpu(&job);
	check(
	    codes[0] == 1 && codes[1] == 1 && codes[2] == 3 && codes[3] == 999,
	    "float32 values meet double thresholds unrounded");
}

static void
int64_beyond_2_53(void)
{
	static const int64_t thresholds[] = {(INT64_C(1) << 53) + 1, INT64_MAX};
	static const int64_t values[] = {
	    (INT64_C(1) << 53) + 1, (INT64_C(1) << 53) + 2, INT64_MIN, 0};
	static const uint8_t is_missing[] = {0, 0, 0, 1};
	uint32_t codes[4];
	struct rf_quantise_job job = {.n_rows = 4,
	    .precision = RF_PRECISION_INT64,
	    .values = values,
	    .is_missing = is_missing,
	    .thresholds = thresholds,
	    .n_thresholds = 2,
	    .missing_code = 70000,
	    .code_bytes = 4,
	    .codes = codes};

	rf_quantise_cpu(&job);
	check(codes[0] == 0 && codes[1] == 1 && codes[2] == 0 &&
		codes[3] == 70000,
	    "int64 is never rounded");
}

/* Sizes around the borders of the search; values on, below, above. */
static void
every_size(void)
{
	double thresholds[300], values[700];
	uint16_t codes[700];
	int n_wrong = 0;

	for (int i = 0; i < 300; i++)
		thresholds[i] = i;
	for (int i = 0; i < 700; i++)
		values[i] = (double)(rf_mix(1, (uint64_t)i) % 610) / 2 - 2;
	for (int32_t n = 0; n <= 300; n++) {
		struct rf_quantise_job job = {.n_rows = 700 - n,
		    .precision = RF_PRECISION_FLOAT64,
		    .values = values,
		    .thresholds = thresholds,
		    .n_thresholds = n,
		    .missing_code = 999,
		    .code_bytes = 2,
		    .codes = codes};

		rf_quantise_cpu(&job);
		for (int64_t i = 0; i < job.n_rows; i++) {
			int rank = 0;

			while (rank < n && thresholds[rank] < values[i])
				rank++;
			n_wrong += codes[i] != rank;
		}
	}
	check(n_wrong == 0, "0 to 300 thresholds");
}

int
main(void)
{
	ranks_of_few_values();
	float32_against_double();
	int64_beyond_2_53();
	every_size();
	return unit_end();
}
