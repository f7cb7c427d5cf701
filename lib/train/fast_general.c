#include "train/fast_general.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Codes of one byte: at most 256 levels. */
#define SET_WORDS 4

size_t
rf_general_bytes(const struct rf_problem *problem, uint32_t n)
{
	return sizeof(struct rf_general) +
	    (size_t)n * (problem->n_classes == 0 ? 8 : 12) +
	    RF_TERMS_KEPT * sizeof(double) + rf_search_bytes(problem, n);
}

enum rf_status
rf_general_init(struct rf_general *general, const struct rf_problem *problem,
    const struct rf_rules *rules, uint32_t n, struct rf_error *err)
{
	memset(general, 0, sizeof(*general));
	if (problem->n_classes > 0)
		general->classes = rf_alloc(n, sizeof(*general->classes));
	general->weights = rf_alloc(n, sizeof(*general->weights));
	general->logs = rf_alloc(RF_TERMS_KEPT, sizeof(*general->logs));
	general->set = rf_alloc_zero(SET_WORDS, sizeof(*general->set));
	RF_TRY(rf_search_init(&general->search, problem, rules, n, err));
	if ((general->classes == NULL && problem->n_classes > 0) ||
	    general->weights == NULL || general->logs == NULL ||
	    general->set == NULL)
		return rf_error_memory(
		    err, rf_general_bytes(problem, n), "growing trees");
	rf_entropy_logs(general->logs);
	return RF_OK;
}

void
rf_general_release(struct rf_general *general)
{
	rf_search_release(&general->search);
	free(general->classes);
	free(general->weights);
	free(general->logs);
	free(general->set);
}

/* Local classes are ascending, runs may be descending. */
static void
read_runs(struct rf_general *general, const struct rf_fast_node *node)
{
	int32_t n = node->n_runs;
	bool is_up = node->runs[0].class <= node->runs[n - 1].class;
	uint32_t i = 0;

	for (int32_t k = 0; k < n; k++) {
		int32_t local = is_up ? k : n - 1 - k;

		general->present[local] = node->runs[k].class;
		general->class_sums[local] = node->totals[k];
		for (; i < node->runs[k].end; i++)
			general->classes[i] = local;
	}
	general->sums.n_present = n;
	general->sums.present = general->present;
	general->sums.sums = general->class_sums;
}

static void
make_ready(struct rf_general *general, const struct rf_fast_search *search)
{
	const struct rf_fast_node *node = search->node;
	bool is_regression = search->products != NULL;

	general->sums.criterion = general->search.rules->criterion;
	general->sums.n_rows = node->n;
	general->sums.weight = node->weight;
	general->sums.sum = node->sum;
	if (!is_regression)
		read_runs(general, node);
	for (uint32_t i = 0; i < node->n; i++)
		general->weights[i] = search->weights[i];
	rf_node_sums_finish(&general->sums, general->logs);
	general->search.node = &general->sums;
	general->search.n = node->n;
	general->search.classes = is_regression ? NULL : general->classes;
	general->search.weights = general->weights;
	general->search.products = search->products;
	general->is_ready = true;
}

/* The score as the floats and doubles of kernels compare with it. */
static void
set_least(struct rf_fast_best *best, enum rf_criterion criterion)
{
	double score = (double)best->score.num / (double)best->score.den;

	if (criterion == RF_CRITERION_ENTROPY)
		return;
	if (best->score.den == 1)
		memcpy(&score, &best->score.num, sizeof(score));
	best->least_squared = score * (1 - 1e-12);
	best->least = (float)score * (1 - RF_FLOAT_MARGIN);
}

void
rf_general_look(struct rf_general *general, struct rf_fast_search *search,
    const uint8_t *codes, int32_t column)
{
	const struct rf_problem *problem = general->search.problem;
	int32_t feature = problem->active[column];
	struct rf_best *found = &general->search.best;
	struct rf_fast_best *best = &search->best;

	if (!general->is_ready)
		make_ready(general, search);
	for (uint32_t i = 0; i < search->node->n; i++)
		general->search.codes[i] = codes[i];
	found->is_found = found->is_final = false;
	rf_search_codes(&general->search, feature);
	if (!found->is_found ||
	    (best->is_found && !rf_score_better(found->score, best->score)))
		return;
	best->is_found = true;
	best->is_general = true;
	best->is_pure = found->is_final;
	best->score = found->score;
	best->column = column;
	best->missing_left = found->missing_left;
	set_least(best, general->search.rules->criterion);
	general->gain = found->gain;
	general->cut = found->cut;
	if (problem->features[feature].is_categorical)
		memcpy(general->set, found->set,
		    ((size_t)problem->features[feature].n_values + 63) / 64 *
			sizeof(*general->set));
}

void
rf_general_mark(const struct rf_general *general, int32_t feature,
    const uint8_t *codes, uint32_t n, uint64_t *bits)
{
	const struct rf_coded_feature *coded =
	    &general->search.problem->features[feature];

	memset(bits, 0, ((size_t)n + 63) / 64 * sizeof(*bits));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t code = codes[i];
		bool is_left = coded->is_categorical
		    ? general->set[code / 64] >> code % 64 & 1
		    : (int32_t)code <= general->cut;

		if (code < (uint32_t)coded->n_values)
			bits[i / 64] |= (uint64_t)is_left << i % 64;
	}
}

void
rf_general_settle(struct rf_general *general, int32_t feature,
    const uint8_t *codes, uint32_t n, bool missing_left)
{
	int32_t n_values = general->search.problem->features[feature].n_values;
	uint64_t seen[SET_WORDS] = {0};

	if (!missing_left)
		return;
	for (uint32_t i = 0; i < n; i++)
		seen[codes[i] / 64] |= UINT64_C(1) << codes[i] % 64;
	for (int32_t code = 0; code < n_values; code++)
		if ((seen[code / 64] >> code % 64 & 1) == 0)
			general->set[code / 64] |= UINT64_C(1) << code % 64;
}
