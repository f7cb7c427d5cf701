/*
 * The search for a split in an interval of lanes.
 *
 * Each lane scores the cut at its own row's code.  Which rows lie left of it
 * comes from ballots over the bits of the codes; class sums run once over the
 * node's rows.  rf-forest(5), Candidates.
 */
#ifndef RF_TRAIN_LANE_CUH
#define RF_TRAIN_LANE_CUH

#include "train/work.cuh"

struct lane_row {
	uint32_t row, count;
	int32_t label;	    /* class */
	int32_t label_rank; /* among the classes of the subtree */
	uint64_t weight;    /* count x weight */
	int64_t target;	    /* count x weight x target */
};

struct lane_job {
	uint64_t key;
	uint32_t id;
	int begin, n_rows, depth;
};

struct lane_shared {
	struct lane_job stack[34];
	int source[32];
};

struct lane_node {
	uint64_t key;
	uint32_t id, mask;
	int begin, depth;
	bool is_leaf;
	uint32_t labels;   /* ranks of the classes present */
	uint64_t weight;   /* not shifted */
	int64_t sum, mean; /* regression: of targets; its floor mean */
	int shift, bits;   /* rf_shift; rf_entropy_bits */
	int64_t fw;	   /* entropy: term of the shifted weight */
};

/* A candidate: score, what it was made of, and its place in the order. */
struct lane_best {
	struct rf_score score;
	uint64_t sl, wl, sr, wr; /* Gini */
	uint32_t order;
	uint32_t left; /* lanes that go left, missing ones included */
	int32_t feature, cut;
	bool is_valid, has_missing, missing_left;
};

static __device__ __forceinline__ uint32_t
rf_lane_mask(int begin, int n_rows)
{
	return (n_rows == 32 ? RF_FULL : (1u << n_rows) - 1) << begin;
}

static __device__ __forceinline__ bool
rf_lane_in(uint32_t mask)
{
	return mask >> (threadIdx.x & 31) & 1;
}

/* The row weight of another lane; counts alone need one shuffle. */
template <bool IS_WEIGHTED>
static __device__ __forceinline__ uint64_t
rf_lane_weight(const struct lane_row *row, int lane)
{
	if (IS_WEIGHTED)
		return __shfl_sync(RF_FULL, row->weight, lane);
	return __shfl_sync(RF_FULL, row->count, lane);
}

/* What a node is before its features are looked at. */
template <bool IS_WEIGHTED>
static __device__ void
rf_lane_begin(const struct rf_grow_view *v, const struct lane_job *job,
    const struct lane_row *row, struct lane_node *node)
{
	bool is_in, is_pure;
	uint64_t shifted = 0;

	node->key = job->key;
	node->id = job->id;
	node->begin = job->begin;
	node->depth = job->depth;
	node->mask = rf_lane_mask(job->begin, job->n_rows);
	is_in = rf_lane_in(node->mask);
	node->weight = rf_warp_sum(is_in ? row->weight : 0);
	node->shift = rf_shift(node->weight);
	node->labels = 0;
	node->sum = node->mean = 0;
	if (v->n_classes > 0) {
		uint32_t labels = is_in ? 1u << row->label_rank : 0;

		for (int step = 16; step > 0; step >>= 1)
			labels |= __shfl_xor_sync(RF_FULL, labels, step);
		node->labels = labels;
		is_pure = (labels & (labels - 1)) == 0;
		for (uint32_t rest = labels; rest != 0; rest &= rest - 1)
			shifted +=
			    rf_warp_sum(
				is_in && row->label_rank == __ffs((int)rest) - 1
				    ? row->weight
				    : 0) >>
			    node->shift;
	} else {
		/* equal targets, not equal products with the weight */
		int64_t t = is_in ? v->targets[row->row] : 0;
		int64_t first = __shfl_sync(RF_FULL, t, node->begin);

		is_pure = __all_sync(RF_FULL, !is_in || t == first);
		node->sum =
		    (int64_t)rf_warp_sum(is_in ? (uint64_t)row->target : 0);
		node->mean = rf_floor_div(node->sum, (int64_t)node->weight);
	}
	node->bits = rf_entropy_bits(shifted);
	node->fw = v->rules.criterion == RF_CRITERION_ENTROPY
	    ? rf_entropy_term(shifted, node->bits)
	    : 0;
	node->is_leaf = is_pure || job->depth >= v->rules.max_depth ||
	    job->n_rows < v->rules.min_samples_split;
}

