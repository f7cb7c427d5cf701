#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A closed descriptor becomes one that fails where it is used: 0 cannot be
 * read, 1 not be written.
 */
static void
fill_descriptor(int fd, int flags)
{
	int got;

	if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
		return;
	got = open("/dev/null", flags);
	if (got >= 0 && got != fd)
		(void)close(got);
}

void
rf_tool_start(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t set;

	fill_descriptor(STDIN_FILENO, O_WRONLY);
	fill_descriptor(STDOUT_FILENO, O_RDONLY);
	fill_descriptor(STDERR_FILENO, O_RDWR);
	(void)sigaction(SIGPIPE, &action, NULL);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGPIPE);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static enum rf_status
redirect_output(struct rf_run *run, const char *path, struct rf_error *err)
{
	RF_TRY(rf_output_open(&run->file, path, err));
	run->name = path;
	if (dup2(run->file.fd, STDOUT_FILENO) < 0)
		return rf_error_set(err, RF_ECREATE, "%s: cannot create: %s",
		    path, strerror(errno));
	return RF_OK;
}

enum rf_status
rf_tool_begin(struct rf_run *run, const struct rf_options *options,
    enum rf_content content, struct rf_error *err)
{
	const struct rf_common *common = &options->common;

	*run = (struct rf_run){
	    .options = options,
	    .fd = STDOUT_FILENO,
	    .name = "<stdout>",
	    .file = RF_OUTPUT_NONE,
	};
	run->log = rf_progress_init(
	    &run->progress, options->tool->name, common->quiet);
	if (common->output != NULL && strcmp(common->output, "-") != 0)
		RF_TRY(redirect_output(run, common->output, err));
	if (content == RF_BINARY && !common->force &&
	    isatty(STDOUT_FILENO) == 1)
		return rf_error_set(err, RF_EUSAGE,
		    "the output is binary and not written to a terminal; "
		    "give -o FILE, a pipe or --force");
	return RF_OK;
}

const char *
rf_tool_operand(const struct rf_options *options, int i)
{
	return i < options->n_operands ? options->operands[i] : NULL;
}

static enum rf_status
open_operand(const char *operand, struct rf_input *input, struct rf_error *err)
{
	struct stat status;

	input->name = operand;
	input->fd = open(operand, O_RDONLY | O_CLOEXEC);
	if (input->fd < 0)
		return rf_error_set(err, RF_ENOINPUT, "%s: cannot open: %s",
		    operand, strerror(errno));
	if (fstat(input->fd, &status) == 0 && S_ISDIR(status.st_mode)) {
		rf_input_close(input);
		return rf_error_set(
		    err, RF_ENOINPUT, "%s: is a directory", operand);
	}
	return RF_OK;
}

enum rf_status
rf_tool_input(const struct rf_run *run, const char *operand,
    enum rf_content content, struct rf_input *input, struct rf_error *err)
{
	*input = (struct rf_input){STDIN_FILENO, "<stdin>"};
	if (operand != NULL && strcmp(operand, "-") != 0)
		RF_TRY(open_operand(operand, input, err));
	if (content == RF_BINARY && !run->options->common.force &&
	    isatty(input->fd) == 1)
		return rf_error_set(err, RF_EUSAGE,
		    "%s: the input is binary and not read from a terminal; "
		    "give a file, a pipe or --force",
		    input->name);
	return RF_OK;
}

void
rf_input_close(struct rf_input *input)
{
	if (input->fd > STDERR_FILENO)
		(void)close(input->fd);
	*input = (struct rf_input)RF_INPUT_NONE;
}

/* RF_EIO where anything written to stdout so far may be lost. */
static enum rf_status
close_stdout(const char *name, struct rf_error *err)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if (fflush(stdout) != 0)
		failed = true;
	if (fclose(stdout) != 0)
		failed = true;
	if (!failed)
		return RF_OK;
	return rf_error_set(err, RF_EIO, "%s: cannot write: %s", name,
	    errno == 0 ? "an earlier write failed" : strerror(errno));
}

int
rf_tool_close_stdout(const char *name)
{
	struct rf_error err = {0};
	enum rf_status status = close_stdout("<stdout>", &err);

	if (status != RF_OK)
		fprintf(stderr, "%s: %s\n", name, err.message);
	return (int)status;
}

int
rf_tool_finish(struct rf_run *run, enum rf_status status, struct rf_error *err)
{
	rf_progress_clear(&run->progress);
	if (status == RF_OK)
		status = close_stdout(run->name, err);
	if (status == RF_OK && run->file.fd >= 0)
		status = rf_output_commit(&run->file, err);
	if (status == RF_OK)
		return 0;
	rf_output_drop(&run->file);
	fprintf(stderr, "%s: %s\n", run->options->tool->name,
	    err->message[0] == '\0' ? "internal error without a message"
				    : err->message);
	return (int)status;
}
