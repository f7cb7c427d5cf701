/*
 * A tree by brute force, written from rf-forest(5) alone: every candidate of
 * every feature looked at is scored from nothing over all rows of its node.
 * Shares the expressions of lib/arith/ and the bag, no more.
 */
#ifndef RF_GROW_REFERENCE_H
#define RF_GROW_REFERENCE_H

#include <stdlib.h>
#include <string.h>

#include "grow_reference_score.h"

static void
ref_numeric(const struct reference *ref, struct at_hand *node, int32_t feature,
    const bool *occupied, bool has_missing)
{
	int32_t n_values = ref->problem->features[feature].n_values;
	uint8_t *left = calloc(65537, 1);
	int32_t lo = -1;

	for (int32_t hi = 0; hi < n_values; hi++) {
		if (!occupied[hi])
			continue;
		if (lo >= 0) {
			int32_t cut = (lo + hi) / 2;

			for (int32_t code = 0; code <= cut; code++)
				left[code] = 1;
			ref_try(ref, node, feature, left, cut, false);
			left[n_values] = 1;
			if (has_missing)
				ref_try(ref, node, feature, left, cut, true);
			left[n_values] = 0;
		}
		lo = hi;
	}
	memset(left, 1, (size_t)n_values);
	if (has_missing && lo >= 0)
		ref_try(ref, node, feature, left, RF_CUT_PRESENT, false);
	free(left);
}

/* Sums of a level: shifted class sum and weight, or target sum and weight. */
struct ref_level {
	int32_t code;
	uint64_t sum, weight;
	int64_t targets;
};

static void
ref_level_sums(const struct reference *ref, const struct at_hand *node,
    int32_t feature, int32_t class, struct ref_level *level)
{
	const struct rf_problem *problem = ref->problem;

	level->sum = level->weight = 0;
	level->targets = 0;
	for (int32_t c = 0; c < problem->n_classes || c == 0; c++) {
		uint64_t sum = 0;

		for (int64_t i = 0; i < node->n; i++) {
			int64_t row = node->rows[i];

			if (rf_problem_code(problem, feature, row) !=
			    (uint32_t)level->code)
				continue;
			if (problem->n_classes == 0)
				level->targets += problem->targets[row] *
				    (int64_t)ref_weight(ref, row);
			if (problem->n_classes == 0 ||
			    problem->classes[row] == c)
				sum += ref_weight(ref, row);
		}
		level->weight += sum >> node->shift;
		if (c == class)
			level->sum = sum >> node->shift;
	}
}

static bool
ref_level_less(const struct reference *ref, const struct ref_level *a,
    const struct ref_level *b)
{
	if (ref->problem->n_classes > 0)
		return rf_share_less(a->sum, a->weight, b->sum, b->weight);
	return rf_mean_less(
	    a->targets, (int64_t)a->weight, b->targets, (int64_t)b->weight);
}

static void
ref_order(const struct reference *ref, struct at_hand *node, int32_t feature,
    const bool *occupied, bool has_missing, int32_t class)
{
	int32_t n_values = ref->problem->features[feature].n_values, n = 0;
	struct ref_level *levels =
	    calloc((size_t)n_values + 1, sizeof(*levels));
	uint8_t *left = calloc(65537, 1);

	for (int32_t code = 0; code < n_values; code++) {
		struct ref_level level = {code, 0, 0, 0};
		int32_t i = n;

		if (!occupied[code])
			continue;
		ref_level_sums(ref, node, feature, class, &level);
		for (; i > 0 && ref_level_less(ref, &level, &levels[i - 1]);
		     i--)
			levels[i] = levels[i - 1];
		levels[i] = level;
		n++;
	}
	for (int32_t i = 0; i + 1 < n; i++) {
		left[levels[i].code] = 1;
		ref_try(ref, node, feature, left, 0, false);
		left[n_values] = 1;
		if (has_missing)
			ref_try(ref, node, feature, left, 0, true);
		left[n_values] = 0;
	}
	free(levels);
	free(left);
}

