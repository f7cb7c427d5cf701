#include "train/coded.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "train/coded_numbers.h"
#include "train/coded_plan.h"

/* Columns that are converted before the device makes codes of them: as many
 * as fill this, but at least one a thread. */
#define GROUP_BYTES (4 << 20)
#define CODE_MAX    65535
/* A row of a column on its way: its value and whether that is missing; in each
 * thread, its key twice. */
#define VALUE_BYTES 9
#define KEY_BYTES   16

/* A column on its way, with what may go wrong. */
struct slot {
	struct rf_number_slot numbers;
	enum rf_status status;
	struct rf_error err;
};

struct work {
	struct rf_coded *coded;
	const struct rf_table *table;
	const struct rf_rows *rows;
	const struct rf_params *params;
	struct slot *slots;
	int64_t n_slots;
	struct rf_quantise_job *jobs;
	uint64_t *keys;	  /* 2 N a thread */
	uint32_t *counts; /* CODE_MAX + 1 a thread */
	struct rf_pool *pool;
	int n_threads;
};

static char *
codes_of(const struct rf_coded *coded, int64_t feature)
{
	return (char *)coded->codes + (size_t)feature * coded->stride_bytes;
}

/* --- Numbers ------------------------------------------------------------- */

static enum rf_status
bin_numbers(const struct rf_number_slot *slot, int64_t n, int32_t max_bins,
    uint64_t *keys, struct rf_error *err)
{
	struct rf_bins *bins = &slot->coding->bins;

	switch (slot->coding->precision) {
	case RF_PRECISION_FLOAT32:
		return rf_bins_float32(
		    slot->values, n, max_bins, keys, bins, err);
	case RF_PRECISION_FLOAT64:
		break;
	case RF_PRECISION_INT64:
		return rf_bins_int64(slot->values, slot->is_missing, n,
		    max_bins, keys, bins, err);
	}
	return rf_bins_float64(slot->values, n, max_bins, keys, bins, err);
}

static enum rf_status
prepare_numbers(const struct work *work, struct slot *slot, uint64_t *keys)
{
	const struct rf_rows *rows = work->rows;

	RF_TRY(rf_numbers_read(
	    &slot->numbers, work->table->n_rows, rows, &slot->err));
	return bin_numbers(
	    &slot->numbers, rows->n_rows, work->params->bins, keys, &slot->err);
}

/* --- Categories ---------------------------------------------------------- */

static void
put_code(const struct rf_coded *coded, char *codes, int64_t row, int32_t code)
{
	uint16_t wide = (uint16_t)code;

	if (coded->code_bytes == 1)
		((uint8_t *)codes)[row] = (uint8_t)code;
	else
		memcpy(codes + 2 * row, &wide, sizeof(wide));
}

/* Levels have their codes without any help of the device. */
static enum rf_status
prepare_levels(const struct work *work, struct slot *slot)
{
	struct rf_coding *coding = slot->numbers.coding;
	struct rf_coded *coded = work->coded;
	const struct rf_rows *rows = work->rows;
	char *codes = codes_of(coded, coding - coded->codings);
	int64_t n = work->table->n_rows;
	int32_t *places = rf_alloc((size_t)n, sizeof(*places));
	enum rf_status status;

	if (places == NULL)
		return rf_error_memory(
		    &slot->err, (size_t)n * sizeof(*places), "codes");
	rf_stored_codes(coding->stored, places);
	rf_stored_clear(coding->stored);
	status = rf_digest_texts(coding->stored->vocabulary, places, n,
	    slot->numbers.values, &coding->digest, &slot->err);
	for (int64_t i = 0; i < rows->n_rows && status == RF_OK; i++) {
		int32_t place = places[rows->kept != NULL ? rows->kept[i] : i];
		int32_t code = place < 0 ? -1 : coding->code_of[place];

		put_code(coded, codes, i, code < 0 ? coding->n_levels : code);
	}
	free(places);
	return status;
}

/* --- What the codes are -------------------------------------------------- */

