/*
 * Subtrees of at most 32 rows: nothing moves, a node is a mask of rows; a part
 * of kernels_body.h.
 */
#include "arith/fixed.h"
#include "train/draw.h"

struct small_node {
	uint64_t key;
	uint32_t mask;
	int32_t index, depth;
};

struct small_tree {
	const struct rf_small *in;
	U8X32 weights;
	uint32_t planes[8]; /* bit b of the weights */
	int n_planes;
	int32_t n_classes; /* of the subtree, in row order */
	uint32_t class_rows[RF_FAST_CLASSES];
	int64_t targets[RF_SMALL];
	/* The node at hand. */
	struct small_node at;
	int32_t n_present;
	int32_t present[RF_FAST_CLASSES];
	struct rf_fast_node sums;
	struct rf_fast_search search;
	uint32_t ahead[64]; /* a pass of the permutation */
	bool has_ahead;
	struct small_node stack[RF_SMALL + 1];
	int n_stack;
};

static uint32_t
weight_of(const struct small_tree *tree, uint32_t mask)
{
	uint32_t total = 0;

	for (int b = 0; b < tree->n_planes; b++)
		total += (uint32_t)__builtin_popcount(mask & tree->planes[b])
		    << b;
	return total;
}

static void
small_start(struct small_tree *tree)
{
	const struct rf_small *in = tree->in;
	uint32_t first = 0, seen = 0;

	for (uint32_t i = 0; i < in->node->n; i++)
		seen |= in->weights[i];
	tree->n_planes = rf_bit_length(seen);
	memset(tree->planes, 0, sizeof(tree->planes));
	for (uint32_t i = 0; i < in->node->n; i++)
		for (int b = 0; b < tree->n_planes; b++)
			tree->planes[b] |= (uint32_t)(in->weights[i] >> b & 1)
			    << i;
	tree->n_classes = in->node->n_runs;
	for (int32_t k = 0; k < in->node->n_runs; k++) {
		uint32_t end = in->node->runs[k].end;

		tree->class_rows[k] = low_bits(end) & ~low_bits(first);
		first = end;
	}
	if (in->problem->n_classes == 0)
		for (uint32_t i = 0; i < in->node->n; i++)
			tree->targets[i] = in->products[i] / in->weights[i];
	tree->stack[0] = (struct small_node){
	    in->key, low_bits(in->node->n), in->index, in->depth};
	tree->n_stack = 1;
}

/* Class sums of the node, or its sum of targets; true: it is pure. */
static bool
small_read(struct small_tree *tree)
{
	struct rf_fast_node *sums = &tree->sums;
	uint32_t mask = tree->at.mask;

	sums->n = (uint32_t)__builtin_popcount(mask);
	sums->weight = 0;
	sums->squares = 0;
	sums->n_runs = 0;
	tree->n_present = 0;
	for (int32_t k = 0; k < tree->n_classes; k++) {
		uint32_t rows = mask & tree->class_rows[k], total;

		if (rows == 0)
			continue;
		total = weight_of(tree, rows);
		tree->present[tree->n_present] = k;
		sums->totals[tree->n_present++] = total;
		sums->weight += total;
		sums->squares += (uint64_t)total * total;
	}
	sums->n_runs = tree->n_present;
	return tree->n_present == 1;
}

static bool
small_read_targets(struct small_tree *tree)
{
	struct rf_fast_node *sums = &tree->sums;
	const struct rf_small *in = tree->in;
	int64_t first = tree->targets[__builtin_ctz(tree->at.mask)];
	bool is_pure = true;

	sums->n = (uint32_t)__builtin_popcount(tree->at.mask);
	sums->weight = 0;
	sums->sum = 0;
	for (uint32_t m = tree->at.mask; m != 0; m &= m - 1) {
		int row = __builtin_ctz(m);

		sums->weight += in->weights[row];
		sums->sum += in->products[row];
		is_pure &= tree->targets[row] == first;
	}
	sums->mean = rf_floor_div(sums->sum, (int64_t)sums->weight);
	return is_pure;
}

