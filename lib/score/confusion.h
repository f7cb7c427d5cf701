/*
 * Confusion table: weight of the rows by truth and prediction.
 *
 * Only pairs that occur are kept, so memory goes by distinct pairs and not by
 * classes squared.  Classes are numbers from 0, given by the caller.
 *
 *	struct rf_confusion confusion = {0};
 *	RF_TRY(rf_confusion_add(&confusion, truth, prediction, 1.0, err));
 *	rf_confusion_sort(&confusion, ranks);
 *	RF_TRY(rf_confusion_totals(&confusion, n_classes, &totals, err));
 *	rf_confusion_release(&confusion);
 */
#ifndef RF_SCORE_CONFUSION_H
#define RF_SCORE_CONFUSION_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "score/sum.h"

struct rf_confusion_cell {
	int32_t truth, prediction;
	int64_t n_rows;
	struct rf_sum weight;
};

struct rf_confusion {
	struct rf_confusion_cell *cells;
	size_t n_cells, capacity;
	size_t *slots; /* hash table: cell + 1, or 0 */
	size_t n_slots;
};

/* Of one class; rows of weight 0 count in n_truth and n_prediction. */
struct rf_class_totals {
	int64_t n_truth, n_prediction;
	struct rf_sum truth, prediction, hit;
};

/* Counts a row; classes >= 0, weight >= 0 and finite. */
enum rf_status rf_confusion_add(struct rf_confusion *confusion, int32_t truth,
    int32_t prediction, double weight, struct rf_error *err) RF_MUST_USE;

/*
 * Renumbers class k as ranks[k] and orders the cells by truth, then
 * prediction.  Nothing can be added afterwards.
 */
void rf_confusion_sort(struct rf_confusion *confusion, const int32_t *ranks);

/*
 * Totals of the sorted cells, summed in their order, so that they do not
 * depend on the order of first sight.  *totals has n_classes and is freed by
 * the caller with free().
 */
enum rf_status rf_confusion_totals(const struct rf_confusion *confusion,
    int32_t n_classes, struct rf_class_totals **totals,
    struct rf_error *err) RF_MUST_USE;

/* The sorted cell of that pair, or NULL. */
const struct rf_confusion_cell *rf_confusion_find(
    const struct rf_confusion *confusion, int32_t truth, int32_t prediction);

void rf_confusion_release(struct rf_confusion *confusion);

#endif
