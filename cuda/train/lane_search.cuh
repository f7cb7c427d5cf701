/*
 * The features of a node of the lane tier, in draw order.  Part of lane.cuh.
 */
#ifndef RF_TRAIN_LANE_SEARCH_CUH
#define RF_TRAIN_LANE_SEARCH_CUH

/* Sum over the lanes of `mask` of the weights of one class, shifted. */
template <bool IS_WEIGHTED>
static __device__ uint64_t
rf_lane_class_sum(const struct lane_node *node, const struct lane_row *row,
    uint32_t mask, int label_rank)
{
	uint32_t of_class = __ballot_sync(
	    RF_FULL, rf_lane_in(node->mask) && row->label_rank == label_rank);
	uint64_t sum = 0;

	for (uint32_t rest = of_class; rest != 0; rest &= rest - 1) {
		int from = __ffs((int)rest) - 1;
		uint64_t w = rf_lane_weight<IS_WEIGHTED>(row, from);

		if (mask >> from & 1)
			sum += w;
	}
	return sum >> node->shift;
}

/*
 * Rows of the levels that come before this lane's level (eq) in the order of
 * levels by share of a class (label_rank), or by mean target (-1).
 */
template <bool IS_WEIGHTED>
static __device__ uint32_t
rf_lane_order(const struct lane_node *node, const struct lane_row *row,
    uint32_t code, uint32_t eq, uint32_t present, int label_rank)
{
	uint64_t weight = 0, share = 0;
	int64_t sum = 0;
	uint32_t before = 0;

	if (label_rank >= 0) {
		for (uint32_t labels = node->labels; labels != 0;
		     labels &= labels - 1) {
			int label = __ffs((int)labels) - 1;
			uint64_t of_class = rf_lane_class_sum<IS_WEIGHTED>(
			    node, row, eq, label);

			weight += of_class;
			if (label == label_rank)
				share = of_class;
		}
	} else
		for (uint32_t rest = present; rest != 0; rest &= rest - 1) {
			int from = __ffs((int)rest) - 1;
			uint64_t w = rf_lane_weight<IS_WEIGHTED>(row, from);
			int64_t t = __shfl_sync(RF_FULL, row->target, from);

			if (eq >> from & 1) {
				weight += w;
				sum += t;
			}
		}
	for (uint32_t rest = present; rest != 0; rest &= rest - 1) {
		int from = __ffs((int)rest) - 1;
		uint64_t w = __shfl_sync(RF_FULL, weight, from);
		uint64_t x = __shfl_sync(RF_FULL, share, from);
		int64_t s = __shfl_sync(RF_FULL, sum, from);
		uint32_t c = __shfl_sync(RF_FULL, code, from);
		bool is_less, is_more;

		if (!rf_lane_in(present))
			continue;
		if (label_rank >= 0) {
			is_less = rf_share_less(x, w, share, weight);
			is_more = rf_share_less(share, weight, x, w);
		} else {
			is_less =
			    rf_mean_less(s, (int64_t)w, sum, (int64_t)weight);
			is_more =
			    rf_mean_less(sum, (int64_t)weight, s, (int64_t)w);
		}
		if (is_less || (!is_more && c < code))
			before |= 1u << from;
	}
	return before;
}

/* The heaviest class of the node not in `done` (ties: the lowest). */
template <bool IS_WEIGHTED>
static __device__ int
rf_lane_heaviest(const struct lane_node *node, const struct lane_row *row)
{
	uint64_t most = 0;
	int heaviest = -1;

	for (uint32_t labels = node->labels; labels != 0;
	     labels &= labels - 1) {
		int label = __ffs((int)labels) - 1;
		uint64_t sum = rf_warp_sum(
		    rf_lane_in(node->mask) && row->label_rank == label
			? row->weight
			: 0);

		if (heaviest < 0 || sum > most) {
			most = sum;
			heaviest = label;
		}
	}
	return heaviest;
}

/* A categorical feature: at most 32 rows have one order (rf_n_orders). */
template <bool IS_WEIGHTED>
static __device__ void
rf_lane_try_levels(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_row *row, uint32_t code, uint32_t eq, uint32_t present,
    struct lane_best *best)
{
	int label = -1;
	uint32_t lt;

	if (v->n_classes > 0 && __popc(node->labels) == 2)
		label = 31 - __clz((int)node->labels);
	else if (v->n_classes > 0)
		label = rf_lane_heaviest<IS_WEIGHTED>(node, row);
	lt = rf_lane_order<IS_WEIGHTED>(node, row, code, eq, present, label);
	rf_lane_try<IS_WEIGHTED>(v, node, row, lt, eq, present, 0, best);
}