/* Whether the class is one of the n heaviest, ties to the lower. */
static bool
ref_is_heavy(const struct reference *ref, const struct at_hand *node,
    int32_t class, int32_t n)
{
	int32_t n_before = 0;
	uint64_t sum = node->sums[class] >> node->shift;

	if (node->sums[class] == 0)
		return false;
	for (int32_t c = 0; c < ref->problem->n_classes; c++) {
		uint64_t other = node->sums[c] >> node->shift;

		if (node->sums[c] > 0)
			n_before += other > sum || (other == sum && c < class);
	}
	return n_before < n;
}

static void
ref_categorical(const struct reference *ref, struct at_hand *node,
    int32_t feature, const bool *occupied, bool has_missing)
{
	int32_t n_values = ref->problem->features[feature].n_values;
	int32_t n_classes = ref->problem->n_classes, highest = 0;
	uint8_t *left = calloc(65537, 1);
	int32_t n = node->n > 512 ? 16 : node->n > 32 ? 4 : 1;
	bool has_present = false;
	for (int32_t c = 0; c < n_classes; c++)
		if (node->sums[c] > 0)
			highest = c;
	if (n_classes == 0 || node->n_present == 2)
		ref_order(ref, node, feature, occupied, has_missing, highest);
	else
		for (int32_t c = 0; c < n_classes; c++)
			if (ref_is_heavy(ref, node, c, n))
				ref_order(ref, node, feature, occupied,
				    has_missing, c);
	for (int32_t code = 0; code < n_values; code++)
		if (occupied[code]) {
			left[code] = 1;
			has_present = true;
		}
	if (has_missing && has_present)
		ref_try(ref, node, feature, left, 0, false);
	free(left);
}

/* Looks at a feature; false: constant in the node. */
static bool
ref_look(const struct reference *ref, struct at_hand *node, int32_t feature)
{
	const struct rf_coded_feature *coded = &ref->problem->features[feature];
	bool *occupied = calloc(65537, sizeof(*occupied));
	int32_t n_codes = 0;
	bool has_missing;

	for (int64_t i = 0; i < node->n; i++) {
		uint32_t code =
		    rf_problem_code(ref->problem, feature, node->rows[i]);

		n_codes += !occupied[code];
		occupied[code] = true;
	}
	has_missing = coded->has_missing && occupied[coded->n_values];
	if (n_codes > 1 && coded->is_categorical)
		ref_categorical(ref, node, feature, occupied, has_missing);
	else if (n_codes > 1)
		ref_numeric(ref, node, feature, occupied, has_missing);
	free(occupied);
	return n_codes > 1;
}

static bool
ref_is_pure(const struct reference *ref, const struct at_hand *node)
{
	if (ref->problem->n_classes > 0)
		return node->n_present == 1;
	for (int64_t i = 1; i < node->n; i++)
		if (ref->problem->targets[node->rows[i]] !=
		    ref->problem->targets[node->rows[0]])
			return false;
	return true;
}

static void
ref_search(const struct reference *ref, struct at_hand *node, uint64_t key)
{
	const struct rf_rules *rules = ref->rules;
	uint32_t n = (uint32_t)ref->problem->n_active;
	uint32_t draw_key = (uint32_t)(key ^ key >> 32);
	int32_t n_varying = 0;

	for (uint32_t k = 0; k < n; k++) {
		int32_t drawn = (int32_t)k;
		uint32_t at;

		if (rules->count_constant
			? drawn >= rules->max_features && n_varying > 0
			: n_varying >= rules->max_features)
			break;
		at = rf_draw(draw_key, k, n, rf_draw_bits(n));
		n_varying += ref_look(ref, node, ref->problem->active[at]);
	}
}

/* Where a node has no missing row the majority shows the way; levels that are
 * absent from the node go with missing. */
