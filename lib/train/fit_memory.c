#include "train/fit_memory.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "train/coded.h"
#include "train/grow.h"
#include "train/memory.h"
#include "train/oob.h"

/* As many codes as the column can have. */
static struct rf_coded_feature
feature_of(const struct rf_fit_plan *plan, const struct rf_stored *stored)
{
	const struct rf_params *params = plan->params;
	int64_t n = plan->rows->n_rows;
	struct rf_coded_feature feature = {.has_missing = true};

	if (stored->kind == RF_FEATURE_CATEGORICAL && !stored->is_ordinal) {
		feature.is_categorical = true;
		feature.n_values = params->max_categories;
		if (stored->vocabulary != NULL &&
		    rf_vocabulary_n(stored->vocabulary) < feature.n_values)
			feature.n_values = rf_vocabulary_n(stored->vocabulary);
	} else {
		feature.n_values = params->bins < n ? params->bins : (int32_t)n;
	}
	return feature;
}

/* The problem as it will be, but that all its columns vary. */
static void
state_problem(const struct rf_fit_plan *plan, struct rf_problem *problem,
    struct rf_coded_feature *features, int32_t *active)
{
	const struct rf_table *table = plan->table;
	int64_t n = plan->rows->n_rows;

	*problem = (struct rf_problem){
	    .n_rows = n,
	    .code_bytes = plan->params->bins > 254 && n > 254 ? 2 : 1,
	    .features = features,
	    .active = active,
	    .n_classes = plan->labels->n_classes,
	    .weights = plan->rows->weights,
	};
	for (int64_t i = 0; i < table->n_features; i++) {
		int32_t at = problem->n_features;

		if (table->columns[i].is_dropped)
			continue;
		features[at] = feature_of(plan, &table->columns[i]);
		active[at] = at;
		if (features[at].n_values > 254)
			problem->code_bytes = 2;
		problem->n_features++;
	}
	problem->n_active = problem->n_features;
}

static int
n_growing(const struct rf_fit_plan *plan)
{
	int64_t n_trees = plan->params->end - plan->params->first;

	if (n_trees < 1)
		return 1;
	return n_trees < plan->n_threads ? (int)n_trees : plan->n_threads;
}

/* Of the trees that grow at a time: two nodes at most a row that is drawn, or
 * what the depth has room for. */
static int64_t
most_nodes(const struct rf_fit_plan *plan)
{
	const struct rf_rules *rules = plan->rules;
	int64_t n = plan->rows->n_rows;

	if (rules->bootstrap && rules->n_draws < n)
		n = rules->n_draws;
	if (rules->max_depth < 40 && INT64_C(1) << rules->max_depth < n)
		n = INT64_C(1) << rules->max_depth;
	return n_growing(plan) * (2 * n);
}

static void
state_need(const struct rf_fit_plan *plan, const struct rf_problem *problem,
    struct rf_memory_need *need)
{
	int64_t growing =
	    (int64_t)rf_grow_memory(problem, plan->rules, n_growing(plan));
	int64_t coding = rf_coded_scratch(plan->table->n_rows,
	    problem->n_features, problem->code_bytes, plan->n_threads);

	need->n_rows = problem->n_rows;
	need->n_features = problem->n_features;
	need->n_threads = plan->n_threads;
	need->n_nodes = most_nodes(plan);
	need->n_bytes = rf_coded_bytes(problem->n_rows, problem->n_features,
			    problem->code_bytes) +
	    (coding > growing ? coding : growing);
	if (plan->with_oob)
		need->n_bytes +=
		    rf_oob_bytes(problem->n_rows, problem->n_classes);
}

enum rf_status
rf_fit_memory_check(const struct rf_fit_plan *plan, struct rf_error *err)
{
	size_t n = (size_t)plan->table->n_features;
	struct rf_coded_feature *features = rf_alloc(n, sizeof(*features));
	int32_t *active = rf_alloc(n, sizeof(*active));
	struct rf_memory_need need = {0};
	struct rf_problem problem;
	enum rf_status status;

	if (features == NULL || active == NULL) {
		status = rf_error_memory(err, n * sizeof(*features), "columns");
	} else {
		state_problem(plan, &problem, features, active);
		state_need(plan, &problem, &need);
		status = rf_memory_check(&need, plan->table->log, err);
	}
	free(features);
	free(active);
	return status;
}