/* The best of the lanes' candidates, in every lane. */
static __device__ void
rf_lane_reduce(struct lane_best *best)
{
	for (int step = 16; step > 0; step >>= 1) {
		struct lane_best other;

		other.score.num =
		    __shfl_xor_sync(RF_FULL, best->score.num, step);
		other.score.den =
		    __shfl_xor_sync(RF_FULL, best->score.den, step);
		other.sl = __shfl_xor_sync(RF_FULL, best->sl, step);
		other.sr = __shfl_xor_sync(RF_FULL, best->sr, step);
		other.wl = __shfl_xor_sync(RF_FULL, best->wl, step);
		other.wr = __shfl_xor_sync(RF_FULL, best->wr, step);
		other.order = __shfl_xor_sync(RF_FULL, best->order, step);
		other.left = __shfl_xor_sync(RF_FULL, best->left, step);
		other.cut = __shfl_xor_sync(RF_FULL, best->cut, step);
		other.is_valid =
		    __shfl_xor_sync(RF_FULL, (int)best->is_valid, step);
		other.has_missing =
		    __shfl_xor_sync(RF_FULL, (int)best->has_missing, step);
		other.missing_left =
		    __shfl_xor_sync(RF_FULL, (int)best->missing_left, step);
		rf_lane_keep(best, &other);
	}
}

/* The code of the numeric cut: between the last occupied code on the left and
 * the first on the right. */
static __device__ int32_t
rf_lane_cut(uint32_t code, uint32_t present, uint32_t left)
{
	int32_t lo = -1, hi = INT32_MAX;

	if (rf_lane_in(present & left))
		lo = (int32_t)code;
	if (rf_lane_in(present & ~left))
		hi = (int32_t)code;
	for (int step = 16; step > 0; step >>= 1) {
		lo = max(lo, __shfl_xor_sync(RF_FULL, lo, step));
		hi = min(hi, __shfl_xor_sync(RF_FULL, hi, step));
	}
	return rf_cut_between(lo, hi);
}

/* Looks at one feature; false where it is constant in the node. */
template <bool IS_WEIGHTED>
static __device__ bool
rf_lane_look(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_row *row, int32_t feature, struct lane_best *best)
{
	struct rf_grow_feature f = v->features[feature];
	bool is_in = rf_lane_in(node->mask);
	uint32_t code = is_in ? rf_view_code(v, feature, row->row) : 0;
	uint32_t first = __shfl_sync(RF_FULL, code, node->begin);
	uint32_t present, lt, eq;
	struct lane_best found;

	if (__all_sync(RF_FULL, !is_in || code == first))
		return false;
	present = __ballot_sync(
	    RF_FULL, is_in && !(f.has_missing && code == (uint32_t)f.n_values));
	rf_lane_compare(
	    code, present, rf_bit_length((uint64_t)f.n_values), &lt, &eq);
	memset(&found, 0, sizeof(found));
	if (f.is_categorical)
		rf_lane_try_levels<IS_WEIGHTED>(
		    v, node, row, code, eq, present, &found);
	else
		rf_lane_try<IS_WEIGHTED>(
		    v, node, row, lt, eq, present, 0, &found);
	rf_lane_try_present<IS_WEIGHTED>(v, node, row, present, &found);
	rf_lane_reduce(&found);
	if (!found.is_valid)
		return true;
	found.feature = feature;
	if (!f.is_categorical && found.cut != RF_CUT_PRESENT)
		found.cut = rf_lane_cut(code, present, found.left);
	if (f.is_categorical)
		found.cut = 0;
	if (!best->is_valid || rf_score_better(found.score, best->score))
		*best = found;
	return true;
}

/* Whether nothing can beat the split: both sides are pure. */
static __device__ __forceinline__ bool
rf_lane_is_pure_cut(const struct rf_grow_view *v, const struct lane_best *best)
{
	return v->rules.criterion == RF_CRITERION_GINI && best->is_valid &&
	    best->sl == best->wl * best->wl && best->sr == best->wr * best->wr;
}

/* The best split of a node; false where there is none. */
template <bool IS_WEIGHTED>
static __device__ bool
rf_lane_search(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_row *row, struct lane_best *best)
{
	uint32_t key = rf_draw_key(node->key);
	uint32_t n = (uint32_t)v->n_active;
	int32_t n_looked = 0;

	memset(best, 0, sizeof(*best));
	for (uint32_t k = 0; k < n; k++) {
		int32_t n_counted =
		    v->rules.count_constant ? (int32_t)k : n_looked;
		uint32_t at;

		if (n_looked > 0 && n_counted >= v->rules.max_features)
			break;
		at = rf_draw(key, k, n, v->draw_bits);
		if (rf_lane_look<IS_WEIGHTED>(
			v, node, row, v->active[at], best))
			n_looked++;
		if (rf_lane_is_pure_cut(v, best))
			break;
	}
	return best->is_valid;
}

/* The gain of the best split in integer units. */
static __device__ double
rf_lane_gain(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_row *row, const struct lane_best *best)
{
	bool is_in = rf_lane_in(node->mask);
	uint64_t s = 0;
	int64_t t = 0;
	double gain;

	if (v->n_classes == 0)
		return rf_squared_gain(
		    best->score, node->mean, node->sum, (int64_t)node->weight);
	for (uint32_t labels = node->labels; labels != 0;
	     labels &= labels - 1) {
		bool is_it = is_in && row->label_rank == __ffs((int)labels) - 1;
		uint64_t sum =
		    rf_warp_sum(is_it ? row->weight : 0) >> node->shift;

		s += sum * sum;
		t += rf_entropy_term(sum, node->bits);
	}
	if (v->rules.criterion == RF_CRITERION_ENTROPY)
		gain = rf_entropy_gain(best->score, t, node->bits);
	else
		gain = rf_gini_gain(best->sl, best->wl, best->sr, best->wr, s);
	return rf_scale(gain, node->shift);
}

#endif
