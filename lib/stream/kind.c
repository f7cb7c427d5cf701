#include <string.h>

#include "base/text.h"
#include "stream/reader.h"

/* The tools between the stream at hand and the one that is wanted. */
static const char *
hint(const char *kind, const char *wanted)
{
	static const struct {
		const char *kind, *wanted, *hint;
	} hints[] = {
	    {"data", "forest", ": rf-fit first?"},
	    {"data", "prediction", ": rf-predict first?"},
	    {"data", "decided", ": rf-predict and rf-vote first?"},
	    {"prediction", "decided", ": rf-vote first?"},
	};

	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (strcmp(hints[i].kind, kind) == 0 &&
		    strcmp(hints[i].wanted, wanted) == 0)
			return hints[i].hint;
	return "";
}

enum rf_status
rf_stream_check_kind(const struct rf_metadata *metadata, const char *wanted,
    bool want_foreign, struct rf_error *err)
{
	const char *kind = rf_metadata_get(metadata, "rf.kind", NULL);
	char quoted[RF_QUOTED_SIZE];

	if (wanted == NULL)
		return RF_OK;
	if (kind == NULL && !want_foreign)
		return rf_error_set(
		    err, RF_EDATA, "no %s stream: it has no rf.kind", wanted);
	if (kind != NULL && strcmp(kind, wanted) != 0)
		return rf_error_set(err, RF_EDATA,
		    "a %s stream where a %s stream is needed%s",
		    rf_text_quote(quoted, kind, strlen(kind)), wanted,
		    hint(kind, wanted));
	return RF_OK;
}
