#include "train/coded_numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void
one_nan(double *values, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		values[i] = values[i] == values[i] ? values[i] : (double)NAN;
}

/* As scikit-learn's cast; what overflows is said. */
static void
cast_float32(struct rf_number_slot *slot, int64_t n)
{
	char *from = slot->values, *to = slot->values;

	for (int64_t i = 0; i < n; i++) {
		double wide;
		float value;

		memcpy(&wide, from + 8 * i, sizeof(wide));
		value = (float)wide;
		if (isinf(value) && !isinf(wide))
			slot->has_overflow = true;
		value = value == value ? value + 0.0f : NAN;
		memcpy(to + 4 * i, &value, sizeof(value));
	}
}

/* The codes of sorted texts as numbers. */
static enum rf_status
read_ordinal(struct rf_number_slot *slot, int64_t n, struct rf_error *err)
{
	const struct rf_coding *coding = slot->coding;
	int32_t *codes = rf_alloc((size_t)n, sizeof(*codes));
	double *values = slot->values;

	if (codes == NULL)
		return rf_error_memory(
		    err, (size_t)n * sizeof(*codes), "codes");
	rf_stored_codes(coding->stored, codes);
	for (int64_t i = 0; i < n; i++)
		values[i] = codes[i] < 0 ? (double)NAN
					 : (double)coding->code_of[codes[i]];
	free(codes);
	return RF_OK;
}

static enum rf_status
read_float64(struct rf_number_slot *slot, int64_t n, struct rf_error *err)
{
	struct rf_coding *coding = slot->coding;
	bool beyond = false;

	if (coding->stored->is_ordinal)
		RF_TRY(read_ordinal(slot, n, err));
	else
		RF_TRY(rf_stored_float64(
		    coding->stored, slot->values, &beyond, err));
	if (beyond && coding->precision == RF_PRECISION_FLOAT64)
		coding->precision = RF_PRECISION_INT64;
	else
		one_nan(slot->values, n);
	return RF_OK;
}

static enum rf_status
read_int64(struct rf_number_slot *slot, int64_t n, struct rf_error *err)
{
	int64_t *values = slot->values;

	slot->is_missing = (uint8_t *)(values + n);
	RF_TRY(rf_stored_int64(
	    slot->coding->stored, values, slot->is_missing, err));
	for (int64_t i = 0; i < n; i++)
		if (slot->is_missing[i])
			values[i] = 0;
	return RF_OK;
}

/* All rows of the table, in the precision that the column turns out to have. */
static enum rf_status
read_numbers(struct rf_number_slot *slot, int64_t n, struct rf_error *err)
{
	struct rf_coding *coding = slot->coding;
	bool is_narrow =
	    rf_field_precision(coding->stored->field) == RF_PRECISION_FLOAT32;

	slot->is_missing = NULL;
	if (coding->precision == RF_PRECISION_FLOAT32 && is_narrow &&
	    !coding->stored->is_ordinal) {
		float *values = slot->values;

		RF_TRY(rf_stored_float32(coding->stored, values, err));
		for (int64_t i = 0; i < n; i++)
			values[i] = values[i] == values[i] ? values[i] : NAN;
		return RF_OK;
	}
	if (coding->precision != RF_PRECISION_INT64)
		RF_TRY(read_float64(slot, n, err));
	if (coding->precision == RF_PRECISION_FLOAT32)
		cast_float32(slot, n);
	if (coding->precision == RF_PRECISION_INT64)
		return read_int64(slot, n, err);
	return RF_OK;
}

static size_t
width_of(const struct rf_coding *coding)
{
	return coding->precision == RF_PRECISION_FLOAT32 ? sizeof(float)
							 : sizeof(double);
}

/* The hash is of all rows, also of those that do not train. */
static void
hash_numbers(struct rf_number_slot *slot, int64_t n)
{
	struct rf_digest *digest = &slot->coding->digest, parts[2];

	rf_digest_bytes(
	    slot->values, (size_t)n * width_of(slot->coding), digest);
	if (slot->is_missing == NULL)
		return;
	parts[0] = *digest;
	rf_digest_bytes(slot->is_missing, (size_t)n, &parts[1]);
	rf_digest_bytes(parts, sizeof(parts), digest);
}

static void
select_rows(const struct rf_rows *rows, struct rf_number_slot *slot)
{
	float *narrow = slot->values;
	uint64_t *wide = slot->values;

	if (rows->kept == NULL)
		return;
	if (width_of(slot->coding) == sizeof(*narrow))
		for (int64_t i = 0; i < rows->n_rows; i++)
			narrow[i] = narrow[rows->kept[i]];
	else
		for (int64_t i = 0; i < rows->n_rows; i++)
			wide[i] = wide[rows->kept[i]];
	for (int64_t i = 0; i < rows->n_rows && slot->is_missing != NULL; i++)
		slot->is_missing[i] = slot->is_missing[rows->kept[i]];
}

enum rf_status
rf_numbers_read(struct rf_number_slot *slot, int64_t n_rows,
    const struct rf_rows *rows, struct rf_error *err)
{
	slot->has_overflow = false;
	RF_TRY(read_numbers(slot, n_rows, err));
	rf_stored_clear(slot->coding->stored);
	hash_numbers(slot, n_rows);
	select_rows(rows, slot);
	return RF_OK;
}
