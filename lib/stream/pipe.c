#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "stream/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define FIRST_STEP ((size_t)64 << 20)
#define PIPE_BYTES (1 << 20)
/* Linux and POSIX hosts take as many parts in one writev(2) (IOV_MAX). */
#define MAX_PARTS 1024

void
rf_source_init(struct rf_source *source, int fd)
{
	struct stat info;
	off_t offset;

	*source = (struct rf_source){.fd = fd, .size = -1};
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
		return;
	offset = lseek(fd, 0, SEEK_CUR);
	if (offset < 0)
		return;
	source->base = offset;
	source->size = info.st_size > offset ? info.st_size - offset : 0;
}

void
rf_source_init_memory(
    struct rf_source *source, const void *data, size_t size_bytes)
{
	*source = (struct rf_source){
	    .fd = -1,
	    .memory = data == NULL ? (const uint8_t *)"" : data,
	    .size = (int64_t)size_bytes,
	};
}

/* Waits where the descriptor does not block; false: a real error. */
static bool
may_retry(int fd, short event)
{
	struct pollfd poller = {.fd = fd, .events = event};

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return false;
	(void)poll(&poller, 1, -1);
	return true;
}

static enum rf_status
read_some(struct rf_source *source, uint8_t *buffer, size_t size, size_t *got,
    struct rf_error *err)
{
	ssize_t n;

	do {
		if (source->by_position)
			n = pread(source->fd, buffer, size,
			    (off_t)(source->base + source->position));
		else
			n = read(source->fd, buffer, size);
	} while (n < 0 && may_retry(source->fd, POLLIN));
	if (n < 0)
		return rf_error_set(
		    err, RF_EIO, "cannot read: %s", strerror(errno));
	*got = (size_t)n;
	return RF_OK;
}

static size_t
take_memory(struct rf_source *source, uint8_t *buffer, size_t size)
{
	size_t rest = (size_t)(source->size - source->position);

	if (size > rest)
		size = rest;
	if (size != 0)
		memcpy(buffer, source->memory + source->position, size);
	source->position += (int64_t)size;
	return size;
}

static size_t
take_peeked(struct rf_source *source, uint8_t *buffer, size_t size)
{
	if (size > source->n_peeked)
		size = source->n_peeked;
	memcpy(buffer, source->peeked, size);
	source->n_peeked -= size;
	memmove(source->peeked, source->peeked + size, source->n_peeked);
	source->position += (int64_t)size;
	return size;
}

enum rf_status
rf_source_read(struct rf_source *source, void *buffer, size_t size, size_t *got,
    struct rf_error *err)
{
	uint8_t *to = buffer;
	size_t n = 0;

	*got = 0;
	if (source->memory != NULL) {
		*got = take_memory(source, to, size);
		return RF_OK;
	}
	if (source->n_peeked != 0)
		*got = take_peeked(source, to, size);
	while (*got < size) {
		RF_TRY(read_some(source, to + *got, size - *got, &n, err));
		if (n == 0)
			break;
		*got += n;
		source->position += (int64_t)n;
	}
	return RF_OK;
}

enum rf_status
rf_source_peek(struct rf_source *source, uint8_t bytes[RF_PEEK_BYTES],
    size_t *got, struct rf_error *err)
{
	RF_TRY(rf_source_read(source, bytes, RF_PEEK_BYTES, got, err));
	source->position -= (int64_t)*got;
	if (source->memory == NULL) {
		memcpy(source->peeked, bytes, *got);
		source->n_peeked = *got;
	}
	return RF_OK;
}

enum rf_status
rf_source_seek(struct rf_source *source, int64_t position, struct rf_error *err)
{
	if (position < 0 || position > source->size)
		return rf_error_set(
		    err, RF_EDATA, "the footer points outside the file");
	source->position = position;
	source->n_peeked = 0;
	source->by_position = true;
	return RF_OK;
}

