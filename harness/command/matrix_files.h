/*
 * The files that `meshspec matrix` writes.
 */
#ifndef MESHSPEC_MATRIX_FILES_H
#define MESHSPEC_MATRIX_FILES_H

#include "harness/base/arena.h"
#include "harness/command/output.h"
#include "harness/matrix/matrix.h"

/* Zero-initialise it; set the files and whether reports are wanted. */
struct matrix_files {
    struct output html, markdown;
    bool wants_reports;
    const char *folder; /* of the full reports: "page.reports" beside "page.html"; NULL: there are none */
};

/* Opens the files and makes the folder, before the work. False with ERROR_USAGE; end with matrix_files_close in either case. */
bool matrix_files_open(struct matrix_files *files, struct arena *arena, struct error *error);

/* Writes and closes all that was asked for; sets where the reports are in `matrix`. False with ERROR_USAGE naming the file. */
bool matrix_files_write(struct matrix_files *files, struct matrix *matrix, struct error *error);

/* Closes what is open still. */
void matrix_files_close(struct matrix_files *files);

#endif
