/* meshspec compare: two relays, the same random traffic, and what they do differently. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness/command/attach.h"
#include "harness/command/command.h"
#include "harness/compare/compare.h"
#include "harness/compare/traffic.h"

#define COMMAND_LIMIT_MS 10000 /* for one step */
#define WITHOUT_CEILING 16      /* --without; a sort may be named twice */

enum { COMPARE_TARGET = 1, COMPARE_PROFILE, COMPARE_SEED, COMPARE_ROUNDS, COMPARE_STEPS, COMPARE_WITHOUT, COMPARE_OUTPUT };

static const struct command_option options[] = {
    {"target", "TARGET", "a relay: memory, exec:COMMAND, or a target file that names an exec: command; given twice, A and then B", COMPARE_TARGET,
     "memory exec:"},
    {"profile", "VERSION", "the protocol version that both speak: 0.1.0, 0.1.1, 0.2.0 (default) or 0.9", COMPARE_PROFILE, "0.1.0 0.1.1 0.2.0 0.9"},
    {"seed", "NUMBER", "where the random traffic of the first round begins (default 1); round K is what the first one of seed + K - 1 is", COMPARE_SEED, NULL},
    {"rounds", "NUMBER", "lives of the relays, each with other options (default 100)", COMPARE_ROUNDS, NULL},
    {"steps", "NUMBER", "steps of a round (default 60)", COMPARE_STEPS, NULL},
    {"without", "SORT", "leave out a sort of traffic, such as one in which a difference is known: " TRAFFIC_SORTS "; can be repeated",
     COMPARE_WITHOUT, "clock hold hydrate junk policies restart spelling unload"},
    {"output", "FILE", "write the difference as a scenario, which wants of a relay what A said", COMPARE_OUTPUT, "FILE"},
    {0}};

struct compare_options {
    const char *targets[SIDES];
    int target_count;
    const char *profile, *output;
    uint64_t seed, rounds, steps;
    const char *without[WITHOUT_CEILING + 1]; /* ended by NULL */
    size_t without_count;
};

static bool take_profile(struct compare_options *taken, const char *argument, struct error *error) {
    static const char *const profiles[] = {"0.1.0", "0.1.1", "0.2.0", "0.9"};
    taken->profile = argument;
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++)
        if (strcmp(argument, profiles[i]) == 0)
            return true;
    return error_set(error, ERROR_USAGE, "--profile takes 0.1.0, 0.1.1, 0.2.0 or 0.9, not \"%s\"", argument);
}

static bool take_without(struct compare_options *taken, const char *argument, struct error *error) {
    struct traffic_features ignored;
    if (!traffic_leave_out(&ignored, text_of(argument)))
        return error_set(error, ERROR_USAGE, "--without takes " TRAFFIC_SORTS ", not \"%s\"", argument);
    if (taken->without_count == WITHOUT_CEILING)
        return error_set(error, ERROR_USAGE, "--without: it can be given %d times", WITHOUT_CEILING);
    taken->without[taken->without_count++] = argument;
    return true;
}

static bool take_option(void *context, int id, const char *argument, struct error *error) {
    struct compare_options *taken = context;
    switch (id) {
    case COMPARE_TARGET:
        if (taken->target_count == SIDES)
            return error_set(error, ERROR_USAGE, "--target: two relays can be compared, not more");
        taken->targets[taken->target_count++] = argument;
        return true;
    case COMPARE_PROFILE:
        return take_profile(taken, argument, error);
    case COMPARE_SEED:
        return command_number("seed", argument, 0, UINT64_MAX / 2, &taken->seed, error);
    case COMPARE_ROUNDS:
        return command_number("rounds", argument, 1, 100000000, &taken->rounds, error);
    case COMPARE_STEPS:
        return command_number("steps", argument, 1, TRAFFIC_STEPS_CEILING, &taken->steps, error);
    case COMPARE_WITHOUT:
        return take_without(taken, argument, error);
    default:
        taken->output = argument;
        return true;
    }
}

static void show_progress(void *context, size_t round, size_t steps) {
    const struct compare_options *taken = context;
    printf("\r\033[Kround %zu of %llu, %zu steps", round, (unsigned long long)taken->rounds, steps);
    fflush(stdout);
}

/* ---- the outcome --------------------------------------------------------------------------------- */

static bool write_file(const char *file, const struct buffer *text, struct error *error) {
    FILE *stream = fopen(file, "wb");
    bool written = stream != NULL && fwrite(text->bytes, 1, text->length, stream) == text->length;
    if (stream != NULL)
        written = fclose(stream) == 0 && written;
    return written || error_set(error, ERROR_USAGE, "cannot write %s: %s", file, strerror(errno));
}

/* `code` is what is returned when it is written. */
static enum error_code write_scenario(const char *file, const struct compare_result *result, const struct compare_settings *settings, enum error_code code) {
    struct buffer text = {0};
    struct error error = {0};
    bool written = compare_scenario(&text, result, settings, &error) && write_file(file, &text, &error);
    buffer_free(&text);
    if (!written)
        return command_fail(&error);
    printf("  scenario: %s\n", file);
    return code;
}

/* So that a shell takes it as one word. */
static void print_quoted(const char *target) {
    fputs(" --target '", stdout);
    for (; *target != '\0'; target++)
        if (*target == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*target);
    putchar('\'');
}

