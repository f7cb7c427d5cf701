/*
 * Status codes and error messages.
 *
 * A status is the exit code of the tool that meets it (sysexits(3)).  The
 * message goes into a struct rf_error that the caller owns; it names place and
 * culprit, in one line, without the program's name: cmd/ puts that in front.
 *
 *	struct rf_error err = {0};
 *	if (rf_thing(x, &err) != RF_OK)
 *		fprintf(stderr, "rf-fit: %s\n", err.message);
 */
#ifndef RF_BASE_ERROR_H
#define RF_BASE_ERROR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rf_status {
	RF_OK = 0,
	RF_EUSAGE = 64,	      /* the command line */
	RF_EDATA = 65,	      /* the input's content */
	RF_ENOINPUT = 66,     /* an input cannot be opened */
	RF_EUNAVAILABLE = 69, /* a backend that this build or machine lacks */
	RF_EBUG = 70,	      /* our fault */
	RF_ENOMEM = 71,	      /* out of memory */
	RF_EDEVICE = 71,      /* a device failed */
	RF_ECREATE = 73,      /* an output cannot be created */
	RF_EIO = 74,	      /* reading or writing failed */
};

#define RF_ERROR_SIZE 1024

struct rf_error {
	enum rf_status status;
	char message[RF_ERROR_SIZE];
};

#if defined(__GNUC__)
# define RF_MUST_USE	     __attribute__((warn_unused_result))
# define RF_PRINTF(at, from) __attribute__((format(printf, at, from)))
#else
# define RF_MUST_USE
# define RF_PRINTF(at, from)
#endif

/* Leaves the calling function with the status where it is not RF_OK. */
#define RF_TRY(call)                                                           \
 do {                                                                          \
  enum rf_status rf_try_status = (call);                                       \
  if (rf_try_status != RF_OK)                                                  \
   return rf_try_status;                                                       \
 } while (0)

/*
 * Fills err (NULL allowed) and returns status, so that a caller can write
 * `return rf_error_set(err, RF_EDATA, ...)`.  Too long a message is cut at a
 * whole UTF-8 character and ends in "...".  Control characters become '?'.
 */
enum rf_status rf_error_set(struct rf_error *err, enum rf_status status,
    const char *format, ...) RF_PRINTF(3, 4);

/* Puts `place: ` in front of the message; NULL err allowed. */
enum rf_status rf_error_prefix(
    struct rf_error *err, enum rf_status status, const char *place);

/* RF_ENOMEM with "out of memory (N bytes for WHAT)". */
enum rf_status rf_error_memory(
    struct rf_error *err, size_t size_bytes, const char *what);

#ifdef __cplusplus
}
#endif
#endif
