/*
 * What becomes of each column of a table: its name, its role and how its cells
 * are read.
 *
 * Made in three steps: the names (rf_plan_names), the options on them
 * (rf_plan_options), the types from a sample (guess.h).
 */
#ifndef RF_TABLE_PLAN_H
#define RF_TABLE_PLAN_H

#include "table/csv.h"
#include "table/dialect.h"
#include "table/missing.h"
#include "table/words.h"

/* How cells are read and sent. */
enum rf_cells {
	RF_CELLS_SKIP,
	RF_CELLS_WHOLE,	   /* int64 */
	RF_CELLS_REAL,	   /* float64 */
	RF_CELLS_CATEGORY, /* dictionary<int32, utf8> */
	RF_CELLS_TEXT,	   /* utf8 */
	RF_CELLS_BOOLEAN,  /* bool */
	RF_CELLS_DATE,	   /* date32 */
	RF_CELLS_TIME,	   /* timestamp */
};

/* What the options say of the type. */
enum rf_wish {
	RF_WISH_NONE,
	RF_WISH_INTEGER,
	RF_WISH_NUMBER,
	RF_WISH_ANY_NUMBER, /* integer or number, by the sample */
	RF_WISH_CATEGORY,
	RF_WISH_TEXT,
	RF_WISH_BOOLEAN,
	RF_WISH_DATE,
	RF_WISH_TIME,
	RF_WISH_MOMENT, /* date or time, by the sample */
};

enum rf_column_role {
	RF_ROLE_FEATURE,
	RF_ROLE_LABEL,
	RF_ROLE_WEIGHT,
	RF_ROLE_ID,
	RF_ROLE_FOLD,
	RF_ROLE_IGNORE,
};

struct rf_plan_column {
	enum rf_column_role role;
	enum rf_wish wish;
	bool is_left_out;
	bool is_called_by_number; /* the header's cell was a number */
	enum rf_cells cells;
	bool takes_whole_reals; /* WHOLE: "3.0" is 3, for classes */
	bool refuses_codes;	/* WHOLE by the sample alone: 007 is none */
	bool takes_booleans;	/* a model's number may be one */
	/* TIME */
	enum rf_time_unit unit;
	bool unit_is_given;
	bool has_offset;  /* from UTC, so the time zone is UTC */
	size_t text_size; /* TEXT: bytes a cell, in the sample */
	/* CATEGORY: the texts so far. */
	struct rf_words words;
	size_t n_words_sent;
};

struct rf_plan {
	struct rf_dialect dialect;
	enum rf_encoding encoding; /* settled */
	struct rf_missing missing;
	enum rf_ragged ragged;
	bool bad_cells_are_missing;
	struct rf_words names; /* code = column; no two are equal */
	struct rf_plan_column *columns;
	size_t n_columns;
	int64_t label;	  /* column or -1 */
	const char *task; /* of options or model; NULL: not said */
};

static inline struct rf_bytes
rf_plan_name(const struct rf_plan *plan, size_t column)
{
	return (struct rf_bytes){
	    .data = (const uint8_t *)rf_words_text(&plan->names, column),
	    .size = plan->names.words[column].size};
}

/*
 * Names from the cells of a header, or V1, V2 .. where cells is NULL.  An empty
 * name becomes V and the column's number; one that is taken gets _2, _3 .. and
 * a note says so.
 */
enum rf_status rf_plan_names(struct rf_plan *plan, const struct rf_cell *cells,
    size_t n_cells, const struct rf_log *log, struct rf_error *err) RF_MUST_USE;

/*
 * Whether a table whose first record has these cells is one without a header,
 * as the model's own was: all of the model's features are called V and the
 * number of a column, and no cell is such a name.
 */
bool rf_like_has_no_header(
    const struct rf_like *like, const struct rf_cell *cells, size_t n_cells);

/* Roles, wishes and choice of columns; missing words and task. */
enum rf_status rf_plan_options(struct rf_plan *plan,
    const struct rf_csv_options *options, struct rf_error *err) RF_MUST_USE;

/* The part of rf_plan_options that a model says: plan_like.c. */
enum rf_status rf_plan_like(struct rf_plan *plan,
    const struct rf_csv_options *options, struct rf_error *err) RF_MUST_USE;
/* Gives a column a role; RF_EUSAGE where it has another. */
enum rf_status rf_plan_role(struct rf_plan *plan, const char *option,
    size_t column, enum rf_column_role role, struct rf_error *err) RF_MUST_USE;

/* The column called so, or numbered so from 1; -1 where there is none. */
int64_t rf_plan_find(const struct rf_plan *plan, const char *text, size_t size);

/*
 * The fields of the columns that are sent, and the stream's metadata, once the
 * types are known: plan_schema.c.
 */
enum rf_status rf_plan_schema(const struct rf_plan *plan,
    const struct rf_csv_options *options, struct rf_schema *schema,
    struct rf_error *err) RF_MUST_USE;
/* The columns that are sent. */
size_t rf_plan_n_sent(const struct rf_plan *plan);
/* The type as --type has it; "" of a column that is not sent. */
const char *rf_plan_type_name(const struct rf_plan_column *column);
/* Bytes of a row, as it is sent. */
size_t rf_plan_row_bytes(const struct rf_plan *plan);

void rf_plan_release(struct rf_plan *plan);

#endif
