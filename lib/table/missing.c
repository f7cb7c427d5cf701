#include "table/missing.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "table/decimal.h"

static const char *const default_words[] = {
    "NA", "N/A", "NaN", "nan", "null", "NULL", "?"};

enum rf_status
rf_missing_init(
    struct rf_missing *missing, bool with_defaults, struct rf_error *err)
{
	size_t n = sizeof(default_words) / sizeof(*default_words);

	memset(missing, 0, sizeof(*missing));
	for (size_t i = 0; i < n && with_defaults; i++)
		RF_TRY(rf_missing_add(missing, default_words[i],
		    strlen(default_words[i]), '.', err));
	missing->is_default = with_defaults;
	return RF_OK;
}

enum rf_status
rf_missing_add(struct rf_missing *missing, const char *word, size_t size,
    char point, struct rf_error *err)
{
	unsigned char first = (unsigned char)word[0];
	int64_t whole;
	int32_t code;
	double real;

	if (size == 0)
		return RF_OK;
	RF_TRY(rf_words_add(&missing->words, word, size,
	    rf_words_hash(word, size), &code, err));
	missing->first_bytes[first >> 6] |= UINT64_C(1) << (first & 63);
	if (size > missing->longest)
		missing->longest = size;
	if (rf_decimal_parse(word, size, point, &whole, &real) !=
	    RF_NUMBER_NONE)
		missing->has_numbers = true;
	missing->is_default = false;
	return RF_OK;
}

enum rf_status
rf_missing_add_json(struct rf_missing *missing, const char *json, char point,
    struct rf_error *err)
{
	enum rf_status status = RF_OK;
	json_t *array = json_loads(json, 0, NULL), *word;
	size_t i;

	if (!json_is_array(array)) {
		json_decref(array);
		return rf_error_set(
		    err, RF_EDATA, "metadata rf.na is not an array of texts");
	}
	json_array_foreach(array, i, word)
	{
		if (status == RF_OK && json_is_string(word))
			status =
			    rf_missing_add(missing, json_string_value(word),
				json_string_length(word), point, err);
	}
	json_decref(array);
	return status;
}

void
rf_missing_json(const struct rf_missing *missing, struct rf_text *out)
{
	json_t *array = json_array();
	char *json;

	for (size_t i = 0; i < missing->words.n_words; i++)
		json_array_append_new(array,
		    json_stringn(rf_words_text(&missing->words, i),
			missing->words.words[i].size));
	json = json_dumps(array, JSON_COMPACT);
	if (json == NULL)
		out->failed = true;
	else
		rf_text_puts(out, json);
	free(json);
	json_decref(array);
}

void
rf_missing_release(struct rf_missing *missing)
{
	rf_words_release(&missing->words);
	memset(missing, 0, sizeof(*missing));
}

bool
rf_missing_has_word(
    const struct rf_missing *missing, const char *text, size_t size)
{
	size_t n_blanks = 0;

	while (n_blanks < size &&
	    (text[n_blanks] == ' ' || text[n_blanks] == '\t'))
		n_blanks++;
	return n_blanks == size ||
	    rf_words_find(
		&missing->words, text, size, rf_words_hash(text, size)) >= 0;
}
