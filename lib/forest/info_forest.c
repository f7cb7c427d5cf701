#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "forest/forest_json.h"
#include "forest/forest_keys.h"
#include "forest/forest_write.h"
#include "forest/info.h"
#include "forest/tree.h"

#define MOST_LINES 40 /* of features, for people */

struct counts {
	int64_t n_nodes, n_leaves, n_entries;
	int32_t fewest, most; /* nodes of a tree */
	int32_t depth;	      /* of the deepest leaf; the root has 0 */
	int64_t *uses;	      /* nodes by feature; NULL: no memory */
};

static const char *
feature_type(const struct rf_forest_feature *feature)
{
	static const char *const names[] = {"float32", "float64", "int64"};

	if (feature->kind == RF_FEATURE_CATEGORICAL)
		return "categorical";
	if (feature->is_ordinal)
		return "ordinal";
	return names[feature->precision];
}

/* Children come after their parents, so depths do in one pass. */
static void
count_tree(struct counts *counts, const struct rf_forest_tree *tree)
{
	int32_t *depth = rf_alloc_zero((size_t)tree->n_nodes, sizeof(*depth));

	counts->n_nodes += tree->n_nodes;
	counts->n_leaves += tree->n_nodes / 2 + 1;
	counts->n_entries += tree->leaf_first[tree->n_nodes];
	if (counts->most == 0 || tree->n_nodes < counts->fewest)
		counts->fewest = tree->n_nodes;
	if (tree->n_nodes > counts->most)
		counts->most = tree->n_nodes;
	for (int32_t i = 0; i < tree->n_nodes; i++) {
		int32_t left = tree->left[i];

		if (tree->feature[i] < 0)
			continue;
		if (counts->uses != NULL)
			counts->uses[tree->feature[i]]++;
		if (depth == NULL)
			continue;
		depth[left] = depth[left + 1] = depth[i] + 1;
		if (depth[left] > counts->depth)
			counts->depth = depth[left];
	}
	free(depth);
}

/* "0:100,200:300", half-open. */
static void
put_ranges(struct rf_text *out, const struct rf_forest *forest)
{
	int64_t first = 0;

	for (int64_t t = 0; t < forest->n_trees; t++) {
		int64_t tree = forest->trees[t].tree;

		if (t == 0 || tree != forest->trees[t - 1].tree + 1)
			first = tree;
		if (t + 1 < forest->n_trees &&
		    forest->trees[t + 1].tree == tree + 1)
			continue;
		rf_text_printf(out, "%s%" PRId64 ":%" PRId64,
		    first == forest->trees[0].tree ? "" : ",", first, tree + 1);
	}
}

/* --- For people ------------------------------------------------------------ */

static void
text_classes(const struct rf_forest_header *header, struct rf_text *out)
{
	char quoted[RF_QUOTED_SIZE];

	if (header->task == RF_TASK_REGRESSION)
		return;
	rf_text_printf(out, "%-15s %d: ", "classes", header->n_classes);
	for (int32_t i = 0; i < header->n_classes && i < 12; i++)
		rf_text_printf(out, "%s%s", i > 0 ? ", " : "",
		    rf_text_quote(quoted, header->classes[i],
			strlen(header->classes[i])));
	rf_text_puts(out, header->n_classes > 12 ? ", ..\n" : "\n");
}

static void
text_features(const struct rf_forest_header *header,
    const struct counts *counts, struct rf_text *out)
{
	char quoted[RF_QUOTED_SIZE];

	rf_text_printf(out, "%-15s %d\n", "features", header->n_features);
	for (int32_t i = 0; i < header->n_features && i < MOST_LINES; i++) {
		const struct rf_forest_feature *feature = &header->features[i];

		rf_text_printf(out, "  %-20s %s",
		    rf_text_quote(quoted, feature->name, strlen(feature->name)),
		    feature_type(feature));
		if (feature->n_levels > 0)
			rf_text_printf(out, ", %d levels", feature->n_levels);
		if (feature->origin != NULL)
			rf_text_printf(out, ", %s",
			    rf_text_quote(quoted, feature->origin,
				strlen(feature->origin)));
		if (counts->uses != NULL)
			rf_text_printf(
			    out, ", %" PRId64 " nodes", counts->uses[i]);
		rf_text_puts(out, "\n");
	}
	if (header->n_features > MOST_LINES)
		rf_text_printf(
		    out, "  .. and %d more\n", header->n_features - MOST_LINES);
}

static void
text_trees(const struct rf_forest *forest, const struct counts *counts,
    struct rf_text *out)
{
	rf_text_printf(out, "%-15s %" PRId64 " of %" PRId64 ", ", "trees",
	    forest->n_trees, rf_forest_total(forest));
	put_ranges(out, forest);
	rf_text_printf(out, "\n%-15s %" PRId64 ", %d to %d a tree\n", "nodes",
	    counts->n_nodes, counts->fewest, counts->most);
	rf_text_printf(out, "%-15s %" PRId64 "\n", "leaves", counts->n_leaves);
	rf_text_printf(out, "%-15s %d\n", "depth", counts->depth);
	rf_text_printf(out, "%-15s %s\n", "statistics",
	    forest->n_trees > 0 && forest->trees[0].gain != NULL ? "yes"
								 : "no");
}

