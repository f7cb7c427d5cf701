#include "table/libsvm_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "table/decimal.h"

#define WHOLE_MOST 9007199254740992.0 /* 2^53 */

struct token {
	const char *text;
	size_t size;
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next word, up to a blank or comment; false: there is none. */
static bool
next_token(const char **at, const char *end, struct token *token)
{
	const char *p = *at;

	while (p < end && is_blank(*p))
		p++;
	token->text = p;
	while (p < end && !is_blank(*p) && *p != '#')
		p++;
	token->size = (size_t)(p - token->text);
	*at = p;
	return token->size > 0;
}

static const char *
colon(const struct token *token)
{
	return memchr(token->text, ':', token->size);
}

/* Digits alone, as a number of at most INT32_MAX + 1. */
static bool
read_index(const char *text, const char *end, int64_t *index)
{
	*index = 0;
	for (const char *p = text; p < end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		*index = *index * 10 + (*p - '0');
		if (*index > INT32_MAX)
			*index = (int64_t)INT32_MAX + 1;
	}
	return text < end;
}

/* A number, or nan in any case: missing. */
static bool
read_value(const char *text, size_t size, double *value)
{
	int64_t whole;

	if (size == 1 && *text >= '0' && *text <= '9') {
		*value = *text - '0';
		return true;
	}
	if (rf_decimal_parse(text, size, '.', &whole, value) != RF_NUMBER_NONE)
		return true;
	if (size > 0 && (*text == '-' || *text == '+')) {
		text++;
		size--;
	}
	*value = (double)NAN;
	return size == 3 && (text[0] | 0x20) == 'n' &&
	    (text[1] | 0x20) == 'a' && (text[2] | 0x20) == 'n';
}

/* --- Faults ---------------------------------------------------------------- */

static enum rf_status
refuse(const char *what, const struct token *token, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	return rf_error_set(err, RF_EDATA, "'%s' %s",
	    rf_text_quote(quoted, token->text, token->size), what);
}

static enum rf_status
refuse_index(const struct rf_libsvm_rows *rows, const struct token *token,
    int64_t index, int64_t last, struct rf_error *err)
{
	int64_t first = rows->is_zero_based ? 0 : 1;
	char quoted[RF_QUOTED_SIZE];

	rf_text_quote(quoted, token->text, token->size);
	if (index < first)
		return rf_error_set(err, RF_EDATA,
		    "'%s': indices count from 1; --zero-based counts from 0",
		    quoted);
	if (index - first >= rows->width)
		return rf_error_set(err, RF_EDATA,
		    "'%s': the highest index is %" PRId64 "%s%s", quoted,
		    rows->width - 1 + first,
		    rows->width_option != NULL ? ", by " : "",
		    rows->width_option != NULL ? rows->width_option : "");
	return rf_error_set(err, RF_EDATA,
	    "'%s' follows index %" PRId64 ": indices must ascend", quoted,
	    last + first);
}

/* --- A line ---------------------------------------------------------------- */

static enum rf_status
read_label(struct rf_libsvm_rows *rows, const struct token *token,
    union rf_libsvm_label *label, struct rf_error *err)
{
	int64_t whole;
	double real;
	enum rf_number number =
	    rf_decimal_parse(token->text, token->size, '.', &whole, &real);
	bool has_fraction;

	if (colon(token) != NULL)
		return refuse("stands where the label is to be", token, err);
	if (number == RF_NUMBER_NONE)
		return refuse("is no label: a number is needed", token, err);
	if (!isfinite(real))
		return refuse("is no label: it is not finite", token, err);
	has_fraction = number == RF_NUMBER_REAL &&
	    (fabs(real) > WHOLE_MOST || (double)(int64_t)real != real);
	rows->has_fraction |= has_fraction;
	if (!rows->is_whole)
		label->real = real;
	else if (has_fraction)
		return refuse(
		    "is no class: a whole number is needed", token, err);
	else
		label->whole =
		    number == RF_NUMBER_WHOLE ? whole : (int64_t)real;
	return RF_OK;
}

static enum rf_status
read_qid(struct rf_libsvm_rows *rows, const struct token *token, int64_t *qid,
    struct rf_error *err)
{
	bool is_there = token->size >= 4 && memcmp(token->text, "qid:", 4) == 0;
	double real;

	*qid = 0;
	if (rows->qid == RF_QID_UNKNOWN)
		rows->qid = is_there ? RF_QID_THERE : RF_QID_NONE;
	if (is_there != (rows->qid == RF_QID_THERE))
		return rf_error_set(err, RF_EDATA, "%s",
		    is_there ? "a qid, which the first row does not have"
			     : "no qid, which the first row has");
	if (is_there &&
	    rf_decimal_parse(token->text + 4, token->size - 4, '.', qid,
		&real) != RF_NUMBER_WHOLE)
		return refuse(
		    "is no qid: a whole number is needed", token, err);
	return RF_OK;
}

static enum rf_status
read_pair(struct rf_libsvm_rows *rows, const struct token *token, int64_t *last,
    struct rf_error *err)
{
	int64_t first = rows->is_zero_based ? 0 : 1, index;
	const char *at = colon(token), *end = token->text + token->size;
	double value;

