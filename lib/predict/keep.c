#include "predict/keep.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static bool
is_kept_by_role(const struct rf_field *field)
{
	static const char *const roles[] = {"id", "label", "weight", "fold"};

	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (rf_field_has_role(field, roles[i]))
			return true;
	return false;
}

static int64_t
label_by_name(const struct rf_schema *schema, const char *label)
{
	if (label == NULL)
		return -1;
	for (size_t i = 0; i < schema->n_fields; i++)
		if (rf_field_has_role(&schema->fields[i], "label"))
			return -1;
	return rf_schema_find(schema, label);
}

static enum rf_status
mark_name(bool *is_kept, const struct rf_schema *schema, const char *name,
    size_t size, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];
	bool is_there = false;

	for (size_t i = 0; i < schema->n_fields; i++) {
		const char *field = schema->fields[i].name;

		if (strlen(field) == size && memcmp(field, name, size) == 0)
			is_kept[i] = is_there = true;
	}
	if (is_there)
		return RF_OK;
	return rf_error_set(err, RF_EUSAGE,
	    "--keep: column '%s' is not in the data",
	    rf_text_quote(quoted, name, size));
}

static enum rf_status
mark_names(bool *is_kept, const struct rf_schema *schema, const char *names,
    struct rf_error *err)
{
	for (;;) {
		size_t size = strcspn(names, ",");

		RF_TRY(mark_name(is_kept, schema, names, size, err));
		if (names[size] == '\0')
			return RF_OK;
		names += size + 1;
	}
}

static enum rf_status
mark(bool *is_kept, const struct rf_schema *schema, const char *keep,
    int64_t label, struct rf_error *err)
{
	if (keep != NULL && strcmp(keep, "all") != 0 &&
	    strcmp(keep, "none") != 0)
		return mark_names(is_kept, schema, keep, err);
	for (size_t i = 0; i < schema->n_fields; i++)
		is_kept[i] = keep == NULL
		    ? is_kept_by_role(&schema->fields[i]) || (int64_t)i == label
		    : strcmp(keep, "all") == 0;
	return RF_OK;
}

static enum rf_status
check(const struct rf_field *field, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	rf_text_quote(quoted, field->name, strlen(field->name));
	if (rf_type_is_nested(field->type))
		return rf_error_set(err, RF_EDATA,
		    "column '%s': type %s is not supported", quoted,
		    rf_type_name(field->type));
	if (strncmp(field->name, "rf.", 3) == 0)
		return rf_error_set(err, RF_EDATA,
		    "column '%s': such names are for the columns that "
		    "rf-predict makes; --keep leaves it out",
		    quoted);
	return RF_OK;
}

static enum rf_status
collect(struct rf_kept *kept, const struct rf_schema *schema,
    const bool *is_kept, struct rf_error *err)
{
	kept->fields = rf_alloc(schema->n_fields, sizeof(*kept->fields));
	if (kept->fields == NULL)
		return rf_error_memory(err, 8 * schema->n_fields, "columns");
	for (size_t i = 0; i < schema->n_fields; i++)
		if (is_kept[i]) {
			RF_TRY(check(&schema->fields[i], err));
			kept->fields[kept->n_fields++] = i;
		}
	return RF_OK;
}

enum rf_status
rf_keep(struct rf_kept *kept, const struct rf_schema *schema, const char *keep,
    const char *label, struct rf_error *err)
{
	bool *is_kept = rf_alloc_zero(schema->n_fields, sizeof(*is_kept));
	enum rf_status status;

	memset(kept, 0, sizeof(*kept));
	if (is_kept == NULL)
		return rf_error_memory(err, schema->n_fields, "columns");
	kept->label = label_by_name(schema, label);
	status = mark(is_kept, schema, keep, kept->label, err);
	if (status == RF_OK)
		status = collect(kept, schema, is_kept, err);
	free(is_kept);
	if (status != RF_OK)
		rf_kept_release(kept);
	return status;
}

void
rf_kept_release(struct rf_kept *kept)
{
	free(kept->fields);
	memset(kept, 0, sizeof(*kept));
}

enum rf_status
rf_kept_fields(const struct rf_kept *kept, const struct rf_schema *from,
    struct rf_schema *to, struct rf_error *err)
{
	for (size_t i = 0; i < kept->n_fields; i++) {
		const struct rf_field *field = &from->fields[kept->fields[i]];
		struct rf_field *added, copy = {0};

		RF_TRY(rf_schema_add(to, field->name, field->type,
		    field->nullable, &added, err));
		RF_TRY(rf_field_copy(&copy, field, err));
		rf_field_release(added);
		*added = copy;
		if ((int64_t)kept->fields[i] == kept->label)
			RF_TRY(rf_metadata_set(
			    &added->metadata, "rf.role", "label", err));
	}
	return RF_OK;
}
