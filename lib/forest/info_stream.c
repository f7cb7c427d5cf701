#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "forest/info.h"

struct column {
	int64_t n_nulls;
	int64_t n_levels; /* of the last dictionary; -1: none */
};

struct summary {
	const struct rf_schema *schema;
	const struct rf_metadata *end;
	const char *kind; /* NULL: a foreign stream */
	int64_t n_rows, n_batches, n_bytes;
	struct column *columns;
};

static enum rf_status
read_all(
    struct rf_reader *reader, struct summary *summary, struct rf_error *err)
{
	struct rf_batch batch;

	for (;;) {
		RF_TRY(rf_reader_next(reader, &batch, err));
		if (batch.columns == NULL)
			break;
		summary->n_batches += batch.n_rows > 0;
		for (size_t i = 0; i < batch.n_columns; i++) {
			const struct rf_column *column = &batch.columns[i];

			if (batch.n_rows > 0)
				summary->columns[i].n_nulls +=
				    rf_column_n_nulls(column);
			if (column->dictionary != NULL)
				summary->columns[i].n_levels =
				    column->dictionary->n_rows;
		}
	}
	summary->n_rows = rf_reader_n_rows(reader);
	summary->n_bytes = rf_reader_n_bytes(reader);
	summary->end = rf_reader_end_metadata(reader);
	return RF_OK;
}

/* "timestamp[us]" and the like; of a dictionary its values'. */
static void
put_type(struct rf_text *out, const struct rf_field *field)
{
	static const char *const units[] = {"s", "ms", "us", "ns"};

	if (field->is_dictionary)
		rf_text_printf(
		    out, "dictionary<%s, ", rf_type_name(field->index_type));
	rf_text_puts(out, rf_type_name(field->type));
	if (field->type == RF_TYPE_TIMESTAMP ||
	    field->type == RF_TYPE_DURATION || field->type == RF_TYPE_TIME32 ||
	    field->type == RF_TYPE_TIME64)
		rf_text_printf(out, "[%s]", units[field->unit & 3]);
	if (field->is_dictionary)
		rf_text_puts(out, ">");
}

/* --- For people ------------------------------------------------------------ */

static void
text_column(const struct rf_field *field, const struct column *column,
    struct rf_text *out)
{
	char quoted[RF_QUOTED_SIZE];
	const char *role = rf_field_role(field);

	rf_text_printf(out, "  %-20s ",
	    rf_text_quote(quoted, field->name, strlen(field->name)));
	put_type(out, field);
	if (column->n_levels >= 0)
		rf_text_printf(out, ", %" PRId64 " levels", column->n_levels);
	if (column->n_nulls > 0)
		rf_text_printf(out, ", %" PRId64 " missing", column->n_nulls);
	if (role[0] != '\0')
		rf_text_printf(
		    out, ", %s", rf_text_quote(quoted, role, strlen(role)));
	rf_text_puts(out, "\n");
}

static void
text_metadata(const struct rf_metadata *metadata, struct rf_text *out)
{
	char key[RF_QUOTED_SIZE], value[RF_QUOTED_SIZE];

	for (size_t i = 0; i < metadata->n_entries; i++) {
		const struct rf_metadata_entry *entry = &metadata->entries[i];

		rf_text_printf(out, "  %-20s %s\n",
		    rf_text_quote(key, entry->key, strlen(entry->key)),
		    rf_text_quote(value, entry->value, entry->value_size));
	}
}

static void
text_stream(const struct summary *summary, struct rf_text *out)
{
	const struct rf_schema *schema = summary->schema;
	char quoted[RF_QUOTED_SIZE];

	if (summary->kind == NULL)
		rf_text_printf(
		    out, "%-15s Arrow stream, not of rf-tools\n", "kind");
	else
		rf_text_printf(out, "%-15s %s stream, whole and verified\n",
		    "kind",
		    rf_text_quote(
			quoted, summary->kind, strlen(summary->kind)));
	rf_text_printf(out, "%-15s %" PRId64 "\n", "rows", summary->n_rows);
	rf_text_printf(
	    out, "%-15s %" PRId64 "\n", "batches", summary->n_batches);
	rf_text_printf(out, "%-15s %" PRId64 "\n", "bytes", summary->n_bytes);
	rf_text_printf(out, "%-15s %zu\n", "columns", schema->n_fields);
	for (size_t i = 0; i < schema->n_fields; i++)
		text_column(&schema->fields[i], &summary->columns[i], out);
	rf_text_puts(out, "metadata\n");
	text_metadata(&schema->metadata, out);
	text_metadata(summary->end, out);
}

/* --- JSON ------------------------------------------------------------------ */

static void
json_column(const struct rf_field *field, const struct column *column,
    struct rf_text *out)
{
	struct rf_text type = {0};

	rf_text_puts(out, "{");
	rf_info_key(out, "name");
	rf_info_json_text(out, field->name, strlen(field->name));
	rf_info_key(out, "type");
	put_type(&type, field);
	rf_info_json_text(out, type.size > 0 ? type.data : "", type.size);
	out->failed |= type.failed;
	rf_text_release(&type);
	rf_info_key(out, "missing");
	rf_text_printf(out, "%" PRId64, column->n_nulls);
	if (column->n_levels >= 0) {
		rf_info_key(out, "levels");
		rf_text_printf(out, "%" PRId64, column->n_levels);
	}
	rf_info_json_metadata(out, "metadata", &field->metadata);
	rf_text_puts(out, "}");
}

static void
json_stream(const struct summary *summary, struct rf_text *out)
{
	const struct rf_schema *schema = summary->schema;
	const char *kind = summary->kind == NULL ? "arrow" : summary->kind;

	rf_text_puts(out, "{");
	rf_info_key(out, "kind");
	rf_info_json_text(out, kind, strlen(kind));
	rf_info_key(out, "rows");
	rf_text_printf(out, "%" PRId64, summary->n_rows);
	rf_info_key(out, "batches");
	rf_text_printf(out, "%" PRId64, summary->n_batches);
	rf_info_key(out, "bytes");
	rf_text_printf(out, "%" PRId64, summary->n_bytes);
	rf_info_key(out, "columns");
	rf_text_puts(out, "[");
	for (size_t i = 0; i < schema->n_fields; i++) {
		rf_text_puts(out, i > 0 ? "," : "");
		json_column(&schema->fields[i], &summary->columns[i], out);
	}
	rf_text_puts(out, "]");
	rf_info_json_metadata(out, "metadata", &schema->metadata);
	rf_info_json_metadata(out, "end", summary->end);
	rf_text_puts(out, "}\n");
}

enum rf_status
rf_info_stream(struct rf_reader *reader, bool json, struct rf_text *out,
    struct rf_error *err)
{
	struct summary summary = {.schema = rf_reader_schema(reader)};
	size_t n = summary.schema->n_fields;
	enum rf_status status;

	summary.kind =
	    rf_metadata_get(&summary.schema->metadata, "rf.kind", NULL);
	summary.columns = rf_alloc_zero(n, sizeof(*summary.columns));
	if (summary.columns == NULL)
		return rf_error_memory(
		    err, n * sizeof(*summary.columns), "columns");
	for (size_t i = 0; i < n; i++)
		summary.columns[i].n_levels = -1;
	status = read_all(reader, &summary, err);
	if (status == RF_OK && json)
		json_stream(&summary, out);
	else if (status == RF_OK)
		text_stream(&summary, out);
	free(summary.columns);
	return status;
}
