/*
 * Classes of a label column, in their order: rf-stream(5), Data.
 */
#ifndef RF_TRAIN_ANSWERS_H
#define RF_TRAIN_ANSWERS_H

#include "train/load.h"

struct rf_answers {
	enum rf_task task;
	enum rf_label_type type;
	char **classes;	   /* texts; numbers by value, texts by bytes */
	int32_t n_classes; /* 0: regression */
	int32_t *codes;	   /* class of each row of the table, -1 missing */
	double *values;	   /* regression: NaN missing */
};

/*
 * Reads the label column of the table and gives its memory back.
 * RF_EDATA where regression meets an infinite label.
 */
enum rf_status rf_answers_make(struct rf_answers *labels,
    struct rf_table *table, struct rf_error *err) RF_MUST_USE;
void rf_answers_release(struct rf_answers *labels);

/* Order of two class texts of a type, as memcmp. */
int rf_class_compare(
    enum rf_label_type type, struct rf_bytes a, struct rf_bytes b);

#endif
