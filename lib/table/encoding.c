#include "table/encoding.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static const struct {
	const char *name;
	enum rf_encoding encoding;
} names[] = {
    {"utf-8", RF_ENCODING_UTF8},
    {"utf-16", RF_ENCODING_UTF16},
    {"utf-16le", RF_ENCODING_UTF16LE},
    {"utf-16be", RF_ENCODING_UTF16BE},
    {"latin1", RF_ENCODING_LATIN1},
    {"windows-1252", RF_ENCODING_WINDOWS1252},
};

static const char *
name_of(enum rf_encoding encoding)
{
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (names[i].encoding == encoding)
			return names[i].name;
	return "utf-8";
}

enum rf_status
rf_encoding_of_name(
    const char *name, enum rf_encoding *encoding, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (strcmp(name, names[i].name) == 0) {
			*encoding = names[i].encoding;
			return RF_OK;
		}
	}
	return rf_error_set(err, RF_EUSAGE,
	    "--encoding: '%s' is none of utf-8, utf-16, utf-16le, utf-16be, "
	    "latin1 and windows-1252",
	    rf_text_quote(quoted, name, strlen(name)));
}

/* What the byte order mark says; RF_ENCODING_UNSAID: there is none. */
static enum rf_encoding
marked(const unsigned char *first, size_t n)
{
	if (n >= 3 && memcmp(first, "\xef\xbb\xbf", 3) == 0)
		return RF_ENCODING_UTF8;
	if (n >= 2 && memcmp(first, "\xff\xfe", 2) == 0)
		return RF_ENCODING_UTF16LE;
	if (n >= 2 && memcmp(first, "\xfe\xff", 2) == 0)
		return RF_ENCODING_UTF16BE;
	return RF_ENCODING_UNSAID;
}

/*
 * UTF-16 without a mark, as any table of mostly ASCII has it: of the bytes at
 * odd places half or more are NUL, of those at even ones less than an eighth;
 * or the other way round.
 */
static enum rf_encoding
patterned(const unsigned char *first, size_t n)
{
	size_t n_nul[2] = {0, 0};

	n /= 2;
	for (size_t i = 0; i < 2 * n; i++)
		n_nul[i % 2] += first[i] == 0;
	if (n_nul[1] > 0 && n_nul[1] * 2 >= n && n_nul[0] * 8 < n)
		return RF_ENCODING_UTF16LE;
	if (n_nul[0] > 0 && n_nul[0] * 2 >= n && n_nul[1] * 8 < n)
		return RF_ENCODING_UTF16BE;
	return RF_ENCODING_UNSAID;
}

static enum rf_status
settle_unsaid(enum rf_encoding *encoding, enum rf_encoding mark,
    const unsigned char *first, size_t n, struct rf_error *err)
{
	enum rf_encoding seen;

	*encoding = RF_ENCODING_UTF8;
	if (mark == RF_ENCODING_UTF8)
		return RF_OK;
	if (mark != RF_ENCODING_UNSAID)
		return rf_error_set(err, RF_EDATA,
		    "UTF-16, by its byte order mark: --encoding utf-16 reads "
		    "it");
	seen = patterned(first, n);
	if (seen != RF_ENCODING_UNSAID)
		return rf_error_set(err, RF_EDATA,
		    "UTF-16, by its NUL bytes: --encoding %s reads it",
		    name_of(seen));
	return RF_OK;
}

static enum rf_status
settle_utf16(enum rf_encoding *encoding, enum rf_encoding mark,
    const unsigned char *first, size_t n, struct rf_error *err)
{
	*encoding = mark != RF_ENCODING_UNSAID ? mark : patterned(first, n);
	if (*encoding == RF_ENCODING_UNSAID)
		return rf_error_set(err, RF_EDATA,
		    "neither a byte order mark nor NUL bytes tell which "
		    "UTF-16 it is: give --encoding utf-16le or utf-16be");
	return RF_OK;
}

enum rf_status
rf_encoding_settle(enum rf_encoding *encoding, const unsigned char *first,
    size_t n, struct rf_error *err)
{
	enum rf_encoding said = *encoding, mark = marked(first, n);

	if (n >= 4 &&
	    (memcmp(first, "\xff\xfe\0\0", 4) == 0 ||
		memcmp(first, "\0\0\xfe\xff", 4) == 0))
		return rf_error_set(err, RF_EDATA,
		    "UTF-32, by its byte order mark: iconv -f UTF-32 -t UTF-8 "
		    "first");
	if (said == RF_ENCODING_UNSAID)
		return settle_unsaid(encoding, mark, first, n, err);
	if (said == RF_ENCODING_UTF16 && mark != RF_ENCODING_UTF8)
		return settle_utf16(encoding, mark, first, n, err);
	if (mark != RF_ENCODING_UNSAID && mark != said)
		return rf_error_set(err, RF_EDATA,
		    "--encoding %s: the text begins with the byte order mark "
		    "of %s",
		    name_of(said), name_of(mark));
	return RF_OK;
}

