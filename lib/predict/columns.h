/*
 * Columns of a data stream to the features of a model, by name.
 *
 *	RF_TRY(rf_inputs_open(&columns, header, features, schema, &options,
 *	    err));
 *	RF_TRY(rf_inputs_convert(columns, &batch, 0, 1024, err));
 *	walk(rf_inputs_values(columns));
 *	rf_inputs_free(columns);
 */
#ifndef RF_PREDICT_COLUMNS_H
#define RF_PREDICT_COLUMNS_H

#include "base/log.h"
#include "forest/forest.h"
#include "predict/model.h"
#include "stream/batch.h"

struct rf_inputs;

struct rf_inputs_options {
	bool missing_ok; /* a feature without a column is missing everywhere */
	int n_threads;	 /* 0: all processors */
	const struct rf_log *log;
};

/*
 * Finds every feature's column.  RF_EDATA names a feature that the stream
 * lacks or has twice, or whose column is of another kind.  Header, features
 * and schema must outlive the columns.
 */
enum rf_status rf_inputs_open(struct rf_inputs **out,
    const struct rf_forest_header *header,
    const struct rf_walk_feature *features, const struct rf_schema *schema,
    const struct rf_inputs_options *options, struct rf_error *err) RF_MUST_USE;

/*
 * Values of rows first .. first + n_rows - 1, first a multiple of 64, in each
 * used feature's precision.  They live until the next call, and where they
 * need no conversion as long as the batch.
 */
enum rf_status rf_inputs_convert(struct rf_inputs *columns,
    const struct rf_batch *batch, int64_t first, int64_t n_rows,
    struct rf_error *err) RF_MUST_USE;
/* One a feature, as struct rf_walk_batch wants them. */
const struct rf_walk_column *rf_inputs_values(const struct rf_inputs *columns);

void rf_inputs_free(struct rf_inputs *columns); /* NULL allowed */

#endif
