#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static bool
is_zero(const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

static void
check_product(void)
{
	void *memory = rf_alloc(0, 8);

	check(memory != NULL, "no elements are a pointer too");
	free(memory);
	check(rf_alloc(SIZE_MAX / 2, 3) == NULL, "an overflow is refused");
	check(rf_alloc((size_t)PTRDIFF_MAX, 2) == NULL,
	    "and what passes PTRDIFF_MAX");
	check(
	    rf_alloc_zero(SIZE_MAX, SIZE_MAX) == NULL, "so does rf_alloc_zero");
	check(rf_realloc(NULL, SIZE_MAX / 4, 8) == NULL, "and rf_realloc");
	check(rf_alloc_aligned(SIZE_MAX - 5) == NULL, "and rf_alloc_aligned");
	memory = rf_alloc_zero(7, 3);
	check(memory != NULL && is_zero(memory, 21), "rf_alloc_zero zeroes");
	free(memory);
}

static void
check_grow(void)
{
	void *array = NULL, *before;
	size_t capacity = 0, n_moves = 0;

	for (size_t n = 1; n <= 10000; n++) {
		size_t old = capacity;

		if (rf_grow(&array, &capacity, n, 4) != 0)
			break;
		memset((char *)array + 4 * (n - 1), 1, 4);
		n_moves += old != capacity;
	}
	check(capacity >= 10000, "rf_grow gives the room asked for");
	check(n_moves < 20, "in few steps");
	before = array;
	check_int(rf_grow(&array, &capacity, SIZE_MAX / 2, 4), -1,
	    "rf_grow refuses an overflow");
	check(array == before, "and changes nothing then");
	free(array);
}

static void
check_aligned(void)
{
	static const size_t sizes[] = {0, 1, 63, 65, 4096, 5 << 20};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *memory = rf_alloc_aligned(sizes[i]);

		check(memory != NULL && (uintptr_t)memory % 64 == 0 &&
			is_zero(memory, sizes[i]),
		    "rf_alloc_aligned: 64-byte boundary, zeroed");
		rf_free_aligned(memory);
	}
	rf_free_aligned(NULL);
}

int
main(void)
{
	char *copy = rf_strndup("abcdef", 3);

	check_text(copy == NULL ? "" : copy, "abc", "rf_strndup cuts");
	free(copy);
	copy = rf_strdup("");
	check_text(copy == NULL ? "x" : copy, "", "rf_strdup of nothing");
	free(copy);
	check_product();
	check_grow();
	check_aligned();
	return unit_end();
}
