#include "train/bootstrap.h"

#include <string.h>

void
rf_bootstrap(const struct rf_rules *rules, int64_t n_rows, int64_t tree,
    uint32_t *blocks, uint32_t *counts)
{
	uint64_t n = (uint64_t)n_rows;
	uint64_t n_blocks = (n + RF_BAG_BLOCK - 1) / RF_BAG_BLOCK;
	uint64_t block_key = rf_key_tree(rules->seed, tree, RF_USE_BLOCK);
	uint64_t row_key = rf_key_tree(rules->seed, tree, RF_USE_ROW);

	if (!rules->bootstrap) {
		for (uint64_t i = 0; i < n; i++)
			counts[i] = 1;
		return;
	}
	memset(blocks, 0, n_blocks * sizeof(*blocks));
	memset(counts, 0, n * sizeof(*counts));
	for (uint64_t d = 0; d < (uint64_t)rules->n_draws; d++)
		blocks[rf_bag_block(block_key, d, n)]++;
	for (uint64_t b = 0; b < n_blocks; b++) {
		uint64_t first = b * RF_BAG_BLOCK;
		uint32_t size =
		    (uint32_t)(n - first < RF_BAG_BLOCK ? n - first
							: RF_BAG_BLOCK);
		uint64_t key = rf_mix(row_key, b);

		for (uint32_t j = 0; j < blocks[b]; j++)
			counts[first + rf_bag_row(key, j, size)]++;
	}
}
