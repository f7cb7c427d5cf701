#include "predict/walk_bytes.h"

/* Rows under way at once: each step waits for two loads, so many rows have to
 * be on their way to keep the core busy; their places fill the registers. */
#define GROUP RF_WALK_LANES
/* Steps between looks at who has arrived; more waste steps on rows that have,
 * fewer cost the look. */
#define STEPS 5

/* Where a row is, and where its codes begin. */
struct lane {
	uint32_t at, codes;
};

#define RF_FLATTEN static inline __attribute__((always_inline))

/* As the compare leaves "code > rank" in the carry, a step is seven
 * instructions where compilers need ten or more. */
RF_FLATTEN void
step(const uint32_t *nodes, const uint8_t *codes, const uint32_t *first,
    uint64_t *at)
{
#if defined(__x86_64__)
	__asm__("movl (%[nodes],%[at],4), %%edx\n\t"
		"movzbl %%dh, %%ecx\n\t"
		"addl %[first], %%ecx\n\t"
		"movl %%edx, %%eax\n\t"
		"shrl $16, %%eax\n\t"
		"cmpb (%[codes],%%rcx), %%dl\n\t"
		"adcq %%rax, %[at]"
		: [at] "+r"(*at)
		: [nodes] "r"(nodes), [codes] "r"(codes), [first] "m"(*first)
		: "rax", "rcx", "rdx", "cc");
#else
	uint32_t word = nodes[*at];

	*at += (word >> 16) +
	    (codes[*first + (uint8_t)(word >> 8)] > (uint8_t)word);
#endif
}

/* STEPS steps of GROUP lanes; of the first n, those under way go to out, whose
 * number is returned.  out may be lanes itself, or lie before it. */
RF_FLATTEN int
walk_group(const struct rf_walk_tree *tree, const struct lane *lanes, int n,
    uint32_t *ends, struct lane *out)
{
	const uint32_t *nodes = tree->nodes;
	uint64_t at[GROUP];
	int n_out = 0;

	for (int i = 0; i < GROUP; i++)
		at[i] = lanes[i].at;
	for (int s = 0; s < STEPS; s++)
		for (int i = 0; i < GROUP; i++)
			step(nodes, tree->codes, &lanes[i].codes, &at[i]);
	for (int i = 0; i < GROUP; i++) {
		uint32_t codes = lanes[i].codes;

		ends[codes * tree->inverse >> 32] = (uint32_t)at[i];
		out[n_out].at = (uint32_t)at[i];
		out[n_out].codes = codes;
		n_out += (i < n) & (nodes[at[i]] > UINT16_MAX);
	}
	return n_out;
}

void
rf_walk_bytes(const struct rf_walk_tree *tree, int n_rows, uint64_t *scratch,
    uint32_t *ends)
{
	struct lane *lanes = (struct lane *)scratch;

	for (int i = 0; i < n_rows; i++)
		lanes[i] = (struct lane){
		    tree->starts[i], (uint32_t)((size_t)i * tree->stride)};
	while (n_rows > 0) {
		int n_out = 0, i;

		for (i = 0; i + GROUP <= n_rows; i += GROUP)
			n_out += walk_group(
			    tree, lanes + i, GROUP, ends, lanes + n_out);
		/* Copies of the last lane fill the last group. */
		for (int k = n_rows; k < i + GROUP && i < n_rows; k++)
			lanes[k] = lanes[n_rows - 1];
		if (i < n_rows)
			n_out += walk_group(
			    tree, lanes + i, n_rows - i, ends, lanes + n_out);
		n_rows = n_out;
	}
}
