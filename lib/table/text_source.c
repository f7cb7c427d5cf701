#include "table/text_source.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "stream/pipe.h"

#define BLOCK_SIZE ((size_t)1 << 18)

struct rf_text_source {
	int fd;
	const char *name;
	bool is_gzip, at_end; /* at_end: of the file itself */
	bool in_member;	      /* inflate has begun and not ended */
	/* Read and not yet given: the first bytes; all of a gzip file's. */
	unsigned char *block;
	size_t block_at, block_size;
	z_stream stream;
};

static enum rf_status
read_some(struct rf_text_source *source, void *buffer, size_t size, size_t *got,
    struct rf_error *err)
{
	struct pollfd wait = {.fd = source->fd, .events = POLLIN};
	ssize_t n;

	for (;;) {
		n = read(source->fd, buffer, size);
		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			break;
		/* A descriptor that does not block. */
		if (errno == EAGAIN)
			(void)poll(&wait, 1, -1);
	}
	if (n < 0)
		return rf_error_set(
		    err, RF_EIO, "%s: %s", source->name, strerror(errno));
	*got = (size_t)n;
	source->at_end = n == 0;
	return RF_OK;
}

/* The next block, where the one before is used up. */
static enum rf_status
read_block(struct rf_text_source *source, size_t wanted, struct rf_error *err)
{
	size_t got = 0;

	source->block_at = source->block_size = 0;
	while (!source->at_end && source->block_size < wanted) {
		RF_TRY(read_some(source, source->block + source->block_size,
		    BLOCK_SIZE - source->block_size, &got, err));
		source->block_size += got;
	}
	return RF_OK;
}

static bool
starts_member(const struct rf_text_source *source)
{
	return source->block_size - source->block_at >= 2 &&
	    source->block[source->block_at] == 0x1f &&
	    source->block[source->block_at + 1] == 0x8b;
}

enum rf_status
rf_text_source_open(
    struct rf_text_source **out, int fd, const char *name, struct rf_error *err)
{
	struct rf_text_source *source = rf_alloc_zero(1, sizeof(*source));
	enum rf_status status;

	if (source == NULL)
		return rf_error_memory(err, sizeof(*source), "source");
	source->fd = fd;
	rf_pipe_widen(fd);
	source->name = name;
	source->block = rf_alloc(BLOCK_SIZE, 1);
	if (source->block == NULL) {
		status = rf_error_memory(err, BLOCK_SIZE, "source");
		goto out;
	}
	status = read_block(source, 2, err);
	if (status != RF_OK)
		goto out;
	source->is_gzip = starts_member(source);
	if (source->is_gzip &&
	    inflateInit2(&source->stream, MAX_WBITS + 16) != Z_OK) {
		source->is_gzip = false;
		status = rf_error_memory(err, 0, "inflate");
		goto out;
	}
	source->in_member = source->is_gzip;
	*out = source;
	return RF_OK;
out:
	rf_text_source_close(source);
	return status;
}

void
rf_text_source_close(struct rf_text_source *source)
{
	if (source == NULL)
		return;
	if (source->is_gzip)
		inflateEnd(&source->stream);
	free(source->block);
	free(source);
}

static enum rf_status
read_plain(struct rf_text_source *source, char *buffer, size_t size,
    size_t *got, struct rf_error *err)
{
	size_t n = source->block_size - source->block_at;

	if (n > size)
		n = size;
	memcpy(buffer, source->block + source->block_at, n);
	source->block_at += n;
	*got = n;
	while (*got < size && !source->at_end) {
		RF_TRY(read_some(source, buffer + *got, size - *got, &n, err));
		*got += n;
	}
	return RF_OK;
}

/* Moves to the next member, or finds that none follows. */
static enum rf_status
next_member(struct rf_text_source *source, bool *is_end, struct rf_error *err)
{
	size_t n = source->block_size - source->block_at;

	if (n < 2 && !source->at_end) {
		unsigned char first =
		    n == 1 ? source->block[source->block_at] : 0;
		size_t got = 0;

		source->block[0] = first;
		source->block_at = 0;
		source->block_size = n;
		while (!source->at_end && source->block_size < 2) {
			RF_TRY(read_some(source,
			    source->block + source->block_size,
			    BLOCK_SIZE - source->block_size, &got, err));
			source->block_size += got;
		}
		n = source->block_size;
	}
	*is_end = n == 0;
	if (*is_end)
		return RF_OK;
	if (!starts_member(source))
		return rf_error_set(err, RF_EDATA,
		    "%s: bytes after the gzip data", source->name);
	inflateReset(&source->stream);
	source->in_member = true;
	return RF_OK;
}

static enum rf_status
inflate_some(struct rf_text_source *source, char *buffer, size_t size,
    size_t *got, struct rf_error *err)
{
	z_stream *stream = &source->stream;
	int result;

	if (source->block_at == source->block_size) {
		RF_TRY(read_block(source, 1, err));
		if (source->block_size == 0)
			return rf_error_set(err, RF_EDATA,
			    "%s: the gzip data is cut short", source->name);
	}
	stream->next_in = source->block + source->block_at;
	stream->avail_in = (uInt)(source->block_size - source->block_at);
	stream->next_out = (Bytef *)buffer;
	stream->avail_out = (uInt)(size < BLOCK_SIZE ? size : BLOCK_SIZE);
	*got = stream->avail_out;
	result = inflate(stream, Z_NO_FLUSH);
	source->block_at = source->block_size - stream->avail_in;
	*got -= stream->avail_out;
	if (result == Z_MEM_ERROR)
		return rf_error_memory(err, 0, "inflate");
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return rf_error_set(err, RF_EDATA,
		    "%s: the gzip data is damaged: %s", source->name,
		    stream->msg != NULL ? stream->msg : "inflate failed");
	source->in_member = result != Z_STREAM_END;
	return RF_OK;
}

enum rf_status
rf_text_source_read(struct rf_text_source *source, char *buffer, size_t size,
    size_t *got, struct rf_error *err)
{
	bool is_end = false;
	size_t n = 0;

	if (!source->is_gzip)
		return read_plain(source, buffer, size, got, err);
	*got = 0;
	while (*got < size) {
		if (!source->in_member) {
			RF_TRY(next_member(source, &is_end, err));
			if (is_end)
				break;
		}
		RF_TRY(
		    inflate_some(source, buffer + *got, size - *got, &n, err));
		*got += n;
	}
	return RF_OK;
}
