/*
 * What csv2bin takes over from a model, so that new data come as the model's
 * own did: names, types, vocabularies, missing words, task and label.
 *
 * Plain views; whoever fills the struct keeps what it points to.
 */
#ifndef RF_TABLE_LIKE_H
#define RF_TABLE_LIKE_H

#include "stream/batch.h"
#include "stream/convert.h"

struct rf_like_feature {
	const char *name;
	enum rf_feature_kind kind;
	enum rf_precision precision;
	/* What the model's own column was: "date32", "timestamp[us]";
	 * NULL: not said. */
	const char *origin;
	const struct rf_bytes *words; /* the vocabulary, in order of codes */
	size_t n_words;
};

struct rf_like {
	const struct rf_like_feature *features;
	size_t n_features;
	const char *label; /* NULL: not known */
	const char *task;  /* "classification", "regression" or NULL */
	/* Text classes; int64, bool: no words; regression: float64 or int64. */
	enum rf_type label_type;
	const struct rf_bytes *classes;
	size_t n_classes;
	/* Metadata rf.na of the data: a JSON array of texts; NULL: the words
	 * that csv2bin takes by itself. */
	const char *missing_words;
};

#endif
