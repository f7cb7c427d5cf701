#define _DEFAULT_SOURCE /* madvise */
#include "forest/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "forest/forest_header.h"
#include "forest/pack_parallel.h"
#include "stream/pipe.h"

#define FIRST_READ ((size_t)1 << 20) /* where the size is not known */
#define FRONT_READ ((size_t)1 << 16) /* for the header alone */
#define HUGE_PAGE  ((size_t)2 << 20)
/* Smaller files are loaded by one thread: others take longer to start. */
#define PARALLEL_BYTES ((size_t)4 << 20)

/* At a 64-byte boundary, not zeroed: it is read over.  Huge pages, where they
 * are to be had, save most of the time of a large one. */
static void *
make_buffer(size_t size)
{
	size_t alignment = size >= 2 * HUGE_PAGE ? HUGE_PAGE : RF_PACK_ALIGN;
	void *buffer;

	if (size > PTRDIFF_MAX - HUGE_PAGE)
		return NULL;
	size = (size + alignment - 1) / alignment * alignment;
	buffer = aligned_alloc(alignment, size);
	if (buffer != NULL && alignment == HUGE_PAGE)
		(void)madvise(buffer, size, MADV_HUGEPAGE);
	return buffer;
}

/* Moves what there is to more room, at least twice of it. */
static enum rf_status
enlarge(char **buffer, size_t *capacity, size_t size, size_t wanted,
    struct rf_error *err)
{
	char *larger;

	if (wanted < *capacity * 2)
		wanted = *capacity * 2;
	larger = *capacity > SIZE_MAX / 4 ? NULL : make_buffer(wanted);
	if (larger == NULL)
		return rf_error_memory(err, *capacity, "the packed forest");
	memcpy(larger, *buffer, size);
	free(*buffer);
	*buffer = larger;
	*capacity = wanted;
	return RF_OK;
}

static bool
is_model(const char *data, size_t size)
{
	return size >= RF_PACK_MAGIC_SIZE &&
	    memcmp(data, RF_PACK_MAGIC, RF_PACK_MAGIC_SIZE) == 0;
}

/* All of the source, a byte of room more shows the end at once; of what is no
 * model, which may be large or endless, the front. */
static enum rf_status
slurp(
    struct rf_source *source, char **buffer, size_t *size, struct rf_error *err)
{
	size_t capacity = FIRST_READ, got;

	if (source->size >= 0 && (size_t)source->size < FIRST_READ)
		capacity = (size_t)source->size + 1;
	*buffer = make_buffer(capacity);
	if (*buffer == NULL)
		return rf_error_memory(err, capacity, "the packed forest");
	for (;;) {
		RF_TRY(rf_source_read(
		    source, *buffer + *size, capacity - *size, &got, err));
		*size += got;
		if (*size < capacity || !is_model(*buffer, *size))
			return RF_OK;
		RF_TRY(enlarge(
		    buffer, &capacity, *size, (size_t)(source->size + 1), err));
	}
}

enum rf_status
rf_model_load_source(struct rf_source *source, const char *name,
    bool want_stats, struct rf_forest *out, struct rf_error *err)
{
	char *buffer = NULL;
	size_t size = 0;
	enum rf_status status = slurp(source, &buffer, &size, err);

	if (status == RF_OK)
		return rf_model_load_memory(
		    buffer, size, name, want_stats, out, err);
	free(buffer);
	memset(out, 0, sizeof(*out));
	return rf_error_prefix(err, status, name);
}

enum rf_status
rf_model_load_fd(int fd, const char *name, bool want_stats,
    struct rf_forest *out, struct rf_error *err)
{
	struct rf_source source;

	rf_source_init(&source, fd);
	return rf_model_load_source(&source, name, want_stats, out, err);
}

static enum rf_status
open_model(const char *path, int *fd, struct rf_error *err)
{
	struct stat st;

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return rf_error_set(err, RF_ENOINPUT, "%s: cannot open: %s",
		    path, strerror(errno));
	if (fstat(*fd, &st) != 0 || !S_ISDIR(st.st_mode))
		return RF_OK;
	close(*fd);
	return rf_error_set(err, RF_ENOINPUT, "%s: is a directory", path);
}

