#include "train/roles.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const char *
role_of(const struct rf_field *field)
{
	const char *role = rf_field_role(field);
	static const char index[] = "__index_level_";
	const char *rest = field->name + sizeof(index) - 1;
	size_t digits;

	if (role[0] != '\0')
		return role;
	if (strncmp(field->name, index, sizeof(index) - 1) != 0)
		return "";
	digits = strspn(rest, "0123456789");
	return digits > 0 && strcmp(rest + digits, "__") == 0 ? "ignore" : "";
}

static bool
has_role(const struct rf_field *field, const char *role)
{
	return strcmp(role_of(field), role) == 0;
}

static const char *
quote_name(char out[RF_QUOTED_SIZE], const char *name)
{
	return rf_text_quote(out, name, strlen(name));
}

/* The field that an option names; by_number: a number from 1 will do too. */
static enum rf_status
find_named(const struct rf_schema *schema, const char *name, const char *option,
    bool by_number, int64_t *out, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];
	struct rf_error none = {0};
	long long number;

	*out = rf_schema_find(schema, name);
	if (*out == -2)
		return rf_error_set(err, RF_EDATA,
		    "%s: several columns have the name '%s'", option,
		    quote_name(quoted, name));
	if (*out == -1 && by_number &&
	    rf_text_to_int(name, 1, (long long)schema->n_fields, option,
		&number, &none) == RF_OK)
		*out = (int64_t)number - 1;
	if (*out == -1)
		return rf_error_set(err, RF_EUSAGE, "%s: no column '%s'",
		    option, quote_name(quoted, name));
	return RF_OK;
}

/* The one field of a role; -1: none. */
static enum rf_status
find_role(const struct rf_schema *schema, const char *role, int64_t *out,
    struct rf_error *err)
{
	char first[RF_QUOTED_SIZE], second[RF_QUOTED_SIZE];

	*out = -1;
	for (size_t i = 0; i < schema->n_fields; i++) {
		if (!has_role(&schema->fields[i], role))
			continue;
		if (*out >= 0)
			return rf_error_set(err, RF_EUSAGE,
			    "columns '%s' and '%s' both have the role %s; "
			    "--%s COLUMN chooses one",
			    quote_name(first, schema->fields[*out].name),
			    quote_name(second, schema->fields[i].name), role,
			    role);
		*out = (int64_t)i;
	}
	return RF_OK;
}

static enum rf_status
find_label(struct rf_table *table, int64_t *out, struct rf_error *err)
{
	const struct rf_schema *schema = &table->schema;

	if (table->choice.label != NULL)
		return find_named(
		    schema, table->choice.label, "--label", true, out, err);
	RF_TRY(find_role(schema, "label", out, err));
	if (*out == -1)
		return rf_error_set(err, RF_EUSAGE,
		    "the stream names no label column; --label COLUMN does");
	return RF_OK;
}

static enum rf_status
find_weight(struct rf_table *table, int64_t *out, struct rf_error *err)
{
	if (table->choice.weight != NULL)
		return find_named(&table->schema, table->choice.weight,
		    "--weight", false, out, err);
	return find_role(&table->schema, "weight", out, err);
}

/* --- Task ---------------------------------------------------------------- */

/* A stream says what its own label is for: of another that --label names it
 * does not speak. */
static bool
is_of_stream(const struct rf_schema *schema, const struct rf_field *label)
{
	if (has_role(label, "label"))
		return true;
	for (size_t i = 0; i < schema->n_fields; i++)
		if (has_role(&schema->fields[i], "label"))
			return false;
	return true;
}

static enum rf_status
named_task(const struct rf_table *table, const struct rf_field *label,
    int *task, struct rf_error *err)
{
	const char *word =
	    rf_metadata_get(&table->schema.metadata, "rf.task", NULL);
	char quoted[RF_QUOTED_SIZE];

	*task = table->choice.task;
	if (*task >= 0 || word == NULL || !is_of_stream(&table->schema, label))
		return RF_OK;
	if (strcmp(word, "classification") == 0)
		*task = RF_TASK_CLASSIFICATION;
	else if (strcmp(word, "regression") == 0)
		*task = RF_TASK_REGRESSION;
	else
		return rf_error_set(err, RF_EDATA,
		    "rf.task is '%s', neither classification nor regression",
		    quote_name(quoted, word));
	return RF_OK;
}

static bool
is_float(enum rf_type type)
{
	return type == RF_TYPE_FLOAT16 || type == RF_TYPE_FLOAT32 ||
	    type == RF_TYPE_FLOAT64 || type == RF_TYPE_DECIMAL;
}

