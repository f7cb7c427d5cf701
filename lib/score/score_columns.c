#include "score/score_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "stream/convert.h"

static enum rf_status
find_named(const struct rf_schema *schema, const char *name, const char *option,
    int64_t *column, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	*column = rf_schema_find(schema, name);
	if (*column >= 0)
		return RF_OK;
	rf_text_quote(quoted, name, strlen(name));
	if (*column == -2)
		return rf_error_set(
		    err, RF_EDATA, "several columns are named '%s'", quoted);
	return rf_error_set(
	    err, RF_EUSAGE, "%s: there is no column '%s'", option, quoted);
}

/* The one column of that role; -1 where there is none. */
static enum rf_status
find_role(const struct rf_schema *schema, const char *role, const char *option,
    int64_t *column, struct rf_error *err)
{
	char first[RF_QUOTED_SIZE], second[RF_QUOTED_SIZE];

	*column = -1;
	for (size_t i = 0; i < schema->n_fields; i++) {
		const char *name = schema->fields[i].name;

		if (!rf_field_has_role(&schema->fields[i], role))
			continue;
		if (*column < 0) {
			*column = (int64_t)i;
			rf_text_quote(first, name, strlen(name));
			continue;
		}
		return rf_error_set(err, RF_EUSAGE,
		    "columns '%s' and '%s' both have rf.role=%s; %s says "
		    "which",
		    first, rf_text_quote(second, name, strlen(name)), role,
		    option);
	}
	return RF_OK;
}

static enum rf_status
find_truth(const struct rf_schema *schema, const char *name, int64_t *column,
    struct rf_error *err)
{
	if (name != NULL)
		return find_named(schema, name, "--truth", column, err);
	RF_TRY(find_role(schema, "label", "--truth NAME", column, err));
	if (*column >= 0)
		return RF_OK;
	name = rf_metadata_get(&schema->metadata, "rf.truth", NULL);
	if (name != NULL)
		return find_named(schema, name, "rf.truth", column, err);
	return rf_error_set(err, RF_EUSAGE,
	    "no column has rf.role=label; --truth NAME says which holds the "
	    "truth");
}

static enum rf_status
find_weight(const struct rf_schema *schema, const char *name, int64_t *column,
    struct rf_error *err)
{
	if (name != NULL)
		return find_named(schema, name, "--weight", column, err);
	return find_role(schema, "weight", "--weight NAME", column, err);
}

static enum rf_status
find_prediction(
    const struct rf_schema *schema, int64_t *column, struct rf_error *err)
{
	RF_TRY(find_role(schema, "prediction", "the stream", column, err));
	if (*column < 0)
		*column = rf_schema_find(schema, "prediction");
	if (*column >= 0)
		return RF_OK;
	return rf_error_set(err, RF_EDATA,
	    "there is no column 'prediction': not an output of rf-vote");
}

/* rf.task decides, else the type: real numbers are regression. */
static bool
is_classification(
    const struct rf_schema *schema, const struct rf_field *prediction)
{
	const char *task = rf_metadata_get(&schema->metadata, "rf.task", NULL);

	if (task != NULL && strcmp(task, "classification") == 0)
		return true;
	if (task != NULL && strcmp(task, "regression") == 0)
		return false;
	return !(prediction->type == RF_TYPE_FLOAT16 ||
	    prediction->type == RF_TYPE_FLOAT32 ||
	    prediction->type == RF_TYPE_FLOAT64 ||
	    prediction->type == RF_TYPE_DECIMAL);
}

/*
 * The class of a column PREFIXprobability.CLASS, where the prediction is
 * PREFIXprediction; NULL where the name is another.
 */
static const char *
class_of_name(const char *name, const char *prediction)
{
	static const char word[] = "prediction", start[] = "probability.";
	size_t length = strlen(prediction), word_length = strlen(word);

	if (length >= word_length &&
	    strcmp(prediction + length - word_length, word) == 0 &&
	    strncmp(name, prediction, length - word_length) == 0)
		name += length - word_length;
	if (strncmp(name, start, strlen(start)) != 0)
		return NULL;
	return name + strlen(start);
}

