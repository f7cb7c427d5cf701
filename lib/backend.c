#include "backend.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#ifndef RF_HAVE_CUDA
const struct rf_backend *
rf_backend_cuda(void)
{
	return NULL;
}

void
rf_backend_cuda_describe(struct rf_text *text)
{
	rf_text_puts(text, "cuda: this build has no CUDA\n");
}
#endif

static enum rf_status
open_cuda(const struct rf_backend_options *options,
    const struct rf_backend **backend, struct rf_device **device,
    struct rf_error *err)
{
	*backend = rf_backend_cuda();
	if (*backend == NULL)
		return rf_error_set(err, RF_EUNAVAILABLE,
		    "--device cuda: this build has no CUDA");
	return (*backend)->open(options, device, err);
}

enum rf_status
rf_backend_open(const char *name, bool is_worth_gpu,
    const struct rf_backend_options *options, const struct rf_backend **backend,
    struct rf_device **device, struct rf_error *err)
{
	struct rf_backend_options chosen = *options;
	struct rf_error why = {0};

	*device = NULL;
	chosen.gpu = -1;
	if (strncmp(name, "cuda:", 5) == 0)
		chosen.gpu = (int)strtol(name + 5, NULL, 10);
	if (strncmp(name, "cuda", 4) == 0)
		return open_cuda(&chosen, backend, device, err);
	if (strcmp(name, "auto") == 0 && is_worth_gpu) {
		if (open_cuda(&chosen, backend, device, &why) == RF_OK)
			return RF_OK;
		if (options->verbose)
			rf_note(
			    options->log, "%s; the CPU is used", why.message);
	}
	*backend = rf_backend_cpu();
	return (*backend)->open(&chosen, device, err);
}
