/*
 * TAP from a plain main: each check is one line "ok N - NAME".
 *
 *	int
 *	main(void)
 *	{
 *		check(rf_shape_is_ok(&shape), "a square is a shape");
 *		check_int(rf_shape_sides(&shape), 4, "it has four sides");
 *		check_text(rf_shape_name(&shape), "square", "and a name");
 *		return unit_end();
 *	}
 */
#ifndef RF_UNIT_H
#define RF_UNIT_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int unit_n, unit_n_failed;

static inline bool
unit_check(bool is_ok, const char *name, const char *file, int line)
{
	printf("%sok %d - %s\n", is_ok ? "" : "not ", ++unit_n, name);
	if (!is_ok) {
		unit_n_failed++;
		printf("# at %s:%d\n", file, line);
	}
	return is_ok;
}

static inline void
unit_skip(const char *name, const char *reason)
{
	printf("ok %d - %s # skip %s\n", ++unit_n, name, reason);
}

static inline int
unit_end(void)
{
	printf("1..%d\n", unit_n);
	return unit_n_failed == 0 && fflush(stdout) == 0 ? 0 : 1;
}

#define check(is_ok, name) unit_check((is_ok), (name), __FILE__, __LINE__)

#define check_int(got, wanted, name)                                           \
 do {                                                                          \
  long long unit_got = (long long)(got);                                       \
  long long unit_wanted = (long long)(wanted);                                 \
  if (!check(unit_got == unit_wanted, name))                                   \
   printf("# got %lld, wanted %lld\n", unit_got, unit_wanted);                 \
 } while (0)

#define check_text(got, wanted, name)                                          \
 do {                                                                          \
  const char *unit_got = (got), *unit_wanted = (wanted);                       \
  if (!check(strcmp(unit_got, unit_wanted) == 0, name))                        \
   printf("# got '%s', wanted '%s'\n", unit_got, unit_wanted);                 \
 } while (0)

#endif
