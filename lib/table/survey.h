/*
 * What a sample's cells look like: one pass over its records.  Inside table/
 * only.
 *
 * The first records, and every cell that is unlike those before it, are looked
 * at one by one (evidence.h).  Once a column's cells have all been of one type,
 * those that are too are only counted, by the fast path of run.h: it takes
 * nothing else, so the counts are those of looking at each.
 *
 *	rf_survey_init(&survey, plan, &err); .. rf_survey_text(&survey, at, end,
 *	line, name, &err); .. rf_survey_finish(&survey);
 */
#ifndef RF_TABLE_SURVEY_H
#define RF_TABLE_SURVEY_H

#include "table/evidence.h"
#include "table/slot.h"

/* Texts of a feature that nobody called a category, for it to be one. */
#define RF_MOST_CATEGORIES 4096

struct rf_survey {
	struct rf_plan *plan;
	struct rf_evidence *evidence; /* a column */
	/* A column: cells that are no mere words.  The plan has all words of a
	 * column without such, and else those before the first. */
	bool *has_others;
	/* Inside. */
	struct rf_evidence_place place;
	struct rf_cell *cells; /* of a record: those looked at, and which */
	size_t *numbers;
	struct rf_slot *slots; /* a column; fast is SKIP until it is settled */
	struct rf_chunk_column *columns;
	int64_t *n_looked_at; /* a column: cells since it was settled .. */
	int64_t *since;	      /* .. which was at this record */
	int64_t n_records;
	int64_t value;
	uint8_t null;
	bool has_avx2;
};

/* The plan must outlive it; to be zeroed before, and released in any case. */
enum rf_status rf_survey_init(struct rf_survey *survey, struct rf_plan *plan,
    struct rf_error *err) RF_MUST_USE;
void rf_survey_release(struct rf_survey *survey);

/*
 * All records from `at` to `end`, up to one whose quotes do not match; the text
 * is changed, and has room as chunk.h says.  line: of its first byte; name: of
 * its file for messages, or NULL.
 */
enum rf_status rf_survey_text(struct rf_survey *survey, char *at, char *end,
    int64_t line, const char *name, struct rf_error *err) RF_MUST_USE;

/* Completes evidence and words. */
void rf_survey_finish(struct rf_survey *survey);

/* Keeps a cell's text among the words of its column, unless they are too many
 * already. */
enum rf_status rf_survey_keep_word(const struct rf_plan_column *column,
    struct rf_words *words, const struct rf_cell *cell,
    struct rf_error *err) RF_MUST_USE;

/* Whether the column's words matter however many they are. */
static inline bool
rf_survey_keeps_words(const struct rf_plan_column *column)
{
	return column->wish == RF_WISH_CATEGORY ||
	    column->role == RF_ROLE_LABEL;
}

#endif
