/*
 * The rows of data streams, kept in memory as they came: rf-stream(5), Data.
 *
 *	rf_table_init(&table, &choice, log);
 *	RF_TRY(rf_table_read(&table, 0, "<stdin>", err));
 *	RF_TRY(rf_table_end(&table, err));
 *	..
 *	rf_table_release(&table);
 *
 * Columns that no forest needs are left behind while reading, so memory is
 * about the bytes of those that stay.  Categories are codes of a vocabulary
 * that counts in the order of first sight; everything that a model shows is
 * sorted later.
 */
#ifndef RF_TRAIN_LOAD_H
#define RF_TRAIN_LOAD_H

#include "base/log.h"
#include "forest/forest.h"
#include "stream/convert.h"

/* More distinct texts than this make no feature. */
#define RF_LEVELS_MAX 65536

/* What the command line says about columns; NULL and -1: nothing. */
struct rf_table_choice {
	const char *label;  /* name, or number from 1 where no name is so */
	const char *weight; /* name */
	int task;	    /* enum rf_task */
	const char *const *ordinal; /* names */
	int32_t n_ordinal;
};

/* The rows of one batch in one column. */
struct rf_part {
	struct rf_column column; /* numbers; its buffers are in `memory` */
	void *memory;		 /* numbers: buffers; else codes */
	int code_bytes;		 /* categories: 1, 2 or 4; all ones: missing */
};

struct rf_stored {
	const struct rf_field *field; /* of the table's schema */
	enum rf_feature_kind kind;
	bool is_ordinal; /* then kind is that of categories */
	bool is_dropped; /* left out since */
	struct rf_part *parts;
	size_t n_parts, capacity;
	struct rf_vocabulary *vocabulary; /* categories */
	uint64_t dictionary_serial;	  /* last one that was taken in whole */
};

struct rf_table {
	struct rf_table_choice choice;
	const struct rf_log *log;
	struct rf_schema schema; /* the first stream's */
	bool has_schema;
	int64_t n_rows, n_bytes; /* rows; bytes read */
	int64_t row0;		 /* global number of the first row */
	enum rf_task task;
	enum rf_label_type label_type;
	struct rf_stored
	    *columns; /* features as in the schema, label, weight */
	int64_t n_columns;
	int64_t n_features;    /* the first columns */
	int64_t label, weight; /* indexes of columns; weight -1: none */
	int64_t *of_field;     /* column of each field of the schema, or -1 */
};

/* The choice is copied, what it points to must outlive the table. */
void rf_table_init(struct rf_table *table, const struct rf_table_choice *choice,
    const struct rf_log *log);

/*
 * Appends all rows of a stream.  The first one settles the columns; the
 * others must have the same.  RF_EUSAGE where the label or its task is not
 * clear, with the option that helps.
 */
enum rf_status rf_table_read(struct rf_table *table, int fd, const char *name,
    struct rf_error *err) RF_MUST_USE;

/* RF_EDATA where no row came. */
enum rf_status rf_table_end(
    const struct rf_table *table, struct rf_error *err) RF_MUST_USE;

/* Gives the parts of a column back. */
void rf_stored_clear(struct rf_stored *stored);

/* Codes of a categorical column in the vocabulary, -1 missing; all rows. */
void rf_stored_codes(const struct rf_stored *stored, int32_t *out);

/* Numbers of all rows; see convert.h. */
enum rf_status rf_stored_float64(const struct rf_stored *stored, double *out,
    bool *beyond_2_53, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_stored_float32(const struct rf_stored *stored, float *out,
    struct rf_error *err) RF_MUST_USE;
enum rf_status rf_stored_int64(const struct rf_stored *stored, int64_t *out,
    uint8_t *is_missing, struct rf_error *err) RF_MUST_USE;

void rf_table_release(struct rf_table *table);

#endif
