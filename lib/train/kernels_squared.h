/*
 * Best cut of one column by squared error; a part of kernels_body.h.
 */

/* The exact rule for a cut after code lo, unless a product shows that it lies
 * far below the best: with d + e = rest, the score is about d^2 w / (wl wr). */
static inline void
squared_try(struct rf_fast_search *search, int32_t column, int32_t lo,
    int64_t suml, int64_t wl)
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
	best->is_found = true;
	best->score = score;
	best->least_squared = (d * d / l + e * e / r) * (1 - 1e-12);
	best->column = column;
	best->lo = lo;
}

static void
squared(struct rf_fast_search *search, const uint8_t *codes, int32_t column,
    int32_t n_values)
{
	const struct rf_fast_node *node = search->node;
	uint32_t *counts = search->counts;
	int64_t *sums = search->sums, suml = 0, wl = 0;
	int64_t weight = (int64_t)node->weight;

	memset(counts, 0, (size_t)n_values * sizeof(*counts));
	memset(sums, 0, (size_t)n_values * sizeof(*sums));
	for (uint32_t i = 0; i < node->n; i++) {
		counts[codes[i]] += search->weights[i];
		sums[codes[i]] += search->products[i];
	}
	for (int32_t x = 0; x < n_values; x++) {
		if (counts[x] == 0)
			continue;
		wl += counts[x];
		suml += sums[x];
		if (wl < weight)
			squared_try(search, column, x, suml, wl);
	}
}
