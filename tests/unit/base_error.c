#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "unit.h"

static void
check_set(void)
{
	struct rf_error err = {0};

	check_int(rf_error_set(&err, RF_EDATA, "line %d", 3), RF_EDATA,
	    "rf_error_set returns the status");
	check_int(err.status, RF_EDATA, "and keeps it");
	check_text(err.message, "line 3", "and formats the message");
	check_int(rf_error_set(NULL, RF_EIO, "x"), RF_EIO,
	    "no error to fill is allowed");
	rf_error_set(&err, RF_EDATA, "a\nb\033[31mc\x7f");
	check_text(err.message, "a?b?[31mc?",
	    "control characters cannot break the line");
	rf_error_set(&err, RF_EDATA, "cell 'x'");
	rf_error_prefix(&err, RF_EDATA, "train.csv");
	check_text(err.message, "train.csv: cell 'x'", "a place goes before");
	rf_error_memory(&err, 12, "the table");
	check_text(err.message, "out of memory (12 bytes for the table)",
	    "out of memory names bytes and purpose");
}

/* 1500 three-byte characters: the cut falls inside of one. */
static void
check_cut(void)
{
	static char text[4501];
	struct rf_error err = {0};
	size_t length;

	for (size_t i = 0; i < 4500; i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3);
	for (size_t shift = 0; shift < 3; shift++) {
		rf_error_set(&err, RF_EDATA, "%.*s%s", (int)shift, "xx", text);
		length = strlen(err.message);
		check(length < RF_ERROR_SIZE && length > RF_ERROR_SIZE - 10,
		    "a long message fills the room");
		check_text(err.message + length - 3, "...", "and says its cut");
		check(rf_text_is_utf8(err.message, length),
		    "and is cut at a whole character");
	}
	rf_error_prefix(&err, RF_EDATA, text);
	check(rf_text_is_utf8(err.message, strlen(err.message)),
	    "a long prefix is cut at a whole character too");
}

static enum rf_status
twice(enum rf_status status, int *n)
{
	RF_TRY(status);
	++*n;
	return RF_OK;
}

int
main(void)
{
	int n = 0;

	check_set();
	check_cut();
	check(twice(RF_OK, &n) == RF_OK && n == 1, "RF_TRY goes on at RF_OK");
	check(twice(RF_EIO, &n) == RF_EIO && n == 1, "and leaves at a failure");
	return unit_end();
}
