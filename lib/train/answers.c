#include "train/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "train/levels.h"

struct entry {
	struct rf_bytes text;
	int32_t code; /* in the vocabulary */
	enum rf_label_type type;
};

/* Whole numbers in shortest form, of any length. */
static int
compare_whole(struct rf_bytes a, struct rf_bytes b)
{
	bool a_below = a.size > 0 && a.data[0] == '-';
	bool b_below = b.size > 0 && b.data[0] == '-';
	int order;

	if (a_below != b_below)
		return a_below ? -1 : 1;
	order = (a.size > b.size) - (a.size < b.size);
	if (order == 0)
		order = rf_text_compare(a, b);
	return a_below ? -order : order;
}

/* The texts end in no NUL. */
static double
number_of(struct rf_bytes text)
{
	char copy[64];
	size_t size = (size_t)text.size;

	if (size >= sizeof(copy))
		size = sizeof(copy) - 1;
	memcpy(copy, text.data, size);
	copy[size] = '\0';
	return strtod(copy, NULL);
}

int
rf_class_compare(enum rf_label_type type, struct rf_bytes a, struct rf_bytes b)
{
	double x, y;

	switch (type) {
	case RF_LABEL_INT:
		return compare_whole(a, b);
	case RF_LABEL_FLOAT:
		x = number_of(a);
		y = number_of(b);
		if (x < y || x > y)
			return x < y ? -1 : 1;
		return rf_text_compare(a, b);
	case RF_LABEL_TEXT:
	case RF_LABEL_BOOL:
		break;
	}
	return rf_text_compare(a, b);
}

static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return rf_class_compare(x->type, x->text, y->text);
}

static struct entry *
sorted_entries(const struct rf_vocabulary *vocabulary, enum rf_label_type type)
{
	int32_t n = rf_vocabulary_n(vocabulary);
	struct entry *entries = rf_alloc((size_t)n, sizeof(*entries));

	if (entries == NULL)
		return NULL;
	for (int32_t i = 0; i < n; i++)
		entries[i] =
		    (struct entry){rf_vocabulary_text(vocabulary, i), i, type};
	qsort(entries, (size_t)n, sizeof(*entries), compare_entries);
	return entries;
}

/* Puts the codes of the rows into the order of the classes. */
static enum rf_status
name_classes(struct rf_answers *labels, const struct entry *entries, int32_t n,
    int64_t n_rows, struct rf_error *err)
{
	int32_t *class_of = rf_alloc((size_t)n, sizeof(*class_of));

	labels->classes = rf_alloc_zero((size_t)n, sizeof(*labels->classes));
	if (class_of == NULL || labels->classes == NULL) {
		free(class_of);
		return rf_error_memory(
		    err, (size_t)n * sizeof(*labels->classes), "classes");
	}
	labels->n_classes = n;
	for (int32_t i = 0; i < n; i++) {
		const char *text = (const char *)entries[i].text.data;

		class_of[entries[i].code] = i;
		labels->classes[i] =
		    rf_strndup(text, (size_t)entries[i].text.size);
		if (labels->classes[i] == NULL) {
			free(class_of);
			return rf_error_memory(err, 64, "classes");
		}
	}
	for (int64_t row = 0; row < n_rows; row++)
		if (labels->codes[row] >= 0)
			labels->codes[row] = class_of[labels->codes[row]];
	free(class_of);
	return RF_OK;
}

static enum rf_status
make_classes(
    struct rf_answers *labels, struct rf_table *table, struct rf_error *err)
{
	struct rf_stored *stored = &table->columns[table->label];
	struct entry *entries;
	enum rf_status status;

	labels->codes = rf_alloc((size_t)table->n_rows, sizeof(*labels->codes));
	if (labels->codes == NULL)
		return rf_error_memory(err,
		    (size_t)table->n_rows * sizeof(*labels->codes), "labels");
	rf_stored_codes(stored, labels->codes);
	rf_stored_clear(stored);
	entries = sorted_entries(stored->vocabulary, labels->type);
	if (entries == NULL)
		return rf_error_memory(err, sizeof(*entries), "classes");
	status = name_classes(labels, entries,
	    rf_vocabulary_n(stored->vocabulary), table->n_rows, err);
	free(entries);
	return status;
}

static enum rf_status
make_values(
    struct rf_answers *labels, struct rf_table *table, struct rf_error *err)
{
	struct rf_stored *stored = &table->columns[table->label];

	labels->values =
	    rf_alloc((size_t)table->n_rows, sizeof(*labels->values));
	if (labels->values == NULL)
		return rf_error_memory(err,
		    (size_t)table->n_rows * sizeof(*labels->values), "labels");
	RF_TRY(rf_stored_float64(stored, labels->values, NULL, err));
	rf_stored_clear(stored);
	for (int64_t row = 0; row < table->n_rows; row++)
		if (isinf(labels->values[row]))
			return rf_error_set(err, RF_EDATA,
			    "row %lld: the label is infinite",
			    (long long)row + 1);
	return RF_OK;
}

enum rf_status
rf_answers_make(
    struct rf_answers *labels, struct rf_table *table, struct rf_error *err)
{
	*labels =
	    (struct rf_answers){.task = table->task, .type = table->label_type};
	if (labels->task == RF_TASK_CLASSIFICATION)
		return make_classes(labels, table, err);
	return make_values(labels, table, err);
}

void
rf_answers_release(struct rf_answers *labels)
{
	for (int32_t i = 0; i < labels->n_classes && labels->classes != NULL;
	     i++)
		free(labels->classes[i]);
	free(labels->classes);
	free(labels->codes);
	free(labels->values);
	*labels = (struct rf_answers){0};
}