static void
ref_settle(const struct reference *ref, struct at_hand *node)
{
	const struct rf_coded_feature *coded =
	    &ref->problem->features[node->feature];
	bool *occupied = calloc(65537, sizeof(*occupied));
	int64_t n_left = 0;

	for (int64_t i = 0; i < node->n; i++) {
		uint32_t code =
		    rf_problem_code(ref->problem, node->feature, node->rows[i]);

		occupied[code] = true;
		n_left += node->left[code];
	}
	if (!coded->has_missing || !occupied[coded->n_values])
		node->missing_left = n_left > node->n - n_left;
	for (int32_t code = 0; code < coded->n_values; code++)
		if (coded->is_categorical && !occupied[code])
			node->left[code] = node->missing_left;
	free(occupied);
}

static void ref_node(struct reference *ref, const int64_t *rows, int64_t n,
    uint64_t key, int32_t depth, int32_t index);

static void
ref_split(struct reference *ref, const struct at_hand *node, uint64_t key,
    int32_t depth, int32_t index)
{
	int64_t *rows = calloc((size_t)node->n, sizeof(*rows));
	int32_t left = 2 * ref->n_inner++ + 1;

	ref->nodes[index].left = left;
	ref->n_nodes += 2;
	for (int side = 0; side < 2; side++) {
		int64_t n = 0;

		for (int64_t i = 0; i < node->n; i++) {
			uint32_t code = rf_problem_code(
			    ref->problem, node->feature, node->rows[i]);

			if (node->left[code] == !side)
				rows[n++] = node->rows[i];
		}
		ref_node(ref, rows, n, rf_mix(key, (uint64_t)side), depth + 1,
		    left + side);
	}
	free(rows);
}

static void
ref_node(struct reference *ref, const int64_t *rows, int64_t n, uint64_t key,
    int32_t depth, int32_t index)
{
	const struct rf_rules *rules = ref->rules;
	size_t n_classes = (size_t)ref->problem->n_classes;
	struct at_hand node = {.n = n, .rows = rows};
	struct rf_grown_node *out = &ref->nodes[index];
	double decrease;

	node.sums = calloc(n_classes + 1, sizeof(*node.sums));
	node.left = calloc(65537, 1);
	ref_read(ref, &node);
	if (depth == 0)
		ref->root_weight = node.weight;
	if (depth < rules->max_depth && n >= rules->min_samples_split &&
	    !ref_is_pure(ref, &node))
		ref_search(ref, &node, key);
	decrease = rf_scale(node.gain / (double)ref->root_weight,
	    n_classes > 0 ? 0 : -2 * ref->problem->target_shift);
	out->cover = node.weight;
	if (!node.is_found || decrease < rules->min_impurity_decrease) {
		out->feature = -1;
		out->payload = node.sum;
		memcpy(ref->node_sums + (size_t)index * n_classes, node.sums,
		    n_classes * sizeof(*node.sums));
	} else {
		ref_settle(ref, &node);
		out->feature = node.feature;
		out->cut = node.cut;
		out->missing_left = node.missing_left;
		out->gain = node.gain;
		memcpy(
		    ref->left_sets + (size_t)index * 65536, node.left, 65536);
		ref_split(ref, &node, key, depth, index);
	}
	free(node.sums);
	free(node.left);
}

static void
reference_grow(struct reference *ref, const struct rf_problem *problem,
    const struct rf_rules *rules, const uint32_t *counts, int64_t tree)
{
	size_t most = 2 * (size_t)problem->n_rows;
	int64_t *rows = calloc((size_t)problem->n_rows, sizeof(*rows));
	int64_t n = 0;

	memset(ref, 0, sizeof(*ref));
	ref->problem = problem;
	ref->rules = rules;
	ref->counts = counts;
	ref->n_nodes = 1;
	ref->nodes = calloc(most, sizeof(*ref->nodes));
	ref->node_sums = calloc(
	    most * (size_t)(problem->n_classes + 1), sizeof(*ref->node_sums));
	ref->left_sets = calloc(most, 65536);
	for (int64_t row = 0; row < problem->n_rows; row++)
		if (counts[row] > 0)
			rows[n++] = row;
	ref_node(
	    ref, rows, n, rf_key_tree(rules->seed, tree, RF_USE_NODE), 0, 0);
	free(rows);
}

static void
reference_free(struct reference *ref)
{
	free(ref->nodes);
	free(ref->node_sums);
	free(ref->left_sets);
}

#endif
