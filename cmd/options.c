#define _GNU_SOURCE /* getopt_long */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "rf.h"
#include "tool.h"

#define N_OPTIONS 96
#define O_LIST	  1 /* --list-options, which no list shows */

/* In the order of --help: a tool's own options come after -s. */
static const struct rf_option shared[] = {
    {'o', 'o', "output", "FILE", "write to FILE [standard output]"},
    {'l', 'l', "label", "COLUMN", "the column to predict, by name or number"},
    {'n', 'n', "trees", "N", "number of trees"},
    {'s', 's', "seed", "N", "seed of all random draws [0]"},
    {'t', 't', "threads", "N", "threads on the CPU [all processors]"},
    {'D', 0, "device", "DEVICE", "auto, cpu, cuda or cuda:N [auto]"},
    {'f', 'f', "force", NULL, "binary to and from a terminal too"},
    {'v', 'v', "verbose", NULL, "say more on standard error"},
    {'q', 'q', "quiet", NULL, "no notes on standard error, only errors"},
    {'h', 'h', "help", NULL, "print this and exit"},
    {'V', 'V', "version", NULL, "print version and build and exit"},
    {0},
};
static const char always[] = "fvqhV";

/* The tool's own version of a shared option goes before. */
static bool
is_own(const struct rf_tool *tool, const struct rf_option *option)
{
	const struct rf_option *own = tool->options;

	for (; own != NULL && own->id != 0; own++)
		if (strcmp(own->name, option->name) == 0)
			return true;
	return false;
}

static bool
takes(const struct rf_tool *tool, const struct rf_option *option)
{
	if (is_own(tool, option))
		return false;
	return strchr(always, option->id) != NULL ||
	    (tool->common != NULL && strchr(tool->common, option->id) != NULL);
}

/* All options of the tool in the order of --help; returns their number. */
static size_t
collect(const struct rf_tool *tool, const struct rf_option *all[N_OPTIONS])
{
	const struct rf_option *option, *own = tool->options;
	size_t n = 0;

	for (option = shared; option->id != 0; option++) {
		if (option->id == 't')
			for (; own != NULL && own->id != 0; own++) {
				assert(n < N_OPTIONS - 16);
				all[n++] = own;
			}
		if (takes(tool, option))
			all[n++] = option;
	}
	return n;
}

static bool
is_optional(const struct rf_option *option)
{
	return option->argument != NULL && option->argument[0] == '[';
}

/* Writes the argument as it follows the name: "", " N", "[=FILE]". */
static void
put_argument(char *out, size_t size, const struct rf_option *option)
{
	out[0] = '\0';
	if (is_optional(option))
		snprintf(out, size, "[=%s", option->argument + 1);
	else if (option->argument != NULL)
		snprintf(out, size, " %s", option->argument);
}

static void
print_option(const struct rf_option *option)
{
	char left[80], argument[40];
	int length;

	put_argument(argument, sizeof(argument), option);
	if (option->letter != 0)
		length = snprintf(left, sizeof(left), "  -%c, --%s%s",
		    option->letter, option->name, argument);
	else
		length = snprintf(
		    left, sizeof(left), "      --%s%s", option->name, argument);
	if (length > 31)
		printf("%s\n%34s%s\n", left, "", option->help);
	else
		printf("%-34s%s\n", left, option->help);
}

static void
print_help(const struct rf_tool *tool)
{
	const struct rf_option *all[N_OPTIONS];
	size_t n = collect(tool, all);
	const char *line = tool->synopsis, *end;

	for (const char *head = "usage:"; line != NULL; head = "      ") {
		end = strchr(line, '\n');
		printf("%s %s %.*s\n", head, tool->name,
		    end == NULL ? INT_MAX : (int)(end - line), line);
		line = end == NULL ? NULL : end + 1;
	}
	printf("%s\n\n", tool->summary);
	for (size_t i = 0; i < n; i++)
		if (all[i]->help != NULL)
			print_option(all[i]);
}

/* A line an option: letter, name, argument, help, between tabs. */
static void
print_list(const struct rf_tool *tool)
{
	const struct rf_option *all[N_OPTIONS];
	size_t n = collect(tool, all);

	for (size_t i = 0; i < n; i++) {
		if (all[i]->help == NULL)
			continue;
		if (all[i]->letter != 0)
			printf("%c", all[i]->letter);
		printf("\t%s\t%s\t%s\n", all[i]->name,
		    all[i]->argument == NULL ? "" : all[i]->argument,
		    all[i]->help);
	}
}

