/*
 * From tallies to what rf-vote says: prediction, confidence, probabilities.
 *
 * Ties go to the lowest class; shares are rounded correctly.  rf-stream(5),
 * 3.4.
 */
#ifndef RF_PREDICT_DECIDE_H
#define RF_PREDICT_DECIDE_H

#include "predict/tally_merge.h"
#include "stream/arrow_write.h"

struct rf_decider {
	const struct rf_tally_header *header;
	bool with_probabilities;
	/* How the prediction is written: label's type, or text. */
	enum rf_label_type type;
	int64_t *values; /* of classes: whole numbers, or 0 and 1 */
	/* Of the rows in hand. */
	size_t capacity;
	void *predictions; /* codes, whole numbers, bits or doubles */
	double *confidence, *probabilities; /* column by column */
	uint8_t *validity;
	int64_t n_nulls;
};

/* The header must outlive the decider.  Release in any case. */
enum rf_status rf_decider_init(struct rf_decider *decider,
    const struct rf_tally_header *header, bool with_probabilities,
    struct rf_error *err) RF_MUST_USE;
void rf_decider_release(struct rf_decider *decider);

/* Columns that rf_decider_columns fills. */
size_t rf_decider_n_columns(const struct rf_decider *decider);
/* Appends their fields, names with the prefix in front; a dictionary gets the
 * given id. */
enum rf_status rf_decider_fields(const struct rf_decider *decider,
    const char *prefix, int64_t dictionary_id, struct rf_schema *schema,
    struct rf_error *err) RF_MUST_USE;
/* Sends the dictionary of classes, where there is one. */
enum rf_status rf_decider_dictionary(const struct rf_decider *decider,
    int64_t dictionary_id, struct rf_writer *writer,
    struct rf_error *err) RF_MUST_USE;

/* Decides the rows in hand.  RF_EDATA where votes do not sum up. */
enum rf_status rf_decider_rows(struct rf_decider *decider,
    const struct rf_merge *merge, struct rf_error *err) RF_MUST_USE;
/* Columns of n_rows rows, by their fields. */
void rf_decider_columns(const struct rf_decider *decider,
    const struct rf_field *fields, int64_t n_rows, struct rf_column *columns);

#endif
