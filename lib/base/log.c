#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void
rf_note(const struct rf_log *log, const char *format, ...)
{
	char message[RF_ERROR_SIZE + 8]; /* longer, so that a cut is marked */
	struct rf_error line;
	va_list arguments;

	if (log == NULL || log->note == NULL)
		return;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	rf_error_set(&line, RF_OK, "%s", message);
	log->note(log->context, line.message);
}

void
rf_progress(
    const struct rf_log *log, const char *stage, int64_t done, int64_t total)
{
	if (log != NULL && log->progress != NULL)
		log->progress(log->context, stage, done, total);
}
