/* Encodings: what the first bytes say, and conversion in pieces. */
#include "table/encoding.h"

#include "base/text.h"
#include "unit.h"

static const struct {
	const char *bytes;
	size_t n;
	enum rf_encoding said;
	enum rf_status status;
	enum rf_encoding settled;
} cases[] = {
    {"a,b\n", 4, RF_ENCODING_UNSAID, RF_OK, RF_ENCODING_UTF8},
    {"", 0, RF_ENCODING_UNSAID, RF_OK, RF_ENCODING_UTF8},
    {"\xef\xbb\xbf"
     "a",
	4, RF_ENCODING_UNSAID, RF_OK, RF_ENCODING_UTF8},
    {"\xff\xfe"
     "a\0",
	4, RF_ENCODING_UNSAID, RF_EDATA, RF_ENCODING_UNSAID},
    {"a\0,\0", 4, RF_ENCODING_UNSAID, RF_EDATA, RF_ENCODING_UNSAID},
    {"\0a\0,", 4, RF_ENCODING_UNSAID, RF_EDATA, RF_ENCODING_UNSAID},
    /* A NUL byte among ASCII, and nothing but NUL bytes. */
    {"thr\0ee,four\n", 12, RF_ENCODING_UNSAID, RF_OK, RF_ENCODING_UTF8},
    {"\0\0\0\0", 4, RF_ENCODING_UNSAID, RF_OK, RF_ENCODING_UTF8},
    {"\xff\xfe\0\0", 4, RF_ENCODING_UTF16, RF_EDATA, RF_ENCODING_UNSAID},
    {"\xff\xfe"
     "a\0",
	4, RF_ENCODING_UTF16, RF_OK, RF_ENCODING_UTF16LE},
    {"\xfe\xff\0a", 4, RF_ENCODING_UTF16, RF_OK, RF_ENCODING_UTF16BE},
    {"a\0,\0", 4, RF_ENCODING_UTF16, RF_OK, RF_ENCODING_UTF16LE},
    {"\0a\0,", 4, RF_ENCODING_UTF16, RF_OK, RF_ENCODING_UTF16BE},
    {"a,b\n", 4, RF_ENCODING_UTF16, RF_EDATA, RF_ENCODING_UNSAID},
    {"a,b\n", 4, RF_ENCODING_UTF16LE, RF_OK, RF_ENCODING_UTF16LE},
    {"\xfe\xff", 2, RF_ENCODING_UTF16LE, RF_EDATA, RF_ENCODING_UNSAID},
    {"\xff\xfe", 2, RF_ENCODING_LATIN1, RF_EDATA, RF_ENCODING_UNSAID},
    {"\xe9,b\n", 4, RF_ENCODING_LATIN1, RF_OK, RF_ENCODING_LATIN1},
};

static void
test_settle(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		enum rf_encoding encoding = cases[i].said;
		struct rf_error err = {0};
		enum rf_status status = rf_encoding_settle(&encoding,
		    (const unsigned char *)cases[i].bytes, cases[i].n, &err);

		check(status == cases[i].status &&
			(status != RF_OK || encoding == cases[i].settled),
		    "the first bytes settle the encoding");
	}
}

/* Decodes in pieces of so many bytes. */
static size_t
decode_pieces(enum rf_encoding encoding, const char *bytes, size_t n,
    size_t piece, char *out)
{
	struct rf_decoder decoder = {.encoding = encoding};
	size_t made = 0;

	for (size_t at = 0; at < n; at += piece)
		made += rf_decode(&decoder, (const unsigned char *)bytes + at,
		    n - at < piece ? n - at : piece, out + made);
	return made + rf_decode_end(&decoder, out + made);
}

static bool
becomes(enum rf_encoding encoding, const char *bytes, size_t n,
    const char *wanted, size_t size)
{
	char out[RF_DECODED_MOST(64)];

	for (size_t piece = 1; piece <= n; piece++)
		if (decode_pieces(encoding, bytes, n, piece, out) != size ||
		    memcmp(out, wanted, size) != 0)
			return false;
	return true;
}

/* Worked by hand from the Unicode standard's table 3-5 and 3-6. */
static void
test_decode(void)
{
	check(
	    becomes(RF_ENCODING_UTF16LE, "M\0\x30\x04\x8c\x4e\x00\xd8\x02\xdf",
		10, "M\xd0\xb0\xe4\xba\x8c\xf0\x90\x8c\x82", 10),
	    "UTF-16LE of any length of code, in any pieces");
	check(
	    becomes(RF_ENCODING_UTF16BE, "\0M\x04\x30\x4e\x8c\xd8\x00\xdf\x02",
		10, "M\xd0\xb0\xe4\xba\x8c\xf0\x90\x8c\x82", 10),
	    "UTF-16BE of any length of code, in any pieces");
	check(becomes(RF_ENCODING_LATIN1, "a\xe9\xff\x80", 4,
		  "a\xc3\xa9\xc3\xbf\xc2\x80", 7),
	    "Latin-1 has a character for every byte");
	check(becomes(RF_ENCODING_WINDOWS1252, "a\xe9\x80\x9f", 4,
		  "a\xc3\xa9\xe2\x82\xac\xc5\xb8", 8),
	    "windows-1252 has the euro and the Y with diaeresis");
}

static bool
is_bad(enum rf_encoding encoding, const char *bytes, size_t n)
{
	char out[RF_DECODED_MOST(64)];

	for (size_t piece = 1; piece <= n; piece++)
		if (rf_text_is_utf8(
			out, decode_pieces(encoding, bytes, n, piece, out)))
			return false;
	return true;
}

static void
test_faults(void)
{
	check(is_bad(RF_ENCODING_UTF16LE, "a\0\0\xd8", 4) &&
		is_bad(RF_ENCODING_UTF16LE, "\0\xd8\x61\0", 4) &&
		is_bad(RF_ENCODING_UTF16LE, "\0\xdc\0\xd8", 4) &&
		is_bad(RF_ENCODING_UTF16LE, "\0\xd8\0\xd8\0\xdc", 6) &&
		is_bad(RF_ENCODING_UTF16BE, "\xdc\0", 2),
	    "a surrogate without its pair is no UTF-8");
	check(is_bad(RF_ENCODING_UTF16LE, "a\0b", 3) &&
		is_bad(RF_ENCODING_UTF16BE, "\0a\0", 3),
	    "half a code unit is no UTF-8");
	check(is_bad(RF_ENCODING_WINDOWS1252, "a\x81", 2) &&
		is_bad(RF_ENCODING_WINDOWS1252, "\xe9\x9d", 2),
	    "what windows-1252 leaves undefined is no UTF-8");
}

int
main(void)
{
	test_settle();
	test_decode();
	test_faults();
	return unit_end();
}
