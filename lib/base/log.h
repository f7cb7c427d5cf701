/*
 * How lib/ speaks to people: through the caller, never by itself.
 *
 * A struct rf_log is handed down with the options; NULL members are allowed
 * and mean silence.  A note is one line without the program's name, made
 * fit for a terminal as rf_error_set() does.  Progress may be reported often;
 * the receiver decides what is shown.  Both may be called from one thread at a
 * time only.
 */
#ifndef RF_BASE_LOG_H
#define RF_BASE_LOG_H

#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rf_log {
	void *context;
	void (*note)(void *context, const char *message);
	/* total 0: not known */
	void (*progress)(
	    void *context, const char *stage, int64_t done, int64_t total);
};

void rf_note(const struct rf_log *log, const char *format, ...) RF_PRINTF(2, 3);
void rf_progress(
    const struct rf_log *log, const char *stage, int64_t done, int64_t total);

#ifdef __cplusplus
}
#endif
#endif
