#include "train/kernels.h"

const struct rf_kernels *
rf_kernels(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("bmi2"))
		return &rf_kernels_avx2;
#endif
	return &rf_kernels_plain;
}
