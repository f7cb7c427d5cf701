#include "predict/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum rf_status
rf_sums_init(struct rf_sums *sums, int32_t n_classes, struct rf_error *err)
{
	memset(sums, 0, sizeof(*sums));
	sums->tally = rf_alloc_zero((size_t)n_classes, sizeof(*sums->tally));
	sums->touched = rf_alloc((size_t)n_classes, sizeof(*sums->touched));
	sums->offsets = rf_alloc_zero(1, sizeof(*sums->offsets));
	if (sums->tally == NULL || sums->touched == NULL ||
	    sums->offsets == NULL) {
		rf_sums_release(sums);
		return rf_error_memory(err, 12 * (size_t)n_classes, "classes");
	}
	return RF_OK;
}

void
rf_sums_release(struct rf_sums *sums)
{
	free(sums->offsets);
	free(sums->classes);
	free(sums->sums);
	free(sums->tally);
	free(sums->touched);
	memset(sums, 0, sizeof(*sums));
}

void
rf_sums_clear(struct rf_sums *sums)
{
	sums->n_rows = 0;
	sums->n_entries = 0;
}

static int
compare(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static enum rf_status
make_room(struct rf_sums *sums, size_t n_entries, struct rf_error *err)
{
	size_t rows = (size_t)sums->n_rows + 2, n = sums->entries_capacity;

	if (rows > sums->rows_capacity) {
		int32_t *grown =
		    rf_realloc(sums->offsets, 2 * rows, sizeof(*grown));

		if (grown == NULL)
			return rf_error_memory(err, 8 * rows, "rows");
		sums->offsets = grown;
		sums->rows_capacity = 2 * rows;
	}
	if (n_entries > n) {
		int32_t *classes;
		int64_t *values;

		n = n_entries + n_entries / 2;
		classes = rf_realloc(sums->classes, n, sizeof(*classes));
		if (classes != NULL)
			sums->classes = classes;
		values = rf_realloc(sums->sums, n, sizeof(*values));
		if (values != NULL)
			sums->sums = values;
		if (classes == NULL || values == NULL)
			return rf_error_memory(err, 12 * n, "sums of classes");
		sums->entries_capacity = n;
	}
	return RF_OK;
}

enum rf_status
rf_sums_end_row(struct rf_sums *sums, int32_t n_touched, struct rf_error *err)
{
	size_t n = sums->n_entries + (size_t)n_touched;

	if (n > INT32_MAX)
		return rf_error_set(err, RF_EDATA,
		    "a batch with more than 2^31 sums of classes");
	RF_TRY(make_room(sums, n, err));
	qsort(
	    sums->touched, (size_t)n_touched, sizeof(*sums->touched), compare);
	sums->offsets[0] = 0;
	for (int32_t i = 0; i < n_touched; i++) {
		int32_t class = sums->touched[i];

		if (sums->tally[class] != 0) {
			sums->classes[sums->n_entries] = class;
			sums->sums[sums->n_entries++] = sums->tally[class];
		}
		sums->tally[class] = 0;
	}
	sums->offsets[++sums->n_rows] = (int32_t)sums->n_entries;
	return RF_OK;
}

enum rf_status
rf_sums_add_leaves(struct rf_sums *sums, const struct rf_walk_model *model,
    const int32_t *leaves, int64_t n_rows, struct rf_error *err)
{
	for (int64_t row = 0; row < n_rows; row++) {
		int32_t n_touched = 0;

		for (int64_t t = 0; t < model->n_trees; t++) {
			const struct rf_walk_node *node =
			    &model->nodes[model->tree_first[t] +
				leaves[row * model->n_trees + t]];

			for (int64_t i = model->leaf_first[node->rank];
			     i < model->leaf_first[node->rank + 1]; i++)
				n_touched = rf_sums_add(sums, n_touched,
				    model->leaf_output[i],
				    model->leaf_amount[i]);
		}
		RF_TRY(rf_sums_end_row(sums, n_touched, err));
	}
	return RF_OK;
}

/* In place: narrow ones never pass those that are still to be read. */
static void
narrow(struct rf_sums *sums)
{
	char *bytes = (char *)sums->sums;

	for (size_t i = 0; i < sums->n_entries; i++) {
		int32_t sum = (int32_t)sums->sums[i];

		memcpy(bytes + i * sizeof(sum), &sum, sizeof(sum));
	}
}

void
rf_sums_column(struct rf_sums *sums, const struct rf_field *field,
    struct rf_sums_column *out)
{
	const struct rf_field *entry = &field->children[0];
	int64_t n = (int64_t)sums->n_entries;

	if (entry->children[1].type == RF_TYPE_INT32)
		narrow(sums);
	out->parts[0] = (struct rf_column){
	    .field = &entry->children[0], .n_rows = n, .values = sums->classes};
	out->parts[1] = (struct rf_column){
	    .field = &entry->children[1], .n_rows = n, .values = sums->sums};
	out->entries = (struct rf_column){.field = entry,
	    .n_rows = n,
	    .children = out->parts,
	    .n_children = 2};
	out->list = (struct rf_column){.field = field,
	    .n_rows = sums->n_rows,
	    .offsets = sums->offsets,
	    .children = &out->entries,
	    .n_children = 1};
}
