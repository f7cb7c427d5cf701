#include <string.h>

#include "predict/ranks.h"
#include "predict/walk_parts.h"

/* Ranks or codes of a feature for n rows; UINT32_MAX where missing. */
static void
rank_feature(const struct rf_walk_feature *feature,
    const struct rf_walk_column *column, int n, uint32_t *ranks)
{
	const struct rf_rank_source source = {(int)feature->precision,
	    column->values, column->is_missing, feature->thresholds,
	    feature->n_thresholds};

	if (!feature->is_used)
		return;
	if (!feature->is_categorical) {
		rf_rank_block(&source, 0, n, UINT32_MAX, ranks);
		return;
	}
	for (int i = 0; i < n; i++) {
		int32_t code = ((const int32_t *)column->values)[i];

		ranks[i] = code >= 0 && code < feature->n_levels
		    ? (uint32_t)code
		    : UINT32_MAX;
	}
}

static bool
goes_left(const struct rf_walk_model *model, const struct rf_walk_node *node,
    uint32_t rank)
{
	const uint64_t *set = model->cats + node->rank;

	if (rank == UINT32_MAX)
		return node->missing_left;
	if (model->features[node->feature].is_categorical)
		return set[rank >> 6] >> (rank & 63) & 1;
	return rank <= (uint32_t)node->rank;
}

static void
add_leaf(const struct rf_walk_model *model, const struct rf_walk_batch *batch,
    int64_t row, int64_t tree, int32_t leaf, int32_t number)
{
	if (model->vote == RF_VOTE_LEAF) {
		batch->leaves[row * model->n_outputs + tree] = number;
		return;
	}
	for (int64_t i = model->leaf_first[leaf];
	     i < model->leaf_first[leaf + 1]; i++)
		batch
		    ->tallies[row * model->n_outputs + model->leaf_output[i]] +=
		    model->leaf_amount[i];
}

void
rf_walk_few(const struct rf_walk_model *model,
    const struct rf_walk_batch *batch, uint32_t *ranks)
{
	int n = (int)batch->n_rows;

	for (int32_t f = 0; f < model->n_features; f++)
		rank_feature(&model->features[f], &batch->columns[f], n,
		    ranks + (size_t)f * RF_RANK_BLOCK);
	if (model->vote != RF_VOTE_LEAF)
		memset(batch->tallies, 0,
		    (size_t)n * (size_t)model->n_outputs *
			sizeof(*batch->tallies));
	for (int64_t tree = 0; tree < model->n_trees; tree++) {
		const struct rf_walk_node *nodes =
		    model->nodes + model->tree_first[tree];

		for (int row = 0; row < n; row++) {
			int32_t at = 0;

			while (nodes[at].feature >= 0) {
				uint32_t rank =
				    ranks[(size_t)nodes[at].feature *
					    RF_RANK_BLOCK +
					(size_t)row];

				at = nodes[at].left +
				    !goes_left(model, &nodes[at], rank);
			}
			add_leaf(model, batch, row, tree, nodes[at].rank, at);
		}
	}
}
