/*
 * What the fuzz entries share.  An entry that needs a file has one in memory;
 * a fault of the system is no finding, but ends the run.
 */
#ifndef RF_TESTS_FUZZ_H
#define RF_TESTS_FUZZ_H

#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* memfd_create */
#endif
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file of these bytes, at its begin. */
static inline int
fuzz_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("in", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

static inline int
fuzz_null(void)
{
	int fd = open("/dev/null", O_WRONLY);

	if (fd < 0)
		abort();
	return fd;
}

/* Hostile bytes are told as such, never as our fault. */
static inline void
fuzz_check(enum rf_status status)
{
	if (status != RF_OK && status != RF_EDATA && status != RF_EUSAGE)
		abort();
}

#endif
