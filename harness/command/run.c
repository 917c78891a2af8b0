/* meshspec run: judge a target. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/command/command.h"
#include "harness/command/judged.h"
#include "harness/command/load.h"
#include "harness/command/moment.h"
#include "harness/command/run_options.h"
#include "harness/report/console.h"
#include "harness/run/suite.h"

/* ---- while it runs ---- */

struct watching {
    struct console_style style;
    bool progress; /* standard output is a terminal: the case at hand is shown on a line of its own */
};

static void print_buffer(struct buffer *buffer) {
    fwrite(buffer->bytes == NULL ? "" : buffer->bytes, 1, buffer->length, stdout);
    buffer_free(buffer);
}

static void watch(void *context, size_t done, size_t all, const struct scenario *scenario, const struct case_result *result) {
    struct watching *watching = context;
    if (result == NULL) {
        if (watching->progress) {
            printf("\r\033[K[%zu/%zu] %s", done + 1, all, scenario->name);
            fflush(stdout);
        }
        return;
    }
    if (watching->progress) {
        fputs("\r\033[K", stdout);
    }
    struct buffer out = {0};
    console_case(&out, result, &watching->style);
    print_buffer(&out);
}

/* What the line that repeats a case needs besides the profile and the file. */
static void repeat_arguments(struct buffer *out, const struct run_options *options) {
    buffer_string(out, options->real_time ? " --real-time" : "");
    if (options->race_rounds != CASE_RACE_ROUNDS) {
        buffer_format(out, " --race-rounds %u", options->race_rounds);
    }
    judged_repeat(out, &options->judged);
    buffer_consume(out, 1);
}

static struct suite_settings settings_of(const struct run_options *options, struct known *known) {
    return (struct suite_settings){.profiles = options->profiles,
                                   .profile_count = options->profile_count,
                                   .only = options->only,
                                   .clock = moment_clock(),
                                   .seed = options->has_seed ? options->seed : moment_seed(),
                                   .race_rounds = options->race_rounds,
                                   .real_time = options->real_time,
                                   .rerun = options->rerun,
                                   .known = options->known == NULL ? NULL : known,
                                   .whole = options->whole && options->only == NULL,
                                   .nonce = moment_random() & 0xffffffff};
}

/* Plays, prints and writes the reports that were asked for. */
static enum error_code report_on(struct run_options *options, const struct scenario_set *set, const struct subject *subject,
                                 const struct suite_settings *settings, const struct report_head *head) {
    bool quiet = reports_fill_stdout(&options->reports), terminal = isatty(STDOUT_FILENO);
    struct watching watching = {
        .style = {.colour = strcmp(options->colour, "always") == 0 || (terminal && strcmp(options->colour, "auto") == 0),
                  .strict = options->strict,
                  .program = head->program,
                  .arguments = head->arguments},
        .progress = terminal && !quiet};
    struct suite_results results = suite_run(set, subject, settings, quiet ? suite_watch_nothing : watch, &watching);
    if (!quiet) {
        struct buffer out = {0};
        console_summary(&out, &results, &watching.style);
        print_buffer(&out);
    }
    struct error error = {0};
    enum error_code code = reports_write(&options->reports, &results, head, &error) ? suite_exit(&results, options->strict)
                                                                                   : command_fail(&error);
    suite_results_free(&results);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        error_set(&error, ERROR_INTERNAL, "cannot write to standard output");
        return command_fail(&error);
    }
    return code;
}

static enum error_code judge(struct run_options *options, const struct scenario_set *set, struct known *known, const struct subject *subject) {
    struct suite_settings settings = settings_of(options, known);
    struct error error = {0};
    if (suite_size(set, &settings) == 0) {
        error_set(&error, ERROR_USAGE, "no scenario matches --only and --profile");
        return command_fail(&error);
    }
    if (!reports_open(&options->reports, &error)) {
        return command_fail(&error);
    }
    struct buffer arguments = {0};
    repeat_arguments(&arguments, options);
    char started[MOMENT_CAPACITY];
    moment_print(started);
    struct report_head head = {.version = MESHSPEC_VERSION,
                               .target = judged_name(&options->judged),
                               .profiles = options->profiles,
                               .profile_count = options->profile_count,
                               .seed = settings.seed,
                               .started = started,
                               .strict = options->strict,
                               .program = program_invocation_name,
                               .arguments = arguments.bytes};
    enum error_code code = report_on(options, set, subject, &settings, &head);
    buffer_free(&arguments);
    return code;
}

