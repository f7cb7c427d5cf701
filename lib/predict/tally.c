#include "predict/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "base/text.h"
#include "forest/forest_json.h"
#include "forest/forest_keys.h"
#include "forest/forest_write.h"

static const char *const mode_names[] = {"tally", "leaf"};
static const char *const vote_names[] = {"soft", "hard"};

static enum rf_status
copy_classes(struct rf_tally_header *out, const struct rf_forest_header *forest,
    struct rf_error *err)
{
	if (forest->task != RF_TASK_CLASSIFICATION)
		return RF_OK;
	out->classes =
	    rf_alloc_zero((size_t)forest->n_classes, sizeof(*out->classes));
	if (out->classes == NULL)
		return rf_error_memory(
		    err, 8 * (size_t)forest->n_classes, "classes");
	out->n_classes = forest->n_classes;
	for (int32_t i = 0; i < forest->n_classes; i++) {
		out->classes[i] = rf_strdup(forest->classes[i]);
		if (out->classes[i] == NULL)
			return rf_error_memory(
			    err, strlen(forest->classes[i]), "classes");
	}
	return RF_OK;
}

enum rf_status
rf_tally_header_init(struct rf_tally_header *out,
    const struct rf_forest_header *forest, struct rf_error *err)
{
	enum rf_status status;

	memset(out, 0, sizeof(*out));
	out->task = forest->task;
	out->unit_exponent = forest->unit_exponent;
	out->label_type = forest->label_type;
	status = copy_classes(out, forest, err);
	if (status == RF_OK && forest->label != NULL &&
	    (out->label = rf_strdup(forest->label)) == NULL)
		status = rf_error_memory(err, strlen(forest->label), "a name");
	if (status == RF_OK)
		status = rf_forest_schema_hash(forest, out->schema, err);
	if (status != RF_OK)
		rf_tally_header_release(out);
	return status;
}

void
rf_tally_header_release(struct rf_tally_header *header)
{
	free(header->ranges);
	rf_forest_texts_free(header->classes, header->n_classes);
	free(header->label);
	memset(header, 0, sizeof(*header));
}

enum rf_status
rf_tally_header_add_range(struct rf_tally_header *header, int64_t first,
    int64_t end, struct rf_error *err)
{
	size_t n = (size_t)header->n_ranges;
	struct rf_tree_range *grown;

	if (n > 0 && header->ranges[n - 1].end == first) {
		header->ranges[n - 1].end = end;
		return RF_OK;
	}
	grown = rf_realloc(header->ranges, n + 1, sizeof(*grown));
	if (grown == NULL)
		return rf_error_memory(
		    err, (n + 1) * sizeof(*grown), "ranges of trees");
	header->ranges = grown;
	grown[n].first = first;
	grown[n].end = end;
	header->n_ranges++;
	return RF_OK;
}

int64_t
rf_tally_header_n_trees(const struct rf_tally_header *header)
{
	int64_t n = 0;

	for (int64_t i = 0; i < header->n_ranges; i++)
		n += header->ranges[i].end - header->ranges[i].first;
	return n;
}

int32_t
rf_tally_header_n_sums(const struct rf_tally_header *header)
{
	return header->task == RF_TASK_REGRESSION ? 1 : header->n_classes;
}

static enum rf_status
put_hash(struct rf_metadata *metadata, const char *key, const char *hash,
    struct rf_error *err)
{
	return hash[0] == '\0' ? RF_OK
			       : rf_metadata_set(metadata, key, hash, err);
}

static enum rf_status
put_trees(const struct rf_tally_header *header, struct rf_metadata *metadata,
    struct rf_error *err)
{
	struct rf_text text = {0};

	for (int64_t i = 0; i < header->n_ranges; i++)
		rf_text_printf(&text, "%s%" PRId64 ":%" PRId64,
		    i > 0 ? "," : "", header->ranges[i].first,
		    header->ranges[i].end);
	RF_TRY(rf_key_put_text(metadata, "rf.tree.ranges", &text, err));
	RF_TRY(rf_key_put_int(
	    metadata, "rf.trees.total", header->total_trees, err));
	RF_TRY(put_hash(metadata, "rf.forest", header->forest, err));
	RF_TRY(put_hash(metadata, "rf.schema.hash", header->schema, err));
	RF_TRY(put_hash(metadata, "rf.params.hash", header->params, err));
	return put_hash(metadata, "rf.data.hash", header->data, err);
}

static enum rf_status
put_label(const struct rf_tally_header *header, struct rf_metadata *metadata,
    struct rf_error *err)
{
	struct rf_text text = {0};

