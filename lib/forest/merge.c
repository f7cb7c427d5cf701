#include "forest/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arith/fixed.h"
#include "base/alloc.h"
#include "base/text.h"
#include "forest/forest_header.h"
#include "forest/forest_write.h"
#include "forest/tree.h"

#define FAIL(...) rf_error_set(err, RF_EDATA, __VA_ARGS__)

/* Where a tree of the union comes from. */
struct origin {
	int64_t tree;
	struct rf_forest_tree *from;
	int part;
};

struct merge {
	struct rf_forest *parts;
	const char *const *names;
	int n_parts;
	const struct rf_merge_options *options;
	struct origin *origins; /* by number of tree, once sorted */
	int64_t n_trees, total;
};

static int
compare_origins(const void *a, const void *b)
{
	const struct origin *x = a, *y = b;

	if (x->tree != y->tree)
		return x->tree < y->tree ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

static bool
same_value(
    const struct rf_forest *a, const struct rf_forest *b, const char *key)
{
	const char *x = rf_metadata_get(&a->header.metadata, key, NULL);
	const char *y = rf_metadata_get(&b->header.metadata, key, NULL);

	if (x == NULL || y == NULL)
		return x == y;
	return strcmp(x, y) == 0;
}

/* Whether a part may go with the first one. */
static enum rf_status
check_part(const struct merge *merge, int number, struct rf_error *err)
{
	const struct rf_forest *first = &merge->parts[0];
	const struct rf_forest *part = &merge->parts[number];
	const char *a = merge->names[0], *b = merge->names[number];
	char hashes[2][33];

	RF_TRY(rf_forest_schema_hash(&first->header, hashes[0], err));
	RF_TRY(rf_forest_schema_hash(&part->header, hashes[1], err));
	if (strcmp(hashes[0], hashes[1]) != 0)
		return FAIL("%s has other features or classes than %s", b, a);
	if (!same_value(first, part, "rf.params.hash"))
		return FAIL("%s was grown with other parameters than %s (see "
			    "rf-info)",
		    b, a);
	if (!merge->options->federated &&
	    (!same_value(first, part, "rf.data.hash") ||
		first->header.n_rows != part->header.n_rows))
		return FAIL("%s was grown from other data than %s "
			    "(--federated allows that)",
		    b, a);
	if (first->header.total_trees != part->header.total_trees)
		return FAIL("%s is of a forest of %" PRId64 " trees, %s of "
			    "%" PRId64,
		    b, part->header.total_trees, a, first->header.total_trees);
	if ((first->trees[0].gain != NULL) != (part->trees[0].gain != NULL))
		return FAIL("only one of %s and %s has statistics "
			    "(rf-fit --no-stats)",
		    a, b);
	return RF_OK;
}

static enum rf_status
check_parts(struct merge *merge, struct rf_error *err)
{
	for (int i = 0; i < merge->n_parts; i++) {
		if (merge->parts[i].n_trees == 0)
			return FAIL(
			    "%s: a forest without trees", merge->names[i]);
		RF_TRY(check_part(merge, i, err));
		merge->n_trees += merge->parts[i].n_trees;
	}
	if (merge->n_trees > RF_TREES_MAX)
		return FAIL("%" PRId64 " trees where %" PRId64 " are the most",
		    merge->n_trees, RF_TREES_MAX);
	return RF_OK;
}

static enum rf_status
sort_trees(struct merge *merge, struct rf_error *err)
{
	struct origin *origin;

	merge->origins =
	    rf_alloc((size_t)merge->n_trees, sizeof(*merge->origins));
	if (merge->origins == NULL)
		return rf_error_memory(
		    err, (size_t)merge->n_trees * sizeof(*origin), "the trees");
	origin = merge->origins;
	for (int i = 0; i < merge->n_parts; i++)
		for (int64_t t = 0; t < merge->parts[i].n_trees; t++) {
			origin->from = &merge->parts[i].trees[t];
			origin->tree = origin->from->tree;
			origin->part = i;
			origin++;
		}
	qsort(merge->origins, (size_t)merge->n_trees, sizeof(*origin),
	    compare_origins);
	for (int64_t t = 1; t < merge->n_trees; t++) {
		origin = &merge->origins[t];
		if (origin->tree == origin[-1].tree)
			return FAIL("tree %" PRId64 " is both in %s and in %s",
			    origin->tree, merge->names[origin[-1].part],
			    merge->names[origin->part]);
	}
	return RF_OK;
}

/* "0:100, 300:400 and 5 more ranges" of trees that no part has. */
static int64_t
list_gaps(const struct merge *merge, struct rf_text *out)
{
	int64_t n_missing = 0, n_ranges = 0, next = 0;

	for (int64_t t = 0; t <= merge->n_trees; t++) {
		int64_t tree =
		    t < merge->n_trees ? merge->origins[t].tree : merge->total;

		if (tree > next) {
			n_missing += tree - next;
			if (n_ranges++ < 5)
				rf_text_printf(out, "%s%" PRId64 ":%" PRId64,
				    n_ranges > 1 ? ", " : "", next, tree);
		}
		next = tree + 1;
	}
	if (n_ranges > 5)
		rf_text_printf(
		    out, " and %" PRId64 " more ranges", n_ranges - 5);
	return n_missing;
}

/*
 * A single part that does not say how large the whole is stays so; of several
 * the highest tree tells, as one run would have.
 */
static enum rf_status
check_gaps(struct merge *merge, struct rf_error *err)
{
	int64_t end = merge->origins[merge->n_trees - 1].tree + 1, n_missing;
	struct rf_text gaps = {0};
	enum rf_status status = RF_OK;

	merge->total = merge->parts[0].header.total_trees;
	if (merge->total == 0)
		merge->total = end;
	if (end > merge->total)
		return FAIL("tree %" PRId64 " of a forest of %" PRId64 " trees",
		    end - 1, merge->total);
	n_missing = list_gaps(merge, &gaps);
	if (gaps.failed)
		status = rf_error_memory(err, gaps.size, "a message");
	else if (n_missing > 0 && !merge->options->partial)
		status = FAIL("%" PRId64 " of %" PRId64 " trees are missing: "
			      "%s (--partial packs what there is)",
		    n_missing, merge->total, gaps.data);
	else if (n_missing > 0)
		rf_note(merge->options->log,
		    "%" PRId64 " of %" PRId64 " trees are missing: %s",
		    n_missing, merge->total, gaps.data);
	rf_text_release(&gaps);
	return status;
}

static int
compare_texts(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

/* Of parts of different data: their hashes' hash, all rows, the largest unit. */
static enum rf_status
join_data(const struct merge *merge, struct rf_forest_header *header,
    struct rf_error *err)
{
	struct rf_metadata hashes = {0};
	enum rf_status status = RF_OK;
	const char **sorted = rf_alloc((size_t)merge->n_parts, sizeof(*sorted));
	int64_t n_rows = 0;
	char hash[33];

	if (sorted == NULL)
		return rf_error_memory(err, 8, "hashes");
	for (int i = 0; i < merge->n_parts; i++) {
		const struct rf_forest_header *part = &merge->parts[i].header;
		const char *text =
		    rf_metadata_get(&part->metadata, "rf.data.hash", NULL);

		sorted[i] = text == NULL ? "" : text;
		if (part->unit_exponent > header->unit_exponent)
			header->unit_exponent = part->unit_exponent;
	}
	for (int i = 0; i < merge->n_parts; i++) {
		bool is_new = true;

		for (int j = 0; j < i; j++)
			is_new &= strcmp(sorted[i], sorted[j]) != 0;
		if (is_new)
			n_rows += merge->parts[i].header.n_rows;
	}
	qsort(sorted, (size_t)merge->n_parts, sizeof(*sorted), compare_texts);
	for (int i = 0; i < merge->n_parts && status == RF_OK; i++)
		status = rf_metadata_set(&hashes, sorted[i], "", err);
	if (status == RF_OK && hashes.n_entries > 1) {
		header->n_rows = n_rows;
		status = rf_forest_params_hash(&hashes, hash, err);
		if (status == RF_OK)
			status = rf_metadata_set(
			    &header->metadata, "rf.data.hash", hash, err);
	}
	rf_metadata_release(&hashes);
	free(sorted);
	return status;
}

/* Nothing can fail any more: trees and the header change their owner. */
static void
move(struct merge *merge, struct rf_forest_tree *trees, struct rf_forest *out)
{
	struct rf_forest *first = &merge->parts[merge->origins[0].part];

	for (int64_t t = 0; t < merge->n_trees; t++)
		trees[t] = *merge->origins[t].from;
	out->header = first->header;
	memset(&first->header, 0, sizeof(first->header));
	out->trees = trees;
	out->n_trees = merge->n_trees;
	out->header.first_tree = trees[0].tree;
	out->header.n_trees = merge->n_trees;
	if (merge->n_parts > 1)
		out->header.total_trees = merge->total;
	for (int i = 0; i < merge->n_parts; i++) {
		merge->parts[i].n_trees = 0;
		rf_forest_release(&merge->parts[i]);
	}
}

static enum rf_status
check_all(struct merge *merge, struct rf_error *err)
{
	RF_TRY(check_parts(merge, err));
	RF_TRY(sort_trees(merge, err));
	RF_TRY(check_gaps(merge, err));
	return join_data(
	    merge, &merge->parts[merge->origins[0].part].header, err);
}

enum rf_status
rf_forest_merge(struct rf_forest *parts, const char *const *names, int n_parts,
    const struct rf_merge_options *options, struct rf_forest *out,
    struct rf_error *err)
{
	struct merge merge = {.parts = parts,
	    .names = names,
	    .n_parts = n_parts,
	    .options = options};
	struct rf_forest_tree *trees = NULL;
	enum rf_status status = check_all(&merge, err);

	memset(out, 0, sizeof(*out));
	if (status == RF_OK) {
		trees = rf_alloc((size_t)merge.n_trees, sizeof(*trees));
		if (trees == NULL)
			status = rf_error_memory(err,
			    (size_t)merge.n_trees * sizeof(*trees),
			    "the trees");
	}
	if (status == RF_OK) {
		move(&merge, trees, out);
		status = rf_fingerprint_of(out, out->fingerprint, err);
	}
	free(merge.origins);
	if (status != RF_OK)
		rf_forest_release(out);
	return status;
}
