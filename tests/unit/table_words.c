/* Sets of words, names of columns, and threads that keep their order. */
#include "table/words.h"

#include <stdlib.h>

#include "table/plan.h"
#include "table/workers.h"
#include "unit.h"

static int32_t
add(struct rf_words *words, const char *text)
{
	size_t size = strlen(text);
	int32_t code = -9;

	if (rf_words_add(words, text, size, rf_words_hash(text, size), &code,
		NULL) != RF_OK)
		return -2;
	return code;
}

static int32_t
find(const struct rf_words *words, const char *text)
{
	return rf_words_find(
	    words, text, strlen(text), rf_words_hash(text, strlen(text)));
}

static void
test_words(void)
{
	struct rf_words words = {0};
	char text[64];
	bool is_ok = true;

	check_int(find(&words, "a"), -1, "nothing is in an empty set");
	check_int(add(&words, ""), 0, "the first, of no bytes");
	check_int(add(&words, "a"), 1, "the second");
	check_int(add(&words, ""), 0, "the first again");
	/* Sizes around those that are compared in one piece. */
	for (int i = 0; i < 5000; i++) {
		memset(text, 'x', sizeof(text));
		snprintf(text + i % 40, 16, "%d", i);
		is_ok &= add(&words, text) == i + 2;
	}
	for (int i = 0; i < 5000; i++) {
		memset(text, 'x', sizeof(text));
		snprintf(text + i % 40, 16, "%d", i);
		is_ok &= find(&words, text) == i + 2;
		is_ok &= strlen(text) == words.words[i + 2].size &&
		    memcmp(rf_words_text(&words, (size_t)i + 2), text,
			strlen(text)) == 0;
	}
	check(is_ok, "5000 words have their codes and texts");
	check_int(find(&words, "xxxxxxxxy"), -1, "another is not among them");
	rf_words_clear(&words);
	check_int(find(&words, "a"), -1, "nor is any after a clear");
	check_int(add(&words, "b"), 0, "codes begin anew");
	rf_words_release(&words);
}

/* Texts of 0 to 20 bytes by both ways, in sets that are often cleared. */
static void
test_codes(void)
{
	struct rf_words one = {0}, two = {0};
	bool is_ok = true;

	for (int i = 0; i < 100000; i++) {
		size_t size = (size_t)(rand() % 21);
		int32_t code = -9, found;
		char text[64];

		/* What follows a text must not matter. */
		memset(text, rand() % 256, sizeof(text));
		for (size_t j = 0; j < size; j++)
			text[j] = (char)('a' + (rand() % 8 == 0));
		text[size] = size % 2 == 0 ? '\0' : ',';
		found =
		    rf_words_find(&one, text, size, rf_words_hash(text, size));
		is_ok &= rf_words_short(&two, text, size) ==
		    (size > RF_WORDS_SHORT ? -1 : found);
		is_ok &= rf_words_code(&two, text, size, &code, NULL) == RF_OK;
		is_ok &= found < 0 || code == found;
		is_ok &= rf_words_add(&one, text, size,
			     rf_words_hash(text, size), &found, NULL) == RF_OK;
		is_ok &= code == found;
		if (one.n_words > 3000 || rand() % 10000 == 0) {
			rf_words_clear(&one);
			rf_words_clear(&two);
		}
	}
	check(is_ok, "cells have the codes of their texts");
	rf_words_release(&one);
	rf_words_release(&two);
}

static void
check_names(
    const struct rf_cell *cells, size_t n, const char *wanted, const char *name)
{
	struct rf_plan plan = {0};
	char got[256] = "";

	check_int(rf_plan_names(&plan, cells, n, NULL, NULL), RF_OK, name);
	for (size_t c = 0; c < n; c++) {
		struct rf_bytes bytes = rf_plan_name(&plan, c);

		strncat(got, (const char *)bytes.data, (size_t)bytes.size);
		strcat(got, ";");
	}
	check_text(got, wanted, name);
	check_int(rf_plan_find(&plan, "2", 1), 1, "a column by number");
	check_int(rf_plan_find(&plan, "99", 2), -1, "no such number");
	rf_plan_release(&plan);
}

static void
test_names(void)
{
	static const struct rf_cell cells[] = {{.text = "a", .size = 1},
	    {.text = "a", .size = 1}, {.text = "a_2", .size = 3},
	    {.text = "  ", .size = 2}, {.text = "V4", .size = 2},
	    {.text = "a", .size = 1}};

	check_names(cells, 6, "a;a_3;a_2;V4_2;V4;a_4;", "equal names");
	check_names(NULL, 3, "V1;V2;V3;", "no names");
}

static void
run(void *job)
{
	int *n = job, n_loops = 1000 * (*n % 7);

	for (int i = 0; i < n_loops; i++)
		*n += i % 2 == 0 ? 1 : -1;
	*n += 1;
}

static void
test_workers(void)
{
	struct rf_workers *workers = NULL;
	int jobs[5];
	bool is_ok = true;
	size_t given = 0;

	check_int(rf_workers_start(&workers, 3, 5, run, NULL), RF_OK, "start");
	for (int i = 0; i < 500; i++) {
		for (; given < (size_t)i + 5 && given < 500; given++) {
			jobs[given % 5] = (int)given;
			rf_workers_give(workers, &jobs[given % 5]);
		}
		is_ok &= rf_workers_wait(workers) == &jobs[i % 5] &&
		    jobs[i % 5] == i + 1;
	}
	check(is_ok, "500 jobs come back in order, done");
	rf_workers_stop(workers);
	rf_workers_stop(NULL);
}

int
main(void)
{
	test_words();
	test_codes();
	test_names();
	test_workers();
	return unit_end();
}