	if (header->label != NULL)
		RF_TRY(
		    rf_metadata_set(metadata, "rf.label", header->label, err));
	RF_TRY(rf_metadata_set(metadata, "rf.label.type",
	    rf_label_type_name(header->label_type), err));
	if (header->task == RF_TASK_CLASSIFICATION) {
		rf_forest_json_texts(&text, header->classes, header->n_classes);
		return rf_key_put_text(metadata, "rf.classes", &text, err);
	}
	return rf_key_put_unit(metadata, header->unit_exponent, err);
}

enum rf_status
rf_tally_header_put(const struct rf_tally_header *header,
    struct rf_metadata *metadata, struct rf_error *err)
{
	RF_TRY(rf_metadata_set(metadata, "rf.kind", "prediction", err));
	RF_TRY(rf_metadata_set(
	    metadata, "rf.task", rf_task_name(header->task), err));
	RF_TRY(rf_metadata_set(metadata, "rf.mode",
	    mode_names[header->vote == RF_VOTE_LEAF], err));
	if (header->vote == RF_VOTE_SOFT || header->vote == RF_VOTE_HARD)
		RF_TRY(rf_metadata_set(
		    metadata, "rf.vote", vote_names[header->vote], err));
	RF_TRY(put_trees(header, metadata, err));
	RF_TRY(put_label(header, metadata, err));
	return rf_key_put_int(metadata, "rf.row0", header->row0, err);
}

/* --- Metadata to header ---------------------------------------------------- */

static enum rf_status
get_hash(const struct rf_metadata *metadata, const char *key, char out[33],
    struct rf_error *err)
{
	const char *text = rf_metadata_get(metadata, key, NULL);

	if (text == NULL)
		return RF_OK;
	if (strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
		return rf_error_set(
		    err, RF_EDATA, "%s is not 32 hexadecimal digits", key);
	memcpy(out, text, 33);
	return RF_OK;
}

/* The number that *text begins with, up to `end` or, for a comma, the end. */
static enum rf_status
get_bound(const char **text, char end, int64_t *out, struct rf_error *err)
{
	size_t n = strspn(*text, "0123456789");
	char digits[16], stop = (*text)[n];

	if (n == 0 || n >= sizeof(digits) ||
	    (stop != end && (end != ',' || stop != '\0')))
		return rf_error_set(
		    err, RF_EDATA, "rf.tree.ranges is not like 0:100,200:300");
	memcpy(digits, *text, n);
	digits[n] = '\0';
	*text += n;
	return rf_key_get_int(digits, "rf.tree.ranges", 0, INT32_MAX, out, err);
}

/* "0:100,200:300" */
static enum rf_status
get_ranges(struct rf_tally_header *out, const char *text, struct rf_error *err)
{
	int64_t before = -1, first, end;

	while (*text != '\0') {
		RF_TRY(get_bound(&text, ':', &first, err));
		text++;
		RF_TRY(get_bound(&text, ',', &end, err));
		if (first <= before || end <= first)
			return rf_error_set(err, RF_EDATA,
			    "rf.tree.ranges: ranges that do not ascend");
		RF_TRY(rf_tally_header_add_range(out, first, end, err));
		before = end - 1;
		if (*text == ',' && *++text == '\0')
			return rf_error_set(
			    err, RF_EDATA, "rf.tree.ranges ends in a comma");
	}
	return RF_OK;
}

static enum rf_status
get_trees(struct rf_tally_header *out, const struct rf_metadata *metadata,
    struct rf_error *err)
{
	const char *ranges = rf_metadata_get(metadata, "rf.tree.ranges", NULL);
	const char *total = rf_metadata_get(metadata, "rf.trees.total", NULL);

	if (ranges == NULL || total == NULL)
		return rf_error_set(err, RF_EDATA,
		    "the header lacks rf.tree.ranges or rf.trees.total");
	RF_TRY(get_ranges(out, ranges, err));
	RF_TRY(rf_key_get_int(
	    total, "rf.trees.total", 0, INT32_MAX, &out->total_trees, err));
	if (rf_tally_header_n_trees(out) > RF_TREES_MAX ||
	    (out->n_ranges > 0 &&
		out->ranges[out->n_ranges - 1].end > out->total_trees))
		return rf_error_set(err, RF_EDATA,
		    "rf.tree.ranges: more trees than 2^22, or beyond "
		    "rf.trees.total");
	RF_TRY(get_hash(metadata, "rf.forest", out->forest, err));
	RF_TRY(get_hash(metadata, "rf.schema.hash", out->schema, err));
	RF_TRY(get_hash(metadata, "rf.params.hash", out->params, err));
	return get_hash(metadata, "rf.data.hash", out->data, err);
}

static enum rf_status
get_label(struct rf_tally_header *out, const struct rf_metadata *metadata,
    struct rf_error *err)
{
	struct rf_label label;
	enum rf_status status =
	    rf_key_get_label(metadata, out->task, &label, err);

