/*
 * Packed forests: the .rfb file, one layout for every processor and card.
 *
 *	RF_TRY(rf_pack_write(1, "<stdout>", &forest, err));
 *	RF_TRY(rf_model_load("model.rfb", false, &forest, err));
 *
 * A table of sections, each with its checksum, then the sections at multiples
 * of 64 bytes: arrays over all nodes, so that loading is reading and checking.
 * Every bit of the file is under a checksum or has to be zero.
 * rf-forest(5), Packed file.
 */
#ifndef RF_FOREST_PACK_H
#define RF_FOREST_PACK_H

#include "forest/forest.h"

#define RF_PACK_MAGIC	   "\x89RFB\r\n\x1a\n"
#define RF_PACK_MAGIC_SIZE 8

/*
 * Writes the forest, whose fingerprint is set.  Equal forests, as read from a
 * stream (values that do not apply are 0), give equal bytes.  Sections are
 * written from the trees' own arrays: nothing is copied but statistics, packed.
 */
enum rf_status rf_pack_write(int fd, const char *name,
    const struct rf_forest *forest, struct rf_error *err) RF_MUST_USE;

/*
 * Reads a packed forest: every checksum verified, every tree checked (tree.h).
 * want_stats: gain and cover too, where the file has them, and the fingerprint
 * made anew.  The arrays of the trees lie in out->buffer.
 * RF_ENOINPUT where the file cannot be opened, RF_EDATA with the file's name
 * for anything else than a whole packed forest.  out is empty then.
 */
enum rf_status rf_model_load(const char *path, bool want_stats,
    struct rf_forest *out, struct rf_error *err) RF_MUST_USE;
/* As rf_model_load without statistics, by n_threads threads (0: all processors). */
enum rf_status rf_model_load_parallel(const char *path, int n_threads,
    struct rf_forest *out, struct rf_error *err) RF_MUST_USE;
/* As rf_model_load from an open descriptor, or a source that may be peeked at. */
struct rf_source;
enum rf_status rf_model_load_fd(int fd, const char *name, bool want_stats,
    struct rf_forest *out, struct rf_error *err) RF_MUST_USE;
enum rf_status rf_model_load_source(struct rf_source *source, const char *name,
    bool want_stats, struct rf_forest *out, struct rf_error *err) RF_MUST_USE;
/* The same from memory of rf_alloc_aligned, which is taken over in any case. */
enum rf_status rf_model_load_memory(void *memory, size_t size_bytes,
    const char *name, bool want_stats, struct rf_forest *out,
    struct rf_error *err) RF_MUST_USE;

/*
 * Features, vocabularies, classes and parameters alone, by reading the front
 * of the file; the rest is only known to be as long as it should be.
 */
enum rf_status rf_model_load_header(const char *path,
    struct rf_forest_header *out, struct rf_error *err) RF_MUST_USE;

#endif