static enum rf_status
add_share(struct rf_scorer_columns *columns, int64_t column, const char *text,
    struct rf_error *err)
{
	void *shares = columns->shares;
	size_t needed = (size_t)columns->n_shares + 1;

	if (rf_grow(&shares, &columns->capacity, needed,
		sizeof(*columns->shares)) != 0)
		return rf_error_memory(
		    err, needed * sizeof(*columns->shares), "columns");
	columns->shares = shares;
	columns->shares[needed - 1].column = column;
	columns->shares[needed - 1].text =
	    (struct rf_bytes){(const uint8_t *)text, (int64_t)strlen(text)};
	columns->n_shares++;
	return RF_OK;
}

/* Classification only: the columns of probabilities, in stream order. */
static enum rf_status
find_shares(struct rf_scorer_columns *columns, const struct rf_schema *schema,
    struct rf_error *err)
{
	const char *prediction = schema->fields[columns->prediction].name;
	char quoted[RF_QUOTED_SIZE];

	for (size_t i = 0; i < schema->n_fields; i++) {
		const struct rf_field *field = &schema->fields[i];
		const char *text = class_of_name(field->name, prediction);
		bool has_any = rf_field_role(field)[0] != '\0';

		if (has_any ? !rf_field_has_role(field, "probability")
			    : text == NULL)
			continue;
		rf_text_quote(quoted, field->name, strlen(field->name));
		if (text == NULL)
			return rf_error_set(err, RF_EDATA,
			    "column '%s' has rf.role=probability, but its "
			    "name does not say of which class",
			    quoted);
		if (rf_field_kind(field) != RF_FEATURE_NUMERIC)
			return rf_error_set(err, RF_EDATA,
			    "column '%s': type %s is not a probability", quoted,
			    rf_type_name(field->type));
		RF_TRY(add_share(columns, (int64_t)i, text, err));
	}
	return RF_OK;
}

static enum rf_status
check_kind(const struct rf_field *field, bool must_be_number, const char *what,
    struct rf_error *err)
{
	enum rf_feature_kind kind = rf_field_kind(field);
	char quoted[RF_QUOTED_SIZE];

	if (kind == RF_FEATURE_NUMERIC ||
	    (kind == RF_FEATURE_CATEGORICAL && !must_be_number))
		return RF_OK;
	return rf_error_set(err, RF_EDATA,
	    "column '%s': type %s cannot be %s%s",
	    rf_text_quote(quoted, field->name, strlen(field->name)),
	    rf_type_name(field->type), what,
	    must_be_number ? " of numbers" : "");
}

enum rf_status
rf_scorer_columns_find(struct rf_scorer_columns *columns,
    const struct rf_schema *schema, const char *truth, const char *weight,
    struct rf_error *err)
{
	const struct rf_field *fields = schema->fields;
	bool is_class;

	RF_TRY(find_prediction(schema, &columns->prediction, err));
	RF_TRY(find_truth(schema, truth, &columns->truth, err));
	RF_TRY(find_weight(schema, weight, &columns->weight, err));
	is_class = is_classification(schema, &fields[columns->prediction]);
	columns->is_classification = is_class;
	RF_TRY(
	    check_kind(&fields[columns->truth], !is_class, "the truth", err));
	RF_TRY(check_kind(
	    &fields[columns->prediction], !is_class, "the prediction", err));
	if (columns->weight >= 0)
		RF_TRY(check_kind(
		    &fields[columns->weight], true, "a weight", err));
	columns->n_shares = 0;
	return is_class ? find_shares(columns, schema, err) : RF_OK;
}

void
rf_scorer_columns_release(struct rf_scorer_columns *columns)
{
	free(columns->shares);
	*columns = (struct rf_scorer_columns){0};
}