static enum rf_status
small_leaf(struct small_tree *tree, struct rf_error *err)
{
	const struct rf_small *in = tree->in;
	int32_t classes[RF_FAST_CLASSES], n = tree->n_present;
	uint64_t weights[RF_FAST_CLASSES];
	bool is_up;

	if (in->problem->n_classes == 0) {
		rf_tree_leaf_sum(in->builder, tree->at.index, tree->sums.weight,
		    tree->sums.sum);
		return RF_OK;
	}
	is_up = in->node->runs[tree->present[0]].class <=
	    in->node->runs[tree->present[n - 1]].class;
	for (int32_t i = 0; i < n; i++) {
		int32_t k = is_up ? i : n - 1 - i;

		classes[i] = in->node->runs[tree->present[k]].class;
		weights[i] = tree->sums.totals[k];
	}
	return rf_tree_leaf_classes(in->builder, tree->at.index,
	    tree->sums.weight, classes, weights, n, err);
}

/* Lanes that may be candidates: rows of the node that are not missing, with
 * enough rows on both sides. */
static void
small_valid(const struct small_tree *tree, const uint8_t *codes,
    int32_t missing, uint32_t n_more, float *is_valid)
{
	uint32_t mask = tree->at.mask, least = tree->search.min_leaf;

	for (int i = 0; i < 32; i++)
		is_valid[i] = (float)(mask >> i & 1);
	if (missing >= 0)
		for (int i = 0; i < 32; i++)
			is_valid[i] = codes[i] == missing ? 0 : is_valid[i];
	if (least == 1)
		return;
	for (uint32_t m = mask; m != 0; m &= m - 1) {
		int row = __builtin_ctz(m);
		U8X32 own = all32(codes[row]);
		uint32_t n_left = (uint32_t)__builtin_popcount(mask &
				      bits_of(at_most(load32(codes), own))) +
		    n_more;

		if (n_left < least || tree->sums.n < n_left + least)
			is_valid[row] = 0;
	}
}

/* Rows of the node that are missing, 0 where `missing` is -1. */
static uint32_t
small_missing(
    const struct small_tree *tree, const uint8_t *codes, int32_t missing)
{
	return missing < 0
	    ? 0
	    : bits_of(equal(load32(codes), all32((uint8_t)missing))) &
		tree->at.mask;
}

/* As in gini_pairs, with the rows of a mask. */
static void
small_gini(struct small_tree *tree, const uint8_t *codes, int32_t column,
    int32_t missing)
{
	_Alignas(32) uint8_t left[RF_FAST_CLASSES * 32];
	float is_valid[32];
	uint32_t mask = tree->at.mask;
	uint32_t absent = small_missing(tree, codes, missing);
	U8X32 own = load32(codes);
	struct lanes lanes = {
	    &tree->search.best, &tree->sums, codes, column, 1, left, is_valid};

	for (int32_t k = 0; k < tree->n_present; k++) {
		U8X32 sum = all32(0);

		for (uint32_t m = mask & tree->class_rows[tree->present[k]];
		     m != 0; m &= m - 1) {
			int row = __builtin_ctz(m);

			sum += at_most(all32(codes[row]), own) &
			    all32(tree->in->weights[row]);
		}
		memcpy(left + 32 * (size_t)k, &sum, sizeof(sum));
	}
	small_valid(tree, codes, missing, 0, is_valid);
	lanes_best(&lanes, false);
	if (absent == 0 || absent == mask)
		return;
	for (int i = 0; i < 32; i++)
		is_valid[i] = (float)((mask & ~absent) >> i & 1);
	lanes_missing_left(&lanes, last_lane(codes, is_valid, 32));
	small_valid(tree, codes, missing, (uint32_t)__builtin_popcount(absent),
	    is_valid);
	lanes_best(&lanes, true);
}

/* Tries the rows of a mask as the left side. */
static void
small_gini_rows(struct small_tree *tree, uint32_t rows, struct rf_fast_cut cut)
{
	uint64_t sl = 0, wl = 0, sr = 0;
	uint32_t n_left = (uint32_t)__builtin_popcount(rows);
	uint32_t least = tree->search.min_leaf;

	if (n_left < least || tree->sums.n < n_left + least)
		return;
	for (int32_t k = 0; k < tree->n_present; k++) {
		uint64_t l =
		    weight_of(tree, rows & tree->class_rows[tree->present[k]]);
		uint64_t r = tree->sums.totals[k] - l;

		wl += l;
		sl += l * l;
		sr += r * r;
	}
	rf_fast_try(
	    &tree->search.best, cut, sl, wl, sr, tree->sums.weight - wl);
}

