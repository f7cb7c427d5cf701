#include <math.h>
#include <string.h>

#include "base/text.h"
#include "train/rows.h"

static void
balance(
    const int64_t *n_of_class, int32_t n_classes, int64_t n_rows, double *out)
{
	for (int32_t c = 0; c < n_classes; c++)
		out[c] = n_of_class[c] == 0 ? 1
					    : (double)n_rows /
			((double)n_classes * (double)n_of_class[c]);
}

static int32_t
find_class(const struct rf_answers *labels, const char *name, size_t size)
{
	for (int32_t c = 0; c < labels->n_classes; c++)
		if (strlen(labels->classes[c]) == size &&
		    memcmp(labels->classes[c], name, size) == 0)
			return c;
	return -1;
}

/* One NAME=W; the name ends at the last '='.  Negative weights of out are those
 * of classes that were not named. */
static enum rf_status
set_one(const struct rf_answers *labels, const char *text, size_t size,
    double *out, struct rf_error *err)
{
	char quoted[RF_QUOTED_SIZE], number[64];
	size_t at = size, length;
	int32_t c;

	while (at > 0 && text[at - 1] != '=')
		at--;
	length = size - at;
	if (at == 0 || length == 0 || length >= sizeof(number))
		return rf_error_set(err, RF_EUSAGE,
		    "--class-weight: '%s' is not NAME=WEIGHT",
		    rf_text_quote(quoted, text, size));
	memcpy(number, text + at, length);
	number[length] = '\0';
	c = find_class(labels, text, at - 1);
	if (c < 0)
		return rf_error_set(err, RF_EUSAGE,
		    "--class-weight: no class '%s'",
		    rf_text_quote(quoted, text, at - 1));
	if (out[c] >= 0)
		return rf_error_set(err, RF_EUSAGE,
		    "--class-weight: '%s' is named twice",
		    rf_text_quote(quoted, text, at - 1));
	return rf_text_to_double(
	    number, 0, 0x1p500, "--class-weight", &out[c], err);
}

enum rf_status
rf_class_weights(const char *text, const struct rf_answers *labels,
    const int64_t *n_of_class, int64_t n_rows, double *out,
    struct rf_error *err)
{
	if (strcmp(text, "balanced") == 0) {
		balance(n_of_class, labels->n_classes, n_rows, out);
		return RF_OK;
	}
	for (int32_t c = 0; c < labels->n_classes; c++)
		out[c] = -1;
	for (;;) {
		size_t size = strcspn(text, ",");

		RF_TRY(set_one(labels, text, size, out, err));
		if (text[size] == '\0')
			break;
		text += size + 1;
	}
	for (int32_t c = 0; c < labels->n_classes; c++)
		if (out[c] < 0)
			out[c] = 1;
	return RF_OK;
}
