/*
 * Random problems for tests of growing: every kind of column, label and rule.
 */
#ifndef RF_GROW_PROBLEM_H
#define RF_GROW_PROBLEM_H

#include <stdlib.h>
#include <string.h>

#include "train/problem.h"

struct random {
	uint64_t state;
};

static inline uint64_t
random_below(struct random *random, uint64_t n)
{
	random->state++;
	return rf_below(rf_mix(UINT64_C(77), random->state), n);
}

/* log-uniform in low..high */
static inline int64_t
random_size(struct random *random, int64_t low, int64_t high)
{
	int n_halvings = 0;
	int64_t top;

	while (high >> (n_halvings + 1) >= low && n_halvings < 62)
		n_halvings++;
	top = high >> random_below(random, (uint64_t)n_halvings + 1);
	return low + (int64_t)random_below(random, (uint64_t)(top - low + 1));
}

/* What to make; the flags allow, chance decides. */
struct problem_kind {
	int64_t max_rows;
	int32_t max_features;
	int32_t max_values;
	int32_t max_classes; /* 0: regression */
	bool wide_codes, with_weights, with_missing, with_categories;
};

struct made_problem {
	struct rf_problem problem;
	struct rf_rules rules;
	unsigned char *codes;
	struct rf_coded_feature *features;
	int32_t *active, *classes;
	int64_t *targets;
	uint64_t *weights;
};

static inline void
put_code(struct made_problem *made, int32_t f, int64_t row, uint32_t code)
{
	unsigned char *column =
	    made->codes + (size_t)f * made->problem.stride_bytes;

	if (made->problem.code_bytes == 1) {
		column[row] = (unsigned char)code;
	} else {
		column[2 * row] = (unsigned char)(code & 0xff);
		column[2 * row + 1] = (unsigned char)(code >> 8);
	}
}

/* A column: uniform, mostly one code, two codes, or near the row's number. */
static inline void
make_column(struct made_problem *made, const struct problem_kind *kind,
    int32_t f, struct random *random)
{
	struct rf_coded_feature *feature = &made->features[f];
	uint64_t shape = random_below(random, 4);
	int64_t n = made->problem.n_rows;
	bool varies = false;

	feature->n_values =
	    shape == 2 ? 2 : (int32_t)random_size(random, 2, kind->max_values);
	feature->has_missing = kind->with_missing && random_below(random, 2);
	feature->is_categorical =
	    kind->with_categories && random_below(random, 2);
	for (int64_t row = 0; row < n; row++) {
		uint64_t values = (uint64_t)feature->n_values;
		uint64_t code = random_below(random, values);

		if (shape == 1 && random_below(random, 8) > 0)
			code = values / 2;
		if (shape == 3)
			code = (uint64_t)row * values / (uint64_t)n;
		if (feature->has_missing && random_below(random, 6) == 0)
			code = values;
		put_code(made, f, row, (uint32_t)code);
		varies |= code != rf_problem_code(&made->problem, f, 0);
	}
	if (varies)
		made->active[made->problem.n_active++] = f;
}

static inline void
make_labels(struct made_problem *made, const struct problem_kind *kind,
    struct random *random)
{
	int64_t n = made->problem.n_rows;
	int32_t n_classes = kind->max_classes == 0
	    ? 0
	    : (int32_t)random_size(random,
		  random_below(random, 10) > 0 && kind->max_classes > 1 ? 2 : 1,
		  kind->max_classes);
	int64_t span = random_size(random, 1, INT64_C(1) << 20);

	made->problem.n_classes = n_classes;
	for (int64_t row = 0; row < n; row++) {
		int64_t hint = made->problem.n_features == 0
		    ? 0
		    : (int64_t)rf_problem_code(&made->problem, 0, row);

		if (n_classes > 0 && random_below(random, 3) > 0)
			made->classes[row] = (int32_t)(hint % n_classes);
		else if (n_classes > 0)
			made->classes[row] =
			    (int32_t)random_below(random, (uint64_t)n_classes);
		made->targets[row] = hint * 64 +
		    (int64_t)random_below(random, (uint64_t)(2 * span)) - span;
	}
	made->problem.classes = n_classes > 0 ? made->classes : NULL;
	made->problem.targets = n_classes > 0 ? NULL : made->targets;
}