static void
count_codes(const struct rf_coded *coded, const char *codes, int64_t n,
    uint32_t *counts)
{
	const uint8_t *narrow = (const uint8_t *)codes;

	for (int64_t i = 0; i < n; i++) {
		uint16_t code;

		if (coded->code_bytes == 1)
			code = narrow[i];
		else
			memcpy(&code, codes + 2 * i, sizeof(code));
		counts[code]++;
	}
}

/* Four tables, so that runs of one code do not wait for each other. */
static void
count_bytes(const uint8_t *codes, int64_t n, uint32_t *counts)
{
	uint32_t tables[4][256] = {{0}};
	int64_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (int t = 0; t < 4; t++)
			tables[t][codes[i + t]]++;
	for (; i < n; i++)
		tables[0][codes[i]]++;
	for (int c = 0; c < 256; c++)
		counts[c] =
		    tables[0][c] + tables[1][c] + tables[2][c] + tables[3][c];
}

static void
describe_codes(const struct work *work, int64_t at, uint32_t *counts)
{
	struct rf_coded *coded = work->coded;
	const struct rf_coding *coding = &coded->codings[at];
	struct rf_coded_feature *feature = &coded->features[at];
	bool is_categorical = coding->kind == RF_FEATURE_CATEGORICAL;
	int32_t n = is_categorical ? coding->n_levels : coding->bins.n_bins;

	if (coded->code_bytes == 1) {
		count_bytes((const uint8_t *)codes_of(coded, at),
		    work->rows->n_rows, counts);
	} else {
		memset(counts, 0, (size_t)(n + 1) * sizeof(*counts));
		count_codes(
		    coded, codes_of(coded, at), work->rows->n_rows, counts);
	}
	*feature = (struct rf_coded_feature){
	    .n_values = n,
	    .has_missing = counts[n] > 0,
	    .is_categorical = is_categorical,
	};
	for (int32_t code = 0; code <= n; code++)
		if (counts[code] > feature->heavy_rows) {
			feature->heavy_code = code;
			feature->heavy_rows = counts[code];
		}
}

/* --- Groups of columns --------------------------------------------------- */

static void
prepare_slot(void *context, int64_t item, int thread)
{
	const struct work *work = context;
	struct slot *slot = &work->slots[item];
	uint64_t *keys =
	    work->keys + (size_t)thread * 2 * (size_t)work->rows->n_rows;

	slot->status = slot->numbers.coding->kind == RF_FEATURE_CATEGORICAL
	    ? prepare_levels(work, slot)
	    : prepare_numbers(work, slot, keys);
}

static void
add_job(struct work *work, const struct rf_number_slot *slot, int64_t *n_jobs)
{
	struct rf_coded *coded = work->coded;
	const struct rf_coding *coding = slot->coding;

	if (coding->kind == RF_FEATURE_CATEGORICAL)
		return;
	work->jobs[(*n_jobs)++] = (struct rf_quantise_job){
	    .n_rows = work->rows->n_rows,
	    .precision = (int)coding->precision,
	    .values = slot->values,
	    .is_missing = slot->is_missing,
	    .thresholds = coding->bins.edges,
	    .n_thresholds =
		coding->bins.n_bins > 0 ? coding->bins.n_bins - 1 : 0,
	    .missing_code = (uint32_t)coding->bins.n_bins,
	    .code_bytes = coded->code_bytes,
	    .codes = codes_of(coded, coding - coded->codings),
	};
}

static void
note_overflow(const struct work *work, const struct rf_number_slot *slot)
{
	const char *name = slot->coding->stored->field->name;
	char quoted[RF_QUOTED_SIZE];

	if (slot->has_overflow)
		rf_note(work->table->log,
		    "column '%s' has numbers beyond float32: they are "
		    "infinite",
		    rf_text_quote(quoted, name, strlen(name)));
}

