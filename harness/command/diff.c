/* meshspec diff: what changed between two runs. */
#include <errno.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/command/command.h"
#include "harness/diff/diff.h"

enum { DIFF_MARKDOWN = 1 };

static const struct command_option options[] = {
    {"markdown", "FILE", "write the changes as Markdown besides (- for standard output, and nothing else there)",
     DIFF_MARKDOWN, "FILE"},
    {0}};

static bool take_option(void *context, int id, const char *argument, struct error *error) {
    (void)id;
    (void)error;
    *(const char **)context = argument;
    return true;
}

static bool write_buffer(struct buffer *buffer, const char *file, struct error *error) {
    bool standard = strcmp(file, "-") == 0;
    FILE *stream = standard ? stdout : fopen(file, "wb");
    if (stream == NULL) {
        memory_check_errno(file);
    }
    bool written = stream != NULL && fwrite(buffer->bytes, 1, buffer->length, stream) == buffer->length;
    if (stream != NULL) {
        written = (standard ? fflush(stream) : fclose(stream)) == 0 && written;
    }
    buffer_free(buffer);
    return written || error_set(error, ERROR_USAGE, "cannot write %s: %s", standard ? "to standard output" : file,
                                strerror(errno));
}

static bool show(const struct diff *diff, const char *markdown, struct error *error) {
    struct buffer out = {0};
    if (markdown != NULL) {
        diff_markdown(&out, diff);
        if (!write_buffer(&out, markdown, error)) {
            return false;
        }
    }
    if (markdown != NULL && strcmp(markdown, "-") == 0) {
        return true;
    }
    diff_print(&out, diff);
    return write_buffer(&out, "-", error);
}

static enum error_code compare_files(const char *old, const char *young, const char *markdown) {
    struct diff_report before = {0}, after = {0};
    struct error error = {0};
    enum error_code code;
    if (!diff_load(&before, old, &error) || !diff_load(&after, young, &error)) {
        code = command_fail(&error);
    } else {
        struct diff diff = diff_compare(&before, &after);
        code = !show(&diff, markdown, &error) ? command_fail(&error)
               : diff_worse(&diff) > 0        ? ERROR_FAILED
                                              : ERROR_NONE;
        diff_free(&diff);
    }
    diff_report_free(&after);
    diff_report_free(&before);
    return code;
}

static enum error_code run(int count, char **arguments) {
    const char *markdown = NULL;
    struct error error = {0};
    int first;
    enum command_parsed parsed = command_parse(&command_diff, count, arguments, take_option, &markdown, &first, &error);
    if (parsed == COMMAND_DONE) {
        return ERROR_NONE;
    }
    if (parsed == COMMAND_GO_ON && count - first != 2) {
        error_set(&error, ERROR_USAGE, "diff takes two files, OLD.json and NEW.json; see `meshspec diff --help`");
    }
    return error.code != ERROR_NONE ? command_fail(&error)
                                    : compare_files(arguments[first], arguments[first + 1], markdown);
}

const struct command command_diff = {
    .name = "diff",
    .summary = "say what changed between two runs",
    .arguments = "OLD.json NEW.json",
    .description = "Compares two reports that `meshspec run --json` wrote, case by case, and says what is newly "
                   "failing, in error, warned of, skipped\n"
                   "or gone, and what is fixed, new or otherwise changed. A case is known by its scenario and profile; "
                   "the targets may differ.\n"
                   "A report that is cut short is refused.",
    .options = options,
    .exit_status = "0 nothing got worse, 1 something got worse, 2 bad usage or file, 4 a fault of the suite itself",
    .examples = "meshspec diff yesterday.json today.json\n"
                "meshspec diff --markdown \"$GITHUB_STEP_SUMMARY\" main.json branch.json",
    .run = run};