/* Scores the split that sends `left` left; all lanes call, each for its own. */
template <bool IS_WEIGHTED>
static __device__ void
rf_lane_score(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_row *row, uint32_t left, struct lane_best *out)
{
	bool is_entropy = v->rules.criterion == RF_CRITERION_ENTROPY;
	int64_t tl = 0, tr = 0;

	out->sl = out->sr = out->wl = out->wr = 0;
	if (v->n_classes == 0) {
		int64_t suml = 0, wl = 0;

		for (uint32_t rest = node->mask; rest != 0; rest &= rest - 1) {
			int from = __ffs((int)rest) - 1;
			int64_t w =
			    (int64_t)rf_lane_weight<IS_WEIGHTED>(row, from);
			int64_t t = __shfl_sync(RF_FULL, row->target, from);

			if (left >> from & 1) {
				suml += t;
				wl += w;
			}
		}
		if (wl > 0 && wl < (int64_t)node->weight)
			out->score = rf_squared_score(node->mean, suml, wl,
			    node->sum - suml, (int64_t)node->weight - wl);
		return;
	}
	for (uint32_t labels = node->labels; labels != 0;
	     labels &= labels - 1) {
		bool is_it = rf_lane_in(node->mask) &&
		    row->label_rank == __ffs((int)labels) - 1;
		uint64_t all = 0, side = 0, rest_side;

		for (uint32_t rest = __ballot_sync(RF_FULL, is_it); rest != 0;
		     rest &= rest - 1) {
			int from = __ffs((int)rest) - 1;
			uint64_t w = rf_lane_weight<IS_WEIGHTED>(row, from);

			all += w;
			if (left >> from & 1)
				side += w;
		}
		side >>= node->shift;
		rest_side = (all >> node->shift) - side;
		out->wl += side;
		out->wr += rest_side;
		if (is_entropy) {
			tl += rf_entropy_term(side, node->bits);
			tr += rf_entropy_term(rest_side, node->bits);
		} else {
			out->sl += side * side;
			out->sr += rest_side * rest_side;
		}
	}
	if (is_entropy)
		out->score = rf_entropy_score(node->fw,
		    rf_entropy_term(out->wl, node->bits), tl,
		    rf_entropy_term(out->wr, node->bits), tr);
	else
		out->score = rf_gini_score(out->sl, out->wl, out->sr, out->wr);
}

/* Keeps the better candidate; ties keep the one that comes first. */
static __device__ __forceinline__ void
rf_lane_keep(struct lane_best *best, const struct lane_best *candidate)
{
	if (!candidate->is_valid)
		return;
	if (!best->is_valid || rf_score_better(candidate->score, best->score) ||
	    (candidate->order < best->order &&
		!rf_score_better(best->score, candidate->score)))
		*best = *candidate;
}

/* Lanes of the node whose code is below (lt) or equal to (eq) this lane's. */
static __device__ __forceinline__ void
rf_lane_compare(
    uint32_t code, uint32_t among, int n_bits, uint32_t *lt, uint32_t *eq)
{
	*lt = 0;
	*eq = among;
	for (int bit = n_bits - 1; bit >= 0; bit--) {
		bool is_set = code >> bit & 1;
		uint32_t set = __ballot_sync(RF_FULL, is_set);

		if (is_set) {
			*lt |= *eq & ~set;
			*eq &= set;
		} else
			*eq &= ~set;
	}
}

/*
 * Tries the cut at this lane's level, whose left side below it is `lt`, with
 * missing right and left.  present: lanes with a value.  Orders count levels by
 * the rows before them, so they ascend with the prefix.
 */
template <bool IS_WEIGHTED>
static __device__ void
rf_lane_try(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_row *row, uint32_t lt, uint32_t eq, uint32_t present,
    uint32_t order, struct lane_best *best)
{
	uint32_t missing = node->mask & ~present;
	int lane = (int)(threadIdx.x & 31);

	for (int side = 0; side < (missing == 0 ? 1 : 2); side++) {
		struct lane_best now;
		uint32_t left = lt | eq | (side ? missing : 0);
		int n_left = __popc(left);
		int n_right = __popc(node->mask) - n_left;

		now.is_valid = rf_lane_in(present) &&
		    __ffs((int)eq) - 1 == lane && (lt | eq) != present &&
		    n_left >= v->rules.min_samples_leaf &&
		    n_right >= v->rules.min_samples_leaf;
		if (!__any_sync(RF_FULL, now.is_valid))
			continue;
		now.order =
		    order << 8 | (uint32_t)__popc(lt) << 1 | (uint32_t)side;
		now.left = left;
		now.has_missing = missing != 0;
		now.missing_left = side;
		now.cut = 0;
		rf_lane_score<IS_WEIGHTED>(v, node, row, left, &now);
		rf_lane_keep(best, &now);
	}
}

/* Present against missing, the last candidate; one lane holds it. */
template <bool IS_WEIGHTED>
static __device__ void
rf_lane_try_present(const struct rf_grow_view *v, const struct lane_node *node,
    const struct lane_row *row, uint32_t present, struct lane_best *best)
{
	uint32_t missing = node->mask & ~present;
	struct lane_best now;

	if (missing == 0 || present == 0)
		return;
	now.is_valid = (threadIdx.x & 31) == 0 &&
	    __popc(present) >= v->rules.min_samples_leaf &&
	    __popc(missing) >= v->rules.min_samples_leaf;
	if (!__any_sync(RF_FULL, now.is_valid))
		return;
	now.order = UINT32_MAX;
	now.left = present;
	now.has_missing = true;
	now.missing_left = false;
	now.cut = RF_CUT_PRESENT;
	rf_lane_score<IS_WEIGHTED>(v, node, row, present, &now);
	rf_lane_keep(best, &now);
}

#include "train/lane_search.cuh"

#endif
