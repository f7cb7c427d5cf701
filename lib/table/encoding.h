/*
 * The encodings of a table's text, and their conversion to UTF-8.
 *
 * What is no text of its encoding is converted too, to bytes that are not
 * UTF-8 either; so whoever checks the UTF-8 finds it, and knows the place.
 *
 *	RF_TRY(rf_encoding_settle(&encoding, first, n_first, err));
 *	struct rf_decoder decoder = {.encoding = encoding};
 *	size = rf_decode(&decoder, block, n, out);
 *	size += rf_decode_end(&decoder, out + size);
 *
 * Unicode 15, 3.9 (UTF-8, UTF-16); for windows-1252 the table of
 * unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT.
 */
#ifndef RF_TABLE_ENCODING_H
#define RF_TABLE_ENCODING_H

#include <stddef.h>

#include "base/error.h"

enum rf_encoding {
	RF_ENCODING_UNSAID, /* UTF-8, or refused */
	RF_ENCODING_UTF8,
	RF_ENCODING_UTF16, /* either, by its mark or where the NULs are */
	RF_ENCODING_UTF16LE,
	RF_ENCODING_UTF16BE,
	RF_ENCODING_LATIN1,
	RF_ENCODING_WINDOWS1252,
};

/* By the name of --encoding; RF_EUSAGE where there is none such. */
enum rf_status rf_encoding_of_name(const char *name, enum rf_encoding *encoding,
    struct rf_error *err) RF_MUST_USE;

/*
 * Makes of what was said and of the text's first bytes one encoding that can be
 * decoded.  RF_EDATA, with the option that helps, where the bytes say
 * otherwise; a text that is not at all in the encoding is found later.
 */
enum rf_status rf_encoding_settle(enum rf_encoding *encoding,
    const unsigned char *first, size_t n, struct rf_error *err) RF_MUST_USE;

/* Why text is not in its encoding, to be put after "'...' ", with what helps;
 * encoding is a settled one. */
const char *rf_encoding_fault(enum rf_encoding encoding);

struct rf_decoder {
	enum rf_encoding encoding; /* settled, not UTF-8 */
	/* UTF-16: what waits for its other half. */
	unsigned char byte;
	unsigned surrogate; /* 0: none */
	int n_bytes;	    /* 0, 1 */
};

/* Bytes that n may become. */
#define RF_DECODED_MOST(n) (3 * (n) + 6)

/* Both return the bytes made. */
size_t rf_decode(struct rf_decoder *decoder, const unsigned char *bytes,
    size_t n, char *out);
size_t rf_decode_end(struct rf_decoder *decoder, char *out);

#endif
