/* Columns to values, whole numbers and codes. */
#include "stream/convert.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

static struct rf_error err;

static struct rf_column
column_of(const struct rf_field *field, const void *values, int64_t n)
{
	return (struct rf_column){
	    .field = field, .n_rows = n, .values = values};
}

static struct rf_field
field_of(enum rf_type type)
{
	static char name[] = "x";

	return (struct rf_field){.name = name, .type = type};
}

/* One value of a type as float64, float32 and int64 (downwards). */
static void
check_one(const struct rf_field *field, const void *value, double wide,
    float narrow, int64_t whole, const char *name)
{
	struct rf_column column = column_of(field, value, 1);
	double got_wide = 0;
	float got_narrow = 0;
	int64_t got_whole = 0;
	uint8_t is_missing = 9;
	bool is_ok =
	    rf_column_to_float64(&column, &got_wide, NULL, &err) == RF_OK &&
	    rf_column_to_float32(&column, &got_narrow, &err) == RF_OK &&
	    rf_column_to_int64(&column, -1, &got_whole, &is_missing, &err) ==
		RF_OK;

	is_ok = is_ok &&
	    (got_wide == wide || (wide != wide && got_wide != got_wide));
	is_ok = is_ok &&
	    (got_narrow == narrow ||
		(narrow != narrow && got_narrow != got_narrow));
	is_ok = is_ok && got_whole == whole && is_missing == (wide != wide);
	if (!check(is_ok, name))
		printf("# %.17g %.9g %lld %d\n", got_wide, (double)got_narrow,
		    (long long)got_whole, is_missing);
}

