/* meshspec replay: hold a target against what a published relay did. */
#include "harness/command/command.h"
#include "harness/replay/replay.h"

#define COMMAND_LIMIT_MS 10000 /* for one recorded step */

enum { REPLAY_TARGET = 1 };

static const struct command_option options[] = {
    {"target", "TARGET", "what is held against the recording: memory or exec:COMMAND (default: memory)", REPLAY_TARGET, "memory exec:"},
    {0}};

static bool take_option(void *context, int id, const char *argument, struct error *error) {
    (void)id;
    (void)error;
    *(const char **)context = argument;
    return true;
}

static void print_line(void *context, const char *line) {
    (void)context;
    printf("%s\n", line);
}

static enum error_code exit_of(const struct replay_summary *summary) {
    if (summary->different > 0) {
        return ERROR_FAILED;
    }
    return summary->broken > 0 || summary->alike == 0 ? ERROR_TARGET : ERROR_NONE;
}

static enum error_code replay_one(struct target *target, const char *file) {
    struct replay_summary summary = {0};
    struct error error = {0};
    if (!replay_file(target, file, COMMAND_LIMIT_MS, &summary, print_line, NULL, &error)) {
        return command_fail(&error);
    }
    printf("%s: %zu sessions, %zu alike, %zu different, %zu skipped, %zu broken; %zu steps, %zu events compared\n", file,
           summary.sessions, summary.alike, summary.different, summary.skipped, summary.broken, summary.steps, summary.events);
    return exit_of(&summary);
}

static enum error_code replay(int count, char **arguments) {
    const char *name = "memory";
    struct error error = {0};
    int first;
    enum command_parsed parsed = command_parse(&command_replay, count, arguments, take_option, &name, &first, &error);
    if (parsed == COMMAND_DONE) {
        return ERROR_NONE;
    }
    if (parsed == COMMAND_GO_ON && first == count) {
        error_set(&error, ERROR_USAGE, "replay: which FILE? See `meshspec replay --help`");
    }
    struct target *target = error.code == ERROR_NONE ? target_new(name, &error) : NULL;
    if (target == NULL) {
        return command_fail(&error);
    }
    enum error_code worst = ERROR_NONE;
    for (int i = first; i < count; i++) {
        enum error_code code = replay_one(target, arguments[i]);
        worst = worst == ERROR_NONE ? code : worst;
    }
    target->table->free(target);
    return worst;
}

const struct command command_replay = {
    .name = "replay",
    .summary = "hold a target against a recording of a published relay",
    .arguments = "FILE…",
    .description = "Gives a target the inputs of a recorded session and compares everything that it does with what the published relay did, as far as a\n"
                   "network could see it: each connection's stream, what each observer saw, answers. Recordings are in fixtures/recordings/.",
    .options = options,
    .exit_status = "0 no difference, 1 some session differs, 2 bad usage or recording, 3 the target could not be held against it",
    .examples = "meshspec replay fixtures/recordings/mesh-0.2.0.jsonl\n"
                "meshspec replay --target 'exec:python3 tools/adapters/python-relay/adapter.py' fixtures/recordings/mesh-0.1.0.jsonl\n"
                "meshspec replay --target 'exec:node tools/adapters/npm-relay/adapter.mjs' fixtures/recordings/mesh-0.9.1.jsonl",
    .run = replay};
