#include <omp.h>
#include <string.h>

#include "backend.h"
#include "forest/forest_json.h"
#include "forest/info.h"
#include "rf.h"

/* The vector instructions that lib/ has its own code for. */
static const char *
instructions(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vbmi"))
		return "AVX-512";
	if (__builtin_cpu_supports("avx2"))
		return "AVX2";
#endif
	return "no vector instructions of its own";
}

/* What --device auto would use for work that is worth a card, and why. */
static void
put_choice(struct rf_text *out)
{
	struct rf_backend_options options = {.n_threads = 1, .gpu = -1};
	const struct rf_backend *backend = rf_backend_cuda();
	struct rf_device *device = NULL;
	struct rf_error why = {0};

	if (backend == NULL) {
		rf_text_puts(
		    out, "would use: the CPU, as this build has no CUDA\n");
		return;
	}
	if (backend->open(&options, &device, &why) != RF_OK) {
		rf_text_printf(out, "would use: the CPU, as %s\n", why.message);
		return;
	}
	backend->close(device);
	rf_text_puts(out,
	    "would use: the card where the work is worth its start, else the "
	    "CPU\n");
}

static void
put_lines(struct rf_text *out)
{
	rf_text_printf(out, "build: %s %s\n", rf_version(), rf_build());
	rf_text_printf(
	    out, "cpu: %d threads, %s\n", omp_get_num_procs(), instructions());
	rf_backend_cuda_describe(out);
	put_choice(out);
}

/* Lines "key: value" as an object of arrays, keys in the order of the lines:
 * several lines of one key follow each other. */
static void
put_object(struct rf_text *out, char *lines)
{
	char *rest = lines, *line;
	const char *key = "";

	rf_text_puts(out, "{");
	while ((line = rest) != NULL && *line != '\0') {
		char *colon;

		rest = strchr(line, '\n');
		if (rest != NULL)
			*rest++ = '\0';
		colon = strstr(line, ": ");
		if (colon == NULL)
			continue;
		*colon = '\0';
		if (strcmp(key, line) == 0) {
			rf_text_puts(out, ",");
		} else {
			rf_text_puts(out, *key == '\0' ? "" : "]");
			rf_info_key(out, line);
			rf_text_puts(out, "[");
		}
		key = line;
		rf_info_json_text(out, colon + 2, strlen(colon + 2));
	}
	rf_text_puts(out, *key == '\0' ? "}\n" : "]}\n");
}

void
rf_info_devices(bool json, struct rf_text *out)
{
	struct rf_text lines = {0};

	put_lines(&lines);
	if (!json)
		rf_text_append(out, lines.data, lines.size);
	else if (lines.data != NULL)
		put_object(out, lines.data);
	out->failed |= lines.failed;
	rf_text_release(&lines);
}