#define ONE(type, ctype, value, wide, narrow, whole)                           \
 do {                                                                          \
  struct rf_field one_field = field_of(type);                                  \
  ctype one_value = value;                                                     \
  check_one(&one_field, &one_value, wide, narrow, whole, #type " " #value);    \
 } while (0)

/* 2^24 + 1 and 2^53 + 1 are the first without a float and a double; 2^53 +
 * 2^29 + 1 would be rounded twice on the way through a double. */
static void
check_numbers(void)
{
	ONE(RF_TYPE_INT8, int8_t, -128, -128, -128, -128);
	ONE(RF_TYPE_UINT8, uint8_t, 255, 255, 255, 255);
	ONE(RF_TYPE_INT16, int16_t, -32768, -32768, -32768, -32768);
	ONE(RF_TYPE_UINT16, uint16_t, 65535, 65535, 65535, 65535);
	ONE(RF_TYPE_INT32, int32_t, 16777217, 16777217, 16777216, 16777217);
	ONE(RF_TYPE_UINT32, uint32_t, 4294967295u, 4294967295.0, 4294967296.0f,
	    4294967295);
	ONE(RF_TYPE_INT64, int64_t, 9007199254740993, 9007199254740992.0,
	    9007199254740992.0f, 9007199254740993);
	ONE(RF_TYPE_INT64, int64_t, 9007199791611905, 9007199791611904.0,
	    0x1.000002p53f, 9007199791611905);
	ONE(RF_TYPE_UINT64, uint64_t, 9223372036854775807u, 0x1p63, 0x1p63f,
	    INT64_MAX);
	ONE(RF_TYPE_FLOAT64, double, 0.1, 0.1, 0.1f, 0);
	ONE(RF_TYPE_FLOAT64, double, -0.5, -0.5, -0.5f, -1);
	ONE(RF_TYPE_FLOAT64, double, 1e300, 1e300, INFINITY, INT64_MAX);
	ONE(RF_TYPE_FLOAT64, double, (double)-INFINITY, (double)-INFINITY,
	    -INFINITY, INT64_MIN);
	ONE(RF_TYPE_FLOAT64, double, (double)NAN, (double)NAN, NAN, 0);
	ONE(RF_TYPE_FLOAT32, float, 0.1f, 0x1.99999ap-4, 0.1f, 0);
	ONE(RF_TYPE_FLOAT32, float, NAN, (double)NAN, NAN, 0);
	ONE(RF_TYPE_BOOL, uint8_t, 1, 1, 1, 1);
}

/* IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction. */
static void
check_halves(void)
{
	ONE(RF_TYPE_FLOAT16, uint16_t, 0x3c00, 1, 1, 1);
	ONE(RF_TYPE_FLOAT16, uint16_t, 0x7bff, 65504, 65504, 65504);
	ONE(RF_TYPE_FLOAT16, uint16_t, 0x0001, 0x1p-24, 0x1p-24f, 0);
	ONE(RF_TYPE_FLOAT16, uint16_t, 0x83ff, -0x1.ff8p-15, -0x1.ff8p-15f, -1);
	ONE(RF_TYPE_FLOAT16, uint16_t, 0x0400, 0x1p-14, 0x1p-14f, 0);
	ONE(RF_TYPE_FLOAT16, uint16_t, 0xfc00, (double)-INFINITY, -INFINITY,
	    INT64_MIN);
	ONE(RF_TYPE_FLOAT16, uint16_t, 0x7e00, (double)NAN, NAN, 0);
}

static void
check_zero(void)
{
	struct rf_field doubles = field_of(RF_TYPE_FLOAT64);
	struct rf_field floats = field_of(RF_TYPE_FLOAT32);
	double d = -0.0, wide = 1;
	float f = -0.0f, narrow = 1;
	struct rf_column a = column_of(&doubles, &d, 1);
	struct rf_column b = column_of(&floats, &f, 1);
	bool is_ok = rf_column_to_float64(&a, &wide, NULL, &err) == RF_OK &&
	    rf_column_to_float32(&b, &narrow, &err) == RF_OK;

	check(
	    is_ok && !signbit(wide) && !signbit(narrow), "a zero has no sign");
	is_ok = rf_column_to_float32(&a, &narrow, &err) == RF_OK &&
	    rf_column_to_float64(&b, &wide, NULL, &err) == RF_OK;
	check(is_ok && !signbit(wide) && !signbit(narrow),
	    "nor after a change of width");
}

/* 2024-02-29 is day 19782; 1969-12-31 is day -1. */
static void
check_times(void)
{
	struct rf_field field = field_of(RF_TYPE_TIMESTAMP);
	int64_t stamps[] = {1709164800000, -1, INT64_MAX};
	int64_t days64[] = {1709164800000, -86400000};
	int32_t days32[] = {19782, -1};
	int64_t out[3];
	uint8_t is_missing[3];
	struct rf_column column = column_of(&field, stamps, 3);

	field.unit = RF_UNIT_MS;
	check(rf_column_to_int64(&column, -1, out, is_missing, &err) == RF_OK &&
		out[0] == stamps[0] && out[2] == INT64_MAX,
	    "timestamps come in their unit");
	check(rf_column_to_int64(&column, RF_UNIT_S, out, is_missing, &err) ==
		    RF_OK &&
		out[0] == 1709164800 && out[1] == -1,
	    "or in a coarser one, downwards");
	check(rf_column_to_int64(&column, RF_UNIT_NS, out, is_missing, &err) ==
		    RF_OK &&
		out[0] == 1709164800000000000 && out[1] == -1000000 &&
		out[2] == INT64_MAX,
	    "or in a finer one, which sticks at the end");
	check(rf_column_to_int64(&column, RF_UNIT_DAY, out, is_missing, &err) ==
		    RF_OK &&
		out[0] == 19782 && out[1] == -1,
	    "or in days");
	field = field_of(RF_TYPE_DATE32);
	column = column_of(&field, days32, 2);
	check(rf_column_to_int64(&column, RF_UNIT_MS, out, is_missing, &err) ==
		    RF_OK &&
		out[0] == 1709164800000 && out[1] == -86400000,
	    "dates become timestamps");
	field = field_of(RF_TYPE_DATE64);
	column = column_of(&field, days64, 2);
	check(rf_column_to_int64(&column, -1, out, is_missing, &err) == RF_OK &&
		out[0] == 19782 && out[1] == -1,
	    "dates of milliseconds are days");
	field = field_of(RF_TYPE_TIME32);
	field.unit = RF_UNIT_MS;
	ONE(RF_TYPE_DURATION, int64_t, 7, 7, 7, 7);
	check_one(&field, (int32_t[]){1500}, 1.5, 1.5f, 1, "times are seconds");
}

static void
check_decimals(void)
{
	struct rf_field field = field_of(RF_TYPE_DECIMAL);
	/* -12345 as two words, two's complement */
	uint64_t wide[2] = {(uint64_t)-12345, (uint64_t)-1};

	field.width_bits = 128;
	field.scale = 2;
	check_one(&field, wide, -123.45, -123.45f, -124, "decimal128");
	field.scale = -2;
	check_one(&field, wide, -1234500, -1234500, -1234500,
	    "a negative scale multiplies");
	field.width_bits = 32;
	field.scale = 4;
	check_one(&field, (int32_t[]){1}, 1e-4, 1e-4f, 0, "decimal32");
	field.width_bits = 256;
	check_int(
	    rf_field_kind(&field), RF_FEATURE_NONE, "decimal256 is no feature");
}

static void
check_missing(void)
{
	static const uint8_t valid[] = {0x05};
	struct rf_field field = field_of(RF_TYPE_UINT64);
	uint64_t big[] = {1, UINT64_MAX, 3};
	struct rf_column column = column_of(&field, big, 3);
	double wide[3];
	float narrow[3];
	int64_t whole[3];
	uint8_t is_missing[3];
	bool is_beyond = false;

	check_int(rf_column_to_int64(&column, -1, whole, is_missing, &err),
	    RF_EDATA, "2^63 and more is no int64");
	check(rf_column_to_float64(&column, wide, &is_beyond, &err) == RF_OK &&
		is_beyond && wide[1] == 0x1p64,
	    "a whole number beyond 2^53 is told");
	is_beyond = false;
	column.validity = valid;
	column.n_nulls = 1;
	check(rf_column_to_float64(&column, wide, &is_beyond, &err) == RF_OK &&
		!is_beyond && wide[1] != wide[1] && wide[2] == 3,
	    "unless it is under a null");
	check(rf_column_to_float32(&column, narrow, &err) == RF_OK &&
		narrow[1] != narrow[1] && narrow[0] == 1,
	    "nulls are NaN");
	check(
	    rf_column_to_int64(&column, -1, whole, is_missing, &err) == RF_OK &&
		is_missing[1] == 1 && whole[1] == 0 && is_missing[2] == 0,
	    "or marked");
	field = field_of(RF_TYPE_NULL);
	column.validity = NULL;
	check(rf_column_to_float64(&column, wide, NULL, &err) == RF_OK &&
		wide[0] != wide[0] &&
		rf_column_to_int64(&column, -1, whole, is_missing, &err) ==
		    RF_OK &&
		is_missing[2] == 1,
	    "a null column is all missing");
}

/* Arrow's canonical extension: int8 storage, 0 is false, all else true. */
static void
check_bool8(void)
{
	struct rf_field field = field_of(RF_TYPE_INT8);

	if (rf_metadata_set(&field.metadata, "ARROW:extension:name",
		"arrow.bool8", &err) != RF_OK)
		abort();
	check_one(&field, (int8_t[]){-3}, 1, 1, 1, "arrow.bool8: not 0 is 1");
	check_one(&field, (int8_t[]){0}, 0, 0, 0, "0 is 0");
	rf_metadata_release(&field.metadata);
}

static void
check_kinds(void)
{
	struct rf_field field = field_of(RF_TYPE_INT32);

	check_int(
	    rf_field_kind(&field), RF_FEATURE_NUMERIC, "int32 is numeric");
	check_int(
	    rf_field_precision(&field), RF_PRECISION_FLOAT64, "and a float64");
	if (rf_metadata_set(&field.metadata, "rf.type", "categorical", &err) !=
	    RF_OK)
		abort();
	check_int(rf_field_kind(&field), RF_FEATURE_CATEGORICAL,
	    "rf.type makes it categorical");
	rf_metadata_release(&field.metadata);
	field.is_dictionary = true;
	check_int(rf_field_kind(&field), RF_FEATURE_CATEGORICAL,
	    "a dictionary is categorical");
	if (rf_metadata_set(&field.metadata, "rf.type", "numeric", &err) !=
	    RF_OK)
		abort();
	check_int(rf_field_kind(&field), RF_FEATURE_NUMERIC,
	    "rf.type makes one of numbers numeric");
	field.type = RF_TYPE_UTF8;
	check_int(rf_field_kind(&field), RF_FEATURE_NONE, "but not of text");
	rf_metadata_release(&field.metadata);
	field = field_of(RF_TYPE_LARGE_UTF8);
	check_int(rf_field_kind(&field), RF_FEATURE_CATEGORICAL, "text");
	field = field_of(RF_TYPE_BINARY);
	check_int(rf_field_kind(&field), RF_FEATURE_NONE, "binary");
	field = field_of(RF_TYPE_LIST);
	check_int(rf_field_kind(&field), RF_FEATURE_NONE, "lists");
	field = field_of(RF_TYPE_TIMESTAMP);
	check_int(rf_field_precision(&field), RF_PRECISION_INT64,
	    "timestamps are int64");
	field = field_of(RF_TYPE_INT16);
	check_int(rf_field_precision(&field), RF_PRECISION_FLOAT32,
	    "int16 fits float32");
}

static void
check_number_dictionary(void)
{
	static const uint8_t valid[] = {0x0b}, entry_valid[] = {0x03};
	struct rf_field inner = field_of(RF_TYPE_FLOAT64);
	struct rf_field outer = inner;
	double entries[] = {0.25, 8, 99};
	int8_t codes[] = {1, 0, 77, 2};
	struct rf_column dictionary = column_of(&inner, entries, 3);
	struct rf_column column = column_of(&outer, codes, 4);
	double out[4];
	float narrow[4];
	int64_t whole[4];
	uint8_t is_missing[4];

	dictionary.validity = entry_valid;
	dictionary.n_nulls = 1;
	outer.is_dictionary = true;
	outer.index_type = RF_TYPE_INT8;
	column.validity = valid;
	column.n_nulls = 1;
	column.dictionary = &dictionary;
	check(rf_column_to_float64(&column, out, NULL, &err) == RF_OK &&
		out[0] == 8 && out[1] == 0.25 && out[2] != out[2] &&
		out[3] != out[3],
	    "a dictionary of numbers goes by value; null rows and entries miss");
	check(rf_column_to_float32(&column, narrow, &err) == RF_OK &&
		narrow[0] == 8 && narrow[3] != narrow[3],
	    "as float32 too");
	check(
	    rf_column_to_int64(&column, -1, whole, is_missing, &err) == RF_OK &&
		whole[0] == 8 && is_missing[2] == 1 && is_missing[3] == 1,
	    "and as int64");
}

int
main(void)
{
	check_numbers();
	check_halves();
	check_zero();
	check_times();
	check_decimals();
	check_missing();
	check_bool8();
	check_kinds();
	check_number_dictionary();
	return unit_end();
}
