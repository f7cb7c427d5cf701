#include "stream/value.h"

#include <string.h>

#include "base/text.h"

enum rf_status
rf_field_not_numeric(const struct rf_field *field, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	return rf_error_set(err, RF_EDATA,
	    "column '%s': type %s%s is not a number",
	    rf_text_quote(quoted, field->name, strlen(field->name)),
	    field->is_dictionary ? "dictionary of " : "",
	    rf_type_name(field->type));
}

bool
rf_field_is_bool8(const struct rf_field *field)
{
	const char *name;

	if (field->type != RF_TYPE_INT8)
		return false;
	name = rf_metadata_get(&field->metadata, "ARROW:extension:name", NULL);
	return name != NULL && strcmp(name, "arrow.bool8") == 0;
}

float
rf_half(uint16_t bits)
{
	uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
	uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023u, word;
	float value;

	if (exponent == 0) {
		/* A multiple of 2^-24, 0 too: exact as a product. */
		value = (float)fraction * 0x1p-24f;
		return sign != 0 ? -value : value;
	}
	if (exponent == 31)
		word = sign | 0x7f800000u | fraction << 13;
	else
		word = sign | (exponent + 112) << 23 | fraction << 13;
	memcpy(&value, &word, sizeof(value));
	return value;
}

double
rf_float_at(const struct rf_column *column, int64_t row)
{
	const void *values = column->values;

	if (column->field->type == RF_TYPE_FLOAT16)
		return (double)rf_half(((const uint16_t *)values)[row]);
	if (column->field->type == RF_TYPE_FLOAT32)
		return (double)((const float *)values)[row];
	return ((const double *)values)[row];
}

int64_t
rf_unit_per_second(enum rf_time_unit unit)
{
	static const int64_t per_second[] = {1, 1000, 1000000, 1000000000};

	return per_second[unit];
}

double
rf_power10(int32_t scale)
{
	static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
	    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
	    1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29,
	    1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38};

	return powers[scale];
}

int64_t
rf_floor_int64(double value)
{
	int64_t whole;

	if (value != value)
		return 0;
	if (value >= 0x1p63)
		return INT64_MAX;
	if (value < -0x1p63)
		return INT64_MIN;
	whole = (int64_t)value;
	return (double)whole > value ? whole - 1 : whole;
}

int64_t
rf_saturating_mul(int64_t a, int64_t b)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return product;
}
