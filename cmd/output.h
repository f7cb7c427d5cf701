/*
 * A file that comes into being whole.
 *
 *	struct rf_output file = RF_OUTPUT_NONE;
 *	RF_TRY(rf_output_open(&file, "forest.rfb", err));
 *	.. write to file.fd ..
 *	status = rf_output_commit(&file, err);	(or rf_output_drop)
 *
 * Until the commit, path does not exist or is what it was: what is written has
 * no name (O_TMPFILE), or on file systems without that a hidden one beside it.
 * What is no regular file (a pipe, a device), and a file in a directory that
 * cannot be written, is written in place.
 */
#ifndef RF_CMD_OUTPUT_H
#define RF_CMD_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"

struct rf_output {
	int fd;		 /* -1: none */
	char *path;	 /* symbolic links resolved */
	char *temporary; /* the name until the commit; NULL: none yet */
	bool is_in_place;
	bool is_cut; /* a regular file in place, emptied at the start */
};

#define RF_OUTPUT_NONE                                                         \
 {                                                                             \
  -1, NULL, NULL, false, false                                                 \
 }

/* RF_ECREATE with path in the message where it cannot be made. */
enum rf_status rf_output_open(
    struct rf_output *file, const char *path, struct rf_error *err) RF_MUST_USE;

/*
 * Closes the file and gives it its name; RF_EIO where that fails, and then
 * nothing is left.  file is RF_OUTPUT_NONE after it.
 */
enum rf_status rf_output_commit(
    struct rf_output *file, struct rf_error *err) RF_MUST_USE;

/*
 * Whether what is written to both comes to one file or pipe, where the one
 * would spoil the other.  Devices such as /dev/null take any number.
 */
bool rf_output_is_shared(const struct rf_output *a, const struct rf_output *b);

/* Takes back what was written; RF_OUTPUT_NONE allowed. */
void rf_output_drop(struct rf_output *file);

#endif
