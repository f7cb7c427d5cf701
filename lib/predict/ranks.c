#include "predict/ranks.h"

#include <stdbool.h>
#include <string.h>

#include "stream/convert.h"

/* Values whose searches are under way at once: their loads overlap. */
#define LANES 8
/* Up to so many thresholds it is faster to compare with every one. */
#define FEW 6

/*
 * Every search takes the same steps, so that there is no branch to mispredict
 * and the lanes stay together.
 */
#define DEFINE_RANK(name, type)                                                \
 static void name##_few(                                                       \
     const type *t, int32_t n, const type *x, uint32_t *ranks)                 \
 {                                                                             \
  memset(ranks, 0, RF_RANK_BLOCK * sizeof(*ranks));                            \
  for (int32_t k = 0; k < n; k++)                                              \
   for (int i = 0; i < RF_RANK_BLOCK; i++)                                     \
    ranks[i] += t[k] < x[i];                                                   \
 }                                                                             \
 static void name##_search(                                                    \
     const type *t, int32_t n, const type *x, uint32_t *ranks)                 \
 {                                                                             \
  uint32_t at[LANES] = {0};                                                    \
                                                                               \
  for (uint32_t rest = (uint32_t)n, half; rest > 1; rest -= half) {            \
   half = rest / 2;                                                            \
   for (int i = 0; i < LANES; i++)                                             \
    at[i] += half & -(uint32_t)(t[at[i] + half - 1] < x[i]);                   \
  }                                                                            \
  for (int i = 0; i < LANES; i++)                                              \
   ranks[i] = at[i] + (t[at[i]] < x[i]);                                       \
 }                                                                             \
 static void name(const type *t, int32_t n, const type *x, uint32_t *ranks)    \
 {                                                                             \
  if (n <= FEW) {                                                              \
   name##_few(t, n, x, ranks);                                                 \
   return;                                                                     \
  }                                                                            \
  for (int i = 0; i < RF_RANK_BLOCK; i += LANES)                               \
   name##_search(t, n, x + i, ranks + i);                                      \
 }

DEFINE_RANK(rank_double, double)
DEFINE_RANK(rank_int64, int64_t)

static void
block_double(const struct rf_rank_source *source, int64_t first, int n,
    uint32_t missing_rank, uint32_t *ranks)
{
	const float *narrow = source->values;
	double copy[RF_RANK_BLOCK];
	const double *x = copy;

	if (source->precision == RF_PRECISION_FLOAT64 && n == RF_RANK_BLOCK) {
		x = (const double *)source->values + first;
	} else {
		memset(copy, 0, sizeof(copy));
		if (source->precision == RF_PRECISION_FLOAT64)
			memcpy(copy, (const double *)source->values + first,
			    (size_t)n * sizeof(*copy));
		else
			for (int i = 0; i < n; i++)
				copy[i] = (double)narrow[first + i];
	}
	rank_double(source->thresholds, source->n_thresholds, x, ranks);
	for (int i = 0; i < n; i++)
		ranks[i] = x[i] != x[i] ? missing_rank : ranks[i];
}

static void
block_int64(const struct rf_rank_source *source, int64_t first, int n,
    uint32_t missing_rank, uint32_t *ranks)
{
	int64_t x[RF_RANK_BLOCK] = {0};

	memcpy(
	    x, (const int64_t *)source->values + first, (size_t)n * sizeof(*x));
	rank_int64(source->thresholds, source->n_thresholds, x, ranks);
	if (source->is_missing == NULL)
		return;
	for (int i = 0; i < n; i++)
		if (source->is_missing[first + i])
			ranks[i] = missing_rank;
}

void
rf_rank_block(const struct rf_rank_source *source, int64_t first, int n,
    uint32_t missing_rank, uint32_t ranks[RF_RANK_BLOCK])
{
	if (source->precision == RF_PRECISION_INT64)
		block_int64(source, first, n, missing_rank, ranks);
	else
		block_double(source, first, n, missing_rank, ranks);
}

static void
store_codes(const struct rf_quantise_job *job, int64_t first, int n,
    const uint32_t *ranks)
{
	for (int i = 0; i < n; i++)
		if (job->code_bytes == 1)
			((uint8_t *)job->codes)[first + i] = (uint8_t)ranks[i];
		else if (job->code_bytes == 2)
			((uint16_t *)job->codes)[first + i] =
			    (uint16_t)ranks[i];
		else
			((uint32_t *)job->codes)[first + i] = ranks[i];
}

void
rf_quantise_cpu(const struct rf_quantise_job *job)
{
	struct rf_rank_source source = {
	    .precision = job->precision,
	    .values = job->values,
	    .is_missing = job->is_missing,
	    .thresholds = job->thresholds,
	    .n_thresholds = job->n_thresholds,
	};
	uint32_t ranks[RF_RANK_BLOCK];

	for (int64_t first = 0; first < job->n_rows; first += RF_RANK_BLOCK) {
		int64_t rest = job->n_rows - first;
		int n = rest < RF_RANK_BLOCK ? (int)rest : RF_RANK_BLOCK;

		rf_rank_block(&source, first, n, job->missing_code, ranks);
		store_codes(job, first, n, ranks);
	}
}
