/*
 * What is wrong with a chunk's text, in words.  Inside table/ only.
 *
 * Each sets the chunk's status, line and message.
 */
#ifndef RF_TABLE_FAULT_H
#define RF_TABLE_FAULT_H

#include "table/chunk.h"

/* The cell is not of its column's type; names the option that helps. */
void rf_fault_type(
    struct rf_chunk *chunk, size_t column, const struct rf_cell *cell);

/* The cell that begins at `at` is not well quoted. */
void rf_fault_cell(struct rf_chunk *chunk, enum rf_cell_fault fault,
    size_t column, const char *at);

/* The record at `at` has n_cells, not one a column. */
void rf_fault_count(struct rf_chunk *chunk, const char *at, size_t n_cells);

/* Sets the chunk's error where it has a NUL byte or is not UTF-8. */
void rf_fault_bytes(struct rf_chunk *chunk);

#endif
