#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)

static int64_t
now_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

void
rf_progress_clear(struct rf_progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}

static void
show_note(void *context, const char *message)
{
	struct rf_progress *progress = context;

	if (progress->is_quiet)
		return;
	rf_progress_clear(progress);
	fprintf(stderr, "%s: %s\n", progress->name, message);
}

static void
show_progress(void *context, const char *stage, int64_t done, int64_t total)
{
	struct rf_progress *progress = context;
	int64_t now;

	if (progress->is_quiet || !progress->is_terminal)
		return;
	now = now_ns();
	if (now - progress->start_ns < SECOND_NS ||
	    now - progress->shown_ns < SECOND_NS / 10)
		return;
	progress->shown_ns = now;
	progress->is_shown = true;
	if (total > 0)
		fprintf(stderr,
		    "\r%s: %s %" PRId64 "/%" PRId64 " (%d %%)\033[K",
		    progress->name, stage, done, total,
		    (int)((double)done * 100 / (double)total));
	else
		fprintf(stderr, "\r%s: %s %" PRId64 "\033[K", progress->name,
		    stage, done);
	fflush(stderr);
}

struct rf_log
rf_progress_init(struct rf_progress *progress, const char *name, bool is_quiet)
{
	*progress = (struct rf_progress){
	    .name = name,
	    .is_quiet = is_quiet,
	    .is_terminal = isatty(STDERR_FILENO) == 1,
	    .start_ns = now_ns(),
	};
	return (struct rf_log){progress, show_note, show_progress};
}