/* Squares past 16 bits, which takes weights far above one: cut by cut. */
static void
small_gini_heavy(struct small_tree *tree, const uint8_t *codes, int32_t column,
    int32_t missing)
{
	uint32_t absent = small_missing(tree, codes, missing);
	uint32_t mask = tree->at.mask & ~absent, rows = 0;

	while (rows != mask) {
		int32_t next = 256;

		for (uint32_t m = mask & ~rows; m != 0; m &= m - 1)
			if (codes[__builtin_ctz(m)] < next)
				next = codes[__builtin_ctz(m)];
		for (uint32_t m = mask & ~rows; m != 0; m &= m - 1)
			if (codes[__builtin_ctz(m)] == next)
				rows |= m & -m;
		small_gini_rows(
		    tree, rows, (struct rf_fast_cut){column, next, false});
		if (absent != 0 && rows != mask)
			small_gini_rows(tree, rows | absent,
			    (struct rf_fast_cut){column, next, true});
	}
}

/* The node's rows by code, as code << 5 | row; how many. */
static uint32_t
small_sort(const struct small_tree *tree, const uint8_t *codes, uint32_t *keys)
{
	uint32_t n = 0;

	for (uint32_t m = tree->at.mask; m != 0; m &= m - 1) {
		uint32_t row = (uint32_t)__builtin_ctz(m), i = n++;
		uint32_t key = (uint32_t)codes[row] << 5 | row;

		for (; i > 0 && keys[i - 1] > key; i--)
			keys[i] = keys[i - 1];
		keys[i] = key;
	}
	return n;
}

static void
small_squared(struct small_tree *tree, const uint8_t *codes, int32_t column,
    int32_t missing)
{
	const struct rf_small *in = tree->in;
	uint32_t keys[RF_SMALL + 1], n = small_sort(tree, codes, keys);
	struct squared_side left = {0, 0, 0}, absent = {0, 0, 0};
	bool by_weight = tree->search.min_leaf == 1;

	while (n > 0 && (int32_t)(keys[n - 1] >> 5) == missing) {
		uint32_t row = keys[--n] & 31;

		absent.n += by_weight ? in->weights[row] : 1;
		absent.weight += in->weights[row];
		absent.sum += in->products[row];
	}
	keys[n] = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = keys[i] & 31, code = keys[i] >> 5;

		left.n += by_weight ? in->weights[row] : 1;
		left.weight += in->weights[row];
		left.sum += in->products[row];
		if (code != keys[i + 1] >> 5 &&
		    left.weight < (int64_t)tree->sums.weight)
			squared_cut(&tree->search, column, (int32_t)code, &left,
			    &absent);
	}
}

/* The k-th column that the node draws. */
static int32_t
small_draw(
    struct small_tree *tree, uint32_t key, uint32_t k, uint32_t n, int bits)
{
	uint32_t x = k;

	if (bits > 6)
		return (int32_t)rf_draw(key, k, n, bits);
	if (!tree->has_ahead) {
		draws(key, 0, bits, tree->ahead);
		if (bits == 6)
			draws(key, 32, bits, tree->ahead + 32);
		tree->has_ahead = true;
	}
	do
		x = tree->ahead[x];
	while (x >= n);
	return (int32_t)x;
}

/* Looks at a column; false: constant in the node. */
static bool
small_look(struct small_tree *tree, int32_t column)
{
	const struct rf_small *in = tree->in;
	const uint8_t *codes = in->columns + (size_t)column * in->stride;
	const struct rf_coded_feature *feature =
	    &in->problem->features[in->problem->active[column]];
	int32_t missing = feature->has_missing ? feature->n_values : -1;
	uint32_t mask = tree->at.mask;
	U8X32 lanes;

	if (in->constants[column / 64] >> column % 64 & 1)
		return false;
	lanes = load32(codes);
	if ((~bits_of(equal(lanes, all32(codes[__builtin_ctz(mask)]))) &
		mask) == 0)
		return false;
	if (in->problem->n_classes == 0)
		small_squared(tree, codes, column, missing);
	else if (tree->sums.squares < 65536)
		small_gini(tree, codes, column, missing);
	else
		small_gini_heavy(tree, codes, column, missing);
	return true;
}

