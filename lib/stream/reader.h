/*
 * The reader's parts: messages, the footer of files, the end.
 * Private to lib/stream.
 */
#ifndef RF_STREAM_READER_H
#define RF_STREAM_READER_H

#include "stream/arrow_read.h"
#include "stream/batch_read.h"
#include "stream/compress.h"
#include "stream/dictionary.h"
#include "stream/flatbuf.h"
#include "stream/pipe.h"

/* A message; metadata and body live until the next one is read. */
struct rf_message {
	struct rf_flat flat;
	int kind;	 /* enum rf_message_kind */
	int16_t version; /* 3: V4, 4: V5 */
	uint32_t table;	 /* Message */
	uint32_t header; /* Schema, DictionaryBatch or RecordBatch */
	const uint8_t *body;
	int64_t body_size;
};

enum rf_end { RF_END_NONE, RF_END_MARK, RF_END_OF_INPUT };

/* Messages of a source, one after the other. */
struct rf_message_source {
	struct rf_source source;
	struct rf_buffer metadata, body;
	int64_t n_messages; /* read so far */
	int64_t start;	    /* byte at which the last one began */
	bool is_piped_file; /* an Arrow file on a pipe: a footer follows */
};

/*
 * Reads the next message.  *end is set, and no message read, at the end mark
 * or where the input ends between messages.
 */
enum rf_status rf_message_read(struct rf_message_source *messages,
    struct rf_message *message, enum rf_end *end,
    struct rf_error *err) RF_MUST_USE;

/*
 * Looks at the first bytes: RF_OK for a stream or an Arrow file (*is_file),
 * else RF_EDATA that names what it is.
 */
enum rf_status rf_source_recognise(
    struct rf_source *source, bool *is_file, struct rf_error *err) RF_MUST_USE;

/*
 * Whether a stream is of the kind that is wanted (NULL: any will do); one that
 * has none only where foreign ones are wanted.  RF_EDATA names both, and the
 * tool between them.
 */
enum rf_status rf_stream_check_kind(const struct rf_metadata *metadata,
    const char *wanted, bool want_foreign, struct rf_error *err) RF_MUST_USE;

struct rf_block {
	int64_t offset, body_size;
	int32_t metadata_size;
};

/* The places of an Arrow file's messages; dictionaries come first. */
struct rf_footer {
	struct rf_block *blocks;
	size_t n_blocks, n_dictionaries, next;
};

/* Reads schema and places from the end of the file. */
enum rf_status rf_footer_read(struct rf_message_source *messages,
    struct rf_footer *footer, struct rf_schema *schema,
    struct rf_error *err) RF_MUST_USE;
/* The next message by the footer; *end is RF_END_MARK past the last. */
enum rf_status rf_footer_next(struct rf_message_source *messages,
    struct rf_footer *footer, struct rf_message *message, enum rf_end *end,
    struct rf_error *err) RF_MUST_USE;
void rf_footer_release(struct rf_footer *footer);

#endif
