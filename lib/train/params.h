/*
 * Training parameters: as given, and as the rules of one training run.
 *
 *	rf_params_init(&params);
 *	RF_TRY(rf_trees_parse("0:250/1000", &params, err));
 *	RF_TRY(rf_amount_parse("sqrt", "--max-features", &params.max_features,
 *	    err));
 *	RF_TRY(rf_rules_make(&params, task, n_features, n_rows, log, &rules,
 *	    err));
 */
#ifndef RF_TRAIN_PARAMS_H
#define RF_TRAIN_PARAMS_H

#include "backend.h"
#include "forest/forest.h"

enum rf_amount_kind {
	RF_AMOUNT_DEFAULT,
	RF_AMOUNT_COUNT,
	RF_AMOUNT_FRACTION, /* in (0, 1] */
	RF_AMOUNT_SQRT,
	RF_AMOUNT_LOG2,
	RF_AMOUNT_ALL,
};

struct rf_amount {
	enum rf_amount_kind kind;
	int64_t count;
	double fraction;
};

struct rf_params {
	int64_t first, end;  /* trees to grow */
	int64_t total_trees; /* planned whole; 0: unknown */
	int criterion;	     /* enum rf_criterion; -1: the task's default */
	struct rf_amount max_features, max_samples;
	struct rf_amount min_samples_split, min_samples_leaf;
	int32_t max_depth; /* INT32_MAX: no limit */
	double min_impurity_decrease;
	bool bootstrap, count_constant;
	uint64_t seed;
	/* Data. */
	int32_t bins;
	int64_t min_category_rows;
	int32_t max_categories;
	bool drop_unlabelled, is_float32;
	const char *class_weight; /* "balanced", "NAME=W,..", or NULL */
	const struct rf_table_choice *choice;
};

/* The defaults of rf-fit(1). */
void rf_params_init(struct rf_params *params);

/* "N", "A:B" or "A:B/TOTAL", half-open; RF_EUSAGE else. */
enum rf_status rf_trees_parse(const char *text, struct rf_params *params,
    struct rf_error *err) RF_MUST_USE;

/*
 * A count >= low, or with a point or an exponent in it a fraction in (0, 1];
 * where words is set also "sqrt", "log2", "all".  RF_EUSAGE else.
 */
enum rf_status rf_amount_parse(const char *text, const char *option, int low,
    bool words, struct rf_amount *out, struct rf_error *err) RF_MUST_USE;

/*
 * The rules for N rows and F features.  A max_features above F becomes F, with
 * a note.  RF_EUSAGE where the criterion does not fit the task, more samples
 * than rows are asked for, or max_samples meets no bootstrap.
 */
enum rf_status rf_rules_make(const struct rf_params *params, enum rf_task task,
    int32_t n_features, int64_t n_rows, const struct rf_log *log,
    struct rf_rules *rules, struct rf_error *err) RF_MUST_USE;

/* "gini", "entropy", "squared_error" */
const char *rf_criterion_name(enum rf_criterion criterion);

/*
 * Puts rf.criterion .. rf.params.hash into the metadata of a forest.  The hash
 * covers all that decides a tree beside the data and its number.
 */
enum rf_status rf_params_describe(const struct rf_params *params,
    const struct rf_rules *rules, struct rf_metadata *metadata,
    struct rf_error *err) RF_MUST_USE;

#endif
