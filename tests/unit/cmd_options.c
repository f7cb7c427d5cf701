#include "options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { O_DEPTH = RF_OPTION_OWN, O_OOB, O_VOTE, O_LEAF, O_SPLIT };

static const struct rf_option own[] = {
    {O_DEPTH, 0, "max-depth", "N", "at most N levels [no limit]"},
    {O_OOB, 0, "oob", "[FILE]", "out-of-bag score; tallies to FILE"},
    {O_VOTE, 0, "vote", "soft|hard", "what a tree gives [soft]"},
    {O_LEAF, 0, "min-samples-leaf", "N", "rows of a leaf [1]"},
    {O_SPLIT, 0, "min-samples-split", "N", "rows of a split [2]"},
    {'d', 'd', "decode", NULL, "back again"},
    {0},
};
static const struct rf_tool tool = {
    .name = "rf-try",
    .synopsis = "[options] MODEL [STREAM]",
    .summary = "Try options.",
    .common = "onlstD",
    .options = own,
    .min_operands = 1,
    .max_operands = 2,
};

#define MAX_WORDS 16

/* Cuts line at blanks; returns the number of words, the name first. */
static int
cut(char *line, char *words[MAX_WORDS])
{
	static char name[] = "rf-try";
	int n = 1;

	words[0] = name;
	for (char *word = strtok(line, " "); word != NULL && n < MAX_WORDS - 1;
	     word = strtok(NULL, " "))
		words[n++] = word;
	words[n] = NULL;
	return n;
}

/* What the child does: reads all options, gives numbers their range. */
static void
parse(struct rf_options *options, char *line, char *words[MAX_WORDS])
{
	const char *value;
	int id;

	rf_options_init(options, &tool, cut(line, words), words);
	while ((id = rf_options_next(options, &value)) > 0)
		switch (id) {
		case O_DEPTH:
			(void)rf_options_int(options, value, 1, 100);
			break;
		case O_VOTE:
			(void)rf_options_word(options, value, "soft|hard");
			break;
		}
}

/* Exit status and the first 2000 bytes of stderr and stdout. */
static int
run(const char *line, char out[2001])
{
	char copy[256], *words[MAX_WORDS];
	struct rf_options options;
	int ends[2], status = -1;
	ssize_t got, used = 0;
	pid_t child;

	snprintf(copy, sizeof(copy), "%s", line);
	fflush(stdout);
	if (pipe(ends) != 0 || (child = fork()) < 0)
		return -1;
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		parse(&options, copy, words);
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], out + used, (size_t)(2000 - used))) > 0)
		used += got;
	out[used] = '\0';
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
check_mistakes(void)
{
	static const char *const mistakes[][2] = {
	    {"--bogus", "unknown option '--bogus'"},
	    {"-y", "unknown option '-y'"},
	    {"-qy", "unknown option '-y'"},
	    {"-\x01", "unknown option '-\\x01'"},
	    {"--max-depth", "option '--max-depth' needs an argument N"},
	    {"m -n", "option '-n' needs an argument N"},
	    {"--decode=3", "option '--decode' takes no argument"},
	    {"--min=3",
		"option '--min' may be --min-samples-leaf, "
		"--min-samples-split"},
	    {"--max-depth=101 m",
		"--max-depth: '101' is not a whole number from 1 to 100"},
	    {"--vote mid", "--vote: 'mid' is not one of soft|hard"},
	    {"--vote sof", "--vote: 'sof' is not one of soft|hard"},
	    {"--device tpu",
		"--device: 'tpu' is not auto, cpu, cuda or "
		"cuda:N"},
	    {"--device cuda:-1",
		"--device: '-1' is not a whole number from 0 to 1023"},
	    {"-t 0", "--threads: '0' is not a whole number from 1 to 65536"},
	    {"-s -1",
		"--seed: '-1' is not a whole number from 0 to "
		"18446744073709551615"},
	    {"", "missing operand: rf-try [options] MODEL [STREAM]"},
	    {"a b c", "extra operand 'c'"},
	};
	char out[2001], wanted[300];

	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		snprintf(wanted, sizeof(wanted),
		    "rf-try: %s; try 'rf-try --help'\n", mistakes[i][1]);
		check_int(run(mistakes[i][0], out), 64, "a mistake is 64");
		check_text(out, wanted, "and one line that names it");
	}
}

static void
check_common(void)
{
	char line[] = "-o f m --threads=3 -s 9223372036854775807 -vqf "
		      "--device cuda:2 -- -x";
	char *words[MAX_WORDS];
	struct rf_options options;

	parse(&options, line, words);
	check_text(options.common.output, "f", "-o");
	check_int(options.common.threads, 3, "--threads");
	check_int(options.common.seed, INT64_MAX, "-s");
	check(options.common.verbose && options.common.quiet &&
		options.common.force,
	    "-v, -q and -f in one word");
	check_text(options.common.device, "cuda:2", "--device");
	check_int(options.n_operands, 2, "operands stand anywhere");
	check_text(options.operands[0], "m", "the first");
	check_text(options.operands[1], "-x", "and after --");
}

static void
check_defaults(void)
{
	char line[] = "-";
	char *words[MAX_WORDS];
	struct rf_options options;

	parse(&options, line, words);
	check(options.common.output == NULL && options.common.threads == 0 &&
		options.common.seed == 0 && !options.common.verbose &&
		!options.common.quiet && !options.common.force,
	    "defaults are zeros");
	check_text(options.common.device, "auto", "but for the device");
	check_text(options.operands[0], "-", "a minus sign is an operand");
}

static void
check_own(void)
{
	char line[] = "--oob --oob=x -n 5 -l age --max-d 7 -d m";
	static const int wanted[] = {O_OOB, O_OOB, 'n', 'l', O_DEPTH, 'd'};
	static const char *const values[] = {NULL, "x", "5", "age", "7", NULL};
	char *words[MAX_WORDS];
	struct rf_options options;
	const char *value;

	rf_options_init(&options, &tool, cut(line, words), words);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		check_int(rf_options_next(&options, &value), wanted[i],
		    "a tool's own options come in order");
		check(values[i] == NULL ? value == NULL
					: strcmp(value, values[i]) == 0,
		    "with their arguments");
	}
	check_int(rf_options_next(&options, &value), 0, "and then the end");
}

static void
check_printed(void)
{
	char out[2001];

	check_int(run("--help --bogus", out), 0, "--help ends with 0");
	check(strncmp(out, "usage: rf-try [options] MODEL [STREAM]\n", 39) == 0,
	    "it begins with the usage");
	check(strstr(out, "\n  -n, --trees N ") != NULL &&
		strstr(out, "\n      --oob[=FILE] ") != NULL &&
		strstr(out, "\n  -d, --decode ") != NULL,
	    "and shows shared and own options");
	check_int(run("--list-options", out), 0, "--list-options ends with 0");
	check(strstr(out, "\n\toob\t[FILE]\tout-of-bag") != NULL &&
		strstr(out, "\nd\tdecode\t\tback again\n") != NULL,
	    "and is separated by tabs");
	check_int(run("-V", out), 0, "-V ends with 0");
	check(strncmp(out, "rf-try ", 7) == 0, "and names the tool");
}

int
main(void)
{
	check_mistakes();
	check_common();
	check_defaults();
	check_own();
	check_printed();
	return unit_end();
}
