/*
 * libsvm text to a data stream: csv2bin(1), libsvm.
 *
 *	if (rf_libsvm_is_wanted(&options, &parts[0]))
 *		RF_TRY(rf_libsvm_convert(&options, parts, n_parts, 1,
 *		    "<stdout>", err));
 *
 * Constant memory.  Where the number of features is not given, a regular file
 * is read twice; of what cannot be read twice, no more than the sample is.
 */
#ifndef RF_TABLE_LIBSVM_H
#define RF_TABLE_LIBSVM_H

#include "table/part.h"

/*
 * By the options, else by the name of the first part, which is open, or its
 * first record; a note says what was recognised.
 */
bool rf_libsvm_is_wanted(
    const struct rf_csv_options *options, const struct rf_part *part);

/* The first part is open.  On an error no end mark is written. */
enum rf_status rf_libsvm_convert(const struct rf_csv_options *options,
    struct rf_part *parts, size_t n_parts, int out_fd, const char *out_name,
    struct rf_error *err) RF_MUST_USE;

/* The name of an option that only a table of cells can have, or NULL. */
const char *rf_libsvm_unfit_option(const struct rf_csv_options *options);

#endif
