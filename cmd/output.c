#define _GNU_SOURCE /* O_TMPFILE */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"

static enum rf_status
fail_create(struct rf_error *err, const char *path)
{
	return rf_error_set(
	    err, RF_ECREATE, "%s: cannot create: %s", path, strerror(errno));
}

/* "dir/.name.rf-PID-N": hidden, beside path. */
static char *
temporary_name(const char *path, int n)
{
	const char *slash = strrchr(path, '/');
	struct rf_text text = {0};

	if (slash != NULL)
		rf_text_append(&text, path, (size_t)(slash + 1 - path));
	rf_text_printf(&text, ".%s.rf-%ld-%d", slash == NULL ? path : slash + 1,
	    (long)getpid(), n);
	if (text.failed) {
		rf_text_release(&text);
		errno = ENOMEM;
		return NULL;
	}
	return text.data;
}

static int
open_unnamed(const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash == NULL ? rf_strdup(".")
	    : slash == path		? rf_strdup("/")
			    : rf_strndup(path, (size_t)(slash - path));
	int fd = -1;

	if (directory == NULL)
		return -1;
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	free(directory);
	return fd;
}

static int
open_named(const char *path, mode_t mode, char **temporary)
{
	for (int n = 0; n < 100; n++) {
		char *name = temporary_name(path, n);
		int fd;

		if (name == NULL)
			return -1;
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd >= 0) {
			*temporary = name;
			return fd;
		}
		free(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Whether /proc is there to give an unnamed file its name later. */
static bool
can_link(void)
{
	return access("/proc/self/fd", X_OK) == 0;
}

static void
open_aside(struct rf_output *file, const struct stat *old)
{
	mode_t mode = old == NULL ? 0666 : old->st_mode & 0777;

	if (can_link())
		file->fd = open_unnamed(file->path, mode);
	if (file->fd < 0)
		file->fd = open_named(file->path, mode, &file->temporary);
	if (file->fd >= 0 && old != NULL)
		(void)fchmod(file->fd, mode);
}

/*
 * The descriptor that names like /dev/stdout mean, or -1.  Opening them anew
 * would write over a file's start, and a rename would replace it.
 */
static int
standing_descriptor(const char *path)
{
	static const char *const before[] = {"/dev/fd/", "/proc/self/fd/"};
	struct rf_error none;
	long long fd;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < 2; i++)
		if (strncmp(path, before[i], strlen(before[i])) == 0 &&
		    rf_text_to_int(path + strlen(before[i]), 0, INT_MAX, "fd",
			&fd, &none) == RF_OK)
			return (int)fd;
	return -1;
}

/* Opens by what path is now; errno tells why fd is still -1. */
static void
open_by_kind(struct rf_output *file)
{
	struct stat old;
	bool exists = stat(file->path, &old) == 0;
	struct stat link;

	if (!exists && file->path[0] == '\0')
		return;
	if (exists && !S_ISREG(old.st_mode)) {
		file->is_in_place = true;
		file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
		return;
	}
	if (exists && access(file->path, W_OK) != 0)
		return;
	/* a link to nothing yet: only opening it follows it */
	if (exists || lstat(file->path, &link) != 0)
		open_aside(file, exists ? &old : NULL);
	if (file->fd >= 0 ||
	    (!exists && errno != EACCES && errno != EROFS &&
		lstat(file->path, &link) != 0))
		return;
	file->is_in_place = true;
	file->fd =
	    open(file->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	file->is_cut = file->fd >= 0;
}

enum rf_status
rf_output_open(struct rf_output *file, const char *path, struct rf_error *err)
{
	enum rf_status status;
	int standing = standing_descriptor(path);

	*file = (struct rf_output)RF_OUTPUT_NONE;
	file->path = standing < 0 ? realpath(path, NULL) : NULL;
	if (file->path == NULL)
		file->path = rf_strdup(path);
	if (file->path == NULL)
		return rf_error_memory(err, strlen(path), "a file name");
	if (standing >= 0) {
		file->is_in_place = true;
		file->fd = fcntl(standing, F_DUPFD_CLOEXEC, 3);
	} else {
		open_by_kind(file);
	}
	if (file->fd >= 0)
		return RF_OK;
	status = fail_create(err, path);
	rf_output_drop(file);
	return status;
}

static bool
is_one_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    !S_ISCHR(a->st_mode);
}

/* The directory of path; the rest of path, or NULL where there is none. */
static const char *
split(const char *path, struct stat *directory)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	char *before = slash == NULL ? rf_strdup(".")
				     : rf_strndup(path, (size_t)(name - path));
	bool exists = before != NULL && stat(before, directory) == 0;

	free(before);
	return exists ? name : NULL;
}

bool
rf_output_is_shared(const struct rf_output *a, const struct rf_output *b)
{
	struct stat at, bt;
	const char *name;

	if (fstat(a->fd, &at) == 0 && fstat(b->fd, &bt) == 0 &&
	    is_one_file(&at, &bt))
		return true;
	if (stat(a->path, &at) == 0)
		return stat(b->path, &bt) == 0 && is_one_file(&at, &bt);
	name = split(a->path, &at);
	return name != NULL && split(b->path, &bt) != NULL &&
	    is_one_file(&at, &bt) && strcmp(name, split(b->path, &bt)) == 0;
}

/* Gives an unnamed file the hidden name, from where a rename replaces. */
static int
link_temporary(struct rf_output *file)
{
	char from[64];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", file->fd);
	for (int n = 0; n < 100; n++) {
		char *name = temporary_name(file->path, n);

		if (name == NULL)
			return -1;
		if (linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ==
		    0) {
			file->temporary = name;
			return 0;
		}
		free(name);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

enum rf_status
rf_output_commit(struct rf_output *file, struct rf_error *err)
{
	int failed = 0;

	if (!file->is_in_place && file->temporary == NULL)
		failed = link_temporary(file);
	if (failed == 0) {
		failed = close(file->fd);
		file->fd = -1;
	}
	if (failed == 0 && !file->is_in_place)
		failed = rename(file->temporary, file->path);
	if (failed != 0) {
		enum rf_status status = rf_error_set(err, RF_EIO,
		    "%s: cannot write: %s", file->path, strerror(errno));

		rf_output_drop(file);
		return status;
	}
	free(file->temporary);
	free(file->path);
	*file = (struct rf_output)RF_OUTPUT_NONE;
	return RF_OK;
}

void
rf_output_drop(struct rf_output *file)
{
	if (file->temporary != NULL)
		(void)unlink(file->temporary);
	if (file->fd >= 0) {
		if (file->is_cut && ftruncate(file->fd, 0) != 0)
			errno = 0; /* cannot be helped */
		(void)close(file->fd);
	}
	free(file->temporary);
	free(file->path);
	*file = (struct rf_output)RF_OUTPUT_NONE;
}