static void
small_search(struct small_tree *tree)
{
	const struct rf_problem *problem = tree->in->problem;
	const struct rf_rules *rules = tree->in->rules;
	uint32_t n = (uint32_t)problem->n_active;
	uint32_t key = rf_draw_key(tree->at.key);
	uint32_t most = (uint32_t)rules->max_features, n_varying = 0;
	int bits = rf_draw_bits(n);
	/* Two rows: every cut is as good as the first. */
	bool is_pair = tree->sums.n == 2;

	memset(&tree->search.best, 0, sizeof(tree->search.best));
	tree->has_ahead = false;
	for (uint32_t k = 0; k < n; k++) {
		if (rules->count_constant ? k >= most && n_varying > 0
					  : n_varying >= most)
			return;
		n_varying +=
		    small_look(tree, small_draw(tree, key, k, n, bits));
		if (tree->search.best.is_pure || (is_pair && n_varying > 0))
			return;
	}
}

static double
small_gain(const struct small_tree *tree)
{
	const struct rf_fast_best *best = &tree->search.best;
	const struct rf_fast_node *sums = &tree->sums;

	if (tree->in->problem->n_classes == 0)
		return rf_squared_gain(
		    best->score, sums->mean, sums->sum, (int64_t)sums->weight);
	return rf_gini_gain(best->squares_left, best->weight_left,
	    best->squares_right, best->weight_right, sums->squares);
}

static enum rf_status
small_split(struct small_tree *tree, double gain, struct rf_error *err)
{
	const struct rf_small *in = tree->in;
	const struct rf_fast_best *best = &tree->search.best;
	const uint8_t *codes = in->columns + (size_t)best->column * in->stride;
	int32_t column = in->problem->active[best->column];
	const struct rf_coded_feature *feature = &in->problem->features[column];
	uint32_t absent = small_missing(
	    tree, codes, feature->has_missing ? feature->n_values : -1);
	uint32_t mask = tree->at.mask, left, right;
	int32_t hi = 256, index;
	struct rf_choice choice = {0};

	left = bits_of(at_most(load32(codes), all32((uint8_t)best->lo))) & mask;
	for (uint32_t m = mask & ~left & ~absent; m != 0; m &= m - 1)
		if (codes[__builtin_ctz(m)] < hi)
			hi = codes[__builtin_ctz(m)];
	if (best->missing_left)
		left |= absent;
	right = mask & ~left;
	choice.feature = column;
	choice.cut = hi == 256 ? RF_CUT_PRESENT : rf_cut_between(best->lo, hi);
	choice.missing_left = absent != 0
	    ? best->missing_left
	    : rf_missing_by_majority(
		  __builtin_popcount(left), __builtin_popcount(right));
	choice.gain = gain;
	choice.cover = tree->sums.weight;
	RF_TRY(
	    rf_tree_split(in->builder, tree->at.index, &choice, &index, err));
	tree->stack[tree->n_stack++] =
	    (struct small_node){rf_key_child(tree->at.key, 1), mask & ~left,
		index + 1, tree->at.depth + 1};
	tree->stack[tree->n_stack++] = (struct small_node){
	    rf_key_child(tree->at.key, 0), left, index, tree->at.depth + 1};
	return RF_OK;
}

static enum rf_status
small_node(struct small_tree *tree, struct rf_error *err)
{
	const struct rf_small *in = tree->in;
	const struct rf_rules *rules = in->rules;
	bool is_regression = in->problem->n_classes == 0;
	bool is_pure =
	    is_regression ? small_read_targets(tree) : small_read(tree);
	double gain;

	if (is_pure || tree->sums.n < rules->min_samples_split ||
	    tree->sums.n < 2 * rules->min_samples_leaf ||
	    tree->at.depth >= rules->max_depth)
		return small_leaf(tree, err);
	small_search(tree);
	if (!tree->search.best.is_found)
		return small_leaf(tree, err);
	gain = small_gain(tree);
	if (rf_decrease(gain, in->root_weight,
		is_regression ? in->problem->target_shift : 0) <
	    rules->min_impurity_decrease)
		return small_leaf(tree, err);
	return small_split(tree, gain, err);
}

static enum rf_status
small(const struct rf_small *in, struct rf_error *err)
{
	struct small_tree tree;

	tree.in = in;
	tree.search.node = &tree.sums;
	tree.search.min_leaf = (uint32_t)in->rules->min_samples_leaf;
	small_start(&tree);
	while (tree.n_stack > 0) {
		tree.at = tree.stack[--tree.n_stack];
		RF_TRY(small_node(&tree, err));
	}
	return RF_OK;
}