/* A difference, or what breaks a side. */
static enum error_code tell_found(const struct compare_options *taken, const struct compare_result *result,
                                  const struct compare_settings *settings, enum error_code code) {
    struct buffer out = {0};
    compare_print(&out, result, settings);
    fwrite(out.bytes, 1, out.length, stdout);
    buffer_free(&out);
    printf("  again: meshspec compare");
    for (int side = 0; side < SIDES; side++)
        print_quoted(taken->targets[side]);
    for (size_t i = 0; i < taken->without_count; i++)
        printf(" --without %s", taken->without[i]);
    printf(" --profile %s --seed %llu --rounds 1 --steps %llu\n", taken->profile, (unsigned long long)result->seed, (unsigned long long)taken->steps);
    return taken->output != NULL ? write_scenario(taken->output, result, settings, code) : code;
}

static enum error_code tell(const struct compare_options *taken, struct compare_result *result, const struct compare_settings *settings) {
    enum error_code code = ERROR_NONE;
    if (result->outcome != COMPARE_ALIKE)
        code = result->outcome == COMPARE_UNABLE ? command_fail(&result->error) : ERROR_FAILED;
    if (result->arena != NULL)
        code = tell_found(taken, result, settings, code);
    printf("%zu rounds, %zu steps, %zu events compared", result->rounds, result->steps, result->heard);
    if (result->refused > 0)
        printf("; %zu rounds left out, for a side does not take their options", result->refused);
    puts(result->outcome == COMPARE_ALIKE ? ": no difference" : "");
    return code;
}

static enum error_code compare_targets(const struct compare_options *taken, struct attachment *sides) {
    bool terminal = isatty(STDOUT_FILENO);
    struct compare_settings settings = {
        .play = {.sides = {sides[SIDE_A].target, sides[SIDE_B].target}, .profile = taken->profile, .limit_ms = COMMAND_LIMIT_MS},
        .seed = taken->seed,
        .rounds = taken->rounds,
        .steps = taken->steps,
        .without = taken->without,
        .progress = terminal ? show_progress : NULL,
        .context = (void *)taken};
    struct compare_result result = compare_run(&settings);
    if (terminal)
        fputs("\r\033[K", stdout);
    enum error_code code = tell(taken, &result, &settings);
    compare_free(&result);
    return code;
}

/* ---- the targets --------------------------------------------------------------------------------- */

static bool attach_side(struct attachment *side, const char *name, struct error *error) {
    if (!attach_read(side, name, error))
        return false;
    if (side->file.spawn != NULL || side->file.url != NULL || strncmp(name, "ws://", 5) == 0 || strncmp(name, "wss://", 6) == 0)
        return error_set(error, ERROR_TARGET,
                         "%s is behind a socket, where nobody can say which messages a step caused; compare takes memory and exec:COMMAND", name);
    static const struct trust as_usual = {0};
    return attach(side, name, NULL, &as_usual, error);
}

static enum error_code attach_and_compare(const struct compare_options *taken) {
    struct attachment sides[SIDES] = {0};
    struct error error = {0};
    bool attached = attach_side(&sides[SIDE_A], taken->targets[SIDE_A], &error) && attach_side(&sides[SIDE_B], taken->targets[SIDE_B], &error);
    enum error_code code = attached ? compare_targets(taken, sides) : command_fail(&error);
    for (int side = SIDES - 1; side >= 0; side--)
        if (!detach(&sides[side], &error))
            code = code == ERROR_NONE ? command_fail(&error) : code;
    return code;
}

static enum error_code run(int count, char **arguments) {
    struct compare_options taken = {.profile = "0.2.0", .seed = 1, .rounds = 100, .steps = 60};
    struct error error = {0};
    int first;
    enum command_parsed parsed = command_parse(&command_compare, count, arguments, take_option, &taken, &first, &error);
    if (parsed == COMMAND_DONE)
        return ERROR_NONE;
    if (parsed == COMMAND_GO_ON && first < count)
        error_set(&error, ERROR_USAGE, "compare takes no argument \"%s\"; see `meshspec compare --help`", arguments[first]);
    else if (parsed == COMMAND_GO_ON && taken.target_count < SIDES)
        error_set(&error, ERROR_USAGE, "compare needs --target twice: A and B; see `meshspec compare --help`");
    return error.code != ERROR_NONE ? command_fail(&error) : attach_and_compare(&taken);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "find what two relays do differently",
    .arguments = "",
    .description =
        "Gives two relays the same random traffic, step by step, and compares everything that they let be seen: each connection's stream, what observers\n"
        "saw, answers. What the protocol leaves open is not asked. The first difference ends the run, and so does what\n"
        "breaks a relay; it is made small, printed, and with --output written as a scenario that `meshspec run` plays against either. The same seed gives\n"
        "the same traffic.",
    .options = options,
    .exit_status = "0 no difference, 1 a difference, 2 bad usage, 3 a target could not be judged, 4 a fault of the suite itself",
    .examples = "meshspec compare --target memory --target 'exec:python3 tools/adapters/python-relay/adapter.py'\n"
                "meshspec compare --target memory --target exec:my-adapter --profile 0.1.1 --seed 7 --rounds 1000\n"
                "meshspec compare --target memory --target exec:my-adapter --output difference.yaml && echo no difference\n"
                "meshspec run --target exec:my-adapter difference.yaml\n"
                "meshspec compare --target memory --target 'exec:node tools/adapters/npm-relay/adapter.mjs' --profile 0.9 --without junk",
    .run = run};
