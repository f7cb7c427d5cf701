#include "score/confusion.h"

#include <stdlib.h>

#include "base/alloc.h"

static uint64_t
pair_of(int32_t truth, int32_t prediction)
{
	return (uint64_t)(uint32_t)truth << 32 | (uint32_t)prediction;
}

/* The finalizer of MurmurHash3: every bit of the pair reaches the low bits. */
static uint64_t
pair_hash(uint64_t pair)
{
	pair ^= pair >> 33;
	pair *= 0xff51afd7ed558ccdULL;
	pair ^= pair >> 33;
	pair *= 0xc4ceb9fe1a85ec53ULL;
	return pair ^ pair >> 33;
}

/* The slot of the pair, or the empty one where it belongs. */
static size_t *
find_slot(const struct rf_confusion *confusion, uint64_t pair)
{
	size_t mask = confusion->n_slots - 1;
	size_t at = (size_t)pair_hash(pair) & mask;

	for (; confusion->slots[at] != 0; at = (at + 1) & mask) {
		const struct rf_confusion_cell *cell =
		    &confusion->cells[confusion->slots[at] - 1];

		if (pair_of(cell->truth, cell->prediction) == pair)
			break;
	}
	return &confusion->slots[at];
}

/* Keeps the table at most half full. */
static enum rf_status
grow_slots(struct rf_confusion *confusion, struct rf_error *err)
{
	struct rf_confusion grown = *confusion;

	if (2 * (confusion->n_cells + 1) <= confusion->n_slots)
		return RF_OK;
	grown.n_slots = confusion->n_slots == 0 ? 64 : 2 * confusion->n_slots;
	grown.slots = rf_alloc_zero(grown.n_slots, sizeof(*grown.slots));
	if (grown.slots == NULL)
		return rf_error_memory(err,
		    grown.n_slots * sizeof(*grown.slots), "confusion table");
	for (size_t i = 0; i < grown.n_cells; i++) {
		const struct rf_confusion_cell *cell = &grown.cells[i];

		*find_slot(&grown, pair_of(cell->truth, cell->prediction)) =
		    i + 1;
	}
	free(confusion->slots);
	*confusion = grown;
	return RF_OK;
}

enum rf_status
rf_confusion_add(struct rf_confusion *confusion, int32_t truth,
    int32_t prediction, double weight, struct rf_error *err)
{
	struct rf_confusion_cell *cell;
	void *cells = confusion->cells;
	size_t *slot;

	RF_TRY(grow_slots(confusion, err));
	slot = find_slot(confusion, pair_of(truth, prediction));
	if (*slot == 0) {
		if (rf_grow(&cells, &confusion->capacity,
			confusion->n_cells + 1, sizeof(*cell)) != 0)
			return rf_error_memory(err,
			    (confusion->n_cells + 1) * sizeof(*cell),
			    "confusion table");
		confusion->cells = cells;
		confusion->cells[confusion->n_cells] =
		    (struct rf_confusion_cell){
			.truth = truth, .prediction = prediction};
		*slot = ++confusion->n_cells;
	}
	cell = &confusion->cells[*slot - 1];
	cell->n_rows++;
	rf_sum_add(&cell->weight, weight);
	return RF_OK;
}

static int
compare_cells(const void *left, const void *right)
{
	const struct rf_confusion_cell *a = left, *b = right;
	uint64_t pair_a = pair_of(a->truth, a->prediction);
	uint64_t pair_b = pair_of(b->truth, b->prediction);

	return (pair_a > pair_b) - (pair_a < pair_b);
}

void
rf_confusion_sort(struct rf_confusion *confusion, const int32_t *ranks)
{
	for (size_t i = 0; i < confusion->n_cells; i++) {
		struct rf_confusion_cell *cell = &confusion->cells[i];

		cell->truth = ranks[cell->truth];
		cell->prediction = ranks[cell->prediction];
	}
	if (confusion->n_cells > 0)
		qsort(confusion->cells, confusion->n_cells,
		    sizeof(*confusion->cells), compare_cells);
}

enum rf_status
rf_confusion_totals(const struct rf_confusion *confusion, int32_t n_classes,
    struct rf_class_totals **out, struct rf_error *err)
{
	struct rf_class_totals *totals;

	totals = rf_alloc_zero((size_t)n_classes, sizeof(*totals));
	if (totals == NULL)
		return rf_error_memory(err, (size_t)n_classes * sizeof(*totals),
		    "totals of classes");
	for (size_t i = 0; i < confusion->n_cells; i++) {
		const struct rf_confusion_cell *cell = &confusion->cells[i];
		struct rf_class_totals *truth = &totals[cell->truth];
		struct rf_class_totals *prediction = &totals[cell->prediction];

		truth->n_truth += cell->n_rows;
		truth->truth = rf_sum_plus(truth->truth, cell->weight);
		prediction->n_prediction += cell->n_rows;
		prediction->prediction =
		    rf_sum_plus(prediction->prediction, cell->weight);
		if (cell->truth == cell->prediction)
			truth->hit = cell->weight;
	}
	*out = totals;
	return RF_OK;
}

const struct rf_confusion_cell *
rf_confusion_find(
    const struct rf_confusion *confusion, int32_t truth, int32_t prediction)
{
	const struct rf_confusion_cell wanted = {
	    .truth = truth, .prediction = prediction};

	if (confusion->n_cells == 0)
		return NULL;
	return bsearch(&wanted, confusion->cells, confusion->n_cells,
	    sizeof(wanted), compare_cells);
}

void
rf_confusion_release(struct rf_confusion *confusion)
{
	free(confusion->cells);
	free(confusion->slots);
	*confusion = (struct rf_confusion){0};
}
