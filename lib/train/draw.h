/*
 * Which features a node looks at, in which order: rf-forest(5), Nodes.
 *
 *	rf_feature_draw_start(&draw, problem, rules, key);
 *	while ((feature = rf_feature_draw_next(&draw)) >= 0)
 *		rf_feature_draw_saw(&draw, is_constant);
 */
#ifndef RF_TRAIN_DRAW_H
#define RF_TRAIN_DRAW_H

#include "train/problem.h"

struct rf_feature_draw {
	const int32_t *active;
	uint32_t key, n_active, k;
	int bits;
	int32_t max_features;
	int32_t n_varying; /* features seen that are not constant */
	bool count_constant;
};

static inline void
rf_feature_draw_start(struct rf_feature_draw *draw,
    const struct rf_problem *problem, const struct rf_rules *rules,
    uint64_t node_key)
{
	draw->active = problem->active;
	draw->key = rf_draw_key(node_key);
	draw->n_active = (uint32_t)problem->n_active;
	draw->k = 0;
	draw->bits = rf_draw_bits(draw->n_active);
	draw->max_features = rules->max_features;
	draw->n_varying = 0;
	draw->count_constant = rules->count_constant;
}

/* The next feature to look at, or -1 where drawing ends. */
static inline int32_t
rf_feature_draw_next(struct rf_feature_draw *draw)
{
	uint32_t most = (uint32_t)draw->max_features;

	if (draw->k >= draw->n_active)
		return -1;
	if (draw->count_constant ? draw->k >= most && draw->n_varying > 0
				 : (uint32_t)draw->n_varying >= most)
		return -1;
	return draw
	    ->active[rf_draw(draw->key, draw->k++, draw->n_active, draw->bits)];
}

/* To be called once a feature drawn. */
static inline void
rf_feature_draw_saw(struct rf_feature_draw *draw, bool is_constant)
{
	draw->n_varying += !is_constant;
}

#endif
