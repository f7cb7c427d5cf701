/*
 * The score of a candidate by brute force, written from rf-forest(5): the sums
 * of its left side are taken from nothing over all rows of the node.  Part of
 * grow_reference.h.
 */
#ifndef RF_GROW_REFERENCE_SCORE_H
#define RF_GROW_REFERENCE_SCORE_H

#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "train/problem.h"

struct reference {
	const struct rf_problem *problem;
	const struct rf_rules *rules;
	const uint32_t *counts;
	uint64_t root_weight;
	int32_t n_inner;
	int64_t n_nodes;
	struct rf_grown_node *nodes; /* payload: leaf's sum, else unused */
	int64_t *node_sums;	     /* n_nodes x C class weights, leaves */
	uint8_t *left_sets;	     /* n_nodes x 65536: which levels go left */
};

/* The node at hand. */
struct at_hand {
	int64_t n;
	const int64_t *rows;
	uint64_t weight, *sums; /* by class */
	int64_t sum;
	int shift;
	uint64_t shifted, squares;
	int64_t terms;
	int32_t n_present;
	bool is_found; /* the best so far */
	struct rf_score score;
	double gain;
	int32_t feature, cut;
	bool missing_left;
	uint8_t *left; /* by code */
};

static uint64_t
ref_weight(const struct reference *ref, int64_t row)
{
	return ref->counts[row] *
	    (ref->problem->weights == NULL ? 1 : ref->problem->weights[row]);
}

static void
ref_read(const struct reference *ref, struct at_hand *node)
{
	const struct rf_problem *problem = ref->problem;

	for (int64_t i = 0; i < node->n; i++) {
		uint64_t weight = ref_weight(ref, node->rows[i]);

		node->weight += weight;
		if (problem->n_classes > 0)
			node->sums[problem->classes[node->rows[i]]] += weight;
		else
			node->sum +=
			    (int64_t)weight * problem->targets[node->rows[i]];
	}
	for (int bits = 64; bits > 32 && node->shift == 0; bits--)
		if (node->weight >> (bits - 1) & 1)
			node->shift = bits - 32;
	for (int32_t c = 0; c < problem->n_classes; c++) {
		uint64_t s = node->sums[c] >> node->shift;

		node->n_present += node->sums[c] > 0;
		node->shifted += s;
		node->squares += s * s;
	}
	if (problem->n_classes > 0)
		for (int32_t c = 0; c < problem->n_classes; c++)
			node->terms +=
			    rf_entropy_term(node->sums[c] >> node->shift,
				rf_entropy_bits(node->shifted));
}

/* What a candidate sends left, and the sums that its score is made of. */
struct ref_side {
	int64_t n_left, sum;
	uint64_t raw;		 /* weight of the left side, not shifted */
	uint64_t wl, wr, sl, sr; /* shifted weights, sums of squares */
	int64_t tl, tr;		 /* entropy terms */
};

static void
ref_sum_left(const struct reference *ref, const struct at_hand *node,
    int32_t feature, const uint8_t *left, struct ref_side *side)
{
	const struct rf_problem *problem = ref->problem;
	int32_t n_classes = problem->n_classes;
	uint64_t *sums = calloc((size_t)n_classes + 1, sizeof(*sums));
	int bits = n_classes > 0 ? rf_entropy_bits(node->shifted) : 0;

	for (int64_t i = 0; i < node->n; i++) {
		int64_t row = node->rows[i];
		uint64_t weight = ref_weight(ref, row);

		if (!left[rf_problem_code(problem, feature, row)])
			continue;
		side->n_left++;
		side->raw += weight;
		if (n_classes > 0)
			sums[problem->classes[row]] += weight;
		else
			side->sum += (int64_t)weight * problem->targets[row];
	}
	for (int32_t c = 0; c < n_classes; c++) {
		uint64_t l = sums[c] >> node->shift;
		uint64_t r = (node->sums[c] >> node->shift) - l;

		side->wl += l;
		side->wr += r;
		side->sl += l * l;
		side->sr += r * r;
		side->tl += rf_entropy_term(l, bits);
		side->tr += rf_entropy_term(r, bits);
	}
	free(sums);
}

static struct rf_score
ref_score(const struct reference *ref, const struct at_hand *node,
    const struct ref_side *s, double *gain)
{
	int bits;
	int64_t mean;
	struct rf_score score;

	switch (ref->rules->criterion) {
	case RF_CRITERION_GINI:
		score = rf_gini_score(s->sl, s->wl, s->sr, s->wr);
		*gain = rf_gini_gain(s->sl, s->wl, s->sr, s->wr, node->squares);
		break;
	case RF_CRITERION_ENTROPY:
		bits = rf_entropy_bits(node->shifted);
		score = rf_entropy_score(rf_entropy_term(s->wl + s->wr, bits),
		    rf_entropy_term(s->wl, bits), s->tl,
		    rf_entropy_term(s->wr, bits), s->tr);
		*gain = rf_entropy_gain(score, node->terms, bits);
		break;
	case RF_CRITERION_SQUARED_ERROR:
	default:
		mean = rf_floor_div(node->sum, (int64_t)node->weight);
		score = rf_squared_score(mean, s->sum, (int64_t)s->raw,
		    node->sum - s->sum, (int64_t)(node->weight - s->raw));
		*gain = rf_squared_gain(
		    score, mean, node->sum, (int64_t)node->weight);
		break;
	}
	return score;
}

/* Scores a candidate given by where codes go; the best is kept. */
static void
ref_try(const struct reference *ref, struct at_hand *node, int32_t feature,
    const uint8_t *left, int32_t cut, bool missing_left)
{
	int64_t n_least = ref->rules->min_samples_leaf;
	struct ref_side side = {0};
	struct rf_score score;
	double gain;

	ref_sum_left(ref, node, feature, left, &side);
	if (side.n_left < n_least || node->n - side.n_left < n_least)
		return;
	score = ref_score(ref, node, &side, &gain);
	if (node->is_found && !rf_score_better(score, node->score))
		return;
	node->is_found = true;
	node->score = score;
	node->gain = gain * (double)(UINT64_C(1) << node->shift);
	node->feature = feature;
	node->cut = cut;
	node->missing_left = missing_left;
	memcpy(node->left, left, 65536);
}

#endif
