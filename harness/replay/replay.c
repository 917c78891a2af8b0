#include "harness/replay/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/memory.h"
#include "harness/replay/session.h"
#include "harness/replay/shape.h"

struct replay {
    struct target *target;
    const char *file;
    int limit_ms;
    struct replay_summary *summary;
    void (*report)(void *context, const char *line);
    void *context;
};

static const char *outcome_name(enum session_outcome outcome) {
    static const char *const names[] = {"alike", "different", "skipped", "broken"};
    return names[outcome];
}

static void count(struct replay_summary *summary, const struct session_result *result) {
    size_t *const counts[] = {&summary->alike, &summary->different, &summary->skipped, &summary->broken};
    ++*counts[result->outcome];
    summary->sessions++;
    summary->steps += result->step;
    summary->events += result->compared;
}

/* What a step does, for a reader: "receive on c3". */
static const char *describe(struct arena *arena, const struct json_value *session, size_t number) {
    const struct json_value *step = json_get(session, "steps")->first;
    for (size_t i = 1; i < number && step != NULL; i++)
        step = step->next;
    const struct json_value *verb = json_get(step, "do"), *conn = json_get(step, "conn");
    if (verb == NULL)
        return "nothing";
    if (conn == NULL || conn->type != JSON_STRING)
        return arena_format(arena, "%.*s", (int)verb->text.length, verb->text.bytes);
    return arena_format(arena, "%.*s on %.*s", (int)verb->text.length, verb->text.bytes, (int)conn->text.length,
                        conn->text.bytes);
}

static void tell(const struct replay *replay, struct arena *arena, size_t line, const struct json_value *session,
                 const struct session_result *result) {
    const struct json_value *seed = json_get(session, "seed");
    bool has_seed = seed != NULL && seed->type == JSON_NUMBER;
    replay->report(replay->context,
                   arena_format(arena, "%s:%zu: session %.*s %s at step %zu of %zu (%s): %s", replay->file, line,
                                has_seed ? (int)seed->text.length : 1, has_seed ? seed->text.bytes : "?",
                                outcome_name(result->outcome), result->step, json_get(session, "steps")->count,
                                describe(arena, session, result->step), result->text));
}

static bool replay_line(const struct replay *replay, struct text text, size_t line, struct error *error) {
    struct arena *arena = arena_new();
    struct json_value *session = json_parse(arena, text, error);
    bool good = session != NULL && session_check(session, error);
    if (!good) {
        error_context(error, "%s:%zu", replay->file, line);
    } else {
        struct session_result result = session_play(replay->target, arena, session, replay->limit_ms);
        count(replay->summary, &result);
        if (result.outcome != SESSION_ALIKE)
            tell(replay, arena, line, session, &result);
    }
    arena_free(arena);
    return good;
}

static bool replay_lines(const struct replay *replay, FILE *stream, struct error *error) {
    char *bytes = NULL;
    size_t capacity = 0, line = 0;
    bool good = true;
    for (ssize_t length; good && (length = getline(&bytes, &capacity, stream)) >= 0;)
        good = replay_line(replay, (struct text){bytes, (size_t)length}, ++line, error);
    if (good && !feof(stream))
        memory_check_errno(replay->file);
    if (good && ferror(stream))
        good = error_set(error, ERROR_USAGE, "%s could not be read: %s", replay->file, strerror(errno));
    if (good && line == 0)
        good = error_set(error, ERROR_USAGE, "%s is empty: a recording has one session a line", replay->file);
    free(bytes);
    return good;
}

bool replay_file(struct target *target, const char *file, int limit_ms, struct replay_summary *summary,
                 void (*report)(void *context, const char *line), void *context, struct error *error) {
    *summary = (struct replay_summary){0};
    if (!target->table->can(target, "barrier"))
        return error_set(error, ERROR_TARGET,
                         "%s cannot replay a recording: on a socket nobody can say which events a step caused; "
                         "use memory or exec:COMMAND",
                         target->name);
    FILE *stream = fopen(file, "r");
    if (stream == NULL)
        memory_check_errno(file);
    if (stream == NULL)
        return error_set(error, ERROR_USAGE, "%s could not be opened: %s", file, strerror(errno));
    struct stat about;
    struct replay replay = {target, file, limit_ms, summary, report, context};
    bool good;
    if (fstat(fileno(stream), &about) == 0 && (size_t)about.st_size > REPLAY_FILE_CEILING)
        good = error_set(error, ERROR_USAGE, "%s is larger than %zu bytes", file, REPLAY_FILE_CEILING);
    else
        good = replay_lines(&replay, stream, error);
    fclose(stream);
    return good;
}
