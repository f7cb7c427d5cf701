/*
 * Grows the forests of many data sets on the CPU and on a card, every tier
 * forced in turn, in one process, and compares the bytes.
 *
 *	devices SET.arrows ..		SET.args has options, one a line
 *
 * The sets are make_sets.py's.  It is rf-fit itself with another main, since
 * a process of its own for each of 10 000 forests would mostly make contexts.
 */
#define _GNU_SOURCE /* memfd_create */
#define main	    rf_fit_main
#include "../../cmd/rf_fit.c"
#undef main

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORDS_MAX 64

struct words {
	char text[8192];
	char *word[WORDS_MAX];
	int n;
};

static void
add(struct words *words, char *word)
{
	if (words->n < WORDS_MAX - 1)
		words->word[words->n++] = word;
	words->word[words->n] = NULL;
}

/* The options that stand beside the stream. */
static int
read_words(const char *stream, struct words *words)
{
	char path[4096];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%.*s.args",
	    (int)(strlen(stream) - strlen(".arrows")), stream);
	file = fopen(path, "r");
	if (file == NULL)
		return -1;
	size = fread(words->text, 1, sizeof(words->text) - 1, file);
	fclose(file);
	words->text[size] = '\0';
	for (char *word = strtok(words->text, "\n"); word != NULL;
	     word = strtok(NULL, "\n"))
		add(words, word);
	return 0;
}

/* One run of rf-fit into fd. */
static enum rf_status
grow(const struct words *words, int fd, struct rf_error *err)
{
	struct settings settings = {.fit = {.with_stats = true, .oob_fd = -1}};
	struct rf_table table = {0};
	struct rf_options options;
	struct rf_run run = {.options = &options, .fd = fd, .name = "memory"};
	char *copy[WORDS_MAX];
	enum rf_status status;

	memcpy(copy, words->word, sizeof(copy));
	optind = 0; /* getopt_long begins anew */
	parse(&options, words->n, copy, &settings);
	rf_table_init(&table, &settings.choice, &run.log);
	status = read_streams(&run, &table, err);
	if (status == RF_OK)
		status = rf_fit(&table, &settings.fit, fd, "memory", err);
	rf_table_release(&table);
	free(settings.ordinal);
	return status;
}

static bool
are_equal(int a, int b)
{
	off_t size = lseek(a, 0, SEEK_END);
	void *x, *y;
	bool equal;

	if (size <= 0 || lseek(b, 0, SEEK_END) != size)
		return false;
	x = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, a, 0);
	y = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, b, 0);
	equal = x != MAP_FAILED && y != MAP_FAILED &&
	    memcmp(x, y, (size_t)size) == 0;
	munmap(x, (size_t)size);
	munmap(y, (size_t)size);
	return equal;
}

/* A run's forest in memory, or -1 with a line on stdout. */
static int
forest_of(char *stream, const char *device, const char *tier)
{
	struct words beside = {.n = 0}, words = {.n = 0};
	struct rf_error err = {0};
	int fd = memfd_create("forest", 0);

	if (fd < 0 || read_words(stream, &beside) != 0)
		return -1;
	add(&words, (char *)"rf-fit");
	add(&words, (char *)"--device");
	add(&words, (char *)device);
	add(&words, (char *)"--tier");
	add(&words, (char *)tier);
	for (int i = 0; i < beside.n; i++)
		add(&words, beside.word[i]);
	add(&words, stream);
	if (grow(&words, fd, &err) == RF_OK)
		return fd;
	printf("%s, %s, tier %s: %s\n", stream, device, tier, err.message);
	close(fd);
	return -1;
}

int
main(int argc, char **argv)
{
	static const char *const tiers[] = {
	    "auto", "level", "block", "warp", "lane"};
	int n = 0, n_bad = 0;

	for (int i = 1; i < argc; i++) {
		int cpu = forest_of(argv[i], "cpu", "auto");

		for (size_t k = 0; k < sizeof(tiers) / sizeof(*tiers); k++) {
			int card = forest_of(argv[i], "cuda", tiers[k]);

			n++;
			if (cpu < 0 || card < 0 || !are_equal(cpu, card)) {
				n_bad++;
				printf(
				    "%s: tier %s differs\n", argv[i], tiers[k]);
			}
			if (card >= 0)
				close(card);
		}
		if (cpu >= 0)
			close(cpu);
	}
	printf("%d forests compared, %d differ\n", n, n_bad);
	return n_bad > 0 || n == 0;
}
