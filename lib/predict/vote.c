#include "predict/vote.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "predict/decide.h"
#include "predict/tally_merge.h"
#include "stream/slice.h"
#include "stream/arrow_write.h"

/* Batches whose output is larger are cut. */
#define PIECE_BYTES ((size_t)64 << 20)

struct voter {
	const struct rf_vote_options *options;
	struct rf_tally_input *inputs;
	size_t n_inputs;
	struct rf_merge merge;
	struct rf_decider decider;
	struct rf_schema schema;
	struct rf_writer *writer;
	struct rf_column *columns;
	int64_t dictionary_id, most_rows, n_rows;
};

/* One that no column has that goes on. */
static int64_t
free_dictionary_id(const struct rf_schema *schema)
{
	int64_t id = 0;

	for (size_t i = 0; i < schema->n_fields; i++)
		if (schema->fields[i].is_dictionary &&
		    schema->fields[i].dictionary_id == id) {
			id++;
			i = (size_t)-1;
		}
	return id;
}

static enum rf_status
keep_fields(struct voter *voter, struct rf_error *err)
{
	const struct rf_tally_input *lead = voter->merge.inputs[0];
	const struct rf_schema *from = rf_reader_schema(lead->reader);

	for (size_t i = 0; i < lead->n_kept; i++) {
		const struct rf_field *field = &from->fields[lead->kept[i]];
		struct rf_field *added, copy = {0};

		RF_TRY(rf_schema_add(&voter->schema, field->name, field->type,
		    field->nullable, &added, err));
		RF_TRY(rf_field_copy(&copy, field, err));
		rf_field_release(added);
		*added = copy;
	}
	return RF_OK;
}

/* The column that has the truth, by its role; NULL: none. */
static const char *
truth_of(const struct rf_schema *schema)
{
	for (size_t i = 0; i < schema->n_fields; i++)
		if (rf_field_has_role(&schema->fields[i], "label"))
			return schema->fields[i].name;
	return NULL;
}

