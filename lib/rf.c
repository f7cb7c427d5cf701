#include "rf.h"

#define STRING_OF(x) #x
#define STRING(x)    STRING_OF(x)

#if defined(__clang__)
# define COMPILER                                                              \
  "clang " STRING(__clang_major__) "." STRING(__clang_minor__) "." STRING(     \
      __clang_patchlevel__)
#elif defined(__GNUC__)
# define COMPILER                                                              \
  "gcc " STRING(__GNUC__) "." STRING(__GNUC_MINOR__) "." STRING(               \
      __GNUC_PATCHLEVEL__)
#else
# define COMPILER "C11"
#endif

const char *
rf_version(void)
{
	return RF_VERSION;
}

const char *
rf_build(void)
{
	return COMPILER ", " RF_BUILD;
}
