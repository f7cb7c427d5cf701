/*
 * Bytes from and to pipes, files and memory.  Internal to lib/.
 *
 * Reads and writes go on after signals, short transfers and, on descriptors
 * that do not block, after a wait.  A buffer grows with the bytes that have
 * arrived, so that a false length costs no memory.
 */
#ifndef RF_STREAM_PIPE_H
#define RF_STREAM_PIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/error.h"

#define RF_PEEK_BYTES 8

struct rf_source {
	int fd; /* where memory is NULL */
	const uint8_t *memory;
	int64_t size;	  /* of memory or a regular file; else -1 */
	int64_t position; /* bytes from the start */
	int64_t base;	  /* regular file: offset of the start */
	bool by_position; /* after a seek: pread */
	uint8_t peeked[RF_PEEK_BYTES];
	size_t n_peeked;
};

/* Neither owns what it reads: a descriptor, or bytes that must outlive it. */
void rf_source_init(struct rf_source *source, int fd);
void rf_source_init_memory(
    struct rf_source *source, const void *data, size_t size_bytes);

/* Fills buffer; *got is less than size at the end of the input only. */
enum rf_status rf_source_read(struct rf_source *source, void *buffer,
    size_t size, size_t *got, struct rf_error *err) RF_MUST_USE;
/* Shows the first bytes without taking them; *got as above. */
enum rf_status rf_source_peek(struct rf_source *source,
    uint8_t bytes[RF_PEEK_BYTES], size_t *got,
    struct rf_error *err) RF_MUST_USE;
/* Only where size is not -1; position is checked against it. */
enum rf_status rf_source_seek(struct rf_source *source, int64_t position,
    struct rf_error *err) RF_MUST_USE;

struct rf_buffer {
	uint8_t *data; /* at a 64-byte boundary */
	size_t capacity;
	void *(*allocate)(void *context, size_t size_bytes);
	void (*release)(void *context, void *memory);
	void *context; /* allocate NULL: rf_alloc_aligned */
};

void rf_buffer_release(struct rf_buffer *buffer);

/*
 * Reads size bytes.  *data is their place: in the buffer or, where it is
 * aligned there, in the source's memory.  An end before is RF_EDATA.
 */
enum rf_status rf_source_fill(struct rf_source *source,
    struct rf_buffer *buffer, int64_t size, const uint8_t **data,
    struct rf_error *err) RF_MUST_USE;

/* Writes all; parts is used up. */
enum rf_status rf_write_all(int fd, struct iovec *parts, size_t n_parts,
    struct rf_error *err) RF_MUST_USE;

/* Asks for a pipe of 1 MiB; no pipe, or no leave, is no error. */
void rf_pipe_widen(int fd);

#endif
