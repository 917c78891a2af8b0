#include "harness/command/matrix_play.h"

#include <errno.h>
#include <string.h>

#include "harness/command/command.h"
#include "harness/command/moment.h"
#include "harness/command/needs.h"
#include "harness/command/run_options.h"

/* ---- reading ---- */

static bool add_profiles(struct matrix_side *side, const char *const *profiles, size_t count, struct error *error) {
    for (size_t i = 0; i < count && side->profile_count < COLUMNS_PROFILES_CEILING; i++) {
        const char *profile = run_profile(profiles[i], error);
        if (profile == NULL) {
            return false;
        }
        side->profiles[side->profile_count++] = profile;
    }
    return true;
}

static size_t count_of(const char *const *list) {
    size_t count = 0;
    while (list[count] != NULL) {
        count++;
    }
    return count;
}

/* The entry's own, else the target file's, else the command line's, else the newest. */
static bool choose_profiles(struct matrix_side *side, const struct matrix_play_settings *settings, struct error *error) {
    static const char *const store[] = {PROFILE_STORE}, *const relay[] = {"0.2.0"};
    const struct target_file *file = &side->judged.attachment.file;
    bool is_store = judged_is_store(&side->options);
    if (side->entry->profile_count > 0) {
        return add_profiles(side, side->entry->profiles, side->entry->profile_count, error);
    }
    if (file->profiles[0] != NULL) {
        return add_profiles(side, file->profiles, count_of(file->profiles), error);
    }
    if (settings->profile_count > 0 && !is_store) {
        return add_profiles(side, settings->profiles, settings->profile_count, error);
    }
    return add_profiles(side, is_store ? store : relay, 1, error);
}

bool matrix_side_read(struct matrix_side *side, const struct columns_entry *entry, const struct matrix_play_settings *settings,
                      struct error *error) {
    *side = (struct matrix_side){.entry = entry,
                                 .options = {.target = entry->target != NULL ? entry->target : "memory",
                                             .spawn = entry->spawn,
                                             .provisioner = entry->provisioner,
                                             .store_command = entry->store_command,
                                             .app_id = entry->app_id,
                                             .secret_file = entry->secret_file,
                                             .trust = {.ca = entry->ca, .insecure = entry->insecure}}};
    if (!judged_read(&side->judged, &side->options, error) || !choose_profiles(side, settings, error) ||
        !judged_check_profiles(&side->options, side->profiles, side->profile_count, error)) {
        return error_context(error, "column \"%s\"", entry->name);
    }
    const struct target_file *file = &side->judged.attachment.file;
    side->real_time = entry->real_time || file->real_time;
    side->known_failing = entry->known_failing != NULL ? entry->known_failing : file->known_failing;
    buffer_string(&side->arguments, side->real_time ? " --real-time" : "");
    judged_repeat(&side->arguments, &side->options);
    buffer_consume(&side->arguments, 1);
    return side->known_failing == NULL || known_load(&side->known, side->known_failing, error);
}

/* ---- playing ---- */

struct watching {
    const struct matrix_play_settings *settings;
    const struct matrix_side *side;
};

/* "NAME, TRANSPORT". */
static void print_name(const struct matrix_side *side) {
    const char *transport = side->entry->transport;
    printf("%s%s%s", side->entry->name, transport == NULL ? "" : ", ", transport == NULL ? "" : transport);
}

static void watch(void *context, size_t done, size_t all, const struct scenario *scenario, const struct case_result *result) {
    const struct watching *watching = context;
    if (result == NULL && watching->settings->progress) {
        fputs("\r\033[K", stdout);
        print_name(watching->side);
        printf(" [%zu/%zu] %s", done + 1, all, scenario->name);
        fflush(stdout);
    }
    if (result == NULL) {
        return;
    }
    enum outcome outcome = report_outcome(result, watching->settings->strict);
    if (outcome <= OUTCOME_XPASS) {
        struct buffer reason = {0};
        report_reason(&reason, result);
        printf("%s%s %s@%s: %.*s\n", watching->settings->progress ? "\r\033[K" : "", outcome_name(outcome), scenario->name,
               result->profile, (int)reason.length, reason.bytes == NULL ? "" : reason.bytes);
        buffer_free(&reason);
    }
}

/* Names that outlive the target. */
static void keep_names(struct suite_results *results, const char *name) {
    for (size_t i = 0; i < results->count; i++) {
        results->cases[i].target = name;
    }
}