static inline void
make_rules(struct made_problem *made, struct random *random)
{
	struct rf_rules *rules = &made->rules;
	int64_t n = made->problem.n_rows;

	rules->criterion = made->problem.n_classes == 0
	    ? RF_CRITERION_SQUARED_ERROR
	    : random_below(random, 3) == 0 ? RF_CRITERION_ENTROPY
					   : RF_CRITERION_GINI;
	rules->seed = random_below(random, 1000);
	rules->max_features = 1 +
	    (int32_t)random_below(
		random, (uint64_t)made->problem.n_features + 1);
	rules->max_depth = random_below(random, 5) > 0
	    ? INT32_MAX
	    : (int32_t)random_below(random, 6);
	rules->min_samples_split =
	    random_below(random, 3) ? 2 : random_size(random, 2, 20);
	rules->min_samples_leaf =
	    random_below(random, 3) ? 1 : random_size(random, 1, 10);
	rules->min_impurity_decrease = random_below(random, 5) > 0 ? 0 : 0.01;
	rules->count_constant = random_below(random, 2);
	rules->bootstrap = random_below(random, 4) > 0;
	rules->n_draws = rules->bootstrap && random_below(random, 3) == 0
	    ? random_size(random, 1, 2 * n)
	    : n;
}

/* Weights with products inside the limits of rf-forest(5), Numbers. */
static inline void
make_weights(struct made_problem *made, struct random *random)
{
	bool is_regression = made->problem.n_classes == 0;
	uint64_t draws = (uint64_t)(made->rules.n_draws + made->problem.n_rows);
	uint64_t top = (UINT64_C(1) << (is_regression ? 30 : 62)) / draws;
	uint64_t most = (uint64_t)random_size(
	    random, 1, random_below(random, 2) ? 9 : (int64_t)top);

	for (int64_t row = 0; row < made->problem.n_rows; row++)
		made->weights[row] = 1 + random_below(random, most);
	made->problem.weights = made->weights;
}

static inline void
make_problem(
    struct made_problem *made, const struct problem_kind *kind, uint64_t seed)
{
	struct random random = {seed << 32};
	struct rf_problem *problem = &made->problem;
	size_t n, n_features;

	memset(made, 0, sizeof(*made));
	problem->n_rows = random_below(&random, 4) == 0
	    ? random_size(&random, 1, kind->max_rows)
	    : kind->max_rows / 3 +
		(int64_t)random_below(&random, (uint64_t)kind->max_rows / 2);
	problem->n_features =
	    (int32_t)random_below(&random, (uint64_t)kind->max_features + 1);
	problem->code_bytes = kind->wide_codes ? 2 : 1;
	n = (size_t)problem->n_rows;
	n_features = (size_t)problem->n_features;
	problem->stride_bytes =
	    (n * (size_t)problem->code_bytes + 64 + 63) / 64 * 64;
	made->codes =
	    aligned_alloc(64, (n_features + 1) * problem->stride_bytes);
	memset(made->codes, 0, (n_features + 1) * problem->stride_bytes);
	made->features = calloc(n_features + 1, sizeof(*made->features));
	made->active = calloc(n_features + 1, sizeof(*made->active));
	made->classes = calloc(n, sizeof(*made->classes));
	made->targets = calloc(n, sizeof(*made->targets));
	made->weights = calloc(n, sizeof(*made->weights));
	problem->codes = made->codes;
	problem->features = made->features;
	problem->active = made->active;
	for (int32_t f = 0; f < problem->n_features; f++)
		make_column(made, kind, f, &random);
	make_labels(made, kind, &random);
	make_rules(made, &random);
	if (kind->with_weights && random_below(&random, 4) > 0)
		make_weights(made, &random);
}

static inline void
free_problem(struct made_problem *made)
{
	free(made->codes);
	free(made->features);
	free(made->active);
	free(made->classes);
	free(made->targets);
	free(made->weights);
}

#endif
