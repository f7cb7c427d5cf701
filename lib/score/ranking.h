/*
 * Area under the ROC curve, one class against the rest.
 *
 * The only metric of classes that needs every row at its end: scores are kept,
 * 8 bytes a column, 4 for the truth and 8 for a weight.  Two classes need one
 * column, the share of the second.
 *
 *	struct rf_ranking ranking = {.n_classes = 3};
 *	RF_TRY(rf_ranking_add(&ranking, shares, truth, 1.0, err));
 *	RF_TRY(rf_ranking_roc_auc(&ranking, &metric, err));
 *	rf_ranking_release(&ranking);
 *
 * The trapezoid of scikit-learn's roc_auc_score equals the share of pairs of
 * a row of the class and one of another, in which the former has the higher
 * score; equal scores count half.  Hanley, McNeil 1982.
 */
#ifndef RF_SCORE_RANKING_H
#define RF_SCORE_RANKING_H

#include <stdbool.h>
#include <stdint.h>

#include "score/metrics.h"

struct rf_ranking {
	int32_t n_classes; /* of the model; set before the first row */
	bool is_weighted;  /* else every weight is 1 */
	int64_t n_rows;
	double *scores; /* n_rows x columns */
	double *weights;
	int32_t *truths;
	size_t scores_capacity, weights_capacity, truths_capacity;
};

/* shares: n_classes; NaN is not allowed. */
enum rf_status rf_ranking_add(struct rf_ranking *ranking, const double *shares,
    int32_t truth, double weight, struct rf_error *err) RF_MUST_USE;

/* Two classes: of the second.  More: the plain mean over all classes. */
enum rf_status rf_ranking_roc_auc(const struct rf_ranking *ranking,
    struct rf_metric *metric, struct rf_error *err) RF_MUST_USE;

void rf_ranking_release(struct rf_ranking *ranking);

#endif
