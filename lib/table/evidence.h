/*
 * What the cells of a column look like, counted over the sample.
 */
#ifndef RF_TABLE_EVIDENCE_H
#define RF_TABLE_EVIDENCE_H

#include "table/plan.h"

/* A cell, where it stands; text NULL: there is none. */
struct rf_spot {
	char *text;
	size_t size;
	int64_t line;
	const char *file;
};

struct rf_evidence {
	int64_t n_present;
	int64_t n_whole,
	    n_real;	    /* after a real, whole ones count as such too */
	int64_t n_fraction; /* reals that are no whole number */
	int64_t n_odd;	    /* whole, but not as we would write it: 007, +1 */
	int64_t n_codes;    /* digits alone, the first of several a 0 */
	int64_t n_comma;    /* numbers with the other decimal point */
	int64_t n_grouped;  /* numbers with digits in groups */
	int64_t n_padded;   /* numbers between blanks */
	int64_t n_booleans;
	int64_t n_dates, n_times; /* a time has a clock */
	int64_t n_offset;	  /* times with one from UTC */
	int most_digits;	  /* after the seconds */
	int64_t first_second, last_second;
	char group_sign;
	struct rf_spot no_number, no_time; /* the first */
	struct rf_spot code, other_offset; /* that the first time has not */
	size_t text_size;		   /* of the cells taken, .. */
	int64_t n_taken;		   /* .. which are so many */
};

/*
 * Where cells lie.  Lines are counted on from where they were last asked for,
 * so cells are to be taken in their order.
 */
struct rf_evidence_place {
	const char *counted; /* up to here */
	int64_t line;	     /* there */
	const char *file;    /* for messages; NULL: not named */
};

/*
 * Takes a cell that is not missing; returns whether it is a mere word, which is
 * neither number nor time nor boolean.
 */
bool rf_evidence_take(struct rf_evidence *evidence,
    const struct rf_dialect *dialect, struct rf_evidence_place *place,
    const struct rf_cell *cell);

static inline int64_t
rf_evidence_numbers(const struct rf_evidence *evidence)
{
	return evidence->n_whole + evidence->n_real;
}

static inline int64_t
rf_evidence_moments(const struct rf_evidence *evidence)
{
	return evidence->n_dates + evidence->n_times;
}

/* At least 80 % of the cells. */
static inline bool
rf_evidence_is_most(const struct rf_evidence *evidence, int64_t n)
{
	return n > 0 && n * 5 >= evidence->n_present * 4;
}

void rf_evidence_release(struct rf_evidence *evidence);

/* true, True, TRUE, or false so; -1: neither. */
static inline int
rf_boolean(const char *text, size_t size)
{
	if (size == 4 &&
	    (memcmp(text, "true", 4) == 0 || memcmp(text, "True", 4) == 0 ||
		memcmp(text, "TRUE", 4) == 0))
		return 1;
	if (size == 5 &&
	    (memcmp(text, "false", 5) == 0 || memcmp(text, "False", 5) == 0 ||
		memcmp(text, "FALSE", 5) == 0))
		return 0;
	return -1;
}

#endif