static void
text_forest(const struct rf_forest *forest, const char *format,
    const struct counts *counts, struct rf_text *out)
{
	const struct rf_forest_header *header = &forest->header;
	char hash[33] = "";

	rf_text_printf(out, "%-15s %s, whole and verified\n", "kind", format);
	rf_info_line(out, "task", rf_task_name(header->task));
	if (header->label != NULL)
		rf_info_line(out, "label", header->label);
	rf_info_line(out, "label type", rf_label_type_name(header->label_type));
	text_classes(header, out);
	text_trees(forest, counts, out);
	rf_text_printf(
	    out, "%-15s %" PRId64 "\n", "training rows", header->n_rows);
	if (header->task == RF_TASK_REGRESSION)
		rf_text_printf(
		    out, "%-15s 2^%d\n", "unit", header->unit_exponent);
	text_features(header, counts, out);
	rf_text_puts(out, "parameters\n");
	for (size_t i = 0; i < header->metadata.n_entries; i++) {
		char quoted[RF_QUOTED_SIZE];
		const struct rf_metadata_entry *entry =
		    &header->metadata.entries[i];
		const char *key = entry->key;

		if (strncmp(key, "rf.", 3) == 0)
			key += 3;
		rf_text_printf(
		    out, "  %-20s", rf_text_quote(quoted, key, strlen(key)));
		rf_text_printf(out, " %s\n",
		    rf_text_quote(quoted, entry->value, entry->value_size));
	}
	if (rf_forest_schema_hash(header, hash, NULL) == RF_OK)
		rf_info_line(out, "schema hash", hash);
	rf_info_line(out, "fingerprint", forest->fingerprint);
}

/* --- JSON ------------------------------------------------------------------ */

static void
json_int(struct rf_text *out, const char *key, int64_t value)
{
	rf_info_key(out, key);
	rf_text_printf(out, "%" PRId64, value);
}

static void
json_string(struct rf_text *out, const char *key, const char *value)
{
	rf_info_key(out, key);
	rf_info_json_text(out, value, strlen(value));
}

static void
json_features(const struct rf_forest_header *header,
    const struct counts *counts, struct rf_text *out)
{
	rf_info_key(out, "features");
	rf_text_puts(out, "[");
	for (int32_t i = 0; i < header->n_features; i++) {
		const struct rf_forest_feature *feature = &header->features[i];

		rf_text_puts(out, i > 0 ? ",{" : "{");
		json_string(out, "name", feature->name);
		json_string(out, "type", feature_type(feature));
		if (feature->origin != NULL)
			json_string(out, "origin", feature->origin);
		if (feature->levels != NULL) {
			rf_info_key(out, "levels");
			rf_forest_json_texts(
			    out, feature->levels, feature->n_levels);
		}
		if (counts->uses != NULL)
			json_int(out, "nodes", counts->uses[i]);
		rf_text_puts(out, "}");
	}
	rf_text_puts(out, "]");
}

static void
json_trees(const struct rf_forest *forest, const struct counts *counts,
    struct rf_text *out)
{
	json_int(out, "trees", forest->n_trees);
	json_int(out, "total_trees", rf_forest_total(forest));
	rf_info_key(out, "ranges");
	rf_text_puts(out, "\"");
	put_ranges(out, forest);
	rf_text_puts(out, "\"");
	json_int(out, "nodes", counts->n_nodes);
	json_int(out, "leaves", counts->n_leaves);
	json_int(out, "leaf_entries", counts->n_entries);
	json_int(out, "fewest_nodes", counts->fewest);
	json_int(out, "most_nodes", counts->most);
	json_int(out, "depth", counts->depth);
	rf_info_key(out, "statistics");
	rf_text_puts(out,
	    forest->n_trees > 0 && forest->trees[0].gain != NULL ? "true"
								 : "false");
}

static void
json_forest(const struct rf_forest *forest, const char *format,
    const struct counts *counts, struct rf_text *out)
{
	const struct rf_forest_header *header = &forest->header;
	char hash[33] = "";

	rf_text_puts(out, "{");
	json_string(out, "kind", "forest");
	json_string(out, "format", format);
	json_string(out, "task", rf_task_name(header->task));
	if (header->label != NULL)
		json_string(out, "label", header->label);
	json_string(out, "label_type", rf_label_type_name(header->label_type));
	if (header->task == RF_TASK_CLASSIFICATION) {
		rf_info_key(out, "classes");
		rf_forest_json_texts(out, header->classes, header->n_classes);
	} else
		json_int(out, "unit_exponent", header->unit_exponent);
	json_trees(forest, counts, out);
	json_int(out, "rows", header->n_rows);
	json_features(header, counts, out);
	rf_info_json_metadata(out, "parameters", &header->metadata);
	if (rf_forest_schema_hash(header, hash, NULL) == RF_OK)
		json_string(out, "schema_hash", hash);
	json_string(out, "fingerprint", forest->fingerprint);
	rf_text_puts(out, "}\n");
}

void
rf_info_forest(const struct rf_forest *forest, const char *format, bool json,
    struct rf_text *out)
{
	struct counts counts = {0};

	counts.uses = rf_alloc_zero(
	    (size_t)forest->header.n_features, sizeof(*counts.uses));
	for (int64_t t = 0; t < forest->n_trees; t++)
		count_tree(&counts, &forest->trees[t]);
	if (json)
		json_forest(forest, format, &counts, out);
	else
		text_forest(forest, format, &counts, out);
	free(counts.uses);
}