__attribute__((noreturn)) static void
leave(const struct rf_options *options)
{
	exit(rf_tool_close_stdout(options->tool->name));
}

void
rf_options_fail(const struct rf_options *options, const char *format, ...)
{
	struct rf_error err = {0};
	char message[RF_ERROR_SIZE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	rf_error_set(&err, RF_EUSAGE, "%s; try '%s --help'", message,
	    options->tool->name);
	fprintf(stderr, "%s: %s\n", options->tool->name, err.message);
	exit(RF_EUSAGE);
}

void
rf_options_init(struct rf_options *options, const struct rf_tool *tool,
    int argc, char **argv)
{
	memset(options, 0, sizeof(*options));
	options->tool = tool;
	options->common.device = "auto";
	options->argc = argc;
	options->argv = argv;
	opterr = 0;
	optind = 1;
	rf_tool_start();
}

/* Fills getopt's two tables; option i has the value RF_OPTION_OWN + i. */
static void
fill_tables(const struct rf_option *const *all, size_t n,
    struct option longs[N_OPTIONS + 2], char letters[3 * N_OPTIONS + 2])
{
	char *p = letters;

	*p++ = ':';
	for (size_t i = 0; i < n; i++) {
		int has = all[i]->argument == NULL ? no_argument
		    : is_optional(all[i])	   ? optional_argument
						   : required_argument;

		longs[i] = (struct option){
		    all[i]->name, has, NULL, RF_OPTION_OWN + (int)i};
		if (all[i]->letter == 0)
			continue;
		*p++ = all[i]->letter;
		for (int colons = has; colons > 0; colons--)
			*p++ = ':';
	}
	*p = '\0';
	longs[n] = (struct option){"list-options", no_argument, NULL, O_LIST};
	longs[n + 1] = (struct option){0};
}

static const struct rf_option *
find(const struct rf_option *const *all, size_t n, int value)
{
	if (value >= RF_OPTION_OWN && (size_t)(value - RF_OPTION_OWN) < n)
		return all[value - RF_OPTION_OWN];
	for (size_t i = 0; i < n; i++)
		if (all[i]->letter != 0 && all[i]->letter == value)
			return all[i];
	return NULL;
}

/* "--min" stands for two or more: names them. */
static void
fail_if_ambiguous(const struct rf_options *options,
    const struct rf_option *const *all, size_t n, const char *word,
    size_t length)
{
	char names[RF_ERROR_SIZE / 2] = "";
	size_t used = 0;
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		if (strncmp(all[i]->name, word, length) != 0)
			continue;
		found++;
		if (used + strlen(all[i]->name) + 5 < sizeof(names))
			used +=
			    (size_t)snprintf(names + used, sizeof(names) - used,
				"%s--%s", used == 0 ? "" : ", ", all[i]->name);
	}
	if (found > 1)
		rf_options_fail(options, "option '--%.*s' may be %s",
		    (int)length, word, names);
}

/* What getopt_long did not like about the argument before optind. */
__attribute__((noreturn)) static void
fail_word(const struct rf_options *options, const struct rf_option *const *all,
    size_t n, bool is_missing)
{
	const struct rf_option *option = find(all, n, optopt);
	const char *word = options->argv[optind - 1];
	char quoted[RF_QUOTED_SIZE], letter[2] = {(char)optopt, '\0'};
	size_t length;

	if (is_missing && option != NULL)
		rf_options_fail(options, "option '%s%s' needs an argument %s",
		    optopt < RF_OPTION_OWN ? "-" : "--",
		    optopt < RF_OPTION_OWN ? letter : option->name,
		    option->argument);
	if (optopt >= RF_OPTION_OWN && option != NULL)
		rf_options_fail(
		    options, "option '--%s' takes no argument", option->name);
	if (optopt != 0 && optopt < RF_OPTION_OWN && optopt != O_LIST)
		rf_options_fail(options, "unknown option '-%s'",
		    rf_text_quote(quoted, letter, 1));
	length = strcspn(word, "=");
	if (length > 2)
		fail_if_ambiguous(options, all, n, word + 2, length - 2);
	rf_options_fail(options, "unknown option '%s'",
	    rf_text_quote(quoted, word, length));
}

static const char *
parse_device(const struct rf_options *options, const char *value)
{
	char quoted[RF_QUOTED_SIZE];

	if (strcmp(value, "auto") != 0 && strcmp(value, "cpu") != 0 &&
	    strcmp(value, "cuda") != 0 && strncmp(value, "cuda:", 5) != 0)
		rf_options_fail(options,
		    "--device: '%s' is not auto, cpu, cuda or cuda:N",
		    rf_text_quote(quoted, value, strlen(value)));
	if (strncmp(value, "cuda:", 5) == 0)
		(void)rf_options_int(options, value + 5, 0, 1023);
	return value;
}

