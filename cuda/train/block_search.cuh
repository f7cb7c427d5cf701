/*
 * The search for a split of a block's node: features in draw order.
 */
#ifndef RF_TRAIN_BLOCK_SEARCH_CUH
#define RF_TRAIN_BLOCK_SEARCH_CUH

#include "train/levels.cuh"

/* Whether the node has rows of the missing code, and of another. */
template <typename STAT>
static __device__ void
rf_has_missing(const struct block_node<STAT> *node, int32_t feature,
    uint32_t n_values, bool *missing, bool *present)
{
	*missing = false;
	*present = true;
	if (!node->v->features[feature].has_missing)
		return;
	for (int i = 0; i < (node->v->n_classes > 0 ? node->n_stats : 1); i++)
		*missing |=
		    node->a.hist[i * (size_t)node->stride + n_values] != 0;
	*present = rf_next_occupied(node->a.occupied, 0, n_values) < n_values ||
	    (node->a.occupied[0] & 1);
}

/*
 * Present (left) against missing: its left side is the running sum at the last
 * place, which holds all that is present.
 */
template <int BLOCK, typename STAT>
static __device__ void
rf_try_present(const struct block_node<STAT> *node, const STAT *sums,
    uint32_t last, struct block_candidate *best)
{
	struct block_candidate now;

	if (threadIdx.x != 0 ||
	    !rf_sides_are_large(node, sums, last, (STAT *)0))
		return;
	now.is_valid = 1;
	now.order = RF_ORDER_PRESENT;
	rf_block_score(node, sums, last, (const STAT *)0, &now);
	rf_block_keep(best, &now);
}

/* Records the winner of a feature where it beats those before; all threads
 * have the same `found`. */
template <int BLOCK, typename STAT>
static __device__ bool
rf_record(struct block_node<STAT> *node, int32_t feature,
    const struct block_candidate *found, bool has_missing)
{
	struct block_shared *s = node->s;
	bool is_better = found->is_valid &&
	    (!s->best.candidate.is_valid ||
		rf_score_better(found->score, s->best.candidate.score));

	__syncthreads();
	if (is_better && threadIdx.x == 0) {
		s->best.candidate = *found;
		s->best.feature = feature;
		s->best.has_missing = has_missing;
		s->best.missing_left =
		    found->order != RF_ORDER_PRESENT && (found->order & 1);
		s->best.cut = 0;
	}
	__syncthreads();
	return is_better;
}

template <int BLOCK, typename STAT>
static __device__ void
rf_look_numeric(struct block_node<STAT> *node, int32_t feature,
    uint32_t n_values, bool missing, bool present)
{
	struct block_candidate found = {};
	const STAT *sums = node->a.hist;

	rf_running_sums<BLOCK>(node, n_values, (const uint32_t *)0);
	rf_try_places<BLOCK>(node, sums, n_values, n_values, node->a.occupied,
	    0, missing && present, &found);
	if (missing && present)
		rf_try_present<BLOCK>(node, sums, n_values - 1, &found);
	rf_block_best<BLOCK>(node->s, &found);
	if (!rf_record<BLOCK>(node, feature, &found, missing))
		return;
	if (threadIdx.x == 0) {
		uint32_t lo = (uint32_t)(found.order / 2);

		node->s->best.cut = found.order == RF_ORDER_PRESENT
		    ? RF_CUT_PRESENT
		    : rf_cut_between((int32_t)lo,
			  (int32_t)rf_next_occupied(
			      node->a.occupied, lo, n_values));
	}
	__syncthreads();
}

/* Keeps the winner's set of levels: the first n_left places, and what is
 * present. */
