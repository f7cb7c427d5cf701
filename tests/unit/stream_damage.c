/*
 * Damaged streams: each is refused or read, and nothing is touched that is not
 * there (for that run it under SAN=address,undefined).  With names of files it
 * damages those: N_FLIPS times each, if set.
 */
#include <fcntl.h>

#include "stream_sample.h"
#include "unit.h"

static uint64_t state = 1;

/* Knuth's MMIX generator: the tests are the same everywhere. */
static size_t
draw(size_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(state >> 33) % below;
}

static bool
is_expected(enum rf_status status)
{
	return status == RF_OK || status == RF_EDATA || status == RF_ENOMEM;
}

/* Copies, so that a memory checker sees the true end. */
static enum rf_status
use_copy(const char *data, size_t size, struct rf_error *err)
{
	char *copy = rf_alloc_aligned(size);
	char *exact = rf_alloc(size, 1);
	enum rf_status status;

	if (copy == NULL || exact == NULL)
		abort();
	memcpy(copy, data, size);
	memcpy(exact, data, size);
	status = sample_use(exact, size, err);
	if (sample_use(copy, size, NULL) != status)
		status = RF_EBUG;
	free(exact);
	rf_free_aligned(copy);
	return status;
}

static void
check_cuts(const struct rf_text *stream)
{
	struct rf_error err;
	size_t n_wrong = 0, n_without_place = 0;

	for (size_t size = 0; size < stream->size; size++) {
		if (use_copy(stream->data, size, &err) != RF_EDATA)
			n_wrong++;
		else if (strncmp(err.message, "s: ", 3) != 0)
			n_without_place++;
	}
	check_int(n_wrong, 0, "a stream cut at any byte is refused");
	check_int(n_without_place, 0, "and the message names it");
}

/* One bit turned, all set, or any byte. */
static char
damaged(char byte)
{
	if (draw(2) == 0)
		return (char)(byte ^ (1 << draw(8)));
	return (char)(draw(4) == 0 ? 0xff : (int)draw(256));
}

static void
check_flips(struct rf_text *stream, long n_flips, const char *name)
{
	struct rf_error err;
	size_t n_wrong = 0, n_read = 0;

	for (long i = 0; i < n_flips; i++) {
		size_t at[3], n = 1 + draw(3);
		char was[3];
		enum rf_status status;

		for (size_t k = 0; k < n; k++) {
			at[k] = draw(stream->size);
			was[k] = stream->data[at[k]];
			stream->data[at[k]] = damaged(was[k]);
		}
		status = use_copy(stream->data, stream->size, &err);
		n_wrong += !is_expected(status);
		n_read += status == RF_OK;
		for (size_t k = n; k-- > 0;)
			stream->data[at[k]] = was[k];
	}
	check_int(n_wrong, 0, name);
	printf("# %zu of %ld were read\n", n_read, n_flips);
}

static void
damage_file(const char *name, long n_flips)
{
	struct rf_text stream = {0};
	struct rf_error err = {0};
	int fd = open(name, O_RDONLY);
	size_t step;

	if (!check(fd >= 0, name))
		return;
	sample_read_all(fd, &stream);
	close(fd);
	step = stream.size / 500 + 1;
	if (!check(use_copy(stream.data, stream.size, &err) == RF_OK,
		"it is whole before"))
		printf("# %s\n", err.message);
	for (size_t size = 0; size < stream.size; size += step)
		if (!is_expected(use_copy(stream.data, size, &err)))
			check(false, "a cut stream is refused or read");
	check_flips(&stream, n_flips, name);
	rf_text_release(&stream);
}

int
main(int argc, char **argv)
{
	struct rf_text stream = {0};
	struct rf_error err = {0};
	const char *flips = getenv("N_FLIPS");
	long n_flips = flips == NULL ? 3000 : atol(flips);

	for (int i = 1; i < argc; i++)
		damage_file(argv[i], n_flips);
	if (argc == 1) {
		sample_stream(&stream);
		if (!check(use_copy(stream.data, stream.size, &err) == RF_OK,
			"the sample is whole"))
			printf("# %s\n", err.message);
		check_cuts(&stream);
		check_flips(&stream, n_flips,
		    "a stream with bytes flipped is refused or read");
	}
	rf_text_release(&stream);
	return unit_end();
}
