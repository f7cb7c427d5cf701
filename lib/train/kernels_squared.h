/*
 * Best cut of one column by squared error; a part of kernels_body.h.
 */

/* The exact rule for a candidate, unless a product shows that it lies far
 * below the best: with d + e = rest, the score is about d^2 w / (wl wr). */
static inline void
squared_try(struct rf_fast_search *search, struct rf_fast_cut cut, int64_t suml,
    int64_t wl)
{
	const struct rf_fast_node *node = search->node;
	struct rf_fast_best *best = &search->best;
	int64_t wr = (int64_t)node->weight - wl;
	int64_t sumr = node->sum - suml;
	double d = (double)(suml - node->mean * wl);
	double e = (double)(sumr - node->mean * wr);
	double l = (double)wl, r = (double)wr;
	struct rf_score score;

	if (d * d * r + e * e * l < best->least_squared * (l * r))
		return;
	score = rf_squared_score(node->mean, suml, wl, sumr, wr);
	if (best->is_found && !rf_score_better(score, best->score))
		return;
	rf_fast_keep(best, &cut, score);
	best->least_squared = (d * d / l + e * e / r) * (1 - 1e-12);
}

/* Rows where there is a limit on them; else weight does, which is there
 * already. */
static inline uint32_t
rows_counted(const struct rf_fast_search *search)
{
	return search->min_leaf == 1 ? (uint32_t)search->node->weight
				     : search->node->n;
}

/* Rows (or weight), weight and targets of one side or one code. */
struct squared_side {
	uint32_t n;
	int64_t weight, sum;
};

/* A cut with missing rows on the right, then on the left. */
static inline void
squared_cut(struct rf_fast_search *search, int32_t column, int32_t code,
    const struct squared_side *left, const struct squared_side *missing)
{
	uint32_t least = search->min_leaf, n = rows_counted(search);
	struct rf_fast_cut cut = {column, code, false};

	if (left->n >= least && n - left->n >= least)
		squared_try(search, cut, left->sum, left->weight);
	if (missing->n == 0)
		return;
	cut.missing_left = true;
	if (left->n + missing->n < n && left->n + missing->n >= least &&
	    n - left->n - missing->n >= least)
		squared_try(search, cut, left->sum + missing->sum,
		    left->weight + missing->weight);
}

static void
squared_count(
    struct rf_fast_search *search, const uint8_t *codes, int32_t n_codes)
{
	uint32_t n = search->node->n;
	uint32_t *counts = search->counts;
	int64_t *sums = search->sums;
	const uint8_t *weights = search->weights;
	const int64_t *products = search->products;

	memset(counts, 0, (size_t)n_codes * sizeof(*counts));
	memset(sums, 0, (size_t)n_codes * sizeof(*sums));
	for (uint32_t i = 0; i < n; i++) {
		counts[codes[i]] += weights[i];
		sums[codes[i]] += products[i];
	}
	if (search->min_leaf == 1)
		return;
	counts += RF_FAST_CLASSES * 256;
	memset(counts, 0, (size_t)n_codes * sizeof(*counts));
	for (uint32_t i = 0; i < n; i++)
		counts[codes[i]]++;
}

static void
squared(struct rf_fast_search *search, const uint8_t *codes, int32_t column,
    const struct rf_coded_feature *feature)
{
	const uint32_t *counts = search->counts;
	const uint32_t *rows =
	    search->min_leaf == 1 ? counts : counts + RF_FAST_CLASSES * 256;
	int32_t n_values = feature->n_values;
	struct squared_side left = {0, 0, 0}, missing = {0, 0, 0};
	int64_t weight = (int64_t)search->node->weight;

	squared_count(search, codes, n_values + feature->has_missing);
	if (feature->has_missing && counts[n_values] > 0)
		missing = (struct squared_side){
		    rows[n_values], counts[n_values], search->sums[n_values]};
	for (int32_t x = 0; x < n_values; x++) {
		if (counts[x] == 0)
			continue;
		left.n += rows[x];
		left.weight += counts[x];
		left.sum += search->sums[x];
		if (left.weight < weight)
			squared_cut(search, column, x, &left, &missing);
	}
}
