/*
 * Grows the forests of many data sets on the CPU and on a card, every tier
 * forced in turn, in one process, and compares the bytes.
 *
 *	devices SET.arrows ..		SET.args has options, one a line
 *
 * The sets are make_sets.py's.  It is rf-fit itself with another main, since
 * a process of its own for each of 10 000 forests would mostly make contexts;
 * THREADS sets are worked on at once (8), since each alone leaves a card idle.
 */
#define _GNU_SOURCE /* memfd_create */
int rf_fit_main(int argc, char **argv);
#define main rf_fit_main
#include "../../cmd/rf_fit.c"
#undef main

#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORDS_MAX   64
#define THREADS_MAX 64

static const char *const tiers[] = {"auto", "level", "block", "warp", "lane"};
#define N_TIERS ((int)(sizeof(tiers) / sizeof(*tiers)))

struct job {
	char **streams;
	int n_streams;
	atomic_int next, n_compared, n_different;
};

/* getopt has one state for all. */
static pthread_mutex_t parsing = PTHREAD_MUTEX_INITIALIZER;

/* The words of the command, a line each, end with that of the stream. */
static bool
write_words(const char *stream, const char *device, const char *tier,
    char *text, size_t size)
{
	char path[4096];
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), "%.*s.args",
	    (int)(strlen(stream) - strlen(".arrows")), stream);
	file = fopen(path, "r");
	if (file == NULL)
		return false;
	n = (size_t)snprintf(text, size,
	    "rf-fit\n--threads\n1\n--device\n%s\n--tier\n%s\n", device, tier);
	n += fread(text + n, 1, size - n - 1, file);
	fclose(file);
	n += (size_t)snprintf(text + n, size - n, "%s\n", stream);
	return n < size;
}

static int
cut_words(char *text, char **words)
{
	char *rest = NULL, *word = strtok_r(text, "\n", &rest);
	int n = 0;

	for (; word != NULL && n < WORDS_MAX;
	     word = strtok_r(NULL, "\n", &rest))
		words[n++] = word;
	return n;
}

/* One run of rf-fit into fd. */
static enum rf_status
grow(int argc, char **argv, int fd, struct rf_error *err)
{
	struct settings settings = {.fit = {.with_stats = true, .oob_fd = -1}};
	struct rf_table table = {0};
	struct rf_options options;
	struct rf_run run = {.options = &options, .fd = fd, .name = "memory"};
	enum rf_status status;

	pthread_mutex_lock(&parsing);
	optind = 0; /* getopt_long begins anew */
	parse(&options, argc, argv, &settings);
	pthread_mutex_unlock(&parsing);
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
forest_of(const char *stream, const char *device, const char *tier)
{
	char text[8192], *words[WORDS_MAX + 1] = {NULL};
	struct rf_error err = {0};
	int fd = memfd_create("forest", 0);

	if (fd < 0 || !write_words(stream, device, tier, text, sizeof(text)))
		return -1;
	if (grow(cut_words(text, words), words, fd, &err) == RF_OK)
		return fd;
	printf("%s, %s, tier %s: %s\n", stream, device, tier, err.message);
	close(fd);
	return -1;
}

static void
compare(struct job *job, const char *stream)
{
	int cpu = forest_of(stream, "cpu", "auto");

	for (int k = 0; k < N_TIERS; k++) {
		int card = forest_of(stream, "cuda", tiers[k]);

		atomic_fetch_add(&job->n_compared, 1);
		if (cpu < 0 || card < 0 || !are_equal(cpu, card)) {
			atomic_fetch_add(&job->n_different, 1);
			printf("%s: tier %s differs\n", stream, tiers[k]);
		}
		if (card >= 0)
			close(card);
	}
	if (cpu >= 0)
		close(cpu);
}

static void *
work(void *argument)
{
	struct job *job = argument;
	int i;

	while ((i = atomic_fetch_add(&job->next, 1)) < job->n_streams)
		compare(job, job->streams[i]);
	return NULL;
}

int
main(int argc, char **argv)
{
	const char *wanted = getenv("THREADS");
	struct job job = {.streams = argv + 1, .n_streams = argc - 1};
	pthread_t threads[THREADS_MAX];
	int n = wanted == NULL ? 8 : atoi(wanted);

	if (n < 1 || n > THREADS_MAX)
		n = THREADS_MAX;
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, &job) != 0)
			return 2;
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%d forests compared, %d differ\n", job.n_compared,
	    job.n_different);
	return job.n_different > 0 || job.n_compared == 0;
}
