/*
 * The top of each tree as a complete one, for many rows at a time.
 *
 * Near the root all rows meet the same few nodes, so instead of walking, a
 * vector of rows is compared with every node of the first levels, column by
 * column, and the answers are selected by the answers above.  Where a branch
 * ends early, or meets a set, nodes that send all rows left fill it up.
 * Codes are bytes from 0 to 254 here, stored with the highest bit flipped.
 */
#ifndef RF_PREDICT_WALK_TOP_H
#define RF_PREDICT_WALK_TOP_H

#include <stddef.h>
#include <stdint.h>

#include "predict/walk_layout.h"

/* 6 levels cost as much as 2 or 3 of a walk, 7 would double that. */
#define RF_TOP_LEVELS 6
#define RF_TOP_NODES  (1 << RF_TOP_LEVELS)
/* Rows of a vector: row counts are padded to it. */
#define RF_TOP_ROWS 32

struct rf_walk_top {
	/* By heap number, from 1 on: children of h are 2h and 2h + 1. */
	uint32_t columns[RF_TOP_NODES]; /* where the column's codes begin */
	int8_t bounds[RF_TOP_NODES]; /* codes below it go left; flipped, too */
	uint32_t entries[RF_TOP_NODES]; /* place in the tree, by path */
};

/* Whether this machine can, and the layout's codes fit. */
bool rf_walk_top_is_there(
    const struct rf_walk_layout *layout, uint32_t largest_code);

/* The top of a tree, where columns are column_bytes apart. */
void rf_walk_top_fill(struct rf_walk_top *top,
    const struct rf_walk_layout *layout, int64_t tree, size_t column_bytes);

/*
 * Places of n_rows rows below the top.
 *
 * columns  codes column by column, padded to RF_TOP_ROWS
 * starts   n_rows places, with room up to a multiple of RF_TOP_ROWS
 */
void rf_walk_top_rows(const struct rf_walk_top *top, const int8_t *columns,
    int n_rows, uint32_t *starts);

#endif
