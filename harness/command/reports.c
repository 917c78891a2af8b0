#include "harness/command/reports.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/memory.h"
#include "harness/command/output.h"
#include "harness/report/html.h"
#include "harness/report/json_report.h"
#include "harness/report/junit.h"
#include "harness/report/markdown.h"
#include "harness/report/tap.h"

typedef void report_writer(struct buffer *out, const struct suite_results *results, const struct report_head *head);

static report_writer *const writers[REPORTS_COUNT] = {[REPORTS_JSON - REPORTS_JSON] = json_report,
                                                      [REPORTS_JUNIT - REPORTS_JSON] = junit_report,
                                                      [REPORTS_TAP - REPORTS_JSON] = tap_report,
                                                      [REPORTS_MARKDOWN - REPORTS_JSON] = markdown_report,
                                                      [REPORTS_HTML - REPORTS_JSON] = html_report};

static bool is_stdout(const char *file) {
    return file != NULL && strcmp(file, "-") == 0;
}

static bool same_file(const char *file, const char *other) {
    struct stat a, b;
    bool there = stat(file, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode);
    return strcmp(file, other) == 0 || (there && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static bool check_name(const struct reports *reports, const char *file, struct error *error) {
    if (!output_check_name(file, error)) {
        return false;
    }
    for (size_t i = 0; i < REPORTS_COUNT; i++) {
        if (reports->files[i] != NULL && !is_stdout(file) && same_file(file, reports->files[i])) {
            return error_set(error, ERROR_USAGE, "%s: two reports cannot be written into one file", file);
        }
    }
    return true;
}

bool reports_take(struct reports *reports, int id, const char *file, struct error *error) {
    if (!check_name(reports, file, error)) {
        return false;
    }
    if (is_stdout(file) && reports_fill_stdout(reports)) {
        return error_set(error, ERROR_USAGE, "only one report can go to standard output");
    }
    reports->files[id - REPORTS_JSON] = file;
    return true;
}

bool reports_fill_stdout(const struct reports *reports) {
    for (size_t i = 0; i < REPORTS_COUNT; i++) {
        if (is_stdout(reports->files[i])) {
            return true;
        }
    }
    return false;
}

static bool close_stream(FILE **stream) {
    FILE *closing = *stream;
    *stream = NULL;
    return closing == NULL || (closing == stdout ? fflush(closing) : fclose(closing)) == 0;
}

static void close_all(struct reports *reports) {
    for (size_t i = 0; i < REPORTS_COUNT; i++) {
        close_stream(&reports->streams[i]);
    }
}

bool reports_open(struct reports *reports, struct error *error) {
    for (size_t i = 0; i < REPORTS_COUNT; i++) {
        const char *file = reports->files[i];
        if (file == NULL) {
            continue;
        }
        reports->streams[i] = is_stdout(file) ? stdout : fopen(file, "wb");
        if (reports->streams[i] == NULL) {
            memory_check_errno(file);
            error_set(error, ERROR_USAGE, "cannot write %s: %s", file, strerror(errno));
            close_all(reports);
            return false;
        }
    }
    return true;
}

static bool write_one(struct reports *reports, size_t index, const struct suite_results *results,
                      const struct report_head *head, struct error *error) {
    struct buffer out = {0};
    writers[index](&out, results, head);
    bool complete = !out.overflowed;
    errno = 0;
    bool written = complete && fwrite(out.bytes, 1, out.length, reports->streams[index]) == out.length;
    written = close_stream(&reports->streams[index]) && written;
    buffer_free(&out);
    return written || error_set(error, ERROR_USAGE, "cannot write %s: %s", reports->files[index],
                                complete ? strerror(errno) : "the report has outgrown its ceiling");
}

bool reports_write(struct reports *reports, const struct suite_results *results, const struct report_head *head,
                   struct error *error) {
    for (size_t i = 0; i < REPORTS_COUNT; i++) {
        if (reports->streams[i] != NULL && !write_one(reports, i, results, head, error)) {
            close_all(reports);
            return false;
        }
    }
    return true;
}
