#include "train/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static size_t
most_groups(const struct rf_problem *problem, uint32_t n)
{
	size_t most = 1;

	for (int32_t f = 0; f < problem->n_features; f++)
		if ((size_t)problem->features[f].n_values + 1 > most)
			most = (size_t)problem->features[f].n_values + 1;
	return most < n ? most : (size_t)n + 1;
}

static size_t
set_words(const struct rf_problem *problem)
{
	size_t most = 1;

	for (int32_t f = 0; f < problem->n_features; f++)
		if (problem->features[f].is_categorical &&
		    (size_t)problem->features[f].n_values > 64 * most)
			most =
			    ((size_t)problem->features[f].n_values + 63) / 64;
	return most;
}

static size_t
n_sums(const struct rf_problem *problem, uint32_t n)
{
	size_t n_classes = (size_t)problem->n_classes;

	return n_classes < n ? n_classes : n;
}

size_t
rf_search_bytes(const struct rf_problem *problem, uint32_t n)
{
	return (size_t)n * 2 +
	    most_groups(problem, n) *
	    (sizeof(struct rf_group) + sizeof(struct rf_level)) +
	    set_words(problem) * 16 + 2 * n_sums(problem, n) * 8;
}

enum rf_status
rf_search_init(struct rf_search *search, const struct rf_problem *problem,
    const struct rf_rules *rules, uint32_t n, struct rf_error *err)
{
	size_t n_groups = most_groups(problem, n);

	memset(search, 0, sizeof(*search));
	search->problem = problem;
	search->rules = rules;
	search->codes = rf_alloc(n, sizeof(*search->codes));
	search->groups = rf_alloc(n_groups, sizeof(*search->groups));
	search->levels = rf_alloc(n_groups, sizeof(*search->levels));
	search->best.set = rf_alloc_zero(set_words(problem), sizeof(uint64_t));
	search->seen = rf_alloc_zero(set_words(problem), sizeof(uint64_t));
	search->right_missing.sums =
	    rf_alloc_zero(n_sums(problem, n), sizeof(uint64_t));
	search->left_missing.sums =
	    rf_alloc_zero(n_sums(problem, n), sizeof(uint64_t));
	if (search->codes == NULL || search->groups == NULL ||
	    search->levels == NULL || search->best.set == NULL ||
	    search->seen == NULL || search->right_missing.sums == NULL ||
	    search->left_missing.sums == NULL)
		return rf_error_memory(
		    err, rf_search_bytes(problem, n), "the search for splits");
	return RF_OK;
}

void
rf_search_release(struct rf_search *search)
{
	free(search->codes);
	free(search->groups);
	free(search->levels);
	free(search->best.set);
	free(search->seen);
	free(search->right_missing.sums);
	free(search->left_missing.sums);
	memset(search, 0, sizeof(*search));
}

/* Codes of the node's rows; false: all are one. */
static bool
read_codes(struct rf_search *search, int32_t feature)
{
	const struct rf_problem *problem = search->problem;
	const uint32_t *rows = search->rows;
	uint32_t first = rf_problem_code(problem, feature, rows[0]), i = 1;

	while (i < search->n &&
	    rf_problem_code(problem, feature, rows[i]) == first)
		i++;
	if (i == search->n)
		return false;
	for (i = 0; i < search->n; i++)
		search->codes[i] =
		    (uint16_t)rf_problem_code(problem, feature, rows[i]);
	return true;
}

static void
insertion_sort(const uint16_t *codes, uint32_t *order, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t position = order[i], j = i;

		for (; j > 0 && codes[order[j - 1]] > codes[position]; j--)
			order[j] = order[j - 1];
		order[j] = position;
	}
}

