#include "table/cutter.h"

#include "table/masks.h"

/* Whether a quote at `at`, outside of quotes, begins a quoted cell. */
static bool
begins_cell(const struct rf_cutter *cutter, const char *text, size_t at)
{
	if (cutter->dialect.trim)
		while (at > 0 && rf_is_blank(&cutter->dialect, text[at - 1]))
			at--;
	return at == 0 || text[at - 1] == cutter->dialect.delimiter ||
	    text[at - 1] == '\n' || text[at - 1] == '\r';
}

/* One byte outside of quotes; true where the next chunk begins with it. */
static bool
step_outside(struct rf_cutter *cutter, const char *text, size_t at)
{
	if (text[at] == '\n' || text[at] == '\r') {
		cutter->in_record = false;
		return false;
	}
	if (!cutter->in_record) {
		if (cutter->n_records > 0 &&
		    (cutter->n_records >= cutter->max_records ||
			at >= cutter->max_bytes))
			return true;
		cutter->in_record = true;
		cutter->n_records++;
		cutter->last_start = at;
	}
	if (text[at] == '"' && begins_cell(cutter, text, at)) {
		cutter->state = RF_CUT_INSIDE;
		cutter->open_quote = at;
	}
	return false;
}

static size_t
scan_bytes(struct rf_cutter *cutter, const char *text, size_t from, size_t to)
{
	for (size_t at = from; at < to; at++) {
		if (cutter->state == RF_CUT_INSIDE) {
			if (text[at] == '"')
				cutter->state = RF_CUT_AFTER_QUOTE;
			continue;
		}
		if (cutter->state == RF_CUT_AFTER_QUOTE && text[at] == '"') {
			cutter->state = RF_CUT_INSIDE;
			continue;
		}
		cutter->state = RF_CUT_OUTSIDE;
		if (step_outside(cutter, text, at))
			return at;
	}
	return to;
}

/*
 * Which of 64 bytes lie inside of quotes, the opening quote with them and the
 * closing one not; false where a quote is mere text, which tells no sides
 * apart.  Quotes take turns: the odd ones open, at a cell's beginning or after
 * the one that closed (two in a row are one of the text).
 */
static bool
find_inside(const struct rf_cutter *cutter, const char *text, size_t at,
    const struct rf_masks *masks, uint64_t *inside)
{
	uint64_t before = cutter->state == RF_CUT_INSIDE, opening, begins;

	*inside = rf_mask_parity(masks->quotes) ^ (0 - before);
	if (masks->quotes == 0 && cutter->state != RF_CUT_AFTER_QUOTE)
		return true;
	if (cutter->dialect.trim)
		return false;
	opening = masks->quotes & *inside;
	begins = masks->ends | masks->quotes |
	    rf_mask_byte(text + at, cutter->dialect.delimiter);
	begins = begins << 1 |
	    (cutter->state == RF_CUT_AFTER_QUOTE ||
		begins_cell(cutter, text, at));
	return (opening & ~begins) == 0;
}

static void
set_state(struct rf_cutter *cutter, size_t at, uint64_t quotes, uint64_t inside)
{
	bool was_after = cutter->state == RF_CUT_AFTER_QUOTE;
	uint64_t opening = quotes & inside & ~(quotes << 1 | was_after);

	cutter->state = inside >> 63 != 0 ? RF_CUT_INSIDE
	    : quotes >> 63 != 0		  ? RF_CUT_AFTER_QUOTE
					  : RF_CUT_OUTSIDE;
	if (opening != 0)
		cutter->open_quote = at + 63 - (size_t)__builtin_clzll(opening);
}

/* 64 bytes at once, where no cut can be among them. */
static bool
skip_block(struct rf_cutter *cutter, const char *text, size_t at)
{
	struct rf_masks masks;
	uint64_t inside = 0, ends, starts;
	bool is_plain;
	int64_t n;

	rf_masks_of(&masks, text + at);
	cutter->has_quote |= masks.quotes != 0;
	cutter->has_carriage_return |= masks.has_carriage_return;
	cutter->has_high |= masks.has_high;
	cutter->has_zero |= masks.has_zero;
	is_plain = masks.quotes == 0 && cutter->state == RF_CUT_OUTSIDE;
	if (!is_plain && !find_inside(cutter, text, at, &masks, &inside))
		return false;
	ends = masks.ends & ~inside;
	starts = ~ends & (ends << 1 | !cutter->in_record);
	if (starts != 0) {
		/* Counting bits is a call where the processor may lack it. */
		n = (starts & (starts - 1)) == 0 ? 1
						 : __builtin_popcountll(starts);
		if (cutter->n_records + n > cutter->max_records ||
		    at + 64 > cutter->max_bytes)
			return false;
		cutter->n_records += n;
		cutter->last_start = at + 63 - (size_t)__builtin_clzll(starts);
	}
	cutter->in_record = ends >> 63 == 0;
	if (!is_plain)
		set_state(cutter, at, masks.quotes, inside);
	return true;
}

size_t
rf_cutter_scan(
    struct rf_cutter *cutter, const char *text, size_t from, size_t to)
{
	size_t at = from, cut;

	for (; at + 64 <= to; at += 64) {
		if (skip_block(cutter, text, at))
			continue;
		cut = scan_bytes(cutter, text, at, at + 64);
		if (cut < at + 64)
			return cut;
	}
	for (size_t i = at; i < to; i++) {
		cutter->has_quote |= text[i] == '"';
		cutter->has_carriage_return |= text[i] == '\r';
		cutter->has_high |= ((unsigned char)text[i] & 0x80) != 0;
		cutter->has_zero |= text[i] == '\0';
	}
	return scan_bytes(cutter, text, at, to);
}

void
rf_cutter_restart(struct rf_cutter *cutter)
{
	cutter->state = RF_CUT_OUTSIDE;
	cutter->n_records = 0;
	cutter->in_record = false;
	cutter->last_start = cutter->open_quote = 0;
	cutter->has_quote = cutter->has_carriage_return = false;
	cutter->has_high = cutter->has_zero = false;
}