static enum rf_label_type
label_type_of(const struct rf_field *field)
{
	if (field->type == RF_TYPE_BOOL)
		return RF_LABEL_BOOL;
	if (rf_type_is_integer(field->type))
		return RF_LABEL_INT;
	return is_float(field->type) ? RF_LABEL_FLOAT : RF_LABEL_TEXT;
}

static enum rf_status
settle_task(
    struct rf_table *table, const struct rf_field *label, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];
	int task;

	(void)quote_name(quoted, label->name);
	RF_TRY(named_task(table, label, &task, err));
	table->label_type = label_type_of(label);
	if (rf_field_kind(label) == RF_FEATURE_NONE)
		return rf_error_set(err, RF_EDATA,
		    "label column '%s': type %s is no label", quoted,
		    rf_type_name(label->type));
	if (task < 0 && !label->is_dictionary &&
	    table->label_type == RF_LABEL_INT)
		return rf_error_set(err, RF_EUSAGE,
		    "label column '%s' has whole numbers: give --task "
		    "classification or --task regression",
		    quoted);
	if (task == RF_TASK_REGRESSION && rf_type_is_text(label->type))
		return rf_error_set(err, RF_EUSAGE,
		    "label column '%s' is text: --task regression needs "
		    "numbers",
		    quoted);
	if (task < 0)
		task = !label->is_dictionary &&
			rf_field_kind(label) == RF_FEATURE_NUMERIC &&
			table->label_type != RF_LABEL_BOOL
		    ? RF_TASK_REGRESSION
		    : RF_TASK_CLASSIFICATION;
	table->task = (enum rf_task)task;
	if (table->task == RF_TASK_REGRESSION)
		table->label_type = RF_LABEL_FLOAT;
	return RF_OK;
}

/* --- Columns ------------------------------------------------------------- */

static bool
is_ordinal(const struct rf_table *table, const struct rf_field *field)
{
	const char *type = rf_metadata_get(&field->metadata, "rf.type", NULL);

	for (int32_t i = 0; i < table->choice.n_ordinal; i++)
		if (strcmp(table->choice.ordinal[i], field->name) == 0)
			return true;
	return type != NULL && strcmp(type, "ordinal") == 0;
}

/* Marks fields whose name another one has too; n_fields results. */
static enum rf_status
find_twins(const struct rf_schema *schema, bool *is_twin, struct rf_error *err)
{
	int32_t *first = rf_alloc(schema->n_fields, sizeof(*first));
	struct rf_vocabulary *names = NULL;
	enum rf_status status = rf_vocabulary_new(&names, err);
	int32_t n = 0, code;

	if (status == RF_OK && first == NULL)
		status = rf_error_memory(err, schema->n_fields * 4, "names");
	for (size_t i = 0; i < schema->n_fields && status == RF_OK; i++) {
		const char *name = schema->fields[i].name;

		status =
		    rf_vocabulary_add(names, name, strlen(name), &code, err);
		if (status != RF_OK)
			break;
		if (code == n)
			first[n++] = (int32_t)i;
		else
			is_twin[i] = is_twin[first[code]] = true;
	}
	rf_vocabulary_free(names);
	free(first);
	return status;
}

static bool
is_known(const char *role)
{
	static const char *const roles[] = {
	    "label", "weight", "id", "fold", "offset", "ignore"};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(role, roles[i]) == 0)
			return true;
	return false;
}

/* Whether the field is a feature; notes say what is left aside. */
static enum rf_status
is_feature(const struct rf_table *table, const struct rf_field *field,
    bool is_twin, bool *out, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE], other[RF_QUOTED_SIZE];
	const char *role = role_of(field);

	(void)quote_name(quoted, field->name);
	*out = strcmp(role, "") == 0 || strcmp(role, "feature") == 0;
	if (!*out && !is_known(role))
		rf_note(table->log,
		    "column '%s' is left aside: its role '%s' is not known",
		    quoted, quote_name(other, role));
	if (strcmp(role, "label") == 0 || strcmp(role, "weight") == 0)
		rf_note(table->log,
		    "column '%s' of role %s is left aside: the command line "
		    "names another",
		    quoted, role);
	if (!*out)
		return RF_OK;
	if (is_twin)
		return rf_error_set(err, RF_EDATA,
		    "several feature columns have the name '%s'", quoted);
	if (rf_field_kind(field) != RF_FEATURE_NONE)
		return RF_OK;
	*out = false;
	if (strcmp(role, "feature") == 0)
		return rf_error_set(err, RF_EDATA,
		    "column '%s': type %s is not supported", quoted,
		    rf_type_name(field->type));
	rf_note(table->log, "column '%s' is left out: type %s is no feature",
	    quoted, rf_type_name(field->type));
	return RF_OK;
}

