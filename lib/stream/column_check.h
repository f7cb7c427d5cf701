/*
 * Checks of what columns point to: one pass over offsets, views and codes, so
 * that their users need none.  Private to lib/stream.
 */
#ifndef RF_STREAM_COLUMN_CHECK_H
#define RF_STREAM_COLUMN_CHECK_H

#include "stream/batch.h"

/* Whether n + 1 offsets start at 0 or above and never fall; *end: the last. */
bool rf_check_offsets32(const void *offsets, int64_t n, int64_t *end);
bool rf_check_offsets64(const void *offsets, int64_t n, int64_t *end);
/* Whether the views of valid rows lie in their buffers. */
bool rf_check_views(const struct rf_column *column);
/* Whether the codes of valid rows lie in [0, n). */
bool rf_check_codes(const struct rf_column *column, int64_t n);

/* Buffers of the field itself in a record batch, data of views not counted;
 * of metadata version 3 (V4) or 4 (V5). */
uint32_t rf_field_n_buffers(const struct rf_field *field, int version);

#endif
