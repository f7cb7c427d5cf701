#include "base/text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void
rf_text_release(struct rf_text *text)
{
	free(text->data);
	memset(text, 0, sizeof(*text));
}

void
rf_text_clear(struct rf_text *text)
{
	text->size = 0;
	text->failed = false;
	if (text->data != NULL)
		text->data[0] = '\0';
}

/* rf_grow by value; apart, since gcc 12 sees a dangling pointer else. */
static void *
grown(void *data, size_t *capacity, size_t needed)
{
	return rf_grow(&data, capacity, needed, 1) == 0 ? data : NULL;
}

void
rf_text_append(struct rf_text *text, const void *bytes, size_t size)
{
	char *data;

	if (text->failed)
		return;
	data = grown(text->data, &text->capacity, text->size + size + 1);
	if (data == NULL) {
		text->failed = true;
		return;
	}
	text->data = data;
	if (size > 0)
		memcpy(text->data + text->size, bytes, size);
	text->size += size;
	text->data[text->size] = '\0';
}

void
rf_text_puts(struct rf_text *text, const char *string)
{
	rf_text_append(text, string, strlen(string));
}

void
rf_text_printf(struct rf_text *text, const char *format, ...)
{
	char small[256], *large = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(small, sizeof(small), format, arguments);
	va_end(arguments);
	if (length < 0) {
		text->failed = true;
		return;
	}
	if ((size_t)length < sizeof(small)) {
		rf_text_append(text, small, (size_t)length);
		return;
	}
	large = rf_alloc((size_t)length + 1, 1);
	if (large == NULL) {
		text->failed = true;
		return;
	}
	va_start(arguments, format);
	vsnprintf(large, (size_t)length + 1, format, arguments);
	va_end(arguments);
	rf_text_append(text, large, (size_t)length);
	free(large);
}

/* Bytes of the UTF-8 character at p, or 0 where there is none. */
static size_t
utf8_length(const unsigned char *p, size_t size)
{
	static const unsigned least[5] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = p[0] < 0x80 ? 1
	    : p[0] < 0xc2	    ? 0
	    : p[0] < 0xe0	    ? 2
	    : p[0] < 0xf0	    ? 3
	    : p[0] < 0xf5	    ? 4
				    : 0;
	unsigned code;

	if (length <= 1 || length > size)
		return length > size ? 0 : length;
	code = p[0] & (0xffu >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3fu);
	}
	if (code < least[length] || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

/* Whether any of 64 bytes is not ASCII. */
static bool
has_high(const unsigned char *p)
{
	unsigned char all = 0;

	for (size_t i = 0; i < 64; i++)
		all |= p[i];
	return (all & 0x80) != 0;
}

bool
rf_text_is_utf8(const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	size_t at = 0, length;

	while (at < size) {
		size_t end = at + 64 < size ? at + 64 : size;

		if (at + 64 <= size && !has_high(p + at)) {
			at += 64;
			continue;
		}
		while (at < end) {
			length =
			    p[at] < 0x80 ? 1 : utf8_length(p + at, size - at);
			if (length == 0)
				return false;
			at += length;
		}
	}
	return true;
}

const char *
rf_text_quote(char out[RF_QUOTED_SIZE], const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	size_t at = 0, used = 0, length;

	for (int shown = 0; at < size; shown++) {
		if (shown == 60) {
			memcpy(out + used, "...", 3);
			used += 3;
			break;
		}
		length = utf8_length(p + at, size - at);
		if (length == 0 || p[at] < 0x20 || p[at] == 0x7f) {
			snprintf(out + used, 5, "\\x%02x", p[at]);
			used += 4;
			at++;
			continue;
		}
		memcpy(out + used, p + at, length);
		used += length;
		at += length;
	}
	out[used] = '\0';
	return out;
}

/* What strtoll and strtod skip, but a whole number does not begin with. */
static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

enum rf_status
rf_text_to_int(const char *text, long long low, long long high,
    const char *what, long long *out, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE], *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0 || is_blank(text[0]) ||
	    value < low || value > high)
		return rf_error_set(err, RF_EUSAGE,
		    "%s: '%s' is not a whole number from %lld to %lld", what,
		    rf_text_quote(quoted, text, strlen(text)), low, high);
	*out = value;
	return RF_OK;
}

enum rf_status
rf_text_to_double(const char *text, double low, double high, const char *what,
    double *out, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE], *end;
	double value;

	value = strtod(text, &end);
	if (end == text || *end != '\0' || is_blank(text[0]) ||
	    strpbrk(text, "xXpPnN") != NULL || !(value >= low) ||
	    !(value <= high))
		return rf_error_set(err, RF_EUSAGE,
		    "%s: '%s' is not a number from %g to %g", what,
		    rf_text_quote(quoted, text, strlen(text)), low, high);
	*out = value;
	return RF_OK;
}

/*
 * A normal double that 15 digits or fewer give is given by "%.15g", which
 * leaves out trailing zeros; below the normal ones fewer may do.
 */
size_t
rf_text_double(char out[32], double value)
{
	char text[32]; /* gcc's sanitizers take `out` for NULL at times */
	int length = 0;

	if (isnan(value))
		return (size_t)snprintf(out, 32, "nan");
	for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17;
	     digits++) {
		length = snprintf(text, 32, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	memcpy(out, text, (size_t)length + 1);
	return (size_t)length;
}
