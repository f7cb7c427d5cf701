/*
 * Which rows train, with class or target and weight as integers:
 * rf-forest(5), Rows and Numbers.
 */
#ifndef RF_TRAIN_ROWS_H
#define RF_TRAIN_ROWS_H

#include "train/answers.h"
#include "train/params.h"
#include "train/weights.h"

struct rf_rows {
	int64_t n_rows;	   /* N, those that train */
	int32_t *kept;	   /* their places in the table; NULL: all */
	int32_t *classes;  /* N, or NULL */
	int64_t *targets;  /* N, or NULL */
	double *values;	   /* what the targets were made of, or NULL */
	uint64_t *weights; /* N, or NULL: all 1 */
	int weight_shift;
	struct rf_target_scale scale; /* regression */
};

/*
 * Takes rows of weight 0 and, where params say so, without label out; gives
 * back the memory of the weight column.  RF_EDATA where a weight or a label is
 * missing or unfit, or no row is left; RF_EUSAGE where --class-weight does not
 * fit the classes.  labels->codes and values are moved in where they can be.
 */
enum rf_status rf_rows_make(struct rf_rows *rows, struct rf_table *table,
    struct rf_answers *labels, const struct rf_params *params,
    struct rf_error *err) RF_MUST_USE;
void rf_rows_release(struct rf_rows *rows);
/* Gives the memory of values back, which out-of-bag scores alone want. */
void rf_rows_forget_values(struct rf_rows *rows);

/*
 * Weights of the classes by "balanced" or "NAME=W,NAME=W"; classes that the
 * list lacks weigh 1.
 *
 * n_of_class  rows of each class
 * out         C results
 */
enum rf_status rf_class_weights(const char *text,
    const struct rf_answers *labels, const int64_t *n_of_class, int64_t n_rows,
    double *out, struct rf_error *err) RF_MUST_USE;

#endif