static void
describe_slot(void *context, int64_t item, int thread)
{
	const struct work *work = context;
	const struct rf_coding *coding = work->slots[item].numbers.coding;

	describe_codes(work, coding - work->coded->codings,
	    work->counts + (size_t)thread * (CODE_MAX + 1));
}

/* Features first .. first + n - 1, n at most the slots. */
static enum rf_status
code_group(struct work *work, int64_t first, int64_t n, struct rf_error *err)
{
	struct rf_coded *coded = work->coded;
	int64_t n_jobs = 0;

	for (int64_t i = 0; i < n; i++)
		work->slots[i].numbers.coding = &coded->codings[first + i];
	rf_pool_run(work->pool, n, prepare_slot, work);
	for (int64_t i = 0; i < n; i++) {
		const struct slot *slot = &work->slots[i];

		if (slot->status != RF_OK) {
			*err = slot->err;
			return slot->status;
		}
		note_overflow(work, &slot->numbers);
		add_job(work, &slot->numbers, &n_jobs);
	}
	if (n_jobs > 0)
		RF_TRY(coded->backend->quantise(
		    coded->device, work->jobs, n_jobs, err));
	rf_pool_run(work->pool, n, describe_slot, work);
	return RF_OK;
}

static enum rf_status
code_all(struct work *work, struct rf_error *err)
{
	int64_t n = work->coded->n_features;

	for (int64_t first = 0; first < n; first += work->n_slots) {
		int64_t rest = n - first;

		RF_TRY(code_group(work, first,
		    rest < work->n_slots ? rest : work->n_slots, err));
		rf_progress(work->table->log, "columns coded", first, n);
	}
	return RF_OK;
}

/* --- Memory -------------------------------------------------------------- */

static int64_t
slots_of(int64_t n_rows, int64_t n_features, int n_threads)
{
	int64_t n = GROUP_BYTES / (VALUE_BYTES * n_rows);

	n = n > n_features ? n_features : n;
	return n > n_threads ? n : n_threads;
}

static size_t
stride_of(int64_t n_rows, int code_bytes)
{
	return ((size_t)n_rows * (size_t)code_bytes + 127) & ~(size_t)63;
}

int64_t
rf_coded_bytes(int64_t n_rows, int64_t n_features, int code_bytes)
{
	size_t one = stride_of(n_rows, code_bytes) + sizeof(struct rf_coding) +
	    sizeof(struct rf_coded_feature) + sizeof(int32_t);

	return n_features * (int64_t)one;
}

int64_t
rf_coded_scratch(
    int64_t n_rows, int64_t n_features, int code_bytes, int n_threads)
{
	int64_t a_slot = VALUE_BYTES * n_rows +
	    (int64_t)(sizeof(struct slot) + sizeof(struct rf_quantise_job));
	int64_t n_counts = code_bytes == 1 ? 256 : CODE_MAX + 1;

	return slots_of(n_rows, n_features, n_threads) * a_slot +
	    n_threads *
	    (KEY_BYTES * n_rows + n_counts * (int64_t)sizeof(uint32_t));
}

static enum rf_status
alloc_work(struct work *work, struct rf_error *err)
{
	size_t n_rows = (size_t)work->table->n_rows;
	size_t n_threads = (size_t)work->n_threads;

	work->n_slots = slots_of(
	    work->table->n_rows, work->coded->n_features, work->n_threads);
	work->slots = rf_alloc_zero((size_t)work->n_slots, sizeof(struct slot));
	work->jobs = rf_alloc_zero(
	    (size_t)work->n_slots, sizeof(struct rf_quantise_job));
	work->keys = rf_alloc(n_threads * n_rows, KEY_BYTES);
	work->counts = rf_alloc(n_threads, (CODE_MAX + 1) * sizeof(uint32_t));
	if (work->slots == NULL || work->jobs == NULL || work->keys == NULL ||
	    work->counts == NULL)
		return rf_error_memory(err, n_threads * n_rows * KEY_BYTES,
		    "columns in the making");
	for (int64_t i = 0; i < work->n_slots; i++) {
		work->slots[i].numbers.values = rf_alloc(n_rows, VALUE_BYTES);
		if (work->slots[i].numbers.values == NULL)
			return rf_error_memory(
			    err, n_rows * VALUE_BYTES, "columns in the making");
	}
	return RF_OK;
}

