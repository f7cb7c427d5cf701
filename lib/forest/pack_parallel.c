#include "forest/pack_parallel.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

#include "forest/tree.h"

/* Bytes that a thread reads at once: two huge pages. */
#define PART_BYTES ((size_t)4 << 20)

struct job {
	atomic_bool has_failed;
	int fd;
	size_t size;
	uint8_t *buffer;
	const struct rf_pack_table *table;
	const struct rf_forest *forest;
	size_t most_nodes;
	int32_t *scratch;
};

static void
read_part(void *context, int64_t item, int thread)
{
	struct job *job = context;
	size_t at = (size_t)item * PART_BYTES, end = at + PART_BYTES;
	ssize_t got = 1;

	(void)thread;
	end = end < job->size ? end : job->size;
	while (at < end && (got > 0 || (got < 0 && errno == EINTR))) {
		got = pread(job->fd, job->buffer + at, end - at, (off_t)at);
		at += got > 0 ? (size_t)got : 0;
	}
	if (at < end)
		atomic_store(&job->has_failed, true);
}

bool
rf_pack_read_all(int fd, size_t size, uint8_t *buffer, struct rf_pool *pool)
{
	struct job job = {.fd = fd, .size = size, .buffer = buffer};

	rf_pool_run(pool, (int64_t)((size + PART_BYTES - 1) / PART_BYTES),
	    read_part, &job);
	return !atomic_load(&job.has_failed);
}

static void
verify(void *context, int64_t item, int thread)
{
	struct job *job = context;

	(void)thread;
	if (rf_pack_table_verify(job->table, (uint32_t)item, NULL) != RF_OK)
		atomic_store(&job->has_failed, true);
}

bool
rf_pack_verify_all(const struct rf_pack_table *table, struct rf_pool *pool)
{
	struct job job = {.table = table};

	rf_pool_run(pool, table->n_sections, verify, &job);
	return !atomic_load(&job.has_failed);
}

static void
check_tree(void *context, int64_t item, int thread)
{
	struct job *job = context;
	const struct rf_forest *forest = job->forest;

	if (rf_tree_check(&forest->header, &forest->trees[item],
		job->scratch + job->most_nodes * (size_t)thread, NULL) != RF_OK)
		atomic_store(&job->has_failed, true);
}

bool
rf_trees_are_good(const struct rf_forest *forest, int32_t most_nodes,
    int32_t *scratch, struct rf_pool *pool)
{
	struct job job = {.forest = forest,
	    .most_nodes = (size_t)most_nodes,
	    .scratch = scratch};

	rf_pool_run(pool, forest->n_trees, check_tree, &job);
	return !atomic_load(&job.has_failed);
}
