#define _GNU_SOURCE /* posix_openpt */
#include "progress.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

/* A terminal hands its bytes on a little later: wait so long for more. */
#define WAIT_MS 100

/* What stands on the other side of stderr. */
static const char *
heard(int fd)
{
	static char text[1000];
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	size_t used = 0;
	ssize_t size = 1;

	fflush(stderr);
	while (size > 0 && used < sizeof(text) - 1 &&
	    poll(&ready, 1, WAIT_MS) == 1) {
		size = read(fd, text + used, sizeof(text) - 1 - used);
		used += size > 0 ? (size_t)size : 0;
	}
	text[used] = '\0';
	return text;
}

/* As if the stage had begun and shown something ten seconds ago. */
static void
age(struct rf_progress *progress)
{
	progress->start_ns -= INT64_C(10000000000);
	progress->shown_ns -= INT64_C(10000000000);
}

static void
check_terminal(int fd)
{
	struct rf_progress progress;
	struct rf_log log = rf_progress_init(&progress, "rf-fit", false);

	rf_progress(&log, "grow", 1, 100);
	check_text(heard(fd), "", "nothing in the first second");
	age(&progress);
	rf_progress(&log, "grow", 50, 100);
	check_text(heard(fd), "\rrf-fit: grow 50/100 (50 %)\033[K",
	    "then one line, in place");
	progress.shown_ns += INT64_C(10000000000); /* however slow we are */
	rf_progress(&log, "grow", 51, 100);
	check_text(heard(fd), "", "not more than ten a second");
	age(&progress);
	age(&progress);
	rf_progress(&log, "read", 7, 0);
	check_text(
	    heard(fd), "\rrf-fit: read 7\033[K", "without a total, a number");
	rf_note(&log, "done");
	check_text(heard(fd), "\r\033[Krf-fit: done\r\n",
	    "a note clears the line first");
	rf_progress_clear(&progress);
	check_text(heard(fd), "", "nothing shown, nothing to clear");
}

static void
check_quiet(int fd)
{
	struct rf_progress progress;
	struct rf_log log = rf_progress_init(&progress, "rf-fit", true);

	age(&progress);
	rf_progress(&log, "grow", 50, 100);
	rf_note(&log, "done");
	check_text(heard(fd), "", "quiet says nothing");
}

static void
check_no_terminal(int fd)
{
	struct rf_progress progress;
	struct rf_log log = rf_progress_init(&progress, "rf-fit", false);

	age(&progress);
	rf_progress(&log, "grow", 50, 100);
	check_text(heard(fd), "", "no progress into a pipe");
	rf_note(&log, "a note");
	check_text(heard(fd), "rf-fit: a note\n", "but notes");
}

int
main(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	int other = -1, ends[2];

	if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0)
		other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	if (other >= 0 && dup2(other, STDERR_FILENO) >= 0) {
		check_terminal(terminal);
		check_quiet(terminal);
	} else {
		unit_skip("progress on a terminal", "no pseudo-terminal");
	}
	if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0 ||
	    fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
		return 1;
	check_no_terminal(ends[0]);
	return unit_end();
}