static void
release_work(struct work *work)
{
	for (int64_t i = 0; i < work->n_slots && work->slots != NULL; i++)
		free(work->slots[i].numbers.values);
	free(work->slots);
	free(work->jobs);
	free(work->keys);
	free(work->counts);
}

/* A byte where no column can have more than 254 values. */
static int
code_bytes(const struct rf_coded *coded, const struct rf_params *params,
    int64_t n_rows)
{
	int64_t most = params->bins < n_rows ? params->bins : n_rows;

	for (int32_t f = 0; f < coded->n_features; f++) {
		const struct rf_coding *coding = &coded->codings[f];

		if (coding->kind == RF_FEATURE_CATEGORICAL &&
		    coding->n_levels > most)
			most = coding->n_levels;
	}
	return most > 254 ? 2 : 1;
}

static enum rf_status
alloc_codes(struct rf_coded *coded, const struct rf_params *params,
    int64_t n_rows, struct rf_error *err)
{
	size_t n = (size_t)coded->n_features, size_bytes;

	coded->code_bytes = code_bytes(coded, params, n_rows);
	coded->stride_bytes = stride_of(n_rows, coded->code_bytes);
	size_bytes = n * coded->stride_bytes;
	coded->features = rf_alloc_zero(n, sizeof(*coded->features));
	coded->active = rf_alloc_zero(n, sizeof(*coded->active));
	coded->codes = coded->backend->host_alloc(
	    coded->device, size_bytes > 0 ? size_bytes : 64);
	if (coded->features == NULL || coded->active == NULL ||
	    coded->codes == NULL)
		return rf_error_memory(err, size_bytes, "codes");
	for (size_t f = 0; f < n; f++) {
		size_t used = (size_t)n_rows * (size_t)coded->code_bytes;

		memset(codes_of(coded, (int64_t)f) + used, 0,
		    coded->stride_bytes - used);
	}
	return RF_OK;
}

/* Columns of one code are drawn only where constant features count. */
static void
find_active(struct rf_coded *coded, int64_t n_rows, bool count_constant)
{
	for (int32_t f = 0; f < coded->n_features; f++)
		if (count_constant || coded->features[f].heavy_rows < n_rows)
			coded->active[coded->n_active++] = f;
}

enum rf_status
rf_coded_make(struct rf_coded *coded, struct rf_table *table,
    const struct rf_rows *rows, const struct rf_params *params,
    struct rf_pool *pool, int n_threads, const struct rf_backend *backend,
    struct rf_device *device, struct rf_error *err)
{
	struct work work = {
	    .coded = coded,
	    .table = table,
	    .rows = rows,
	    .params = params,
	    .pool = pool,
	    .n_threads = n_threads,
	};
	enum rf_status status;

	*coded = (struct rf_coded){.backend = backend, .device = device};
	status = rf_coded_plan(coded, table, rows, params, err);
	if (status == RF_OK)
		status = alloc_codes(coded, params, rows->n_rows, err);
	if (status == RF_OK)
		status = alloc_work(&work, err);
	if (status == RF_OK)
		status = code_all(&work, err);
	if (status == RF_OK)
		find_active(coded, rows->n_rows, params->count_constant);
	release_work(&work);
	return status;
}

void
rf_coded_release(struct rf_coded *coded)
{
	for (int32_t f = 0; f < coded->n_features; f++) {
		free(coded->codings[f].code_of);
		free(coded->codings[f].order);
		rf_bins_release(&coded->codings[f].bins);
	}
	free(coded->codings);
	free(coded->features);
	free(coded->active);
	if (coded->codes != NULL)
		coded->backend->host_free(coded->device, coded->codes);
	*coded = (struct rf_coded){0};
}