/* All 64 bits, so 2^64 - 1 is the most. */
static uint64_t
parse_seed(const struct rf_options *options, const char *value)
{
	unsigned long long seed;
	char quoted[RF_QUOTED_SIZE];

	errno = 0;
	seed = strtoull(value, NULL, 10);
	if (*value == '\0' || value[strspn(value, "0123456789")] != '\0' ||
	    errno != 0)
		rf_options_fail(options,
		    "--seed: '%s' is not a whole number from 0 to "
		    "18446744073709551615",
		    rf_text_quote(quoted, value, strlen(value)));
	return seed;
}

/* Whether the option is one that no main sees; takes its value then. */
static bool
take_common(struct rf_options *options, const char *value)
{
	struct rf_common *common = &options->common;

	switch (options->current->id) {
	case 'o':
		common->output = value;
		return true;
	case 't':
		common->threads = (int)rf_options_int(options, value, 1, 65536);
		return true;
	case 's':
		common->seed = parse_seed(options, value);
		return true;
	case 'D':
		common->device = parse_device(options, value);
		return true;
	case 'f':
		return common->force = true;
	case 'v':
		return common->verbose = true;
	case 'q':
		return common->quiet = true;
	case 'h':
		print_help(options->tool);
		leave(options);
	case 'V':
		printf("%s %s (%s)\n", options->tool->name, rf_version(),
		    rf_build());
		leave(options);
	}
	return false;
}

static void
check_operands(struct rf_options *options)
{
	const struct rf_tool *tool = options->tool;
	char quoted[RF_QUOTED_SIZE];
	const char *extra;

	options->operands = options->argv + optind;
	options->n_operands = options->argc - optind;
	if (options->n_operands < tool->min_operands)
		rf_options_fail(options, "missing operand: %s %s", tool->name,
		    tool->synopsis);
	if (tool->max_operands >= 0 &&
	    options->n_operands > tool->max_operands) {
		extra = options->operands[tool->max_operands];
		rf_options_fail(options, "extra operand '%s'",
		    rf_text_quote(quoted, extra, strlen(extra)));
	}
}

int
rf_options_next(struct rf_options *options, const char **value)
{
	const struct rf_option *all[N_OPTIONS];
	struct option longs[N_OPTIONS + 2];
	char letters[3 * N_OPTIONS + 2];
	size_t n = collect(options->tool, all);
	int got;

	fill_tables(all, n, longs, letters);
	for (;;) {
		got = getopt_long(
		    options->argc, options->argv, letters, longs, NULL);
		if (got == -1)
			break;
		if (got == '?' || got == ':')
			fail_word(options, all, n, got == ':');
		if (got == O_LIST) {
			print_list(options->tool);
			leave(options);
		}
		options->current = find(all, n, got);
		assert(options->current != NULL);
		*value = optarg;
		if (is_own(options->tool, options->current) ||
		    !take_common(options, optarg))
			return options->current->id;
	}
	check_operands(options);
	return 0;
}

long long
rf_options_int(const struct rf_options *options, const char *value,
    long long low, long long high)
{
	struct rf_error err = {0};
	char what[64];
	long long number = low;

	snprintf(what, sizeof(what), "--%s", options->current->name);
	if (rf_text_to_int(value, low, high, what, &number, &err) != RF_OK)
		rf_options_fail(options, "%s", err.message);
	return number;
}

double
rf_options_double(const struct rf_options *options, const char *value,
    double low, double high)
{
	struct rf_error err = {0};
	char what[64];
	double number = low;

	snprintf(what, sizeof(what), "--%s", options->current->name);
	if (rf_text_to_double(value, low, high, what, &number, &err) != RF_OK)
		rf_options_fail(options, "%s", err.message);
	return number;
}

int
rf_options_word(
    const struct rf_options *options, const char *value, const char *words)
{
	char quoted[RF_QUOTED_SIZE];
	const char *word = words;

	for (int place = 0;; place++) {
		size_t length = strcspn(word, "|");

		if (strlen(value) == length && memcmp(value, word, length) == 0)
			return place;
		if (word[length] == '\0')
			break;
		word += length + 1;
	}
	rf_options_fail(options, "--%s: '%s' is not one of %s",
	    options->current->name, rf_text_quote(quoted, value, strlen(value)),
	    words);
}
