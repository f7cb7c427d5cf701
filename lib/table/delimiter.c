#include <string.h>

#include "base/text.h"
#include "table/csv.h"

enum rf_status
rf_csv_delimiter(const char *text, char *delimiter, struct rf_error *err)
{
	static const struct {
		const char *word;
		char delimiter;
	} words[] = {{"comma", ','}, {"tab", '\t'}, {"\\t", '\t'},
	    {"semicolon", ';'}, {"space", ' '}, {"pipe", '|'}};
	char quoted[RF_QUOTED_SIZE];

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(text, words[i].word) == 0) {
			*delimiter = words[i].delimiter;
			return RF_OK;
		}
	}
	/* None that numbers, quotes or lines are made of. */
	if (text[0] != '\0' && text[1] == '\0' &&
	    strchr("\t !#$%&*,/:;<=>?@\\^_`|~", text[0]) != NULL) {
		*delimiter = text[0];
		return RF_OK;
	}
	return rf_error_set(err, RF_EUSAGE,
	    "--delimiter: '%s' is neither one sign of punctuation nor tab",
	    rf_text_quote(quoted, text, strlen(text)));
}
