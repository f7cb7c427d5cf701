#include "score/score.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* More classes are not drawn as a table: their heaviest confusions are told. */
#define MAX_TABLE 20
/* Characters of a class name. */
#define MAX_NAME 20

struct name {
	char text[RF_QUOTED_SIZE];
	size_t width; /* characters */
};

static bool
is_start(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

/* What a terminal can show of a class, cut to MAX_NAME characters. */
static void
make_name(struct name *name, struct rf_bytes class)
{
	char *p = name->text, *cut = NULL;

	if (class.size == 0) {
		memcpy(name->text, "''", 3);
		name->width = 2;
		return;
	}
	rf_text_quote(name->text, class.data, (size_t) class.size);
	for (name->width = 0; *p != '\0'; p++) {
		if (!is_start(*p))
			continue;
		if (name->width == MAX_NAME - 3)
			cut = p;
		name->width++;
	}
	if (name->width > MAX_NAME) {
		memcpy(cut, "...", 4);
		name->width = MAX_NAME;
	}
}

static void
pad(struct rf_text *out, size_t have, size_t width)
{
	for (; have < width; have++)
		rf_text_append(out, " ", 1);
}

static void
put_left(struct rf_text *out, const char *text, size_t have, size_t width)
{
	rf_text_puts(out, text);
	pad(out, have, width);
}

static void
put_right(struct rf_text *out, const char *text, size_t have, size_t width)
{
	pad(out, have, width);
	rf_text_puts(out, text);
}

/* The shown form of a sum of weights; its length. */
static size_t
weight_text(char text[32], const struct rf_scorer_report *report,
    const struct rf_sum *weight)
{
	int length = snprintf(
	    text, 32, report->is_weighted ? "%.6g" : "%.0f", weight->high);

	return (size_t)length;
}

static void
put_count(struct rf_text *out, const char *what, int64_t n, bool always)
{
	if (always || n > 0)
		rf_text_printf(out, "%-26s%12" PRId64 "\n", what, n);
}

static void
put_summary(const struct rf_scorer_report *report, struct rf_text *out)
{
	put_count(out, "rows", report->n_rows, true);
	put_count(out, "rows without truth", report->n_no_truth, false);
	put_count(
	    out, "rows without prediction", report->n_no_prediction, false);
	put_count(out, "rows of unknown class", report->n_unknown, false);
	put_count(out, "rows without probability", report->n_no_shares, false);
	rf_text_puts(out, "\n");
	for (size_t i = 0; i < report->n_metrics; i++) {
		const struct rf_metric *metric = &report->metrics[i];

		if (metric->absent == NULL)
			rf_text_printf(out,
			    report->is_classification ? "%-26s%12.6f\n"
						      : "%-26s%12.6g\n",
			    metric->name, metric->value);
	}
}

static void
put_classes(const struct rf_scorer_report *report, const struct name *names,
    size_t width, struct rf_text *out)
{
	const char *unit = report->is_weighted ? "weight" : "rows";
	char number[32];

	rf_text_puts(out, "\n");
	put_left(out, "class", 5, width);
	rf_text_printf(out, "  %12s  %12s  %10s\n", unit, "predicted", "f1");
	for (int32_t k = 0; k < report->n_classes; k++) {
		const struct rf_class_totals *total = &report->totals[k];
		size_t length = weight_text(number, report, &total->truth);

		put_left(out, names[k].text, names[k].width, width);
		put_right(out, number, length, 14);
		length = weight_text(number, report, &total->prediction);
		put_right(out, number, length, 14);
		rf_text_printf(out, "  %10.6f\n", rf_f1(total));
	}
}

/* Width of a column of the table: its name and its numbers. */
static size_t
cell_width(const struct rf_scorer_report *report, const struct name *names,
    int32_t prediction)
{
	size_t width = names[prediction].width, length;
	char number[32];

	for (int32_t truth = 0; truth < report->n_classes; truth++) {
		const struct rf_confusion_cell *cell =
		    rf_confusion_find(report->confusion, truth, prediction);

		if (cell == NULL)
			continue;
		length = weight_text(number, report, &cell->weight);
		if (length > width)
			width = length;
	}
	return width;
}

static void
put_table_row(const struct rf_scorer_report *report, int32_t truth,
    const size_t *widths, struct rf_text *out)
{
	static const struct rf_sum nothing = {0};
	char number[32];

	for (int32_t k = 0; k < report->n_classes; k++) {
		const struct rf_confusion_cell *cell =
		    rf_confusion_find(report->confusion, truth, k);
		size_t length = weight_text(
		    number, report, cell != NULL ? &cell->weight : &nothing);

		put_right(out, number, length, widths[k] + 2);
	}
	rf_text_puts(out, "\n");
}

static void
put_table(const struct rf_scorer_report *report, const struct name *names,
    size_t width, struct rf_text *out)
{
	size_t widths[MAX_TABLE];

	rf_text_puts(out,
	    "\nconfusion table: a line a true class, a column a predicted "
	    "one\n");
	pad(out, 0, width);
	for (int32_t k = 0; k < report->n_classes; k++) {
		widths[k] = cell_width(report, names, k);
		put_right(out, names[k].text, names[k].width, widths[k] + 2);
	}
	rf_text_puts(out, "\n");
	for (int32_t k = 0; k < report->n_classes; k++) {
		put_left(out, names[k].text, names[k].width, width);
		put_table_row(report, k, widths, out);
	}
}

static int
heavier(const struct rf_confusion_cell *a, const struct rf_confusion_cell *b)
{
	return b == NULL || a->weight.high > b->weight.high;
}

/* The heaviest cells off the diagonal, heaviest first. */
static void
put_confusions(const struct rf_scorer_report *report, const struct name *names,
    size_t width, struct rf_text *out)
{
	const struct rf_confusion *confusion = report->confusion;
	const struct rf_confusion_cell *top[MAX_TABLE + 1] = {NULL};
	char number[32];

	for (size_t i = 0; i < confusion->n_cells; i++) {
		int at = MAX_TABLE;

		if (confusion->cells[i].truth == confusion->cells[i].prediction)
			continue;
		for (; at > 0 && heavier(&confusion->cells[i], top[at - 1]);
		     at--)
			top[at] = top[at - 1];
		top[at] = &confusion->cells[i];
	}
	rf_text_printf(out, "\nmost frequent confusions\n");
	put_left(out, "truth", 5, width + 2);
	put_left(out, "prediction", 10, width);
	put_right(out, report->is_weighted ? "weight" : "rows",
	    report->is_weighted ? 6 : 4, 14);
	rf_text_puts(out, "\n");
	for (int i = 0; i < MAX_TABLE && top[i] != NULL; i++) {
		const struct name *truth = &names[top[i]->truth];
		const struct name *prediction = &names[top[i]->prediction];
		size_t length = weight_text(number, report, &top[i]->weight);

		put_left(out, truth->text, truth->width, width + 2);
		put_left(out, prediction->text, prediction->width, width);
		put_right(out, number, length, 14);
		rf_text_puts(out, "\n");
	}
}

static enum rf_status
put_all_classes(const struct rf_scorer_report *report, struct rf_text *out,
    struct rf_error *err)
{
	size_t n = (size_t)report->n_classes, width = 10;
	struct name *names = rf_alloc_zero(n, sizeof(*names));

	if (names == NULL)
		return rf_error_memory(err, n * sizeof(*names), "class names");
	for (size_t k = 0; k < n; k++) {
		make_name(&names[k], report->classes[k]);
		if (names[k].width > width)
			width = names[k].width;
	}
	put_classes(report, names, width, out);
	if (n <= MAX_TABLE)
		put_table(report, names, width, out);
	else
		put_confusions(report, names, width, out);
	free(names);
	return RF_OK;
}

enum rf_status
rf_scorer_text(const struct rf_scorer_report *report, struct rf_text *out,
    struct rf_error *err)
{
	put_summary(report, out);
	if (report->is_classification)
		RF_TRY(put_all_classes(report, out, err));
	if (out->failed)
		return rf_error_memory(err, out->size, "report");
	return RF_OK;
}