static uint8_t *
buffer_new(struct rf_buffer *buffer, size_t size)
{
	if (buffer->allocate != NULL)
		return buffer->allocate(buffer->context, size);
	return rf_alloc_aligned(size);
}

static void
buffer_give_back(struct rf_buffer *buffer, uint8_t *data)
{
	if (data == NULL)
		return;
	if (buffer->allocate != NULL)
		buffer->release(buffer->context, data);
	else
		rf_free_aligned(data);
}

void
rf_buffer_release(struct rf_buffer *buffer)
{
	buffer_give_back(buffer, buffer->data);
	buffer->data = NULL;
	buffer->capacity = 0;
}

/* Room for size bytes, of which the first n_kept stay. */
static enum rf_status
buffer_grow(
    struct rf_buffer *buffer, size_t size, size_t n_kept, struct rf_error *err)
{
	uint8_t *grown;

	if (size <= buffer->capacity && buffer->data != NULL)
		return RF_OK;
	/* Some more, as batches differ a little in size. */
	size = (size + size / 8 + 64) & ~(size_t)63;
	grown = buffer_new(buffer, size);
	if (grown == NULL)
		return rf_error_memory(err, size, "a message");
	if (n_kept != 0)
		memcpy(grown, buffer->data, n_kept);
	buffer_give_back(buffer, buffer->data);
	buffer->data = grown;
	buffer->capacity = size;
	return RF_OK;
}

static enum rf_status
truncated(struct rf_error *err)
{
	return rf_error_set(
	    err, RF_EDATA, "truncated stream: the input ends inside a message");
}

enum rf_status
rf_source_fill(struct rf_source *source, struct rf_buffer *buffer, int64_t size,
    const uint8_t **data, struct rf_error *err)
{
	size_t wanted = (size_t)size, step, done = 0, got;

	if (source->memory != NULL) {
		const uint8_t *at = source->memory + source->position;

		if (size > source->size - source->position)
			return truncated(err);
		if ((uintptr_t)at % 64 == 0) {
			source->position += size;
			*data = at;
			return RF_OK;
		}
	}
	RF_TRY(buffer_grow(
	    buffer, wanted < FIRST_STEP ? wanted : FIRST_STEP, 0, err));
	while (done < wanted) {
		step = done == 0 ? FIRST_STEP : 4 * done;
		if (step < buffer->capacity)
			step = buffer->capacity;
		if (step > wanted)
			step = wanted;
		RF_TRY(buffer_grow(buffer, step, done, err));
		RF_TRY(rf_source_read(
		    source, buffer->data + done, step - done, &got, err));
		if (got < step - done)
			return truncated(err);
		done = step;
	}
	*data = buffer->data;
	return RF_OK;
}

enum rf_status
rf_write_all(int fd, struct iovec *parts, size_t n_parts, struct rf_error *err)
{
	while (n_parts != 0) {
		ssize_t n = writev(
		    fd, parts, n_parts < MAX_PARTS ? (int)n_parts : MAX_PARTS);

		if (n < 0 && may_retry(fd, POLLOUT))
			continue;
		if (n < 0)
			return rf_error_set(
			    err, RF_EIO, "cannot write: %s", strerror(errno));
		while (n_parts != 0 && (size_t)n >= parts->iov_len) {
			n -= (ssize_t)parts->iov_len;
			parts++;
			n_parts--;
		}
		if (n_parts != 0) {
			parts->iov_base = (char *)parts->iov_base + n;
			parts->iov_len -= (size_t)n;
		}
	}
	return RF_OK;
}

void
rf_pipe_widen(int fd)
{
#ifdef F_SETPIPE_SZ
	int size = fcntl(fd, F_GETPIPE_SZ);

	if (size >= 0 && size < PIPE_BYTES)
		(void)fcntl(fd, F_SETPIPE_SZ, PIPE_BYTES);
#else
	(void)fd;
#endif
}
