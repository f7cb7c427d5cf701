/* Runs of spaces, in pieces, and the delimiter that is recognised. */
#include "table/spaces.h"

#include "table/dialect.h"
#include "unit.h"

/* In pieces, each read one byte past where the last one's text ended. */
static size_t
collapse(const char *text, size_t n, size_t piece, char *out)
{
	struct rf_spaces spaces = {0};
	char block[65];
	size_t made = 0;

	for (size_t at = 0; at < n; at += piece) {
		size_t size = n - at < piece ? n - at : piece;

		memcpy(block + 1, text + at, size);
		size = rf_spaces_collapse(&spaces, block, block + 1, size);
		memcpy(out + made, block, size);
		made += size;
	}
	out[made] = '\0';
	return made;
}

static bool
becomes(const char *text, const char *wanted)
{
	char out[65];

	for (size_t piece = 1; piece <= strlen(text); piece++) {
		collapse(text, strlen(text), piece, out);
		if (strcmp(out, wanted) != 0)
			return false;
	}
	return true;
}

static void
test_collapse(void)
{
	check(becomes("  a   b c  \n   1 2   3", "a b c\n1 2 3"),
	    "runs become one space, none at the ends of lines");
	check(
	    becomes("a  b\r\n   \r\n  1  2\r   3  4  ", "a b\r\n\r\n1 2\r3 4"),
	    "every line end, blank lines and the end");
	check(becomes("\"a  b\"   \" \n  x\"  c", "\"a  b\" \" \n  x\" c"),
	    "quoted cells keep their spaces and lines");
	check(becomes(
		  "\"a\"\"  b\"   c  d\"  e\"  f", "\"a\"\"  b\" c d\" e\" f"),
	    "doubled quotes, and quotes inside of a cell");
	check(becomes("\"\"  b\n  \"\"   \"\"\n", "\"\" b\n\"\" \"\"\n"),
	    "empty cells in quotes");
	check(becomes("a\t  b", "a\t b"), "a tab is text");
}

/* The delimiter of a text, ' ' where it is runs of spaces, 0: an error. */
static char
recognised(const char *text, char point)
{
	struct rf_dialect dialect = {.point = point};
	struct rf_error err = {0};

	if (rf_dialect_guess(&dialect, text, text + strlen(text), true, &err) !=
	    RF_OK)
		return 0;
	return dialect.delimiter == ' ' && !dialect.has_runs
	    ? '?'
	    : dialect.delimiter;
}

static void
test_recognised(void)
{
	static const struct {
		const char *text;
		char point, delimiter;
	} cases[] = {
	    {"a,b\n1,2\n", '.', ','},
	    {"a\tb\n1\t2\n", '.', '\t'},
	    {"a;b\n1;2\n", '.', ';'},
	    {"a|b\n1|2\n", '.', '|'},
	    {" a  b\n 1  2\n", '.', ' '},
	    {"a\n1\n", '.', ','},
	    /* More records of the first one's size. */
	    {"a,b;c\n1,2\n3,4\n", '.', ','},
	    {"a\tb,c\n1\t2\n", '.', '\t'},
	    {"a;b,c\n1;2\n3;4\nfoot\n", '.', ';'},
	    {"a;b\n\"x,y\";2\n", '.', ';'},
	    {"\"a\";\"b,c\"\n\"1\";\"2,3\"\n\"4\";\"5\"\n", '.', ';'},
	    /* Alike. */
	    {"a,b;c\n1,2;3\n", '.', 0},
	    {"1,5;2,5\n3,5;4,5\n", '.', 0},
	    {"1,5;2,5\n3,5;4,5\n", ',', ';'},
	    {"a|b;c\n1|2;3\n", ',', 0},
	    /* Spaces must be everywhere, and in more than one record. */
	    {"first name\nJohn Smith\nMadonna\n", '.', ','},
	    {"first name\n", '.', ','},
	    {"a b, c\n1 2, 3\n", '.', ','},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_int(recognised(cases[i].text, cases[i].point),
		    cases[i].delimiter, "the delimiter is recognised");
}

int
main(void)
{
	test_collapse();
	test_recognised();
	return unit_end();
}