enum rf_status
rf_model_load(const char *path, bool want_stats, struct rf_forest *out,
    struct rf_error *err)
{
	enum rf_status status;
	int fd;

	memset(out, 0, sizeof(*out));
	RF_TRY(open_model(path, &fd, err));
	status = rf_model_load_fd(fd, path, want_stats, out, err);
	close(fd);
	return status;
}

/* Whether fd is a regular file that is worth threads; its bytes, all read, or
 * NULL. */
static void *
read_by_threads(int fd, struct rf_pool *pool, size_t *size)
{
	char front[RF_PACK_MAGIC_SIZE];
	struct stat st;
	void *buffer;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)PARALLEL_BYTES ||
	    pread(fd, front, sizeof(front), 0) != (ssize_t)sizeof(front) ||
	    !is_model(front, sizeof(front)))
		return NULL;
	*size = (size_t)st.st_size;
	buffer = make_buffer(*size);
	if (buffer != NULL && rf_pack_read_all(fd, *size, buffer, pool))
		return buffer;
	free(buffer);
	return NULL;
}

enum rf_status
rf_model_load_parallel(const char *path, int n_threads, struct rf_forest *out,
    struct rf_error *err)
{
	struct rf_pool *pool;
	enum rf_status status;
	size_t size;
	void *buffer;
	int fd;

	memset(out, 0, sizeof(*out));
	RF_TRY(open_model(path, &fd, err));
	n_threads = n_threads > 0 ? n_threads : omp_get_num_procs();
	status = rf_pool_open(&pool, n_threads, err);
	if (status == RF_OK) {
		buffer = read_by_threads(fd, pool, &size);
		status = buffer == NULL
		    ? rf_model_load_fd(fd, path, false, out, err)
		    : rf_pack_load(
			  buffer, size, path, false, pool, n_threads, out, err);
		rf_pool_close(pool);
	}
	close(fd);
	return status;
}

/* Reads the front up to the end of the header's section. */
static enum rf_status
load_front(int fd, size_t true_size, struct rf_forest_header *out,
    struct rf_error *err)
{
	size_t size = FRONT_READ, got = 0;
	struct rf_pack_table table;
	struct rf_source source;
	char *buffer = make_buffer(size), fingerprint[33];
	enum rf_status status = RF_OK;

	rf_source_init(&source, fd);
	if (buffer == NULL)
		return rf_error_memory(err, size, "the header");
	status = rf_source_read(&source, buffer, size, &got, err);
	if (status == RF_OK)
		status = rf_pack_table_read(
		    &table, (uint8_t *)buffer, got, true_size, err);
	while (status == RF_OK && got == size &&
	    table.sections[RF_PACK_HEADER].offset +
		    table.sections[RF_PACK_HEADER].stored >
		size) {
		size_t more;

		status = enlarge(&buffer, &size, got, 0, err);
		if (status == RF_OK)
			status = rf_source_read(
			    &source, buffer + got, size - got, &more, err);
		if (status == RF_OK)
			got += more;
	}
	table.data = (uint8_t *)buffer;
	table.size = got;
	if (status == RF_OK)
		status = rf_pack_table_verify(&table, 0, err);
	if (status == RF_OK)
		status = rf_pack_table_header(&table, out, fingerprint, err);
	free(buffer);
	return status;
}

enum rf_status
rf_model_load_header(
    const char *path, struct rf_forest_header *out, struct rf_error *err)
{
	struct stat st;
	enum rf_status status;
	int fd;

	memset(out, 0, sizeof(*out));
	RF_TRY(open_model(path, &fd, err));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
		st.st_size = 0;
	status = load_front(fd, (size_t)st.st_size, out, err);
	close(fd);
	return status == RF_OK ? RF_OK : rf_error_prefix(err, status, path);
}
