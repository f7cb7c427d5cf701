/* Whether a table is read as libsvm: csv2bin(1), Libsvm. */
#include <string.h>

#include "table/libsvm.h"
#include "table/libsvm_rows.h"

const char *
rf_libsvm_unfit_option(const struct rf_csv_options *options)
{
	const struct {
		bool is_given;
		const char *name;
	} given[] = {{options->label != NULL, "--label"},
	    {options->id != NULL, "--id"},
	    {options->weight != NULL, "--weight"},
	    {options->fold != NULL, "--fold"},
	    {options->columns != NULL, "--columns"},
	    {options->n_types > 0, "--type"}, {options->n_missing > 0, "--na"},
	    {options->only_these_missing, "--only-na"},
	    {options->no_header, "--no-header"}, {options->trim, "--trim"},
	    {options->delimiter != 0, "--delimiter"},
	    {options->point != 0 && options->point != '.', "--decimal"},
	    {options->thousands != 0, "--thousands"},
	    {options->bad_cells != 0, "--bad-cells"},
	    {options->describe, "--describe"},
	    {options->ragged != RF_RAGGED_ERROR, "--ragged"}};

	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++)
		if (given[i].is_given)
			return given[i].name;
	return NULL;
}

/* An option that means libsvm, or NULL. */
static const char *
own_option(const struct rf_csv_options *options)
{
	return options->zero_based		    ? "--zero-based"
	    : options->n_features > 0		    ? "--n-features"
	    : options->layout != RF_LAYOUT_BY_CELLS ? "--layout"
						    : NULL;
}

/* .libsvm, .svm or .svmlight, with .gz or without. */
static bool
is_named_so(const char *name)
{
	static const char *const ends[] = {".libsvm", ".svm", ".svmlight"};
	size_t size = strlen(name), n;

	if (size > 3 && strcmp(name + size - 3, ".gz") == 0)
		size -= 3;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		n = strlen(ends[i]);
		if (size > n && memcmp(name + size - n, ends[i], n) == 0)
			return true;
	}
	return false;
}

bool
rf_libsvm_is_wanted(
    const struct rf_csv_options *options, const struct rf_part *part)
{
	const struct rf_sample *sample = &part->sample;
	const char *other = rf_libsvm_unfit_option(options);

	if (options->format != RF_FORMAT_BY_TEXT)
		return options->format == RF_FORMAT_LIBSVM;
	if (own_option(options) != NULL)
		return true;
	if (!is_named_so(part->name) &&
	    !rf_libsvm_is_form(sample->text + sample->at,
		sample->text + sample->size, !sample->is_whole))
		return false;
	if (other != NULL) {
		rf_note(options->log,
		    "%s: looks like libsvm and is read as CSV for %s: "
		    "--format says which",
		    part->name, other);
		return false;
	}
	rf_note(options->log,
	    "%s: read as libsvm; --format csv reads it as a table", part->name);
	return true;
}
