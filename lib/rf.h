/*
 * librf: random forests as streams.
 *
 *	printf("librf %s\n", rf_version());
 *
 * What stands here is stable within a major version; all other symbols of the
 * library are internal and hidden in librf.so.
 */
#ifndef RF_H
#define RF_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
# define RF_PUBLIC __attribute__((visibility("default")))
#else
# define RF_PUBLIC
#endif

/* "0.1.0"; the library's, which may differ from the header's. */
RF_PUBLIC const char *rf_version(void);

/* How it was built: "gcc 12.2.0, CUDA 13.0, sm 90", "clang 14.0.6, no CUDA". */
RF_PUBLIC const char *rf_build(void);

#ifdef __cplusplus
}
#endif
#endif