static void play(struct matrix_side *side, const struct scenario_set *set, const struct matrix_play_settings *settings,
                 struct matrix_run *run) {
    struct suite_settings suite = {.profiles = side->profiles,
                                   .profile_count = side->profile_count,
                                   .only = settings->only,
                                   .clock = moment_clock(),
                                   .seed = settings->seed,
                                   .race_rounds = settings->race_rounds,
                                   .real_time = side->real_time,
                                   .known = side->known_failing == NULL ? NULL : &side->known,
                                   .whole = settings->only == NULL,
                                   .nonce = moment_random() & 0xffffffff};
    struct watching watching = {settings, side};
    run->results = suite_run(set, &side->judged.subject, &suite, settings->quiet ? suite_watch_nothing : watch, &watching);
    keep_names(&run->results, run->head.target);
}

static bool is_chosen(const struct matrix_side *side, const struct scenario_set *set, const char *only) {
    struct suite_settings suite = {.profiles = side->profiles, .profile_count = side->profile_count, .only = only};
    return suite_size(set, &suite) > 0;
}

static void print_end(const struct matrix_side *side, const struct matrix_run *run, bool strict, bool progress) {
    fputs(progress ? "\r\033[K" : "", stdout);
    print_name(side);
    struct buffer line = {0};
    if (run->unavailable != NULL) {
        buffer_format(&line, "not available: %s", run->unavailable);
    } else if (run->results.count == 0) {
        buffer_string(&line, "no case was chosen");
    } else {
        report_verdict(&line, &run->results, strict);
    }
    printf(": %s\n", line.bytes);
    buffer_free(&line);
    fflush(stdout);
}

static void begin_run(const struct matrix_side *side, const struct matrix_play_settings *settings, struct matrix_run *run) {
    const struct columns_entry *entry = side->entry;
    *run = (struct matrix_run){.name = entry->name,
                               .transport = entry->transport != NULL ? entry->transport : "",
                               .profiles = side->profiles,
                               .profile_count = side->profile_count,
                               .of_store = judged_is_store(&side->options),
                               .optional = entry->optional,
                               .head = {.version = MESHSPEC_VERSION,
                                        .target = judged_name(&side->options),
                                        .profiles = side->profiles,
                                        .profile_count = side->profile_count,
                                        .seed = settings->seed,
                                        .started = settings->started,
                                        .strict = settings->strict,
                                        .program = program_invocation_name,
                                        .arguments = side->arguments.bytes == NULL ? "" : side->arguments.bytes}};
}

/* Starts it and plays. False with ERROR_USAGE; `error` is set, too, where it is not there. */
static bool start_and_play(struct matrix_side *side, const struct scenario_set *set, const struct matrix_play_settings *settings,
                           struct matrix_run *run, struct error *error) {
    if (!judged_begin(&side->judged, &side->options, error)) {
        return error->code != ERROR_USAGE;
    }
    struct subject *subject = &side->judged.subject;
    if (subject->reach(subject->context, side->profiles[0], error)) {
        play(side, set, settings, run);
    }
    return true;
}

/* A reason that quotes what a program said may have several lines; it stands in one. */
static const char *one_line(struct arena *arena, const char *text) {
    struct buffer line = {0};
    struct text rest = text_of(text);
    while (rest.length > 0 && (rest.bytes[rest.length - 1] == '\n' || rest.bytes[rest.length - 1] == ' ')) {
        rest.length--;
    }
    for (size_t i = 0; i < rest.length; i++) {
        buffer_append(&line, rest.bytes[i] == '\n' ? " " : &rest.bytes[i], 1);
    }
    const char *kept = arena_copy(arena, line.bytes == NULL ? "" : line.bytes, line.length);
    buffer_free(&line);
    return kept;
}

bool matrix_side_play(struct matrix_side *side, const struct scenario_set *set, const struct matrix_play_settings *settings,
                      struct arena *arena, struct matrix_run *run, struct error *error) {
    begin_run(side, settings, run);
    const char *missing = needs_missing(side->entry->needs);
    bool good = true;
    if (missing != NULL) {
        run->unavailable = arena_format(arena, "it needs %s, which is not there", missing);
    } else if (is_chosen(side, set, settings->only)) {
        struct error why = {0}, end = {0};
        good = start_and_play(side, set, settings, run, &why);
        bool played = run->results.cases != NULL;
        run->unavailable = good && !played ? one_line(arena, why.text) : NULL;
        bool ended = judged_end(&side->judged, &end);
        run->ended_badly = ended || !played ? NULL : one_line(arena, end.text);
        if (!good) {
            *error = why;
        }
    }
    if (good && !settings->quiet) {
        print_end(side, run, settings->strict, settings->progress);
    }
    return good || error_context(error, "column \"%s\"", side->entry->name);
}

void matrix_side_end(struct matrix_side *side) {
    struct error ignored = {0};
    judged_end(&side->judged, &ignored);
    known_free(&side->known);
    buffer_free(&side->arguments);
}
