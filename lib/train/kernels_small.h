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

/* As in gini_pairs, with the rows of a mask. */
static void
small_gini(struct small_tree *tree, U8X32 codes, const uint8_t *column_codes,
    int32_t column)
{
	_Alignas(32) uint8_t left[RF_FAST_CLASSES * 32];
	uint16_t sl[32], sr[32], wl[32];
	float is_valid[32], scores[32], most;
	struct rf_fast_best *best = &tree->search.best;
	const struct rf_fast_node *sums = &tree->sums;
	uint32_t mask = tree->at.mask;

	for (int32_t k = 0; k < tree->n_present; k++) {
		U8X32 sum = all32(0);

		for (uint32_t m = mask & tree->class_rows[tree->present[k]];
		     m != 0; m &= m - 1) {
			int row = __builtin_ctz(m);

			sum += (U8X32)(all32(column_codes[row]) <= codes) &
			    all32(tree->in->weights[row]);
		}
		memcpy(left + 32 * (size_t)k, &sum, sizeof(sum));
	}
	for (int i = 0; i < 32; i++)
		is_valid[i] = (float)(mask >> i & 1);
	lane_sums(left, 32, sums->totals, tree->n_present, sl, sr, wl);
	lane_scores(sl, sr, wl, (int32_t)sums->weight, is_valid, scores);
	most = largest(scores, 32);
	if (most < best->least || most <= 0)
		return;
	lanes_try(best, column, column_codes,
	    reaching(scores, most * (1 - RF_FLOAT_MARGIN)) & mask, sl, sr, wl,
	    sums->weight);
}

/* Squares past 16 bits, which takes weights far above one: row by row. */
static void
small_gini_heavy(
    struct small_tree *tree, const uint8_t *column_codes, int32_t column)
{
	uint32_t mask = tree->at.mask;
	int32_t found = -1;

	for (;;) {
		uint64_t sl = 0, wl = 0, sr = 0;
		int32_t next = 256;
		uint32_t rows = 0;

		for (uint32_t m = mask; m != 0; m &= m - 1) {
			int32_t code = column_codes[__builtin_ctz(m)];

			if (code > found && code < next)
				next = code;
		}
		if (next == 256)
			return;
		found = next;
		for (uint32_t m = mask; m != 0; m &= m - 1)
			if (column_codes[__builtin_ctz(m)] <= found)
				rows |= m & -m;
		for (int32_t k = 0; k < tree->n_present; k++) {
			uint64_t l = weight_of(
			    tree, rows & tree->class_rows[tree->present[k]]);
			uint64_t r = tree->sums.totals[k] - l;

			wl += l;
			sl += l * l;
			sr += r * r;
		}
		if (rows != mask)
			rf_fast_try(&tree->search.best, column, found, sl, wl,
			    sr, tree->sums.weight - wl);
	}
}

static void
small_squared(
    struct small_tree *tree, const uint8_t *column_codes, int32_t column)
{
	const struct rf_small *in = tree->in;
	uint32_t keys[RF_SMALL], n = 0;
	int64_t suml = 0, wl = 0;

	for (uint32_t m = tree->at.mask; m != 0; m &= m - 1) {
		uint32_t row = (uint32_t)__builtin_ctz(m), i = n++;
		uint32_t key = (uint32_t)column_codes[row] << 5 | row;

		for (; i > 0 && keys[i - 1] > key; i--)
			keys[i] = keys[i - 1];
		keys[i] = key;
	}
	for (uint32_t i = 0; i + 1 < n; i++) {
		uint32_t row = keys[i] & 31;

		wl += in->weights[row];
		suml += in->products[row];
		if (keys[i] >> 5 != keys[i + 1] >> 5)
			squared_try(&tree->search, column,
			    (int32_t)(keys[i] >> 5), suml, wl);
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
	uint32_t mask = tree->at.mask;
	U8X32 lanes;

	if (in->constants[column / 64] >> column % 64 & 1)
		return false;
	lanes = load32(codes);
	if ((~bits_of((U8X32)(lanes == all32(codes[__builtin_ctz(mask)]))) &
		mask) == 0)
		return false;
	if (in->problem->n_classes == 0)
		small_squared(tree, codes, column);
	else if (tree->sums.squares < 65536)
		small_gini(tree, lanes, codes, column);
	else
		small_gini_heavy(tree, codes, column);
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
	uint32_t mask = tree->at.mask, left;
	int32_t hi = 256, index;
	struct rf_choice choice = {0};

	left =
	    bits_of((U8X32)(load32(codes) <= all32((uint8_t)best->lo))) & mask;
	for (uint32_t m = mask & ~left; m != 0; m &= m - 1)
		if (codes[__builtin_ctz(m)] < hi)
			hi = codes[__builtin_ctz(m)];
	choice.feature = in->problem->active[best->column];
	choice.cut = rf_cut_between(best->lo, hi);
	choice.missing_left = rf_missing_by_majority(
	    __builtin_popcount(left), __builtin_popcount(mask & ~left));
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
	small_start(&tree);
	while (tree.n_stack > 0) {
		tree.at = tree.stack[--tree.n_stack];
		RF_TRY(small_node(&tree, err));
	}
	return RF_OK;
}
