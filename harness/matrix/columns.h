/*
 * What stands side by side: a file of columns (YAML, fixtures/schemas/matrix.json), and columns from the command line.
 */
#ifndef MESHSPEC_MATRIX_COLUMNS_H
#define MESHSPEC_MATRIX_COLUMNS_H

#include "harness/base/arena.h"
#include "harness/base/error.h"

#define COLUMNS_FILE_CEILING ((size_t)1 << 20) /* bytes */
#define COLUMNS_CEILING 64                     /* entries; each gives a column for each of its profiles */
#define COLUMNS_PROFILES_CEILING 8             /* of one entry */
#define COLUMNS_NEEDS_CEILING 8                /* of one entry */

/* NULL: not said. */
struct columns_entry {
    const char *name, *transport;
    const char *target, *spawn, *provisioner, *store_command, *app_id, *secret_file; /* as the options of `meshspec run` */
    const char *profiles[COLUMNS_PROFILES_CEILING + 1]; /* ended by NULL */
    size_t profile_count;
    const char *ca;                                   /* as --ca; a path that can be opened from here */
    const char *known_failing;                        /* a path that can be opened from here */
    const char *needs[COLUMNS_NEEDS_CEILING + 1];     /* programs and, with a slash, files without which it is not available; ended by NULL */
    bool optional, real_time, insecure;
};

struct columns {
    struct arena *arena; /* owns all of it */
    const char *title;   /* NULL: no file says one */
    struct columns_entry entries[COLUMNS_CEILING];
    size_t count;
};

void columns_begin(struct columns *columns);

/* Adds the entries of a file. `home` is the folder that holds fixtures/. False with ERROR_USAGE "FILE:LINE:COLUMN: …". */
bool columns_read(struct columns *columns, const char *path, const char *home, struct error *error);

/*
 * Adds one from the command line: "NAME[@PROFILE,…]=TARGET", where TARGET is as for --target of `meshspec run`, or
 * "spawn:COMMAND". False with ERROR_USAGE.
 */
bool columns_add(struct columns *columns, const char *argument, struct error *error);

void columns_end(struct columns *columns);

#endif
