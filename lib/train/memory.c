#include "train/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"

#define FILE_BYTES 8192
#define MIB	   (INT64_C(1) << 20)
/* Stacks and heaps of a thread take address space, little else. */
#define THREAD_SPACE (16 * MIB)
/* Buffers, names of columns and the like. */
#define REST (16 * MIB)

static int64_t
smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The start of a small file as text; "" where it cannot be read. */
static const char *
read_file(const char *path, char text[FILE_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0, got;

	while (fd >= 0 && n < FILE_BYTES - 1 &&
	    (got = read(fd, text + n, (size_t)(FILE_BYTES - 1 - n))) > 0)
		n += got;
	if (fd >= 0)
		(void)close(fd);
	text[n] = '\0';
	return text;
}

/* The number after `key` in a file of lines, or without key its first one;
 * -1 where there is none ("max"). */
static int64_t
read_number(const char *path, const char *key)
{
	char text[FILE_BYTES];
	const char *at = read_file(path, text);
	char *end;
	long long number;

	if (key != NULL) {
		at = strstr(text, key);
		if (at == NULL)
			return -1;
		at += strlen(key);
	}
	number = strtoll(at, &end, 10);
	return end == at || number < 0 ? -1 : number;
}

static int64_t
pages_of_process(int field)
{
	char text[FILE_BYTES];
	char *at = text;
	long long pages = 0;

	(void)read_file("/proc/self/statm", text);
	for (int i = 0; i <= field; i++)
		pages = strtoll(at, &at, 10);
	return pages * (int64_t)sysconf(_SC_PAGESIZE);
}

int64_t
rf_memory_resident(void)
{
	return pages_of_process(1);
}

static int64_t
left_of_address_space(void)
{
	struct rlimit limit;
	int64_t left;

	if (getrlimit(RLIMIT_AS, &limit) != 0 ||
	    limit.rlim_cur >= (rlim_t)INT64_MAX)
		return INT64_MAX;
	left = (int64_t)limit.rlim_cur - pages_of_process(0);
	return left > 0 ? left : 0;
}

/* What one group has left; its file cache would be given up. */
static int64_t
left_of_group(const char *directory, const char *limit, const char *usage,
    const char *cache)
{
	char path[PATH_MAX + 64];
	int64_t most, used, idle;

	snprintf(path, sizeof(path), "%s/%s", directory, limit);
	most = read_number(path, NULL);
	snprintf(path, sizeof(path), "%s/%s", directory, usage);
	used = read_number(path, NULL);
	if (most < 0 || used < 0)
		return INT64_MAX;
	snprintf(path, sizeof(path), "%s/memory.stat", directory);
	idle = read_number(path, cache);
	used -= idle > 0 ? idle : 0;
	return most > used ? most - used : 0;
}

/* The groups from the process's own up to the root at `mount`. */
static int64_t
left_of_groups(const char *mount, const char *group, const char *limit,
    const char *usage, const char *cache)
{
	char directory[PATH_MAX];
	int64_t left = INT64_MAX;
	char *slash;

	snprintf(directory, sizeof(directory), "%s%s", mount, group);
	while (strlen(directory) >= strlen(mount)) {
		left = smaller(
		    left, left_of_group(directory, limit, usage, cache));
		slash = strrchr(directory, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
	return left;
}

/* Lines of /proc/self/cgroup are "ID:CONTROLLERS:PATH". */
static int64_t
left_of_control_groups(void)
{
	char text[FILE_BYTES], *next = NULL;
	int64_t left = INT64_MAX;

	(void)read_file("/proc/self/cgroup", text);
	for (char *line = strtok_r(text, "\n", &next); line != NULL;
	     line = strtok_r(NULL, "\n", &next)) {
		char *path = strrchr(line, ':');

		if (path == NULL)
			continue;
		path++;
		if (strncmp(line, "0::", 3) == 0)
			left = smaller(left,
			    left_of_groups("/sys/fs/cgroup", path, "memory.max",
				"memory.current", "\ninactive_file "));
		else if (strstr(line, ":memory:") != NULL)
			left = smaller(left,
			    left_of_groups("/sys/fs/cgroup/memory", path,
				"memory.limit_in_bytes",
				"memory.usage_in_bytes",
				"\ntotal_inactive_file "));
	}
	return left;
}

int64_t
rf_memory_available(void)
{
	int64_t kib = read_number("/proc/meminfo", "\nMemAvailable:");
	int64_t left = kib < 0 ? INT64_MAX : kib * 1024;

	left = smaller(left, left_of_address_space());
	return smaller(left, left_of_control_groups());
}

/* "12.3 GiB" */
static const char *
put_bytes(char out[32], int64_t bytes)
{
	if (bytes >= 1024 * MIB)
		snprintf(
		    out, 32, "%.1f GiB", (double)bytes / (double)(1024 * MIB));
	else
		snprintf(out, 32, "%lld MiB", (long long)(bytes / MIB) + 1);
	return out;
}

enum rf_status
rf_memory_check(const struct rf_memory_need *need, const struct rf_log *log,
    struct rf_error *err)
{
	int64_t needed = need->n_bytes + REST;
	int64_t left = rf_memory_available();
	int64_t space = left_of_address_space();
	char a[32], b[32], c[32];

	rf_note(log,
	    "%lld row%s, %lld column%s: %s of memory taken, %s more to grow, "
	    "up to %s for trees on their way out",
	    (long long)need->n_rows, RF_PLURAL(need->n_rows),
	    (long long)need->n_features, RF_PLURAL(need->n_features),
	    put_bytes(a, rf_memory_resident()), put_bytes(b, needed),
	    put_bytes(c, need->n_nodes * 64));
	if (space != INT64_MAX) {
		needed += need->n_threads * THREAD_SPACE;
		left = smaller(left, space);
	}
	if (needed <= left)
		return RF_OK;
	return rf_error_set(err, RF_ENOMEM,
	    "%s of memory are needed to grow and %s are to be had; fewer "
	    "rows, columns or --threads need less",
	    put_bytes(a, needed), put_bytes(b, left));
}
