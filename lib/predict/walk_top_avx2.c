#include "predict/walk_top.h"

#if defined(__AVX2__)
# include <immintrin.h>

/* A vector of rows, and which of them went left at each level so far. */
struct rows {
	const struct rf_walk_top *top;
	const int8_t *columns; /* from the first of the rows on */
	__m256i left[RF_TOP_LEVELS];
};

# define RF_FLATTEN static inline __attribute__((always_inline))

/* Which rows go left at node h. */
RF_FLATTEN __m256i
below_0(const struct rows *rows, int h, int level)
{
	const int8_t *codes = rows->columns + rows->top->columns[h];

	(void)level;
	return _mm256_cmpgt_epi8(_mm256_set1_epi8(rows->top->bounds[h]),
	    _mm256_loadu_si256((const __m256i *)(const void *)codes));
}

/* Which rows go left, n levels below node h of the level, where they are. */
# define DEFINE_BELOW(n, before)                                               \
  RF_FLATTEN __m256i below_##n(const struct rows *rows, int h, int level)      \
  {                                                                            \
   return _mm256_blendv_epi8(before(rows, 2 * h + 1, level + 1),               \
       before(rows, 2 * h, level + 1), rows->left[level]);                     \
  }

DEFINE_BELOW(1, below_0)
DEFINE_BELOW(2, below_1)
DEFINE_BELOW(3, below_2)
DEFINE_BELOW(4, below_3)
DEFINE_BELOW(5, below_4)

/* The path of each row: a bit a level, 1 for right, the root's highest. */
RF_FLATTEN __m256i
paths_of(struct rows *rows)
{
	__m256i path = _mm256_setzero_si256();

	rows->left[0] = below_0(rows, 1, 0);
	rows->left[1] = below_1(rows, 1, 0);
	rows->left[2] = below_2(rows, 1, 0);
	rows->left[3] = below_3(rows, 1, 0);
	rows->left[4] = below_4(rows, 1, 0);
	rows->left[5] = below_5(rows, 1, 0);
	for (int level = 0; level < RF_TOP_LEVELS; level++)
		path = _mm256_add_epi8(_mm256_add_epi8(path, path),
		    _mm256_add_epi8(rows->left[level], _mm256_set1_epi8(1)));
	return path;
}

void
rf_walk_top_rows(const struct rf_walk_top *top, const int8_t *columns,
    int n_rows, uint32_t *starts)
{
	for (int first = 0; first < n_rows; first += RF_TOP_ROWS) {
		struct rows rows = {.top = top, .columns = columns + first};
		uint8_t paths[RF_TOP_ROWS];

		_mm256_storeu_si256((__m256i *)(void *)paths, paths_of(&rows));
		for (int i = 0; i < RF_TOP_ROWS; i++)
			starts[first + i] = top->entries[paths[i]];
	}
}
#endif
