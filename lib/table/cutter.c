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

/* 64 bytes at once, where no quote and no cut can be among them. */
static bool
skip_block(struct rf_cutter *cutter, const char *text, size_t at)
{
	struct rf_masks masks;
	uint64_t starts;
	int64_t n;

	rf_masks_of(&masks, text + at);
	cutter->has_quote |= masks.has_quote;
	cutter->has_carriage_return |= masks.has_carriage_return;
	cutter->has_high |= masks.has_high;
	cutter->has_zero |= masks.has_zero;
	if (masks.has_quote || cutter->state == RF_CUT_AFTER_QUOTE)
		return false;
	if (cutter->state == RF_CUT_INSIDE)
		return true;
	starts = ~masks.ends & (masks.ends << 1 | !cutter->in_record);
	if (starts != 0) {
		n = __builtin_popcountll(starts);
		if (cutter->n_records + n > cutter->max_records ||
		    at + 64 > cutter->max_bytes)
			return false;
		cutter->n_records += n;
		cutter->last_start = at + 63 - (size_t)__builtin_clzll(starts);
	}
	cutter->in_record = masks.ends >> 63 == 0;
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
