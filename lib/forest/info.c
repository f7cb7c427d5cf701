#include "forest/info.h"

#include <string.h>

#include "forest/forest_json.h"
#include "forest/forest_read.h"
#include "forest/pack.h"
#include "stream/pipe.h"

void
rf_info_line(struct rf_text *out, const char *key, const char *value)
{
	char quoted[RF_QUOTED_SIZE];

	rf_text_printf(out, "%-15s %s\n", key,
	    rf_text_quote(quoted, value, strlen(value)));
}

void
rf_info_key(struct rf_text *out, const char *key)
{
	bool is_first = out->size == 0 || out->data[out->size - 1] == '{';

	rf_text_puts(out, is_first ? "" : ",");
	rf_forest_json_text(out, key);
	rf_text_puts(out, ":");
}

void
rf_info_json_text(struct rf_text *out, const char *text, size_t size)
{
	char quoted[RF_QUOTED_SIZE];

	if (rf_text_is_utf8(text, size) && memchr(text, 0, size) == NULL)
		rf_forest_json_text(out, text);
	else
		rf_forest_json_text(out, rf_text_quote(quoted, text, size));
}

void
rf_info_json_metadata(
    struct rf_text *out, const char *key, const struct rf_metadata *metadata)
{
	rf_info_key(out, key);
	rf_text_puts(out, "{");
	for (size_t i = 0; i < metadata->n_entries; i++) {
		const struct rf_metadata_entry *entry = &metadata->entries[i];

		rf_info_key(out, entry->key);
		rf_info_json_text(out, entry->value, entry->value_size);
	}
	rf_text_puts(out, "}");
}

static enum rf_status
packed(struct rf_source *source, const char *name, bool json,
    struct rf_text *out, struct rf_error *err)
{
	struct rf_forest forest;

	RF_TRY(rf_model_load_source(source, name, true, &forest, err));
	rf_info_forest(&forest, "packed forest", json, out);
	rf_forest_release(&forest);
	return RF_OK;
}

static enum rf_status
stream(struct rf_source *source, const char *name, bool json,
    const struct rf_log *log, struct rf_text *out, struct rf_error *err)
{
	struct rf_reader_options options = {.log = log, .want_foreign = true};
	struct rf_reader *reader = NULL;
	struct rf_forest forest;
	const char *kind;
	enum rf_status status;

	RF_TRY(rf_reader_open_source(&reader, source, name, &options, err));
	kind = rf_metadata_get(
	    &rf_reader_schema(reader)->metadata, "rf.kind", NULL);
	if (kind != NULL && strcmp(kind, "forest") == 0) {
		status = rf_forest_read(reader, &forest, err);
		if (status == RF_OK) {
			rf_info_forest(&forest, "forest stream", json, out);
			rf_forest_release(&forest);
		}
	} else
		status = rf_info_stream(reader, json, out, err);
	rf_reader_close(reader);
	return status;
}

enum rf_status
rf_info(int fd, const char *name, bool json, const struct rf_log *log,
    struct rf_text *out, struct rf_error *err)
{
	struct rf_source source;
	uint8_t head[RF_PEEK_BYTES];
	size_t got = 0;
	enum rf_status status;

	rf_source_init(&source, fd);
	status = rf_source_peek(&source, head, &got, err);
	if (status != RF_OK)
		return rf_error_prefix(err, status, name);
	if (got >= 4 && memcmp(head, RF_PACK_MAGIC, 4) == 0)
		status = packed(&source, name, json, out, err);
	else
		status = stream(&source, name, json, log, out, err);
	if (status == RF_OK && out->failed)
		status = rf_error_memory(err, out->size, "the text");
	return status;
}