	out->label = label.name;
	out->label_type = label.type;
	out->classes = label.classes;
	out->n_classes = label.n_classes;
	out->unit_exponent = label.unit_exponent;
	return status;
}

static enum rf_status
get_all(struct rf_tally_header *out, const struct rf_metadata *metadata,
    struct rf_error *err)
{
	const char *row0 = rf_metadata_get(metadata, "rf.row0", NULL);
	int mode, vote = RF_VOTE_VALUE;

	RF_TRY(rf_key_get_task(metadata, &out->task, err));
	RF_TRY(rf_key_get_word(metadata, "rf.mode", mode_names, 2, &mode, err));
	if (mode == 1)
		vote = RF_VOTE_LEAF;
	else if (out->task == RF_TASK_CLASSIFICATION)
		RF_TRY(rf_key_get_word(
		    metadata, "rf.vote", vote_names, 2, &vote, err));
	out->vote = (enum rf_vote)vote;
	RF_TRY(get_trees(out, metadata, err));
	RF_TRY(get_label(out, metadata, err));
	out->is_oob = out->forest[0] == '\0';
	if (out->is_oob && (out->params[0] == '\0' || out->data[0] == '\0'))
		return rf_error_set(err, RF_EDATA,
		    "the header lacks rf.forest, and rf.params.hash and "
		    "rf.data.hash in its place");
	return row0 == NULL
	    ? RF_OK
	    : rf_key_get_int(row0, "rf.row0", 0, INT64_MAX, &out->row0, err);
}

enum rf_status
rf_tally_header_get(struct rf_tally_header *out,
    const struct rf_metadata *metadata, struct rf_error *err)
{
	enum rf_status status;

	memset(out, 0, sizeof(*out));
	status = get_all(out, metadata, err);
	if (status != RF_OK)
		rf_tally_header_release(out);
	return status;
}

/* --- Fields ---------------------------------------------------------------- */

static enum rf_status
add_numbered(struct rf_schema *schema, const char *prefix, int64_t first,
    int64_t end, enum rf_type type, struct rf_error *err)
{
	char name[40];

	for (int64_t i = first; i < end; i++) {
		snprintf(name, sizeof(name), "%s%" PRId64, prefix, i);
		RF_TRY(rf_schema_add(schema, name, type, false, NULL, err));
	}
	return RF_OK;
}

/* list<struct<class: int32, sum>> */
static enum rf_status
add_list(struct rf_schema *schema, enum rf_type type, struct rf_error *err)
{
	struct rf_field *list, *entry;

	RF_TRY(
	    rf_schema_add(schema, "rf.sums", RF_TYPE_LIST, false, &list, err));
	RF_TRY(rf_field_add_children(list, 1, err));
	entry = &list->children[0];
	entry->type = RF_TYPE_STRUCT;
	RF_TRY(rf_field_add_children(entry, 2, err));
	entry->children[0].type = RF_TYPE_INT32;
	entry->children[1].type = type;
	entry->name = rf_strdup("item");
	entry->children[0].name = rf_strdup("class");
	entry->children[1].name = rf_strdup("sum");
	if (entry->name == NULL || entry->children[0].name == NULL ||
	    entry->children[1].name == NULL)
		return rf_error_memory(err, 8, "a name");
	return RF_OK;
}

enum rf_status
rf_tally_header_fields(const struct rf_tally_header *header,
    struct rf_schema *schema, struct rf_error *err)
{
	enum rf_type type =
	    header->vote == RF_VOTE_HARD ? RF_TYPE_INT32 : RF_TYPE_INT64;
	int32_t n_sums = rf_tally_header_n_sums(header);

	RF_TRY(
	    rf_schema_add(schema, "rf.row", RF_TYPE_INT64, false, NULL, err));
	if (header->is_oob)
		RF_TRY(rf_schema_add(
		    schema, "rf.n", RF_TYPE_INT32, false, NULL, err));
	if (header->vote == RF_VOTE_LEAF) {
		for (int64_t i = 0; i < header->n_ranges; i++)
			RF_TRY(add_numbered(schema, "rf.leaf.",
			    header->ranges[i].first, header->ranges[i].end,
			    RF_TYPE_INT32, err));
		return RF_OK;
	}
	if (n_sums > RF_TALLY_COLUMNS_MOST)
		return add_list(schema, type, err);
	return add_numbered(schema, "rf.sum.", 0, n_sums, type, err);
}