static enum error_code judge_with_known(struct run_options *options, const struct scenario_set *set, struct judged *judged) {
    struct error error = {0};
    struct known known = {0};
    if (options->known != NULL && !known_load(&known, options->known, &error)) {
        return command_fail(&error);
    }
    enum error_code code = judged_begin(judged, &options->judged, &error) ? judge(options, set, &known, &judged->subject)
                                                                          : command_fail(&error);
    known_free(&known);
    return code;
}

static enum error_code load_and_judge(struct run_options *options, char **paths, int count, struct judged *judged) {
    struct scenario_set set;
    struct error error = {0};
    options->whole = count == 0;
    if (!load_scenarios(&set, paths, count, &error)) {
        return command_fail(&error);
    }
    enum error_code code = judge_with_known(options, &set, judged);
    scenario_set_free(&set);
    return code;
}

/* What the command line leaves open is as the target file says. */
static void complete(struct run_options *options, const struct target_file *file) {
    bool chosen = options->profile_count > 0;
    for (size_t i = 0; !chosen && file->profiles[i] != NULL; i++) {
        options->profiles[options->profile_count++] = file->profiles[i];
    }
    if (options->profile_count == 0) {
        options->profiles[options->profile_count++] = judged_is_store(&options->judged) ? PROFILE_STORE : "0.2.0";
    }
    options->known = options->known != NULL ? options->known : file->known_failing;
    options->real_time = options->real_time || file->real_time;
}

static enum error_code run(int count, char **arguments) {
    struct run_options options = {.judged = {.target = "memory"}, .race_rounds = CASE_RACE_ROUNDS, .colour = "auto"};
    struct judged judged = {0};
    struct error error = {0};
    int first;
    enum command_parsed parsed = command_parse(&command_run, count, arguments, run_option_take, &options, &first, &error);
    if (parsed != COMMAND_GO_ON) {
        return parsed == COMMAND_DONE ? ERROR_NONE : command_fail(&error);
    }
    enum error_code code;
    if (judged_read(&judged, &options.judged, &error)) {
        complete(&options, &judged.attachment.file);
        code = judged_check_profiles(&options.judged, options.profiles, options.profile_count, &error)
                   ? load_and_judge(&options, arguments + first, count - first, &judged)
                   : command_fail(&error);
    } else {
        code = command_fail(&error);
    }
    if (!judged_end(&judged, &error)) {
        enum error_code ended = command_fail(&error);
        code = code == ERROR_NONE ? ended : code;
    }
    return code;
}

const struct command command_run = {
    .name = "run",
    .summary = "play scenarios against a target and judge it",
    .arguments = "[PATH…]",
    .description = "Plays scenarios against a target and says what the target does right and wrong. PATH is a scenario file or a folder of\n"
                   "them; without one, all scenarios are played.",
    .options = run_option_list,
    .exit_status = "0 all as expected, 1 some case failed, 2 bad usage or scenario, 3 the target could not be judged,\n"
                   "4 a fault of the suite itself",
    .examples = "meshspec run\n"
                "meshspec run --target ws://127.0.0.1:8080/relay\n"
                "meshspec run --spawn 'my-relay --port 0'\n"
                "meshspec run --target my-relay.yaml --html report.html\n"
                "meshspec run --target store --provisioner 'node tools/adapters/node-provisioner/provisioner.mjs'\n"
                "meshspec run --only 'eject/*' --strict\n"
                "meshspec run scenarios/join/delta-at-the-floor-of-the-journal.yaml",
    .run = run};
