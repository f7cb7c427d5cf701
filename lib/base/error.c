#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* No message breaks a line or drives a terminal. */
static void
clean(char *text)
{
	unsigned char *p = (unsigned char *)text;

	for (; *p != '\0'; p++)
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
}

/* Ends a cut message at a whole character. */
static void
mark_cut(char *message)
{
	size_t end = RF_ERROR_SIZE - 4;

	while (end > 0 && ((unsigned char)message[end] & 0xc0) == 0x80)
		end--;
	memcpy(message + end, "...", 4);
}

enum rf_status
rf_error_set(
    struct rf_error *err, enum rf_status status, const char *format, ...)
{
	va_list arguments;
	int length;

	if (err == NULL)
		return status;
	err->status = status;
	va_start(arguments, format);
	length = vsnprintf(err->message, RF_ERROR_SIZE, format, arguments);
	va_end(arguments);
	if (length >= RF_ERROR_SIZE)
		mark_cut(err->message);
	clean(err->message);
	return status;
}

enum rf_status
rf_error_prefix(struct rf_error *err, enum rf_status status, const char *place)
{
	char rest[RF_ERROR_SIZE];

	if (err == NULL)
		return status;
	memcpy(rest, err->message, RF_ERROR_SIZE);
	return rf_error_set(err, status, "%s: %s", place, rest);
}

enum rf_status
rf_error_memory(struct rf_error *err, size_t size_bytes, const char *what)
{
	return rf_error_set(err, RF_ENOMEM, "out of memory (%zu bytes for %s)",
	    size_bytes, what);
}
