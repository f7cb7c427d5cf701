#include "train/fit.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "base/text.h"
#include "forest/forest_write.h"
#include "train/coded.h"
#include "train/to_forest.h"
#include "train/fit_header.h"
#include "train/fit_memory.h"
#include "train/oob.h"
#include "train/oob_write.h"

/* A unit of work is a row in one candidate feature of one level of a tree; the
 * CPU took .6 ns for each (100 trees on 100 000 rows of 54 columns, one core:
 * .69 s).  A card's start costs about half a second. */
#define SECONDS_A_UNIT	  .6e-9
#define SECONDS_WORTH_GPU 1.5

struct fit {
	struct rf_table *table;
	const struct rf_fit_options *options;
	int n_threads;
	struct rf_pool *pool;
	struct rf_answers labels;
	struct rf_rows rows;
	struct rf_rules rules;
	const struct rf_backend *backend;
	struct rf_device *device;
	struct rf_coded coded;
	struct rf_problem problem;
	struct rf_fit_facts facts;
	struct rf_forest_header header;
	struct rf_to_forest maker;
	struct rf_oob oob;
	struct rf_forest_writer *writer;
	double stage_began;
};

static double
now(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void
note_stage(struct fit *fit, const char *stage)
{
	double end = now();

	if (fit->options->verbose)
		rf_note(fit->options->log, "%s: %.3f s", stage,
		    end - fit->stage_began);
	fit->stage_began = end;
}

/* --- Rows ---------------------------------------------------------------- */

static enum rf_status
make_rows(struct fit *fit, struct rf_error *err)
{
	struct rf_table *table = fit->table;

	RF_TRY(rf_digest_stored(&table->columns[table->label], table->n_rows,
	    &fit->facts.label_digest, err));
	if (table->weight >= 0)
		RF_TRY(rf_digest_stored(&table->columns[table->weight],
		    table->n_rows, &fit->facts.weight_digest, err));
	RF_TRY(rf_answers_make(&fit->labels, table, err));
	RF_TRY(rf_rows_make(
	    &fit->rows, table, &fit->labels, &fit->options->params, err));
	if (!fit->options->with_oob)
		rf_rows_forget_values(&fit->rows);
	return RF_OK;
}

/* --- Memory and device --------------------------------------------------- */

static int
depth_of(const struct fit *fit)
{
	int bits = rf_bit_length((uint64_t)fit->rows.n_rows) + 4;

	return fit->rules.max_depth < bits ? fit->rules.max_depth : bits;
}

static enum rf_status
check_memory(const struct fit *fit, struct rf_error *err)
{
	struct rf_fit_plan plan = {
	    .table = fit->table,
	    .labels = &fit->labels,
	    .rows = &fit->rows,
	    .params = &fit->options->params,
	    .rules = &fit->rules,
	    .n_threads = fit->n_threads,
	    .with_oob = fit->options->with_oob,
	};

	return rf_fit_memory_check(&plan, err);
}

static enum rf_status
open_device(struct fit *fit, struct rf_error *err)
{
	const struct rf_params *params = &fit->options->params;
	struct rf_backend_options options = {
	    .n_threads = fit->n_threads,
	    .gpu = -1,
	    .tier = fit->options->tier,
	    .log = fit->options->log,
	    .verbose = fit->options->verbose,
	};
	double units = (double)fit->rows.n_rows *
	    (double)(params->end - params->first) *
	    (double)fit->rules.max_features * (double)depth_of(fit);

	return rf_backend_open(fit->options->device,
	    units * SECONDS_A_UNIT / fit->n_threads > SECONDS_WORTH_GPU,
	    &options, &fit->backend, &fit->device, err);
}

/* --- Trees --------------------------------------------------------------- */

static void
state_problem(struct fit *fit)
{
	const struct rf_coded *coded = &fit->coded;
	const struct rf_rows *rows = &fit->rows;

	fit->problem = (struct rf_problem){
	    .n_rows = rows->n_rows,
	    .n_features = coded->n_features,
	    .code_bytes = coded->code_bytes,
	    .codes = coded->codes,
	    .stride_bytes = coded->stride_bytes,
	    .features = coded->features,
	    .active = coded->active,
	    .n_active = coded->n_active,
	    .n_classes = fit->labels.n_classes,
	    .classes = rows->classes,
	    .targets = rows->targets,
	    .midrange = rows->scale.midrange,
	    .target_shift = rows->scale.shift,
	    .weights = rows->weights,
	    .weight_shift = rows->weight_shift,
	};
}

static enum rf_status
put_tree(void *context, const struct rf_grown *grown, struct rf_error *err)
{
	struct fit *fit = context;
	const struct rf_params *params = &fit->options->params;
	struct rf_tree_slices slices;

	rf_to_forest_slices(&fit->maker, grown, &slices);
	RF_TRY(rf_forest_writer_put_slices(fit->writer, &slices, err));
	if (fit->options->with_oob)
		RF_TRY(rf_oob_add(&fit->oob, grown, &slices, fit->pool, err));
	rf_progress(fit->options->log, "trees grown",
	    grown->tree - params->first + 1, params->end - params->first);
	return RF_OK;
}

static enum rf_status
start_output(struct fit *fit, int fd, const char *name, struct rf_error *err)
{
	const struct rf_fit_options *options = fit->options;

	fit->facts.table = fit->table;
	fit->facts.labels = &fit->labels;
	fit->facts.rows = &fit->rows;
	fit->facts.coded = &fit->coded;
	fit->facts.params = &options->params;
	fit->facts.rules = &fit->rules;
	RF_TRY(rf_fit_header(&fit->facts, &fit->header, err));
	rf_to_forest_init(
	    &fit->maker, &fit->coded, &fit->problem, options->with_stats);
	if (options->with_oob)
		RF_TRY(rf_oob_init(&fit->oob, &fit->problem, &fit->rules,
		    fit->rows.values, fit->header.unit_exponent, err));
	return rf_forest_writer_open(
	    &fit->writer, fd, name, &fit->header, options->with_stats, err);
}

static void
note_oob(const struct fit *fit)
{
	struct rf_oob_score score;

	rf_oob_score(&fit->oob, &score);
	rf_note(fit->options->log,
	    "out-of-bag %s %.6g (%" PRId64 " of %" PRId64 " row%s)", score.name,
	    score.value, score.n_rows, fit->rows.n_rows,
	    RF_PLURAL(fit->rows.n_rows));
}

static enum rf_status
grow(struct fit *fit, int fd, const char *name, struct rf_error *err)
{
	const struct rf_params *params = &fit->options->params;
	struct rf_tree_sink sink = {fit, put_tree};

	state_problem(fit);
	RF_TRY(start_output(fit, fd, name, err));
	RF_TRY(fit->backend->grow(fit->device, &fit->problem, &fit->rules,
	    params->first, params->end, &sink, err));
	if (fit->options->with_oob)
		note_oob(fit);
	if (fit->options->oob_fd >= 0)
		RF_TRY(rf_oob_write(&fit->oob, &fit->facts, &fit->header,
		    fit->options->oob_fd, fit->options->oob_name, err));
	RF_TRY(rf_forest_writer_finish(fit->writer, err));
	note_stage(fit, "grown");
	return RF_OK;
}

static enum rf_status
run(struct fit *fit, int fd, const char *name, struct rf_error *err)
{
	const struct rf_params *params = &fit->options->params;

	if (fit->options->with_oob && !params->bootstrap)
		return rf_error_set(
		    err, RF_EUSAGE, "--oob has no meaning with --no-bootstrap");
	fit->stage_began = now();
	RF_TRY(make_rows(fit, err));
	RF_TRY(rf_rules_make(params, fit->labels.task,
	    (int32_t)fit->table->n_features, fit->rows.n_rows, NULL,
	    &fit->rules, err));
	RF_TRY(check_memory(fit, err));
	RF_TRY(open_device(fit, err));
	note_stage(fit, "labels and device");
	RF_TRY(rf_pool_open(&fit->pool, fit->n_threads, err));
	RF_TRY(rf_coded_make(&fit->coded, fit->table, &fit->rows, params,
	    fit->pool, fit->n_threads, fit->backend, fit->device, err));
	RF_TRY(rf_rules_make(params, fit->labels.task, fit->coded.n_features,
	    fit->rows.n_rows, fit->options->log, &fit->rules, err));
	note_stage(fit, "columns coded");
	return grow(fit, fd, name, err);
}

static void
release(struct fit *fit)
{
	rf_forest_writer_free(fit->writer);
	rf_oob_release(&fit->oob);
	rf_to_forest_release(&fit->maker);
	rf_forest_header_release(&fit->header);
	rf_coded_release(&fit->coded);
	rf_pool_close(fit->pool);
	if (fit->device != NULL)
		fit->backend->close(fit->device);
	rf_rows_release(&fit->rows);
	rf_answers_release(&fit->labels);
}

enum rf_status
rf_fit(struct rf_table *table, const struct rf_fit_options *options, int fd,
    const char *name, struct rf_error *err)
{
	struct fit fit = {
	    .table = table,
	    .options = options,
	    .n_threads = options->n_threads > 0 ? options->n_threads
						: omp_get_num_procs(),
	};
	enum rf_status status;

	status = run(&fit, fd, name, err);
	release(&fit);
	return status;
}
