/*
 * Allocation with the product checked.
 *
 * NULL means that the product overflows or memory is out; of 0 elements a
 * pointer that can be freed comes back.  What is got here is given back with
 * free(), but for rf_alloc_aligned and rf_alloc_large (rf_free_aligned).
 */
#ifndef RF_BASE_ALLOC_H
#define RF_BASE_ALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *rf_alloc(size_t n, size_t size);
void *rf_alloc_zero(size_t n, size_t size);

/* Keeps old valid, and the caller's, where it returns NULL. */
void *rf_realloc(void *old, size_t n, size_t size);

/*
 * Room for at least `needed` elements in *array, which has *capacity: grows by
 * half or more.  Returns 0, or -1 with nothing changed.
 */
int rf_grow(void **array, size_t *capacity, size_t needed, size_t size);

/* Zeroed, at a 64-byte boundary; huge pages are asked for from 4 MiB on. */
void *rf_alloc_aligned(size_t size_bytes);
/* The same, not zeroed: pages come when they are written to, by whichever
 * thread does so. */
void *rf_alloc_large(size_t size_bytes);
void rf_free_aligned(void *memory); /* of both */

char *rf_strdup(const char *text);
char *rf_strndup(const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
