/*
 * What the metadata of forests and of tallies say in the same words: task,
 * label, classes and unit.
 *
 * Keys and their forms: rf-stream(5).  Every value read is checked; RF_EDATA
 * names its key.
 */
#ifndef RF_FOREST_FOREST_KEYS_H
#define RF_FOREST_FOREST_KEYS_H

#include "base/text.h"
#include "forest/forest.h"

/* "classification"; "text", "int" .. */
const char *rf_task_name(enum rf_task task);
const char *rf_label_type_name(enum rf_label_type type);

/* Sets key to the text, which is released; RF_EDATA where it is not UTF-8. */
enum rf_status rf_key_put_text(struct rf_metadata *metadata, const char *key,
    struct rf_text *text, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_key_put_int(struct rf_metadata *metadata, const char *key,
    int64_t value, struct rf_error *err) RF_MUST_USE;
/* rf.unit, as 0x1p-40. */
enum rf_status rf_key_put_unit(struct rf_metadata *metadata, int exponent,
    struct rf_error *err) RF_MUST_USE;

/* The place of key's value among n names; RF_EDATA where there is none. */
enum rf_status rf_key_get_word(const struct rf_metadata *metadata,
    const char *key, const char *const *names, int n, int *out,
    struct rf_error *err) RF_MUST_USE;
/* text, the value of key, as a whole number from low to high. */
enum rf_status rf_key_get_int(const char *text, const char *key, long long low,
    long long high, int64_t *out, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_key_get_task(const struct rf_metadata *metadata,
    enum rf_task *out, struct rf_error *err) RF_MUST_USE;

struct rf_label {
	char *name; /* NULL: not stated */
	enum rf_label_type type;
	char **classes; /* regression: none */
	int32_t n_classes;
	int unit_exponent; /* regression; else 0 */
};

/*
 * rf.label, rf.label.type, and rf.classes or rf.unit as the task has it.  The
 * name and the classes are the caller's to free, after an error too.
 */
enum rf_status rf_key_get_label(const struct rf_metadata *metadata,
    enum rf_task task, struct rf_label *out, struct rf_error *err) RF_MUST_USE;

#endif
