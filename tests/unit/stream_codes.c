/* Vocabularies, and columns of categories. */
#include <stdlib.h>

#include "stream/convert.h"
#include "unit.h"

static struct rf_error err;

static struct rf_vocabulary *
vocabulary_new(void)
{
	struct rf_vocabulary *vocabulary;

	if (rf_vocabulary_new(&vocabulary, &err) != RF_OK)
		abort();
	return vocabulary;
}

static int32_t
add(struct rf_vocabulary *vocabulary, const char *text, size_t size)
{
	int32_t code;

	if (rf_vocabulary_add(vocabulary, text, size, &code, &err) != RF_OK)
		abort();
	return code;
}

static void
check_vocabulary(void)
{
	struct rf_vocabulary *words = vocabulary_new();
	char text[16];
	bool is_ok = true;
	struct rf_bytes back;

	check_int(rf_vocabulary_find(words, "a", 1), -1,
	    "an empty vocabulary knows nothing");
	check_int(add(words, "a", 1), 0, "codes count from 0");
	check_int(add(words, "", 0), 1, "the empty text is one");
	check_int(add(words, "a\0b", 3), 2, "a NUL is a byte like others");
	check_int(add(words, "a", 1), 0, "a known text keeps its code");
	check_int(rf_vocabulary_find(words, "a\0c", 3), -1, "all bytes count");
	check_int(rf_vocabulary_n(words), 3, "three were added");
	for (int i = 0; i < 100000; i++) {
		int size = snprintf(text, sizeof(text), "w%d", i);

		is_ok = is_ok && add(words, text, (size_t)size) == 3 + i;
	}
	check(is_ok, "it grows");
	for (int i = 0; i < 100000; i++) {
		int size = snprintf(text, sizeof(text), "w%d", i);

		is_ok = is_ok &&
		    rf_vocabulary_find(words, text, (size_t)size) == 3 + i;
	}
	check(is_ok, "and finds all");
	back = rf_vocabulary_text(words, 3 + 777);
	check(back.size == 4 && memcmp(back.data, "w777", 4) == 0,
	    "a code has its text");
	rf_vocabulary_free(words);
	rf_vocabulary_free(NULL);
}

static bool
is_text(const struct rf_vocabulary *words, int32_t code, const char *text)
{
	struct rf_bytes got;

	if (code < 0)
		return false;
	got = rf_vocabulary_text(words, code);
	return got.size == (int64_t)strlen(text) &&
	    memcmp(got.data, text, strlen(text)) == 0;
}

static void
check_numbers(void)
{
	struct rf_vocabulary *words = vocabulary_new();
	double doubles[] = {3, 1e6, 0.1, -0.0, 1e300, 0.0 / 1e-300};
	float floats[] = {3, 0.1f};
	int64_t whole[] = {3, 1000000};
	uint64_t natural[] = {UINT64_MAX};
	uint8_t bits[] = {0x01};
	struct rf_field field = {.type = RF_TYPE_FLOAT64};
	struct rf_column column = {
	    .field = &field, .n_rows = 6, .values = doubles};
	int32_t codes[6];

	check(rf_column_to_codes(&column, words, true, codes, &err) == RF_OK &&
		is_text(words, codes[0], "3") &&
		is_text(words, codes[1], "1000000") &&
		is_text(words, codes[2], "0.1") &&
		is_text(words, codes[3], "0") &&
		is_text(words, codes[4], "1e+300") && codes[5] == codes[3],
	    "floats are shortest, whole ones without an exponent");
	field.type = RF_TYPE_FLOAT32;
	column.values = floats;
	column.n_rows = 2;
	check(rf_column_to_codes(&column, words, false, codes, &err) == RF_OK &&
		is_text(words, codes[0], "3") &&
		is_text(words, codes[1], "0.1"),
	    "float32 has its own shortest form");
	field.type = RF_TYPE_INT64;
	column.values = whole;
	check(rf_column_to_codes(&column, words, false, codes, &err) == RF_OK &&
		is_text(words, codes[0], "3") &&
		is_text(words, codes[1], "1000000"),
	    "whole numbers are the same text in any type");
	field.type = RF_TYPE_UINT64;
	column.values = natural;
	column.n_rows = 1;
	check(rf_column_to_codes(&column, words, true, codes, &err) == RF_OK &&
		is_text(words, codes[0], "18446744073709551615"),
	    "uint64 has no sign");
	field.type = RF_TYPE_BOOL;
	column.values = bits;
	column.n_rows = 2;
	check(rf_column_to_codes(&column, words, true, codes, &err) == RF_OK &&
		is_text(words, codes[0], "true") &&
		is_text(words, codes[1], "false"),
	    "bool is false or true");
	rf_vocabulary_free(words);
}

static void
check_dictionary(void)
{
	static const int64_t offsets[] = {0, 1, 2, 3, 3};
	static const uint8_t entry_valid[] = {0x07}, valid[] = {0x1d};
	struct rf_field inner = {.type = RF_TYPE_LARGE_UTF8};
	struct rf_field outer = {.type = RF_TYPE_UTF8,
	    .is_dictionary = true,
	    .index_type = RF_TYPE_UINT8};
	struct rf_column entries = {.field = &inner,
	    .n_rows = 4,
	    .n_nulls = 1,
	    .validity = entry_valid,
	    .offsets = offsets,
	    .data = {(const uint8_t *)"xyx", 3}};
	uint8_t rows[] = {2, 200, 1, 0, 3};
	struct rf_column column = {.field = &outer,
	    .n_rows = 5,
	    .n_nulls = 1,
	    .validity = valid,
	    .values = rows,
	    .dictionary = &entries,
	    .dictionary_serial = 42};
	struct rf_vocabulary *words = vocabulary_new();
	int32_t codes[5];

	add(words, "y", 1);
	check(rf_column_to_codes(&column, words, false, codes, &err) == RF_OK &&
		codes[0] == -1 && codes[1] == -1 && codes[2] == 0 &&
		codes[3] == -1 && codes[4] == -1,
	    "unknown and missing are -1");
	check(rf_column_to_codes(&column, words, true, codes, &err) == RF_OK &&
		codes[0] == 1 && codes[1] == -1 && codes[2] == 0 &&
		codes[3] == 1 && codes[4] == -1,
	    "entries that repeat have one code, null entries none");
	check(rf_column_to_codes(&column, words, false, codes, &err) == RF_OK &&
		codes[0] == 1,
	    "what was added is known");
	entries.data.data = (const uint8_t *)"yyx";
	column.dictionary_serial = 43;
	check(rf_column_to_codes(&column, words, false, codes, &err) == RF_OK &&
		codes[0] == 1 && codes[3] == 0,
	    "another serial is another dictionary");
	column.dictionary = NULL;
	column.dictionary_serial = 0;
	check(rf_column_to_codes(&column, words, false, codes, &err) == RF_OK &&
		codes[0] == -1,
	    "without one all is missing");
	rf_vocabulary_free(words);
}

static void
check_refusal(void)
{
	static char name[] = "when";
	struct rf_field field = {.name = name, .type = RF_TYPE_TIMESTAMP};
	struct rf_column column = {.field = &field, .n_rows = 0};
	struct rf_vocabulary *words = vocabulary_new();
	int32_t code;

	check_int(rf_column_to_codes(&column, words, true, &code, &err),
	    RF_EDATA, "a timestamp is no category");
	check_text(err.message,
	    "column 'when': type timestamp has no categories",
	    "and the column is named");
	rf_vocabulary_free(words);
}

int
main(void)
{
	check_vocabulary();
	check_numbers();
	check_dictionary();
	check_refusal();
	return unit_end();
}