static void
add_column(struct rf_table *table, int64_t field, enum rf_feature_kind kind)
{
	table->of_field[field] = table->n_columns;
	table->columns[table->n_columns++] = (struct rf_stored){
	    .field = &table->schema.fields[field],
	    .kind = kind,
	};
}

static enum rf_status
add_each_feature(struct rf_table *table, int64_t label, int64_t weight,
    const bool *is_twin, struct rf_error *err)
{
	for (int64_t i = 0; i < (int64_t)table->schema.n_fields; i++) {
		const struct rf_field *field = &table->schema.fields[i];
		struct rf_stored *stored = &table->columns[table->n_columns];
		bool wanted = false;

		table->of_field[i] = -1;
		if (i != label && i != weight)
			RF_TRY(
			    is_feature(table, field, is_twin[i], &wanted, err));
		if (!wanted)
			continue;
		add_column(table, i, rf_field_kind(field));
		/* numbers have their order already */
		stored->is_ordinal = stored->kind == RF_FEATURE_CATEGORICAL &&
		    is_ordinal(table, field);
	}
	table->n_features = table->n_columns;
	return RF_OK;
}

static enum rf_status
add_features(
    struct rf_table *table, int64_t label, int64_t weight, struct rf_error *err)
{
	bool *is_twin = rf_alloc_zero(table->schema.n_fields, sizeof(bool));
	enum rf_status status;

	if (is_twin == NULL)
		return rf_error_memory(err, table->schema.n_fields, "names");
	status = find_twins(&table->schema, is_twin, err);
	if (status == RF_OK)
		status = add_each_feature(table, label, weight, is_twin, err);
	free(is_twin);
	return status;
}

static enum rf_status
check_ordinal(const struct rf_table *table, int64_t label, int64_t weight,
    struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	for (int32_t i = 0; i < table->choice.n_ordinal; i++) {
		int64_t field;

		RF_TRY(find_named(&table->schema, table->choice.ordinal[i],
		    "--ordinal", false, &field, err));
		if (field == label || field == weight)
			return rf_error_set(err, RF_EUSAGE,
			    "--ordinal: column '%s' is the %s, not a feature",
			    quote_name(quoted, table->choice.ordinal[i]),
			    field == label ? "label" : "weight");
	}
	return RF_OK;
}

static enum rf_status
add_weight(struct rf_table *table, int64_t weight, struct rf_error *err)
{
	const struct rf_field *field;
	char quoted[RF_QUOTED_SIZE];

	table->weight = -1;
	if (weight < 0)
		return RF_OK;
	field = &table->schema.fields[weight];
	if (rf_field_kind(field) != RF_FEATURE_NUMERIC)
		return rf_error_set(err, RF_EDATA,
		    "weight column '%s': type %s is no number",
		    quote_name(quoted, field->name), rf_type_name(field->type));
	table->weight = table->n_columns;
	add_column(table, weight, RF_FEATURE_NUMERIC);
	return RF_OK;
}

enum rf_status
rf_table_roles(struct rf_table *table, struct rf_error *err)
{
	size_t n = table->schema.n_fields;
	int64_t label, weight;

	table->columns = rf_alloc_zero(n + 1, sizeof(*table->columns));
	table->of_field = rf_alloc_zero(n, sizeof(*table->of_field));
	if (table->columns == NULL || table->of_field == NULL)
		return rf_error_memory(
		    err, n * sizeof(*table->columns), "columns");
	RF_TRY(find_label(table, &label, err));
	RF_TRY(find_weight(table, &weight, err));
	if (label == weight)
		return rf_error_set(
		    err, RF_EUSAGE, "label and weight are the same column");
	RF_TRY(check_ordinal(table, label, weight, err));
	RF_TRY(settle_task(table, &table->schema.fields[label], err));
	RF_TRY(add_features(table, label, weight, err));
	table->label = table->n_columns;
	add_column(table, label,
	    table->task == RF_TASK_CLASSIFICATION ? RF_FEATURE_CATEGORICAL
						  : RF_FEATURE_NUMERIC);
	return add_weight(table, weight, err);
}
