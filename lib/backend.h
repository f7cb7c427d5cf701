/*
 * Where the stages run: quantise, grow and walk on a CPU or a CUDA device.
 *
 * A backend is a struct of calls on opaque state.  Results are equal to the
 * byte for every backend, thread count, batch and device; so a caller may
 * change backends between two batches.  cuda/ is reached through here alone.
 *
 *	const struct rf_backend *backend = rf_backend_cpu();
 *	RF_TRY(backend->open(&options, &device, err));
 *	RF_TRY(backend->grow(device, &problem, &rules, 0, 100, &sink, err));
 *	backend->close(device);
 */
#ifndef RF_BACKEND_H
#define RF_BACKEND_H

#include "base/log.h"
#include "train/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rf_device;     /* an open backend */
struct rf_walker;     /* a forest laid out on a device */
struct rf_walk_model; /* predict/model.h */
struct rf_walk_batch; /* predict/model.h */

/* Tiers of growth, for tests: nodes of every size go to this one where it can
 * take them. */
enum rf_tier {
	RF_TIER_AUTO,
	RF_TIER_LEVEL,
	RF_TIER_BLOCK,
	RF_TIER_WARP,
	RF_TIER_LANE,
};

struct rf_backend_options {
	int n_threads; /* 0: as many as the machine has cores for us */
	int gpu;       /* device number under CUDA; -1: any */
	enum rf_tier tier;
	size_t memory_limit_bytes; /* of the device; 0: what is free */
	const struct rf_log *log;
	bool verbose;
};

/*
 * Codes of a block of values: code = number of thresholds below the value
 * (so x <= t iff code(x) <= code(t)), missing_code where missing.  Serves bins
 * in training and ranks in inference.
 */
struct rf_quantise_job {
	int64_t n_rows;
	/* enum rf_precision of values: float, double or int64_t */
	int precision;
	const void *values;	   /* NaN is missing */
	const uint8_t *is_missing; /* int64 only: a byte a row; NULL: none */
	const void *thresholds;	   /* ascending; double, or int64_t */
	int32_t n_thresholds;
	uint32_t missing_code;
	int code_bytes; /* 1 or 2 */
	void *codes;	/* n_rows results */
};

struct rf_backend {
	const char *name; /* "cpu", "cuda" */
	enum rf_status (*open)(const struct rf_backend_options *options,
	    struct rf_device **out, struct rf_error *err);
	void (*close)(struct rf_device *device);

	/* Host memory that the device copies from and to fast. */
	void *(*host_alloc)(struct rf_device *device, size_t size_bytes);
	void (*host_free)(struct rf_device *device, void *memory);

	enum rf_status (*quantise)(struct rf_device *device,
	    const struct rf_quantise_job *jobs, int64_t n_jobs,
	    struct rf_error *err);

	/* Trees first..end-1 go to the sink in order. */
	enum rf_status (*grow)(struct rf_device *device,
	    const struct rf_problem *problem, const struct rf_rules *rules,
	    int64_t first, int64_t end, const struct rf_tree_sink *sink,
	    struct rf_error *err);

	/* Lays a forest out; n_slots batches may be in flight. */
	enum rf_status (*load)(struct rf_device *device,
	    const struct rf_walk_model *model, int n_slots,
	    struct rf_walker **out, struct rf_error *err);
	void (*unload)(struct rf_walker *walker);
	/* The batch and what it points to stay unchanged until its wait. */
	enum rf_status (*submit)(struct rf_walker *walker, int slot,
	    const struct rf_walk_batch *batch, struct rf_error *err);
	enum rf_status (*wait)(
	    struct rf_walker *walker, int slot, struct rf_error *err);
};

const struct rf_backend *rf_backend_cpu(void);
/* NULL in a build without CUDA. */
const struct rf_backend *rf_backend_cuda(void);

/*
 * Opens what `--device` names: "cpu", "cuda", "cuda:N" (options->gpu is not
 * asked), or "auto": CUDA where there is a card and the work is worth its
 * start, else the CPU.  RF_EUNAVAILABLE where CUDA is named and lacking.
 */
enum rf_status rf_backend_open(const char *name, bool is_worth_gpu,
    const struct rf_backend_options *options, const struct rf_backend **backend,
    struct rf_device **device, struct rf_error *err) RF_MUST_USE;

/* What rf-info --devices prints: one line a fact, appended to text. */
struct rf_text;
void rf_backend_cuda_describe(struct rf_text *text);

#ifdef __cplusplus
}
#endif
#endif
