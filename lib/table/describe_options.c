#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "table/describe.h"

/* A word of sh(1), in single quotes where it needs them. */
static void
put_word(struct rf_text *out, const char *text, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./:=,+@%";
	size_t n = 0;

	while (n < size && text[n] != '\0' && strchr(plain, text[n]) != NULL)
		n++;
	if (n == size && size > 0) {
		rf_text_append(out, text, size);
		return;
	}
	rf_text_puts(out, "'");
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\'')
			rf_text_puts(out, "'\\''");
		else
			rf_text_append(out, &text[i], 1);
	}
	rf_text_puts(out, "'");
}

/* Nothing where value is NULL. */
static void
put_option(struct rf_text *out, const char *option, const char *value)
{
	if (value == NULL)
		return;
	rf_text_printf(out, " --%s ", option);
	put_word(out, value, strlen(value));
}

static void
put_sign(struct rf_text *out, const char *option, char sign)
{
	if (sign != 0)
		put_option(out, option, (char[2]){sign, '\0'});
}

static void
put_delimiter(struct rf_text *out, const struct rf_dialect *dialect)
{
	if (dialect->has_runs)
		put_option(out, "delimiter", "spaces");
	else if (dialect->delimiter == '\t')
		put_option(out, "delimiter", "tab");
	else if (dialect->delimiter == ' ')
		put_option(out, "delimiter", "space");
	else
		put_sign(out, "delimiter", dialect->delimiter);
}

/* How the table is written. */
static void
put_text(struct rf_text *out, const struct rf_plan *plan,
    const struct rf_csv_options *options)
{
	static const char *const encodings[] = {[RF_ENCODING_UTF8] = "utf-8",
	    [RF_ENCODING_UTF16] = "utf-16",
	    [RF_ENCODING_UTF16LE] = "utf-16le",
	    [RF_ENCODING_UTF16BE] = "utf-16be",
	    [RF_ENCODING_LATIN1] = "latin1",
	    [RF_ENCODING_WINDOWS1252] = "windows-1252"};
	static const char *const ragged[] = {
	    [RF_RAGGED_PAD] = "pad", [RF_RAGGED_DROP] = "drop"};

	if (options->format == RF_FORMAT_CSV)
		put_option(out, "format", "csv");
	put_delimiter(out, &plan->dialect);
	put_option(out, "encoding", encodings[options->encoding]);
	put_sign(out, "decimal", options->point);
	put_sign(out, "thousands", options->thousands);
	if (options->no_header)
		rf_text_puts(out, " --no-header");
	if (options->trim)
		rf_text_puts(out, " --trim");
	if (options->skip_lines > 0)
		rf_text_printf(
		    out, " --skip-lines %" PRId64, options->skip_lines);
	if (options->only_these_missing)
		rf_text_puts(out, " --only-na");
	for (size_t i = 0; i < options->n_missing; i++)
		put_option(out, "na", options->missing[i]);
	if (options->ragged != RF_RAGGED_ERROR)
		put_option(out, "ragged", ragged[options->ragged]);
	if (options->bad_cells == RF_BAD_CELLS_MISSING)
		put_option(out, "bad-cells", "missing");
}

/* The types of all columns that are sent. */
static void
put_types(struct rf_text *out, const struct rf_plan *plan)
{
	struct rf_text word = {0};

	for (size_t c = 0; c < plan->n_columns; c++) {
		const struct rf_plan_column *column = &plan->columns[c];
		struct rf_bytes name = rf_plan_name(plan, c);

		if (column->cells == RF_CELLS_SKIP)
			continue;
		rf_text_clear(&word);
		rf_text_append(&word, name.data, (size_t)name.size);
		/* A line end would make two lines of one; few names are
		 * numbers. */
		for (int64_t i = 0; i < name.size; i++) {
			if (name.data[i] >= ' ')
				continue;
			rf_text_clear(&word);
			rf_text_printf(&word, "%zu", c + 1);
			break;
		}
		rf_text_printf(&word, "=%s", rf_plan_type_name(column));
		out->failed |= word.failed;
		if (!word.failed)
			put_option(out, "type", word.data);
	}
	rf_text_release(&word);
}

void
rf_describe_options(struct rf_text *out, const struct rf_plan *plan,
    const struct rf_csv_options *options)
{
	put_text(out, plan, options);
	put_option(out, "label", options->label);
	put_option(out, "task",
	    options->like == NULL && options->label != NULL ? plan->task
							    : options->task);
	put_option(out, "id", options->id);
	put_option(out, "weight", options->weight);
	put_option(out, "fold", options->fold);
	put_option(out, "columns", options->columns);
	if (options->has_row0)
		rf_text_printf(out, " --row0 %" PRId64, options->row0);
	/* A model says the types, and more than they do. */
	put_option(out, "like", options->like_name);
	if (options->like == NULL)
		put_types(out, plan);
	for (size_t i = 0; options->like != NULL && i < options->n_types; i++)
		put_option(out, "type", options->types[i]);
}
