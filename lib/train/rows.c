#include "train/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* What goes from step to step; arrays are of the table's rows. */
struct making {
	struct rf_rows *rows;
	struct rf_table *table;
	struct rf_answers *labels;
	const struct rf_params *params;
	double *weights; /* NULL: all 1; 0: the row is out */
	int64_t n_rows;	 /* of the table */
};

static enum rf_status
no_memory(int64_t n, struct rf_error *err)
{
	return rf_error_memory(err, (size_t)n * sizeof(double), "rows");
}

/* --- Weights and labels of all rows -------------------------------------- */

static enum rf_status
read_weights(struct making *making, struct rf_error *err)
{
	struct rf_stored *stored =
	    &making->table->columns[making->table->weight];

	making->weights = rf_alloc((size_t)making->n_rows, sizeof(double));
	if (making->weights == NULL)
		return no_memory(making->n_rows, err);
	RF_TRY(rf_stored_float64(stored, making->weights, NULL, err));
	rf_stored_clear(stored);
	for (int64_t i = 0; i < making->n_rows; i++)
		if (!(making->weights[i] >= 0) || isinf(making->weights[i])) {
			char quoted[RF_QUOTED_SIZE], number[32];

			(void)rf_text_double(number, making->weights[i]);
			return rf_error_set(err, RF_EDATA,
			    "row %lld, weight column '%s': %s is no weight",
			    (long long)i + 1,
			    rf_text_quote(quoted, stored->field->name,
				strlen(stored->field->name)),
			    making->weights[i] != making->weights[i]
				? "a missing value"
				: number);
		}
	return RF_OK;
}

/* Weights of 1, where rows are to be dropped or classes weighted. */
static enum rf_status
need_weights(struct making *making, struct rf_error *err)
{
	if (making->weights != NULL)
		return RF_OK;
	making->weights = rf_alloc((size_t)making->n_rows, sizeof(double));
	if (making->weights == NULL)
		return no_memory(making->n_rows, err);
	for (int64_t i = 0; i < making->n_rows; i++)
		making->weights[i] = 1;
	return RF_OK;
}

static bool
lacks_label(const struct rf_answers *labels, int64_t row)
{
	return labels->codes != NULL ? labels->codes[row] < 0
				     : isnan(labels->values[row]);
}

static enum rf_status
drop_unlabelled(struct making *making, struct rf_error *err)
{
	int64_t n_dropped = 0;

	for (int64_t i = 0; i < making->n_rows; i++) {
		if (!lacks_label(making->labels, i) ||
		    (making->weights != NULL && !(making->weights[i] > 0)))
			continue;
		if (!making->params->drop_unlabelled)
			return rf_error_set(err, RF_EDATA,
			    "row %lld: the label is missing; "
			    "--drop-unlabelled leaves such rows out",
			    (long long)i + 1);
		RF_TRY(need_weights(making, err));
		making->weights[i] = 0;
		n_dropped++;
	}
	if (n_dropped > 0)
		rf_note(making->table->log,
		    "left out: %lld row%s without a label",
		    (long long)n_dropped, RF_PLURAL(n_dropped));
	return RF_OK;
}

static int64_t
count_rows(const struct making *making)
{
	int64_t n = 0;

	if (making->weights == NULL)
		return making->n_rows;
	for (int64_t i = 0; i < making->n_rows; i++)
		n += making->weights[i] > 0;
	return n;
}

static enum rf_status
fail_empty(struct rf_error *err)
{
	return rf_error_set(err, RF_EDATA,
	    "no row is left to train on: all lack a label or have weight 0");
}

/* --- Class weights ------------------------------------------------------- */

static enum rf_status
scale_rows(struct making *making, const double *of_class, struct rf_error *err)
{
	for (int64_t i = 0; i < making->n_rows; i++) {
		if (!(making->weights[i] > 0))
			continue;
		making->weights[i] *= of_class[making->labels->codes[i]];
		if (isinf(making->weights[i]))
			return rf_error_set(err, RF_EDATA,
			    "row %lld: its weight times that of its class is "
			    "infinite",
			    (long long)i + 1);
	}
	return RF_OK;
}

