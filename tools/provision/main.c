#include "tools/provision/exit_code.h"
#include "tools/provision/options.h"
#include "tools/provision/read_file.h"
#include "tools/provision/report.h"
#include "tools/provision/stdio.h"

#include <curl/curl.h>
#include <stdio.h>
#include <unistd.h>

#define MEMORY_CEILING ((size_t)2 << 30)

/* Writes an answer to standard output. False when it cannot be written. */
static bool write_answer(struct text answer) {
    return fwrite(answer.bytes, 1, answer.length, stdout) == answer.length && fflush(stdout) == 0;
}

/* ---- the command line -------------------------------------------------------------------------- */

static bool read_json_file(struct run *run, const char *path, struct input *input) {
    struct text text = {0};
    return read_file(run, path, &text) && input_scan(run, text_from(path), text, input);
}

/* The secret ends before the line ends that editors put behind it. */
static bool read_secret(struct run *run, const char *path, struct text *secret) {
    if (!read_file(run, path, secret)) return false;
    while (secret->length > 0 && (secret->bytes[secret->length - 1] == '\n' || secret->bytes[secret->length - 1] == '\r'))
        secret->length--;
    return true;
}

static bool read_request(struct run *run, const struct options *options, struct request *request) {
    *request = (struct request){.operation = options->command == COMMAND_STATUS ? OPERATION_STATUS
                                             : options->dry_run                ? OPERATION_DRY_RUN
                                                                               : OPERATION_APPLY,
                                .store = {.base_url = text_from(options->store),
                                          .app_id = text_from(options->app_id),
                                          .connect_milliseconds = options->connect_milliseconds,
                                          .total_milliseconds = options->total_milliseconds,
                                          .max_answer_bytes = options->max_answer_bytes},
                                .literals_first = true};
    return read_json_file(run, options->app_file, &request->app) &&
           (options->permissions_file == NULL || read_json_file(run, options->permissions_file, &request->permissions)) &&
           read_secret(run, options->secret_file, &request->store.secret);
}

/* A problem goes to standard error for people, and for programs to standard output, where they look for the answer. */
static bool write_problem(struct run *run, bool as_json) {
    struct text shown = report_problem_text(run->arena, &run->problem);
    fwrite(shown.bytes, 1, shown.length, stderr);
    return !as_json || write_answer(report_problem_json(run->arena, &run->problem));
}

static int run_command(struct run *run, const struct options *options) {
    bool as_json = options->format == FORMAT_JSON || (options->format == FORMAT_BY_TERMINAL && !isatty(STDOUT_FILENO));
    struct request request = {0};
    struct outcome outcome = {0};
    if (!read_request(run, options, &request) || !operation_run(run, &request, &outcome))
        return write_problem(run, as_json) ? exit_code_of_problem(run->problem.code) : EXIT_CODE_INTERNAL;
    struct text answer = as_json ? report_json(run->arena, &outcome) : report_text(run->arena, &outcome);
    return write_answer(answer) ? exit_code_of_outcome(&outcome, options->detailed_exit_code) : EXIT_CODE_INTERNAL;
}

/* ---- the child process ------------------------------------------------------------------------- */

static int run_stdio(struct run *run, const struct options *options) {
    struct text text = {0};
    struct request request = {0};
    struct outcome outcome = {0};
    bool done = read_stream(run, stdin, "standard input", &text) && stdio_read_request(run, text, options, &request) &&
                operation_run(run, &request, &outcome);
    struct text answer = done ? report_json(run->arena, &outcome) : report_problem_json(run->arena, &run->problem);
    return write_answer(answer) ? 0 : EXIT_CODE_INTERNAL;
}

int main(int count, char **arguments) {
    struct options options = {0};
    if (!options_read(count, arguments, &options)) return EXIT_CODE_USAGE;
    if (options.command == COMMAND_HELP) return fputs(options_help(), stdout) < 0 ? EXIT_CODE_INTERNAL : 0;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        fputs("meshspec-provision: libcurl could not be started\n", stderr);
        return EXIT_CODE_INTERNAL;
    }
    struct run run = {.arena = arena_new(MEMORY_CEILING)};
    int code = options.command == COMMAND_STDIO ? run_stdio(&run, &options) : run_command(&run, &options);
    arena_free(run.arena);
    curl_global_cleanup();
    return code;
}