/* Positions 0..n-1 by eight bits of the codes; ends are those of each. */
static void
sort_byte(const uint16_t *codes, int shift, uint32_t n, uint32_t *order,
    uint32_t ends[256])
{
	uint32_t first = 0;

	memset(ends, 0, 256 * sizeof(*ends));
	for (uint32_t i = 0; i < n; i++)
		ends[codes[i] >> shift & 0xff]++;
	for (int b = 0; b < 256; b++) {
		uint32_t size = ends[b];

		ends[b] = first;
		first += size;
	}
	for (uint32_t i = 0; i < n; i++)
		order[ends[codes[i] >> shift & 0xff]++] = i;
}

/*
 * Positions of one high byte by the low one, each put where it belongs in
 * turn: in place, so that a row takes no more memory.  Positions of one code
 * may change their order, since only sums over them count.
 */
static void
sort_low_byte(const uint16_t *codes, uint32_t *order, uint32_t n)
{
	uint32_t next[256], ends[256] = {0}, first = 0;

	for (uint32_t i = 0; i < n; i++)
		ends[codes[order[i]] & 0xff]++;
	for (int b = 0; b < 256; b++) {
		next[b] = first;
		first = ends[b] += first;
	}
	for (int b = 0; b < 256; b++)
		while (next[b] < ends[b]) {
			uint32_t position = order[next[b]];
			uint32_t *at = &next[codes[position] & 0xff];

			order[next[b]] = order[*at];
			order[(*at)++] = position;
		}
}

static void
sort_by_code(struct rf_search *search)
{
	bool is_wide = search->problem->code_bytes == 2;
	uint32_t n = search->n, ends[256], first = 0;

	if (n <= 32) {
		for (uint32_t i = 0; i < n; i++)
			search->order[i] = i;
		insertion_sort(search->codes, search->order, n);
		return;
	}
	sort_byte(search->codes, is_wide ? 8 : 0, n, search->order, ends);
	for (int b = 0; b < 256 && is_wide; b++) {
		uint32_t *order = search->order + first, size = ends[b] - first;

		if (size <= 32)
			insertion_sort(search->codes, order, size);
		else
			sort_low_byte(search->codes, order, size);
		first = ends[b];
	}
}

static void
find_groups(struct rf_search *search, const struct rf_coded_feature *feature)
{
	const uint32_t *order = search->order;
	struct rf_group *group;

	search->n_groups = 0;
	for (uint32_t i = 0; i < search->n;) {
		group = &search->groups[search->n_groups++];
		group->code = search->codes[order[i]];
		group->first = i;
		while (i < search->n && search->codes[order[i]] == group->code)
			i++;
		group->end = i;
	}
	group = &search->groups[search->n_groups - 1];
	memset(&search->missing, 0, sizeof(search->missing));
	if (feature->has_missing &&
	    group->code == (uint32_t)feature->n_values) {
		search->missing = *group;
		search->n_groups--;
	}
}

static void
add_group(const struct rf_search *search, const struct rf_group *group,
    struct rf_side *side)
{
	bool is_regression = search->classes == NULL;

	for (uint32_t i = group->first; i < group->end; i++) {
		uint32_t p = search->order[i];

		rf_side_add(side, search->node,
		    is_regression ? 0 : search->classes[p], search->weights[p],
		    is_regression ? search->products[p] : 0);
	}
}

static void
start_sides(struct rf_search *search)
{
	size_t size = (size_t)search->node->n_present * sizeof(uint64_t);

	if (search->classes != NULL) {
		memset(search->right_missing.sums, 0, size);
		memset(search->left_missing.sums, 0, size);
	}
	rf_side_start(&search->right_missing, search->node);
	rf_side_start(&search->left_missing, search->node);
	add_group(search, &search->missing, &search->left_missing);
}

