#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "table/plan.h"

static enum rf_status
set_time(const struct rf_plan_column *column, struct rf_field *field,
    struct rf_error *err)
{
	field->unit = column->unit;
	if (!column->has_offset)
		return RF_OK;
	field->timezone = rf_strdup("UTC");
	return field->timezone != NULL ? RF_OK
				       : rf_error_memory(err, 4, "a time zone");
}

static enum rf_status
add_field(const struct rf_plan *plan, size_t c, struct rf_schema *schema,
    struct rf_error *err)
{
	static const char *const roles[] = {[RF_ROLE_LABEL] = "label",
	    [RF_ROLE_WEIGHT] = "weight",
	    [RF_ROLE_ID] = "id",
	    [RF_ROLE_FOLD] = "fold",
	    [RF_ROLE_IGNORE] = "ignore"};
	static const enum rf_type types[] = {[RF_CELLS_WHOLE] = RF_TYPE_INT64,
	    [RF_CELLS_REAL] = RF_TYPE_FLOAT64,
	    [RF_CELLS_CATEGORY] = RF_TYPE_UTF8,
	    [RF_CELLS_TEXT] = RF_TYPE_UTF8,
	    [RF_CELLS_BOOLEAN] = RF_TYPE_BOOL,
	    [RF_CELLS_DATE] = RF_TYPE_DATE32,
	    [RF_CELLS_TIME] = RF_TYPE_TIMESTAMP};
	const struct rf_plan_column *column = &plan->columns[c];
	struct rf_bytes bytes = rf_plan_name(plan, c);
	struct rf_field *field;
	char *name;
	enum rf_status status;

	name = rf_strndup((const char *)bytes.data, (size_t)bytes.size);
	if (name == NULL)
		return rf_error_memory(err, (size_t)bytes.size, "a name");
	status = rf_schema_add(
	    schema, name, types[column->cells], true, &field, err);
	free(name);
	RF_TRY(status);
	if (column->cells == RF_CELLS_CATEGORY) {
		field->is_dictionary = true;
		field->index_type = RF_TYPE_INT32;
		field->dictionary_id = (int64_t)schema->n_fields - 1;
	}
	if (column->cells == RF_CELLS_TIME)
		RF_TRY(set_time(column, field, err));
	if (roles[column->role] != NULL)
		RF_TRY(rf_metadata_set(
		    &field->metadata, "rf.role", roles[column->role], err));
	return RF_OK;
}

static enum rf_status
set_metadata(const struct rf_plan *plan, const struct rf_csv_options *options,
    struct rf_metadata *metadata, struct rf_error *err)
{
	struct rf_text json = {0};
	enum rf_status status = RF_OK;
	char number[32];

	RF_TRY(rf_metadata_set(metadata, "rf.kind", "data", err));
	if (plan->task != NULL)
		RF_TRY(rf_metadata_set(metadata, "rf.task", plan->task, err));
	if (options->has_row0) {
		snprintf(number, sizeof(number), "%" PRId64, options->row0);
		RF_TRY(rf_metadata_set(metadata, "rf.row0", number, err));
	}
	if (plan->missing.is_default)
		return RF_OK;
	rf_missing_json(&plan->missing, &json);
	status = json.failed
	    ? rf_error_memory(err, json.size, "the missing words")
	    : rf_metadata_set(metadata, "rf.na", json.data, err);
	rf_text_release(&json);
	return status;
}

enum rf_status
rf_plan_schema(const struct rf_plan *plan, const struct rf_csv_options *options,
    struct rf_schema *schema, struct rf_error *err)
{
	for (size_t c = 0; c < plan->n_columns; c++)
		if (plan->columns[c].cells != RF_CELLS_SKIP)
			RF_TRY(add_field(plan, c, schema, err));
	return set_metadata(plan, options, &schema->metadata, err);
}

size_t
rf_plan_n_sent(const struct rf_plan *plan)
{
	size_t n = 0;

	for (size_t c = 0; c < plan->n_columns; c++)
		n += plan->columns[c].cells != RF_CELLS_SKIP;
	return n;
}

const char *
rf_plan_type_name(const struct rf_plan_column *column)
{
	static const char *const names[] = {[RF_CELLS_SKIP] = "",
	    [RF_CELLS_WHOLE] = "integer",
	    [RF_CELLS_REAL] = "number",
	    [RF_CELLS_CATEGORY] = "category",
	    [RF_CELLS_TEXT] = "text",
	    [RF_CELLS_BOOLEAN] = "boolean",
	    [RF_CELLS_DATE] = "date"};
	static const char *const times[] = {[RF_UNIT_S] = "timestamp[s]",
	    [RF_UNIT_MS] = "timestamp[ms]",
	    [RF_UNIT_US] = "timestamp[us]",
	    [RF_UNIT_NS] = "timestamp[ns]"};

	return column->cells == RF_CELLS_TIME ? times[column->unit]
					      : names[column->cells];
}

size_t
rf_plan_row_bytes(const struct rf_plan *plan)
{
	size_t n = 0;

	for (size_t c = 0; c < plan->n_columns; c++) {
		switch (plan->columns[c].cells) {
		case RF_CELLS_SKIP:
			break;
		case RF_CELLS_WHOLE:
		case RF_CELLS_REAL:
		case RF_CELLS_TIME:
			n += 8;
			break;
		case RF_CELLS_CATEGORY:
		case RF_CELLS_DATE:
			n += 4;
			break;
		case RF_CELLS_BOOLEAN:
			n += 1;
			break;
		case RF_CELLS_TEXT:
			n += 4 + plan->columns[c].text_size;
			break;
		}
	}
	return n;
}
