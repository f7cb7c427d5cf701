/*
 * Progress and notes on stderr, the receiving end of a struct rf_log.
 *
 *	struct rf_progress progress;
 *	struct rf_log log = rf_progress_init(&progress, "rf-fit", quiet);
 *
 * Progress is shown on a terminal only, once a second has passed, ten times a
 * second at most; notes always, unless quiet.
 */
#ifndef RF_CMD_PROGRESS_H
#define RF_CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/log.h"

struct rf_progress {
	const char *name; /* the program's */
	bool is_quiet, is_terminal, is_shown;
	int64_t start_ns, shown_ns;
};

/* The log points to progress, which must outlive it and stay in place. */
struct rf_log rf_progress_init(
    struct rf_progress *progress, const char *name, bool is_quiet);

/* Clears the line, before something else is written or at the end. */
void rf_progress_clear(struct rf_progress *progress);

#endif