/* What was said of the tallies and does not hold for what is decided. */
static bool
is_of_tallies(const char *key)
{
	static const char *const keys[] = {"rf.version", "rf.producer",
	    "rf.mode", "rf.vote", "rf.unit", "rf.tree.ranges", "rf.row0"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static enum rf_status
put_partial(struct voter *voter, struct rf_error *err)
{
	const struct rf_merge *merge = &voter->merge;
	size_t n_inputs = merge->is_by_rows ? 1 : merge->n_inputs;
	char text[64];

	if (!merge->is_partial)
		return RF_OK;
	snprintf(text, sizeof(text), "%" PRId64, merge->n_trees);
	rf_note(voter->options->log,
	    "partial: a vote of %" PRId64 " of %" PRId64
	    " trees, from %zu part%s",
	    merge->n_trees, merge->inputs[0]->header.total_trees, n_inputs,
	    RF_PLURAL(n_inputs));
	return rf_metadata_set(
	    &voter->schema.metadata, "rf.partial", text, err);
}

static enum rf_status
make_metadata(struct voter *voter, struct rf_error *err)
{
	const struct rf_metadata *from =
	    &rf_reader_schema(voter->merge.inputs[0]->reader)->metadata;
	struct rf_metadata *to = &voter->schema.metadata;
	const char *truth = truth_of(&voter->schema);

	RF_TRY(rf_metadata_set(to, "rf.kind", "decided", err));
	RF_TRY(put_partial(voter, err));
	if (truth != NULL)
		RF_TRY(rf_metadata_set(to, "rf.truth", truth, err));
	for (size_t i = 0; i < from->n_entries; i++) {
		const struct rf_metadata_entry *entry = &from->entries[i];

		if (!is_of_tallies(entry->key) &&
		    rf_metadata_get(to, entry->key, NULL) == NULL)
			RF_TRY(rf_metadata_set_bytes(to, entry->key,
			    entry->value, entry->value_size, err));
	}
	return RF_OK;
}

static enum rf_status
set_up(struct voter *voter, int fd, const char *name, struct rf_error *err)
{
	const struct rf_vote_options *options = voter->options;
	size_t row_bytes;

	RF_TRY(rf_merge_open(&voter->merge, voter->inputs, voter->n_inputs,
	    options->partial_ok, err));
	RF_TRY(rf_decider_init(&voter->decider, &voter->merge.inputs[0]->header,
	    options->with_probabilities, err));
	RF_TRY(keep_fields(voter, err));
	RF_TRY(make_metadata(voter, err));
	voter->dictionary_id = free_dictionary_id(&voter->schema);
	RF_TRY(rf_decider_fields(&voter->decider,
	    options->prefix == NULL ? "" : options->prefix,
	    voter->dictionary_id, &voter->schema, err));
	voter->columns =
	    rf_alloc_zero(voter->schema.n_fields, sizeof(*voter->columns));
	if (voter->columns == NULL)
		return rf_error_memory(err,
		    voter->schema.n_fields * sizeof(*voter->columns),
		    "columns");
	row_bytes = 8 * (voter->schema.n_fields + 2);
	voter->most_rows = (int64_t)(PIECE_BYTES / row_bytes / 64 * 64);
	if (voter->most_rows < 64)
		voter->most_rows = 64;
	RF_TRY(rf_writer_open(&voter->writer, fd, name, &voter->schema, err));
	return rf_decider_dictionary(
	    &voter->decider, voter->dictionary_id, voter->writer, err);
}

static enum rf_status
write_piece(struct voter *voter, struct rf_error *err)
{
	const struct rf_merge *merge = &voter->merge;
	const struct rf_tally_input *lead = merge->lead;
	struct rf_batch out = {.n_rows = merge->n_rows,
	    .columns = voter->columns,
	    .n_columns = voter->schema.n_fields};

	for (size_t i = 0; i < lead->n_kept; i++)
		voter->columns[i] =
		    rf_column_slice(&lead->batch.columns[lead->kept[i]],
			merge->first, merge->n_rows);
	rf_decider_columns(&voter->decider, voter->schema.fields + lead->n_kept,
	    merge->n_rows, voter->columns + lead->n_kept);
	return rf_writer_batch(voter->writer, &out, err);
}

static enum rf_status
vote_all(struct voter *voter, struct rf_error *err)
{
	for (;;) {
		RF_TRY(rf_merge_next(&voter->merge, voter->most_rows, err));
		if (voter->merge.n_rows == 0)
			return rf_writer_finish(voter->writer, NULL, err);
		RF_TRY(rf_decider_rows(&voter->decider, &voter->merge, err));
		RF_TRY(write_piece(voter, err));
		voter->n_rows += voter->merge.n_rows;
		rf_progress(voter->options->log, "rows", voter->n_rows, 0);
	}
}

static enum rf_status
open_inputs(
    struct voter *voter, struct rf_reader *const *readers, struct rf_error *err)
{
	voter->inputs = rf_alloc_zero(voter->n_inputs, sizeof(*voter->inputs));
	if (voter->inputs == NULL)
		return rf_error_memory(
		    err, voter->n_inputs * sizeof(*voter->inputs), "inputs");
	for (size_t i = 0; i < voter->n_inputs; i++)
		RF_TRY(rf_tally_input_init(&voter->inputs[i], readers[i], err));
	return RF_OK;
}

enum rf_status
rf_vote(struct rf_reader *const *readers, size_t n_readers, int fd,
    const char *name, const struct rf_vote_options *options,
    struct rf_error *err)
{
	struct voter voter = {.options = options, .n_inputs = n_readers};
	enum rf_status status;

	status = open_inputs(&voter, readers, err);
	if (status == RF_OK)
		status = set_up(&voter, fd, name, err);
	if (status == RF_OK)
		status = vote_all(&voter, err);
	if (status == RF_OK && options->verbose)
		rf_note(options->log, "%" PRId64 " row%s, %" PRId64 " tree%s",
		    voter.n_rows, RF_PLURAL(voter.n_rows), voter.merge.n_trees,
		    RF_PLURAL(voter.merge.n_trees));
	rf_writer_free(voter.writer);
	rf_decider_release(&voter.decider);
	rf_merge_release(&voter.merge);
	rf_schema_release(&voter.schema);
	free(voter.columns);
	for (size_t i = 0; voter.inputs != NULL && i < n_readers; i++)
		rf_tally_input_release(&voter.inputs[i]);
	free(voter.inputs);
	return status;
}
