#include "base/log.h"

#include <string.h>

#include "unit.h"

struct heard {
	char note[RF_ERROR_SIZE];
	char stage[32];
	int64_t done, total;
};

static void
hear_note(void *context, const char *message)
{
	struct heard *heard = context;

	strcpy(heard->note, message);
}

static void
hear_progress(void *context, const char *stage, int64_t done, int64_t total)
{
	struct heard *heard = context;

	snprintf(heard->stage, sizeof(heard->stage), "%s", stage);
	heard->done = done;
	heard->total = total;
}

int
main(void)
{
	static char large[3 * RF_ERROR_SIZE];
	struct heard heard = {0};
	struct rf_log log = {&heard, hear_note, hear_progress};
	struct rf_log silent = {0};

	rf_note(&log, "column '%s' is ignored", "id");
	check_text(heard.note, "column 'id' is ignored", "a note arrives");
	memset(large, 'x', sizeof(large) - 1);
	rf_note(&log, "%s", large);
	check_int(strlen(heard.note), RF_ERROR_SIZE - 1, "a long one is cut");
	rf_progress(&log, "grow", 3, INT64_C(1) << 40);
	check_text(heard.stage, "grow", "progress has a stage");
	check(heard.done == 3 && heard.total == INT64_C(1) << 40,
	    "and two numbers");
	rf_note(NULL, "x");
	rf_progress(NULL, "x", 0, 0);
	rf_note(&silent, "x");
	rf_progress(&silent, "x", 0, 0);
	check(true, "no log and an empty log are silent");
	return unit_end();
}
