#define _DEFAULT_SOURCE /* madvise */
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

void *
rf_alloc(size_t n, size_t size)
{
	if (size != 0 && n > PTRDIFF_MAX / size)
		return NULL;
	return malloc(n * size == 0 ? 1 : n * size);
}

void *
rf_alloc_zero(size_t n, size_t size)
{
	if (size != 0 && n > PTRDIFF_MAX / size)
		return NULL;
	if (n == 0 || size == 0)
		n = size = 1;
	return calloc(n, size);
}

void *
rf_realloc(void *old, size_t n, size_t size)
{
	if (size != 0 && n > PTRDIFF_MAX / size)
		return NULL;
	return realloc(old, n * size == 0 ? 1 : n * size);
}

int
rf_grow(void **array, size_t *capacity, size_t needed, size_t size)
{
	size_t wanted = *capacity + *capacity / 2;
	void *grown;

	if (needed <= *capacity)
		return 0;
	if (wanted < needed)
		wanted = needed;
	if (wanted < 16)
		wanted = 16;
	grown = rf_realloc(*array, wanted, size);
	if (grown == NULL)
		return -1;
	*array = grown;
	*capacity = wanted;
	return 0;
}

/* Rounds the size up to what is allocated. */
static void *
alloc_large(size_t *size_bytes)
{
	size_t alignment = *size_bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : 64;
	void *memory;

	if (*size_bytes > PTRDIFF_MAX - HUGE_PAGE)
		return NULL;
	*size_bytes = (*size_bytes + alignment - 1) / alignment * alignment;
	if (*size_bytes == 0)
		*size_bytes = alignment;
	memory = aligned_alloc(alignment, *size_bytes);
	if (memory != NULL && alignment == HUGE_PAGE)
		(void)madvise(memory, *size_bytes, MADV_HUGEPAGE);
	return memory;
}

void *
rf_alloc_large(size_t size_bytes)
{
	return alloc_large(&size_bytes);
}

void *
rf_alloc_aligned(size_t size_bytes)
{
	void *memory = alloc_large(&size_bytes);

	if (memory != NULL)
		memset(memory, 0, size_bytes);
	return memory;
}

void
rf_free_aligned(void *memory)
{
	free(memory);
}

char *
rf_strdup(const char *text)
{
	return rf_strndup(text, strlen(text));
}

char *
rf_strndup(const char *text, size_t length)
{
	char *copy = rf_alloc(length + 1, 1);

	if (copy == NULL)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}
