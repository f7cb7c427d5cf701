#include "table/text_reader.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define BLOCK_SIZE ((size_t)1 << 15)
#define TEXT_SIZE  (RF_DECODED_MOST(BLOCK_SIZE) + 1)
#define FIRST_SIZE ((size_t)1 << 12) /* bytes that tell the encoding */

struct rf_text_reader {
	struct rf_text_source *source;
	struct rf_decoder decoder;
	struct rf_spaces spaces;
	bool is_plain;	/* UTF-8, and nothing is done to it */
	bool collapses; /* runs of spaces */
	bool at_end;	/* of the source */
	bool is_over;	/* its last bytes are decoded */
	/* Read and not yet used: the first bytes, then a block. */
	char *block;
	size_t block_at, block_size;
	/* Decoded and not yet given. */
	char *text;
	size_t text_at, text_size;
};

static enum rf_status
refuse_others(
    const struct rf_text_reader *reader, const char *name, struct rf_error *err)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *what;
	} others[] = {{"\xff\xff\xff\xff", 4, "an Arrow stream already"},
	    {"ARROW1", 6, "an Arrow file"}, {"\x89RFB", 4, "a packed forest"},
	    {"PAR1", 4, "a Parquet file"},
	    {"PK\x03\x04", 4, "a zip file or spreadsheet"},
	    {"\x28\xb5\x2f\xfd", 4, "compressed: zstd -dc first"},
	    {"\xfd\x37zXZ", 5, "compressed: xz -dc first"},
	    {"BZh", 3, "compressed: bzip2 -dc first"}};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (reader->block_size >= others[i].n &&
		    memcmp(reader->block, others[i].bytes, others[i].n) == 0)
			return rf_error_set(err, RF_EDATA,
			    "%s: not a CSV file: it is %s", name,
			    others[i].what);
	if (reader->block_size == 0)
		return rf_error_set(err, RF_EDATA, "%s: empty input", name);
	return RF_OK;
}

static enum rf_status
read_block(struct rf_text_reader *reader, size_t size, struct rf_error *err)
{
	reader->block_at = 0;
	RF_TRY(rf_text_source_read(
	    reader->source, reader->block, size, &reader->block_size, err));
	reader->at_end = reader->block_size < size;
	return RF_OK;
}

static enum rf_status
make_text(struct rf_text_reader *reader, struct rf_error *err)
{
	reader->text = rf_alloc(TEXT_SIZE, 1);
	if (reader->text == NULL)
		return rf_error_memory(err, TEXT_SIZE, "reading");
	return RF_OK;
}

static enum rf_status
begin(struct rf_text_reader *reader, int fd, const char *name,
    enum rf_encoding encoding, struct rf_error *err)
{
	enum rf_status status;

	reader->block = rf_alloc(BLOCK_SIZE, 1);
	if (reader->block == NULL)
		return rf_error_memory(err, BLOCK_SIZE, "reading");
	RF_TRY(rf_text_source_open(&reader->source, fd, name, err));
	RF_TRY(read_block(reader, FIRST_SIZE, err));
	RF_TRY(refuse_others(reader, name, err));
	status = rf_encoding_settle(&encoding,
	    (const unsigned char *)reader->block, reader->block_size, err);
	if (status != RF_OK)
		return rf_error_prefix(err, status, name);
	reader->decoder.encoding = encoding;
	reader->is_plain = encoding == RF_ENCODING_UTF8;
	return reader->is_plain ? RF_OK : make_text(reader, err);
}

enum rf_status
rf_text_reader_open(struct rf_text_reader **out, int fd, const char *name,
    enum rf_encoding encoding, struct rf_error *err)
{
	struct rf_text_reader *reader = rf_alloc_zero(1, sizeof(*reader));
	enum rf_status status;

	if (reader == NULL)
		return rf_error_memory(err, sizeof(*reader), "reading");
	status = begin(reader, fd, name, encoding, err);
	if (status != RF_OK) {
		rf_text_reader_close(reader);
		return status;
	}
	*out = reader;
	return RF_OK;
}

enum rf_encoding
rf_text_reader_encoding(const struct rf_text_reader *reader)
{
	return reader->decoder.encoding;
}

void
rf_text_reader_close(struct rf_text_reader *reader)
{
	if (reader == NULL)
		return;
	rf_text_source_close(reader->source);
	free(reader->block);
	free(reader->text);
	free(reader);
}

enum rf_status
rf_text_reader_collapse(struct rf_text_reader *reader, char *text, size_t *size,
    struct rf_error *err)
{
	*size = rf_spaces_collapse(&reader->spaces, text, text, *size);
	reader->collapses = true;
	if (reader->is_plain) {
		reader->is_plain = false;
		return make_text(reader, err);
	}
	/* There is room before it, as decode_block leaves it. */
	reader->text_size = rf_spaces_collapse(&reader->spaces, reader->text,
	    reader->text + reader->text_at,
	    reader->text_size - reader->text_at);
	reader->text_at = 0;
	return RF_OK;
}

/* The first bytes, then straight from the source. */
static enum rf_status
read_plain(struct rf_text_reader *reader, char *buffer, size_t size,
    size_t *got, struct rf_error *err)
{
	size_t n = reader->block_size - reader->block_at, more = 0;

	n = n < size ? n : size;
	memcpy(buffer, reader->block + reader->block_at, n);
	reader->block_at += n;
	if (n < size && !reader->at_end) {
		RF_TRY(rf_text_source_read(
		    reader->source, buffer + n, size - n, &more, err));
		reader->at_end = more < size - n;
	}
	*got = n + more;
	return RF_OK;
}

/*
 * Decodes the block that was read, and what is left at the end.  A byte before
 * the text is kept free for rf_spaces_collapse.
 */
static void
decode_block(struct rf_text_reader *reader)
{
	char *text = reader->text + 1;
	size_t n = rf_decode(&reader->decoder,
	    (const unsigned char *)reader->block + reader->block_at,
	    reader->block_size - reader->block_at, text);

	reader->block_at = reader->block_size = 0;
	if (reader->at_end)
		n += rf_decode_end(&reader->decoder, text + n);
	reader->text_at = 1;
	reader->text_size = 1 + n;
	if (!reader->collapses)
		return;
	reader->text_at = 0;
	reader->text_size =
	    rf_spaces_collapse(&reader->spaces, reader->text, text, n);
}

enum rf_status
rf_text_reader_read(struct rf_text_reader *reader, char *buffer, size_t size,
    size_t *got, struct rf_error *err)
{
	size_t n;

	if (reader->is_plain)
		return read_plain(reader, buffer, size, got, err);
	for (*got = 0; *got < size; *got += n) {
		if (reader->text_at == reader->text_size) {
			if (reader->block_at == reader->block_size) {
				if (reader->at_end && reader->is_over)
					return RF_OK;
				if (!reader->at_end)
					RF_TRY(read_block(
					    reader, BLOCK_SIZE, err));
			}
			reader->is_over = reader->at_end;
			decode_block(reader);
		}
		n = reader->text_size - reader->text_at;
		n = n < size - *got ? n : size - *got;
		memcpy(buffer + *got, reader->text + reader->text_at, n);
		reader->text_at += n;
	}
	return RF_OK;
}