	if (at == NULL)
		return refuse(
		    "has no colon: INDEX:VALUE is needed", token, err);
	if (!read_index(token->text, at, &index))
		return refuse(
		    "has no whole number before its colon", token, err);
	if (index - first <= *last ||
	    (index - first >= rows->width && !rows->leaves_out))
		return refuse_index(rows, token, index, *last, err);
	if (!read_value(at + 1, (size_t)(end - at - 1), &value))
		return refuse("has no number after its colon", token, err);
	*last = index - first;
	if (*last >= rows->width)
		return RF_OK;
	rows->columns[rows->n_pairs] = (int32_t)*last;
	rows->values[rows->n_pairs] = value;
	rows->n_missing += isnan(value) != 0;
	rows->n_pairs++;
	return RF_OK;
}

static int
grow(void *array, size_t *capacity, size_t needed, size_t size)
{
	void *grown;

	memcpy(&grown, array, sizeof(grown));
	if (rf_grow(&grown, capacity, needed, size) != 0)
		return -1;
	memcpy(array, &grown, sizeof(grown));
	return 0;
}

/* Room for one more row, and for the pairs that so many bytes can hold. */
static enum rf_status
make_room(struct rf_libsvm_rows *rows, size_t n_bytes, struct rf_error *err)
{
	size_t n_rows = (size_t)rows->n_rows + 2;
	size_t n_pairs = (size_t)rows->n_pairs + n_bytes / 4 + 1;
	size_t capacity;
	bool failed = false;

	if (n_rows > rows->rows_capacity) {
		capacity = rows->rows_capacity;
		failed |= grow(&rows->labels, &capacity, n_rows, 8) != 0;
		capacity = rows->rows_capacity;
		failed |= grow(&rows->qids, &capacity, n_rows, 8) != 0;
		capacity = rows->rows_capacity;
		failed |= grow(&rows->offsets, &capacity, n_rows, 4) != 0;
		if (!failed)
			rows->rows_capacity = capacity;
	}
	if (n_pairs > rows->pairs_capacity) {
		capacity = rows->pairs_capacity;
		failed |= grow(&rows->columns, &capacity, n_pairs, 4) != 0;
		capacity = rows->pairs_capacity;
		failed |= grow(&rows->values, &capacity, n_pairs, 8) != 0;
		if (!failed)
			rows->pairs_capacity = capacity;
	}
	return failed ? rf_error_memory(err, n_bytes, "rows") : RF_OK;
}

enum rf_status
rf_libsvm_add(struct rf_libsvm_rows *rows, const char *line, const char *end,
    struct rf_error *err)
{
	const char *at = line, *after;
	int64_t row = rows->n_rows, last = -1;
	struct token token;

	if (!next_token(&at, end, &token))
		return RF_OK;
	RF_TRY(make_room(rows, (size_t)(end - line), err));
	RF_TRY(read_label(rows, &token, &rows->labels[row], err));
	after = at;
	if (!next_token(&after, end, &token))
		token.size = 0;
	RF_TRY(read_qid(rows, &token, &rows->qids[row], err));
	if (rows->qid == RF_QID_THERE)
		at = after;
	if (row == 0)
		rows->offsets[0] = 0;
	while (next_token(&at, end, &token))
		RF_TRY(read_pair(rows, &token, &last, err));
	if (last >= rows->n_columns)
		rows->n_columns = last + 1;
	rows->n_rows++;
	rows->offsets[rows->n_rows] = (int32_t)rows->n_pairs;
	return RF_OK;
}

void
rf_libsvm_clear(struct rf_libsvm_rows *rows)
{
	rows->n_rows = rows->n_pairs = rows->n_missing = 0;
}

void
rf_libsvm_release(struct rf_libsvm_rows *rows)
{
	free(rows->labels);
	free(rows->qids);
	free(rows->offsets);
	free(rows->columns);
	free(rows->values);
	memset(rows, 0, sizeof(*rows));
}

/* --- Recognition ----------------------------------------------------------- */

static bool
is_pair(const struct token *token, bool *is_qid)
{
	const char *at = colon(token), *end = token->text + token->size;
	int64_t index;
	double value;

	if (at == NULL)
		return false;
	*is_qid = at - token->text == 3 && memcmp(token->text, "qid", 3) == 0;
	return (*is_qid || read_index(token->text, at, &index)) &&
	    read_value(at + 1, (size_t)(end - at - 1), &value);
}

static bool
is_record(const char *at, const char *end, bool is_cut)
{
	struct token token;
	bool is_qid;
	int n_pairs = 0;
	double value;

	if (!next_token(&at, end, &token) ||
	    !read_value(token.text, token.size, &value))
		return false;
	while (next_token(&at, end, &token)) {
		if (is_cut && at == end)
			break;
		if (!is_pair(&token, &is_qid))
			return false;
		n_pairs += !is_qid;
	}
	return n_pairs > 0;
}

bool
rf_libsvm_is_form(const char *text, const char *end, bool is_cut)
{
	const char *line_end, *at;
	struct token token;

	for (;; text = line_end + 1) {
		line_end = text;
		while (line_end < end && *line_end != '\n' && *line_end != '\r')
			line_end++;
		at = text;
		if (next_token(&at, line_end, &token))
			break;
		if (line_end >= end)
			return false;
	}
	return is_record(text, line_end, is_cut && line_end == end);
}