const char *
rf_encoding_fault(enum rf_encoding encoding)
{
	switch (encoding) {
	case RF_ENCODING_UNSAID:
	case RF_ENCODING_UTF8:
	case RF_ENCODING_LATIN1:
		break;
	case RF_ENCODING_UTF16:
	case RF_ENCODING_UTF16LE:
	case RF_ENCODING_UTF16BE:
		return "is not UTF-16: it has half of a character";
	case RF_ENCODING_WINDOWS1252:
		return "has a byte that windows-1252 does not define "
		       "(--encoding latin1 takes all)";
	}
	return "is not UTF-8 (--encoding latin1 or windows-1252 may read it)";
}

static size_t
put_code(char *out, unsigned code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

static size_t
decode_latin1(const unsigned char *bytes, size_t n, char *out)
{
	char *to = out;

	for (size_t i = 0; i < n; i++)
		to += put_code(to, bytes[i]);
	return (size_t)(to - out);
}

static size_t
decode_windows1252(const unsigned char *bytes, size_t n, char *out)
{
	static const uint16_t from_80[32] = {0x20ac, 0, 0x201a, 0x0192, 0x201e,
	    0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
	    0x017d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013,
	    0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0, 0x017e, 0x0178};
	char *to = out;

	for (size_t i = 0; i < n; i++) {
		unsigned code = bytes[i];

		if (code >= 0x80 && code < 0xa0)
			code = from_80[code - 0x80];
		if (code == 0 && bytes[i] != 0)
			*to++ = (char)bytes[i]; /* by itself never UTF-8 */
		else
			to += put_code(to, code);
	}
	return (size_t)(to - out);
}

/* A surrogate by itself is put as if it were a character. */
static size_t
put_unit(struct rf_decoder *decoder, unsigned unit, char *out)
{
	unsigned high = decoder->surrogate;
	char *to = out;

	decoder->surrogate = 0;
	if (high != 0 && unit >= 0xdc00 && unit < 0xe000)
		return put_code(
		    to, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
	if (high != 0)
		to += put_code(to, high);
	if (unit >= 0xd800 && unit < 0xdc00)
		decoder->surrogate = unit;
	else
		to += put_code(to, unit);
	return (size_t)(to - out);
}

static size_t
decode_utf16(
    struct rf_decoder *decoder, const unsigned char *bytes, size_t n, char *out)
{
	int high = decoder->encoding == RF_ENCODING_UTF16LE ? 1 : 0;
	char *to = out;
	size_t i = 0;

	if (n > 0 && decoder->n_bytes == 1) {
		unsigned char pair[2] = {decoder->byte, bytes[i++]};

		to += put_unit(
		    decoder, (unsigned)pair[high] << 8 | pair[1 - high], to);
		decoder->n_bytes = 0;
	}
	for (; i + 2 <= n; i += 2) {
		const unsigned char *pair = bytes + i;

		to += put_unit(
		    decoder, (unsigned)pair[high] << 8 | pair[1 - high], to);
	}
	if (i < n) {
		decoder->byte = bytes[i];
		decoder->n_bytes = 1;
	}
	return (size_t)(to - out);
}

size_t
rf_decode(
    struct rf_decoder *decoder, const unsigned char *bytes, size_t n, char *out)
{
	switch (decoder->encoding) {
	case RF_ENCODING_UNSAID:
	case RF_ENCODING_UTF8:
		break;
	case RF_ENCODING_UTF16:
	case RF_ENCODING_UTF16LE:
	case RF_ENCODING_UTF16BE:
		return decode_utf16(decoder, bytes, n, out);
	case RF_ENCODING_LATIN1:
		return decode_latin1(bytes, n, out);
	case RF_ENCODING_WINDOWS1252:
		return decode_windows1252(bytes, n, out);
	}
	memcpy(out, bytes, n);
	return n;
}

size_t
rf_decode_end(struct rf_decoder *decoder, char *out)
{
	char *to = out;

	if (decoder->surrogate != 0)
		to += put_code(to, decoder->surrogate);
	if (decoder->n_bytes > 0)
		*to++ = (char)0xff;
	decoder->surrogate = 0;
	decoder->n_bytes = 0;
	return (size_t)(to - out);
}