/* Whether the candidate with this left side is the best yet; then it is. */
static bool
consider(struct rf_search *search, const struct rf_side *left)
{
	int64_t least = search->rules->min_samples_leaf;
	struct rf_best *best = &search->best;
	struct rf_score score;

	if (left->n_rows < least || search->node->n_rows - left->n_rows < least)
		return false;
	score = rf_side_score(left, search->node);
	if (best->is_found && !rf_score_better(score, best->score))
		return false;
	best->is_found = true;
	best->score = score;
	best->gain = rf_side_gain(left, search->node, score);
	best->is_final = search->node->criterion == RF_CRITERION_GINI &&
	    !rf_score_better(search->node->limit, score);
	return true;
}

/* Best of the prefixes of groups in the order of levels, or as they lie where
 * levels is NULL.  Returns the length of the best one, 0: none is better. */
static int32_t
try_prefixes(struct rf_search *search, const struct rf_level *levels)
{
	bool has_missing = search->missing.end > 0;
	int32_t best = 0;

	start_sides(search);
	for (int32_t i = 0; i + 1 < search->n_groups && !search->best.is_final;
	     i++) {
		const struct rf_group *group =
		    &search->groups[levels == NULL ? i : levels[i].group];

		add_group(search, group, &search->right_missing);
		if (has_missing)
			add_group(search, group, &search->left_missing);
		if (consider(search, &search->right_missing)) {
			search->best.missing_left = false;
			best = i + 1;
		}
		if (has_missing && consider(search, &search->left_missing)) {
			search->best.missing_left = true;
			best = i + 1;
		}
	}
	return best;
}

/* All present rows left, all missing ones right. */
static bool
try_present(struct rf_search *search)
{
	if (search->missing.end == 0 || search->n_groups == 0 ||
	    search->best.is_final)
		return false;
	start_sides(search);
	for (int32_t i = 0; i < search->n_groups; i++)
		add_group(search, &search->groups[i], &search->right_missing);
	if (!consider(search, &search->right_missing))
		return false;
	search->best.missing_left = false;
	return true;
}

static void
search_numeric(struct rf_search *search, int32_t feature)
{
	int32_t n = try_prefixes(search, NULL);

	if (n > 0) {
		search->best.feature = feature;
		search->best.cut =
		    rf_cut_between((int32_t)search->groups[n - 1].code,
			(int32_t)search->groups[n].code);
	}
	if (try_present(search)) {
		search->best.feature = feature;
		search->best.cut = RF_CUT_PRESENT;
	}
}

/* The first n groups of levels go left. */
static void
note_set(struct rf_search *search, int32_t feature,
    const struct rf_level *levels, int32_t n)
{
	int32_t n_values = search->problem->features[feature].n_values;
	uint64_t *set = search->best.set;

	search->best.feature = feature;
	search->best.cut = 0;
	memset(set, 0, ((size_t)n_values + 63) / 64 * sizeof(*set));
	for (int32_t i = 0; i < n; i++) {
		uint32_t code =
		    search->groups[levels == NULL ? i : levels[i].group].code;

		set[code / 64] |= UINT64_C(1) << code % 64;
	}
}

static void
search_categorical(struct rf_search *search, int32_t feature)
{
	int32_t classes[16];
	int32_t n_orders = rf_search_orders(search, classes);

	for (int32_t i = 0;
	     i < n_orders && search->n_groups > 1 && !search->best.is_final;
	     i++) {
		int32_t n;

		rf_search_sort_levels(search, classes[i]);
		n = try_prefixes(search, search->levels);
		if (n > 0)
			note_set(search, feature, search->levels, n);
	}
	if (try_present(search))
		note_set(search, feature, NULL, search->n_groups);
}

void
rf_search_codes(struct rf_search *search, int32_t feature)
{
	const struct rf_coded_feature *coded =
	    &search->problem->features[feature];

	sort_by_code(search);
	find_groups(search, coded);
	if (coded->is_categorical)
		search_categorical(search, feature);
	else
		search_numeric(search, feature);
}

bool
rf_search_feature(struct rf_search *search, int32_t feature)
{
	if (!read_codes(search, feature))
		return false;
	rf_search_codes(search, feature);
	return true;
}
