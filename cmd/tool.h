/*
 * The manners that all tools share: standard streams, files, reports, end.
 *
 *	int
 *	main(int argc, char **argv)
 *	{
 *		struct rf_run run;
 *		struct rf_input input = RF_INPUT_NONE;
 *		struct rf_error err = {0};
 *		enum rf_status status;
 *
 *		parse(&options, argc, argv);
 *		status = rf_tool_begin(&run, &options, RF_BINARY, &err);
 *		if (status == RF_OK)
 *			status = rf_tool_input(&run, rf_tool_operand(&options,
 *			    0), RF_BINARY, &input, &err);
 *		if (status == RF_OK)
 *			status = stage(input.fd, input.name, run.fd,
 *			    run.name, &run.log, &err);
 *		rf_input_close(&input);
 *		return rf_tool_finish(&run, status, &err);
 *	}
 *
 * The output is always descriptor 1, and the FILE stdout over it: -o FILE is
 * put there, and gets its name only at a good end (output.h).
 */
#ifndef RF_CMD_TOOL_H
#define RF_CMD_TOOL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "options.h"
#include "output.h"
#include "progress.h"

enum rf_content {
	RF_TEXT,
	RF_BINARY, /* neither to nor from a terminal, unless -f */
};

struct rf_run {
	const struct rf_options *options;
	struct rf_log log; /* to hand down into lib/ */
	int fd;		   /* the output: 1 */
	const char *name;  /* as messages name it: "<stdout>" */
	struct rf_progress progress;
	struct rf_output file;
};

struct rf_input {
	int fd;
	const char *name; /* as messages name it: "<stdin>" */
};
#define RF_INPUT_NONE                                                          \
 {                                                                             \
  -1, NULL                                                                     \
 }

/*
 * Puts SIGPIPE to its default and opens descriptors 0, 1, 2 where they were
 * closed, so that no file lands there.  Done by rf_options_init.
 */
void rf_tool_start(void);

/*
 * Sets up log and output; run must stay where it is.  RF_ECREATE where -o
 * cannot be created, RF_EUSAGE where binary would go to a terminal.  run is to
 * be finished in any case.
 */
enum rf_status rf_tool_begin(struct rf_run *run,
    const struct rf_options *options, enum rf_content content,
    struct rf_error *err) RF_MUST_USE;

/* Operand number i from 0, or NULL where there is none. */
const char *rf_tool_operand(const struct rf_options *options, int i);

/*
 * Opens an operand; NULL and "-" are standard input.  RF_ENOINPUT where it
 * cannot be opened or is a directory, RF_EUSAGE where binary would come from a
 * terminal.
 */
enum rf_status rf_tool_input(const struct rf_run *run, const char *operand,
    enum rf_content content, struct rf_input *input,
    struct rf_error *err) RF_MUST_USE;
void rf_input_close(struct rf_input *input); /* RF_INPUT_NONE allowed */

/*
 * The end of every main: reports the error, if there is one, else flushes and
 * closes stdout and gives -o its name.  Returns the exit code.
 */
int rf_tool_finish(
    struct rf_run *run, enum rf_status status, struct rf_error *err);

/* Flushes and closes stdout; 0, or 74 with a message. */
int rf_tool_close_stdout(const char *name);

#endif
