/*
 * A forest on the device, and the slots of batches that walk it.
 */
#ifndef RF_CUDA_LAYOUT_CUH
#define RF_CUDA_LAYOUT_CUH

#include "predict/quantise.cuh"
#include "predict/walk.cuh"

/* A node is one 16-byte load. */
struct rf_device_node {
	uint32_t feature; /* place among the used ones, and the bits below */
	uint32_t rank;	  /* or first word of the set of levels */
	uint32_t left;	  /* index among all nodes; right is the next */
	uint32_t leaf;	  /* number of the leaf */
};

#define RF_NODE_LEAF	     (UINT32_C(1) << 31)
#define RF_NODE_MISSING_LEFT (UINT32_C(1) << 30)
#define RF_NODE_SET	     (UINT32_C(1) << 29)
#define RF_NODE_FEATURE	     (RF_NODE_SET - 1)

/* What the walk kernel reads; device memory. */
struct rf_device_forest {
	const struct rf_device_node *nodes;
	const int64_t *tree_first;
	const uint64_t *cats;
	const int64_t *leaf_first;
	const int32_t *leaf_output;
	const int64_t *leaf_amount;
	int32_t n_trees, n_outputs;
	enum rf_vote vote;
};

struct rf_slot {
	cudaStream_t stream;
	struct rf_arena arena;
	int64_t n_rows; /* that the arena holds */
	char **values;	/* used features: values, or codes of categories */
	uint8_t **is_missing;
	void *ranks;   /* used features x rows */
	void *results; /* rows x outputs */
};

struct rf_walker {
	struct rf_device *device;
	struct rf_arena arena;
	struct rf_device_forest forest;
	int32_t n_used;
	int32_t *used;			/* features by place */
	struct rf_rank_column *columns; /* thresholds on the device, by place */
	bool *is_categorical;
	int rank_bytes; /* 2 or 4 */
	struct rf_slot *slots;
	int n_slots;
};

#endif
