#include "train/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct level {
	struct rf_bytes text;
	int32_t code;
	int32_t place; /* by text */
	int64_t n_rows;
};

int
rf_text_compare(struct rf_bytes a, struct rf_bytes b)
{
	int64_t less = a.size < b.size ? a.size : b.size;
	int order = less > 0 ? memcmp(a.data, b.data, (size_t)less) : 0;

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int
compare_texts(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	return rf_text_compare(x->text, y->text);
}

static int
compare_frequency(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	if (x->n_rows != y->n_rows)
		return x->n_rows < y->n_rows ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

static int
compare_places(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* All levels in the order of their texts; NULL without memory. */
static struct level *
sorted_levels(const struct rf_vocabulary *vocabulary, const int64_t *n_rows,
    struct rf_error *err)
{
	int32_t n = rf_vocabulary_n(vocabulary);
	struct level *levels = rf_alloc((size_t)n, sizeof(*levels));

	if (levels == NULL) {
		rf_error_memory(err, (size_t)n * sizeof(*levels), "levels");
		return NULL;
	}
	for (int32_t i = 0; i < n; i++)
		levels[i] = (struct level){
		    .text = rf_vocabulary_text(vocabulary, i),
		    .code = i,
		    .n_rows = n_rows != NULL ? n_rows[i] : 0,
		};
	qsort(levels, (size_t)n, sizeof(*levels), compare_texts);
	for (int32_t i = 0; i < n; i++)
		levels[i].place = i;
	return levels;
}

enum rf_status
rf_levels_sort(const struct rf_vocabulary *vocabulary, int32_t *order,
    struct rf_error *err)
{
	int32_t n = rf_vocabulary_n(vocabulary);
	struct level *levels = sorted_levels(vocabulary, NULL, err);

	if (levels == NULL)
		return RF_ENOMEM;
	for (int32_t i = 0; i < n; i++)
		order[i] = levels[i].code;
	free(levels);
	return RF_OK;
}

enum rf_status
rf_levels_keep(const struct rf_vocabulary *vocabulary, const int64_t *n_rows,
    int64_t min_rows, int32_t max_levels, int32_t *code, int32_t *order,
    int32_t *n_kept, struct rf_error *err)
{
	int32_t n = rf_vocabulary_n(vocabulary), kept = 0;
	struct level *levels = sorted_levels(vocabulary, n_rows, err);

	if (levels == NULL)
		return RF_ENOMEM;
	for (int32_t i = 0; i < n; i++) {
		code[i] = -1;
		if (levels[i].n_rows >= min_rows)
			levels[kept++] = levels[i];
	}
	if (kept > max_levels) {
		qsort(levels, (size_t)kept, sizeof(*levels), compare_frequency);
		kept = max_levels;
		qsort(levels, (size_t)kept, sizeof(*levels), compare_places);
	}
	for (int32_t i = 0; i < kept; i++) {
		order[i] = levels[i].code;
		code[order[i]] = i;
	}
	*n_kept = kept;
	free(levels);
	return RF_OK;
}