static enum rf_status
weigh_classes(struct making *making, struct rf_error *err)
{
	size_t n = (size_t)making->labels->n_classes;
	int64_t n_rows = count_rows(making);
	int64_t *n_of_class = rf_alloc_zero(n, sizeof(*n_of_class));
	double *of_class = rf_alloc(n, sizeof(*of_class));
	enum rf_status status = need_weights(making, err);

	if (status == RF_OK && (n_of_class == NULL || of_class == NULL))
		status = no_memory((int64_t)n, err);
	if (status == RF_OK) {
		for (int64_t i = 0; i < making->n_rows; i++)
			if (making->weights[i] > 0)
				n_of_class[making->labels->codes[i]]++;
		status = rf_class_weights(making->params->class_weight,
		    making->labels, n_of_class, n_rows, of_class, err);
	}
	if (status == RF_OK)
		status = scale_rows(making, of_class, err);
	free(n_of_class);
	free(of_class);
	return status;
}

/* --- Whole numbers ------------------------------------------------------- */

/* Moves what is kept to the front; kept is NULL where all are. */
static enum rf_status
select_rows(struct making *making, struct rf_error *err)
{
	struct rf_rows *rows = making->rows;
	int64_t n = count_rows(making), at = 0;

	rows->n_rows = n;
	if (n == 0)
		return fail_empty(err);
	if (n == making->n_rows)
		return RF_OK;
	rows->kept = rf_alloc((size_t)n, sizeof(*rows->kept));
	if (rows->kept == NULL)
		return no_memory(n, err);
	for (int64_t i = 0; i < making->n_rows; i++)
		if (making->weights[i] > 0) {
			rows->kept[at] = (int32_t)i;
			making->weights[at++] = making->weights[i];
		}
	return RF_OK;
}

/* Takes rows out whose weight rounds to 0. */
static void
drop_rounded(struct making *making)
{
	struct rf_rows *rows = making->rows;
	int64_t n = 0;

	for (int64_t i = 0; i < rows->n_rows; i++)
		if (rows->weights[i] > 0) {
			rows->weights[n] = rows->weights[i];
			rows->kept[n++] = rows->kept[i];
		}
	rf_note(making->table->log,
	    "left out: %lld row%s of a weight too small beside the largest",
	    (long long)(rows->n_rows - n), RF_PLURAL(rows->n_rows - n));
	rows->n_rows = n;
}

static enum rf_status
need_kept(struct rf_rows *rows, struct rf_error *err)
{
	if (rows->kept != NULL)
		return RF_OK;
	rows->kept = rf_alloc((size_t)rows->n_rows, sizeof(*rows->kept));
	if (rows->kept == NULL)
		return no_memory(rows->n_rows, err);
	for (int64_t i = 0; i < rows->n_rows; i++)
		rows->kept[i] = (int32_t)i;
	return RF_OK;
}

/* Growers are faster without weights; the shift stays. */
static void
drop_ones(struct rf_rows *rows)
{
	for (int64_t i = 0; i < rows->n_rows; i++)
		if (rows->weights[i] != 1)
			return;
	free(rows->weights);
	rows->weights = NULL;
}

static enum rf_status
make_weights(struct making *making, struct rf_error *err)
{
	bool is_regression = making->labels->task == RF_TASK_REGRESSION;
	struct rf_rows *rows = making->rows;
	bool has_zero = false;
	struct rf_rules rules;

	RF_TRY(rf_rules_make(making->params, making->labels->task, 1,
	    rows->n_rows, NULL, &rules, err));
	rows->weight_shift = rf_weights_shift(making->weights, rows->n_rows,
	    rules.n_draws,
	    is_regression ? RF_WEIGHT_BITS_TARGETS : RF_WEIGHT_BITS_CLASSES);
	rows->weights = rf_alloc((size_t)rows->n_rows, sizeof(*rows->weights));
	if (rows->weights == NULL)
		return no_memory(rows->n_rows, err);
	for (int64_t i = 0; i < rows->n_rows; i++) {
		rows->weights[i] =
		    rf_weight_units(making->weights[i], rows->weight_shift);
		has_zero = has_zero || rows->weights[i] == 0;
	}
	if (has_zero) {
		RF_TRY(need_kept(rows, err));
		drop_rounded(making);
	}
	drop_ones(rows);
	return RF_OK;
}

