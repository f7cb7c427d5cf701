#include "train/fit_header.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"

/* --- Features ------------------------------------------------------------ */

static char *
origin_of(const struct rf_field *field)
{
	static const char *const units[] = {
	    "timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]"};

	return rf_strdup(
	    field->type == RF_TYPE_TIMESTAMP ? units[field->unit] : "date32");
}

static bool
has_origin(const struct rf_coding *coding)
{
	enum rf_type type = coding->stored->field->type;

	return coding->precision == RF_PRECISION_INT64 &&
	    !coding->stored->is_ordinal &&
	    (type == RF_TYPE_TIMESTAMP || type == RF_TYPE_DATE32 ||
		type == RF_TYPE_DATE64);
}

static enum rf_status
put_levels(const struct rf_coding *coding, struct rf_forest_feature *feature,
    struct rf_error *err)
{
	size_t n = (size_t)coding->n_levels;

	feature->levels = rf_alloc_zero(n, sizeof(*feature->levels));
	if (feature->levels == NULL)
		return rf_error_memory(
		    err, n * sizeof(*feature->levels), "levels");
	feature->n_levels = coding->n_levels;
	for (int32_t i = 0; i < coding->n_levels; i++) {
		struct rf_bytes text = rf_vocabulary_text(
		    coding->stored->vocabulary, coding->order[i]);

		feature->levels[i] =
		    rf_strndup((const char *)text.data, (size_t)text.size);
		if (feature->levels[i] == NULL)
			return rf_error_memory(
			    err, (size_t)text.size, "levels");
	}
	return RF_OK;
}

static enum rf_status
put_features(const struct rf_fit_facts *facts, struct rf_forest_header *header,
    struct rf_error *err)
{
	const struct rf_coded *coded = facts->coded;
	size_t n = (size_t)coded->n_features;

	header->features = rf_alloc_zero(n, sizeof(*header->features));
	if (header->features == NULL)
		return rf_error_memory(
		    err, n * sizeof(*header->features), "features");
	header->n_features = coded->n_features;
	for (size_t f = 0; f < n; f++) {
		const struct rf_coding *coding = &coded->codings[f];
		struct rf_forest_feature *feature = &header->features[f];

		feature->kind = coding->kind;
		feature->precision = coding->precision;
		feature->is_ordinal = coding->stored->is_ordinal;
		feature->name = rf_strdup(coding->stored->field->name);
		if (has_origin(coding))
			feature->origin = origin_of(coding->stored->field);
		if (feature->name == NULL ||
		    (has_origin(coding) && feature->origin == NULL))
			return rf_error_memory(err, 64, "features");
		if (coding->code_of != NULL)
			RF_TRY(put_levels(coding, feature, err));
	}
	return RF_OK;
}

/* --- Metadata ------------------------------------------------------------ */

/* What the data stream said and this tool does not know goes on. */
static enum rf_status
pass_metadata(const struct rf_table *table, struct rf_metadata *metadata,
    struct rf_error *err)
{
	static const char *const known[] = {
	    "rf.version", "rf.kind", "rf.producer", "rf.task", "rf.row0"};
	const struct rf_metadata *from = &table->schema.metadata;

	for (size_t i = 0; i < from->n_entries; i++) {
		const struct rf_metadata_entry *entry = &from->entries[i];
		bool passes = strncmp(entry->key, "rf.", 3) == 0;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (strcmp(entry->key, known[k]) == 0)
				passes = false;
		if (passes)
			RF_TRY(rf_metadata_set_bytes(metadata, entry->key,
			    entry->value, entry->value_size, err));
	}
	return RF_OK;
}

static void
put_digest(struct rf_text *text, const char *name, const char *kind,
    const struct rf_digest *digest)
{
	rf_text_printf(text, "%s %016llx%016llx ", kind,
	    (unsigned long long)digest->words[1],
	    (unsigned long long)digest->words[0]);
	rf_text_puts(text, name);
	rf_text_append(text, "", 1);
}

static enum rf_status
put_data_hash(const struct rf_fit_facts *facts, struct rf_metadata *metadata,
    struct rf_error *err)
{
	static const char *const kinds[] = {"float32", "float64", "int64"};
	const struct rf_table *table = facts->table;
	struct rf_text text = {0};
	char hash[RF_HASH_HEX];

	for (int32_t f = 0; f < facts->coded->n_features; f++) {
		const struct rf_coding *coding = &facts->coded->codings[f];

		put_digest(&text, coding->stored->field->name,
		    coding->kind == RF_FEATURE_CATEGORICAL
			? "text"
			: kinds[coding->precision],
		    &coding->digest);
	}
	put_digest(&text, table->columns[table->label].field->name, "label",
	    &facts->label_digest);
	if (table->weight >= 0)
		put_digest(&text, table->columns[table->weight].field->name,
		    "weight", &facts->weight_digest);
	if (text.failed) {
		rf_text_release(&text);
		return rf_error_memory(err, 64, "the hash of the data");
	}
	rf_hash_hex(text.data, text.size, hash);
	rf_text_release(&text);
	return rf_metadata_set(metadata, "rf.data.hash", hash, err);
}

static enum rf_status
put_metadata(const struct rf_fit_facts *facts, struct rf_metadata *metadata,
    struct rf_error *err)
{
	bool is_regression = facts->labels->task == RF_TASK_REGRESSION;
	char shift[32];

	snprintf(shift, sizeof(shift), "%d", facts->rows->weight_shift);
	RF_TRY(pass_metadata(facts->table, metadata, err));
	RF_TRY(rf_params_describe(facts->params, facts->rules, metadata, err));
	RF_TRY(put_data_hash(facts, metadata, err));
	RF_TRY(rf_metadata_set(metadata, "rf.weight.shift", shift, err));
	RF_TRY(rf_metadata_set(
	    metadata, "rf.leaf", is_regression ? "value" : "count", err));
	RF_TRY(rf_metadata_set(metadata, "rf.aggregate", "mean", err));
	return rf_metadata_set(metadata, "rf.unknown", "missing", err);
}

enum rf_status
rf_fit_header(const struct rf_fit_facts *facts, struct rf_forest_header *header,
    struct rf_error *err)
{
	const struct rf_table *table = facts->table;
	const struct rf_params *params = facts->params;

	*header = (struct rf_forest_header){
	    .task = facts->labels->task,
	    .label_type = facts->labels->type,
	    .classes = facts->labels->classes,
	    .n_classes = facts->labels->n_classes,
	    .unit_exponent = facts->rows->scale.unit_exponent,
	    .first_tree = params->first,
	    .n_trees = params->end - params->first,
	    .total_trees = params->total_trees,
	    .n_rows = facts->rows->n_rows,
	};
	facts->labels->classes = NULL;
	facts->labels->n_classes = 0;
	header->label = rf_strdup(table->columns[table->label].field->name);
	if (header->label == NULL)
		return rf_error_memory(err, 64, "the label's name");
	RF_TRY(put_features(facts, header, err));
	return put_metadata(facts, &header->metadata, err);
}