template <int BLOCK, typename STAT>
static __device__ void
rf_record_set(struct block_node<STAT> *node, uint32_t n_values, uint32_t n_left)
{
	uint32_t n_words = (n_values + 63) / 64;

	for (uint32_t i = threadIdx.x; i < n_words; i += BLOCK) {
		uint64_t present = node->a.occupied[2 * i];

		if (2 * i + 1 < (n_values + 31) / 32)
			present |= (uint64_t)node->a.occupied[2 * i + 1] << 32;
		node->a.best_present[i] = present;
		node->a.best_set[i] = 0;
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < n_left; i += BLOCK) {
		uint32_t code = node->a.levels[i];

		atomicOr(
		    (uint32_t *)node->a.best_set + code / 32, 1u << code % 32);
	}
	__syncthreads();
}

template <int BLOCK, typename STAT>
static __device__ void
rf_look_categorical(struct block_node<STAT> *node, int32_t feature,
    uint32_t n_values, bool missing, bool present)
{
	struct block_shared *s = node->s;

	if (s->n_orders == 0)
		rf_choose_orders<BLOCK>(node);
	for (int32_t i = 0; i < s->n_orders; i++) {
		struct block_candidate found = {};
		bool is_last = i + 1 == s->n_orders;
		uint32_t n;

		rf_order_levels<BLOCK>(node, n_values, s->classes[i]);
		n = s->n_levels;
		rf_running_sums<BLOCK>(node, n, node->a.levels);
		rf_try_places<BLOCK>(node, node->a.ordered, n, n_values,
		    (const uint32_t *)0, 0, missing && present, &found);
		if (missing && present && is_last)
			rf_try_present<BLOCK>(
			    node, node->a.ordered, n - 1, &found);
		rf_block_best<BLOCK>(s, &found);
		if (rf_record<BLOCK>(node, feature, &found, missing))
			rf_record_set<BLOCK>(node, n_values,
			    found.order == RF_ORDER_PRESENT
				? n
				: (uint32_t)(found.order / 2) + 1);
	}
}

/* Looks at one feature; false where it is constant in the node. */
template <int BLOCK, typename STAT>
static __device__ bool
rf_look(struct block_node<STAT> *node, int32_t feature)
{
	struct rf_grow_feature f = node->v->features[feature];
	uint32_t n_values = (uint32_t)f.n_values;
	bool missing, present;

	if (rf_is_known_constant(node, feature) ||
	    !rf_histogram<BLOCK>(
		node, feature, n_values + (f.has_missing ? 1 : 0)))
		return false;
	rf_occupied<BLOCK>(node, n_values);
	rf_has_missing(node, feature, n_values, &missing, &present);
	if (f.is_categorical)
		rf_look_categorical<BLOCK>(
		    node, feature, n_values, missing, present);
	else
		rf_look_numeric<BLOCK>(
		    node, feature, n_values, missing, present);
	return true;
}

/* Whether nothing can beat the best split: both sides are pure. */
template <typename STAT>
static __device__ bool
rf_is_pure_cut(const struct block_node<STAT> *node)
{
	const struct block_candidate *c = &node->s->best.candidate;

	return node->v->rules.criterion == RF_CRITERION_GINI && c->is_valid &&
	    c->sl == c->wl * c->wl && c->sr == c->wr * c->wr;
}

/* The best split into s->best; false where there is none. */
template <int BLOCK, typename STAT>
static __device__ bool
rf_search(struct block_node<STAT> *node)
{
	const struct rf_grow_view *v = node->v;
	uint32_t key = rf_draw_key(node->s->work.key);
	uint32_t n = (uint32_t)v->n_active;
	int32_t n_looked = 0;

	if (v->row_words != 0)
		rf_compare_rows<BLOCK>(node);
	for (uint32_t k = 0; k < n; k++) {
		int32_t n_counted =
		    v->rules.count_constant ? (int32_t)k : n_looked;
		uint32_t at;

		if (n_looked > 0 && n_counted >= v->rules.max_features)
			break;
		at = rf_draw(key, k, n, v->draw_bits);
		if (rf_look<BLOCK>(node, v->active[at]))
			n_looked++;
		if (rf_is_pure_cut(node))
			break;
		__syncthreads();
	}
	return node->s->best.candidate.is_valid;
}

#endif