static uint64_t
largest_weight(const struct rf_rows *rows)
{
	uint64_t largest = 1;

	for (int64_t i = 0; i < rows->n_rows && rows->weights != NULL; i++)
		if (rows->weights[i] > largest)
			largest = rows->weights[i];
	return largest;
}

/* --- Classes and targets of the rows that are left ----------------------- */

static void
make_classes(struct making *making)
{
	struct rf_rows *rows = making->rows;

	rows->classes = making->labels->codes;
	making->labels->codes = NULL;
	for (int64_t i = 0; i < rows->n_rows && rows->kept != NULL; i++)
		rows->classes[i] = rows->classes[rows->kept[i]];
}

/* Labels of very unlike size: the small ones are lost beside the large. */
static void
note_lost(const struct rf_rows *rows, const struct rf_log *log)
{
	int64_t n = rf_targets_lost(rows->values, rows->n_rows, &rows->scale);

	if (n > 0)
		rf_note(log,
		    "%lld of %lld labels lose more than %g %% of their size: "
		    "beside the largest, predictions go in steps of %g",
		    (long long)n, (long long)rows->n_rows, RF_LOSS * 100,
		    rf_target_step(&rows->scale));
}

static enum rf_status
make_targets(struct making *making, struct rf_error *err)
{
	struct rf_rows *rows = making->rows;
	double *values = making->labels->values;
	struct rf_rules rules;

	RF_TRY(rf_rules_make(making->params, making->labels->task, 1,
	    rows->n_rows, NULL, &rules, err));
	rows->targets = rf_alloc((size_t)rows->n_rows, sizeof(*rows->targets));
	if (rows->targets == NULL)
		return no_memory(rows->n_rows, err);
	for (int64_t i = 0; i < rows->n_rows && rows->kept != NULL; i++)
		values[i] = values[rows->kept[i]];
	rows->scale = rf_targets_scale(
	    values, rows->n_rows, rules.n_draws, largest_weight(rows));
	for (int64_t i = 0; i < rows->n_rows; i++)
		rows->targets[i] = rf_target_units(values[i], &rows->scale);
	rows->values = values;
	making->labels->values = NULL;
	note_lost(rows, making->table->log);
	return RF_OK;
}

static enum rf_status
make_rows(struct making *making, struct rf_error *err)
{
	bool is_weighted =
	    making->table->weight >= 0 || making->params->class_weight != NULL;

	if (making->params->class_weight != NULL &&
	    making->labels->task == RF_TASK_REGRESSION)
		return rf_error_set(err, RF_EUSAGE,
		    "--class-weight has no meaning in regression");
	if (making->table->weight >= 0)
		RF_TRY(read_weights(making, err));
	RF_TRY(drop_unlabelled(making, err));
	if (count_rows(making) == 0)
		return fail_empty(err);
	if (making->params->class_weight != NULL)
		RF_TRY(weigh_classes(making, err));
	RF_TRY(select_rows(making, err));
	if (is_weighted)
		RF_TRY(make_weights(making, err));
	if (making->labels->task == RF_TASK_REGRESSION)
		return make_targets(making, err);
	make_classes(making);
	return RF_OK;
}

enum rf_status
rf_rows_make(struct rf_rows *rows, struct rf_table *table,
    struct rf_answers *labels, const struct rf_params *params,
    struct rf_error *err)
{
	struct making making = {
	    .rows = rows,
	    .table = table,
	    .labels = labels,
	    .params = params,
	    .n_rows = table->n_rows,
	};
	enum rf_status status;

	*rows = (struct rf_rows){0};
	status = make_rows(&making, err);
	free(making.weights);
	return status;
}

void
rf_rows_forget_values(struct rf_rows *rows)
{
	free(rows->values);
	rows->values = NULL;
}

void
rf_rows_release(struct rf_rows *rows)
{
	free(rows->kept);
	free(rows->classes);
	free(rows->targets);
	free(rows->values);
	free(rows->weights);
	*rows = (struct rf_rows){0};
}
