#include "harness/command/matrix_files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/matrix/html.h"
#include "harness/matrix/markdown.h"
#include "harness/report/html.h"

static bool make_folder(struct matrix_files *files, struct arena *arena, struct error *error) {
    if (!files->wants_reports) {
        return true;
    }
    const char *page = files->html.file;
    if (page == NULL || output_is_standard(&files->html)) {
        return error_set(error, ERROR_USAGE, "--reports goes with --html FILE: the reports lie beside that");
    }
    struct text name = text_of(page);
    name.length -= text_ends_with(name, TEXT(".html")) ? strlen(".html") : 0;
    files->folder = arena_format(arena, "%.*s.reports", (int)name.length, name.bytes);
    return mkdir(files->folder, 0777) == 0 || errno == EEXIST ||
           error_set(error, ERROR_USAGE, "cannot make the folder %s: %s", files->folder, strerror(errno));
}

bool matrix_files_open(struct matrix_files *files, struct arena *arena, struct error *error) {
    return make_folder(files, arena, error) && output_open(&files->html, error) && output_open(&files->markdown, error);
}

static bool write_report(const struct matrix_files *files, const struct matrix_run *run, size_t index, struct error *error) {
    struct buffer file = {0}, page = {0};
    matrix_report_file(&file, files->folder, run, index);
    struct output output = {.file = file.bytes};
    html_report(&page, &run->results, &run->head);
    bool written = output_open(&output, error) && output_write(&output, &page, error);
    buffer_free(&page);
    buffer_free(&file);
    return written;
}

static bool write_reports(const struct matrix_files *files, const struct matrix *matrix, struct error *error) {
    for (size_t i = 0; files->folder != NULL && i < matrix->run_count; i++) {
        if (matrix->runs[i].results.count > 0 && !write_report(files, &matrix->runs[i], i, error)) {
            return false;
        }
    }
    return true;
}

bool matrix_files_write(struct matrix_files *files, struct matrix *matrix, struct error *error) {
    const char *slash = files->folder == NULL ? NULL : strrchr(files->folder, '/');
    struct buffer html = {0}, markdown = {0};
    matrix->reports = slash == NULL ? files->folder : slash + 1;
    if (files->html.file != NULL) {
        matrix_html(&html, matrix);
    }
    if (files->markdown.file != NULL) {
        matrix_markdown(&markdown, matrix);
    }
    bool written = output_write(&files->html, &html, error);
    return output_write(&files->markdown, &markdown, error) && written && write_reports(files, matrix, error);
}

void matrix_files_close(struct matrix_files *files) {
    output_close(&files->html);
    output_close(&files->markdown);
}
