/*
 * Recordings of the published relay held against the history checks: what really happened must break none of them. This is where the harness' registers are compared with
 * a relay that was written by others.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/history/history.h"
#include "harness/json/value.h"
#include "harness/tests/support.h"

TestSuite(history_recording, .timeout = 120);

#define RECORDING "fixtures/recordings/mesh-0.9.1.jsonl"
#define RECORDING_CEILING ((size_t)64 << 20)
#define EVENTS_CEILING 5000
#define NAMES_CEILING 200

struct recorded {
    struct arena *arena;
    struct history_event events[EVENTS_CEILING];
    size_t count;
    struct text names[NAMES_CEILING]; /* of connections; a connection's number is its place */
    size_t name_count;
    struct history_settings settings;
    size_t commits, snapshots; /* that show registers */
};

static int number_of(struct recorded *recorded, const struct json_value *name) {
    if (name == NULL)
        return -1;
    for (size_t i = 0; i < recorded->name_count; i++)
        if (text_equal(recorded->names[i], name->text))
            return (int)i;
    cr_assert_lt(recorded->name_count, NAMES_CEILING);
    recorded->names[recorded->name_count] = name->text;
    return (int)recorded->name_count++;
}

static void add(struct recorded *recorded, enum history_kind kind, const struct json_value *conn, const struct json_value *message) {
    cr_assert_lt(recorded->count, EVENTS_CEILING);
    recorded->events[recorded->count++] = (struct history_event){kind, number_of(recorded, conn), message};
}

static void add_caused(struct recorded *recorded, const struct json_value *caused) {
    const struct json_value *on = json_get(caused, "on"), *conn = json_get(caused, "conn"), *message = json_get(caused, "msg");
    if (json_is_string(on, "send")) {
        add(recorded, HISTORY_RECEIVED, conn, message);
        recorded->snapshots += json_get(message, "registers") != NULL;
    } else if (json_is_string(on, "commit")) {
        add(recorded, HISTORY_COMMITTED, NULL, caused);
        recorded->commits++;
    }
}

static bool is_true(const struct json_value *answer) {
    return answer != NULL && answer->type == JSON_BOOLEAN && answer->boolean;
}

/* A room that is unloaded, as the history wants it. */
static struct json_value *unloaded(struct arena *arena, const struct json_value *room) {
    struct json_value *value = json_object(arena);
    json_set(value, TEXT("unloaded"), json_copy(arena, room));
    return value;
}

static void judge(struct recorded *recorded, size_t line) {
    struct history_breach breach = history_check(recorded->arena, recorded->events, recorded->count, &recorded->settings);
    cr_expect_null(breach.rule, "session %zu, event %zu of %zu: %s: %s", line, breach.event, recorded->count,
                   breach.rule == NULL ? "" : breach.rule, breach.rule == NULL ? "" : breach.text);
    recorded->count = recorded->name_count = 0;
}

static void add_step(struct recorded *recorded, const struct json_value *step) {
    const struct json_value *verb = json_get(step, "do"), *conn = json_get(step, "conn");
    if (json_is_string(verb, "open"))
        recorded->settings = (struct history_settings){
            .settled = true, .wire = 3, .ejects_connections = json_is_string(json_get(json_get(step, "options"), "ejection"), "connection")};
    if (json_is_string(verb, "hold")) {
        recorded->settings.held = true;
        recorded->settings.settled = false;
    }
    if (json_is_string(verb, "receive") && json_get(step, "msg")->type == JSON_OBJECT)
        add(recorded, HISTORY_SENT, conn, json_get(step, "msg"));
    if (json_is_string(verb, "disconnect"))
        add(recorded, HISTORY_ENDED, conn, NULL);
    if (json_is_string(verb, "hydrate") && is_true(json_get(step, "ok")))
        add(recorded, HISTORY_HYDRATED, NULL, step);
    if (json_is_string(verb, "unload") && is_true(json_get(step, "ok")))
        add(recorded, HISTORY_UNLOADED, NULL, unloaded(recorded->arena, json_get(step, "room")));
    for (const struct json_value *caused = json_get(step, "out")->first; caused != NULL; caused = caused->next)
        add_caused(recorded, caused);
}

static void judge_session(struct recorded *recorded, struct text line, size_t number) {
    struct error error = {0};
    recorded->arena = arena_new();
    const struct json_value *session = json_parse(recorded->arena, line, &error);
    cr_assert_not_null(session, "%s", error.text);
    for (const struct json_value *step = json_get(session, "steps")->first; step != NULL; step = step->next) {
        if (json_is_string(json_get(step, "do"), "open") && recorded->count > 0)
            judge(recorded, number);
        add_step(recorded, step);
    }
    judge(recorded, number);
    arena_free(recorded->arena);
}

Test(history_recording, the_published_relay_of_version_three_breaks_nothing) {
    struct error error = {0};
    struct arena *arena = arena_new();
    struct text file;
    cr_assert(file_read(arena, RECORDING, RECORDING_CEILING, &file, &error), "%s", error.text);
    struct recorded *recorded = calloc(1, sizeof *recorded);
    size_t number = 0;
    for (const char *at = file.bytes; at < file.bytes + file.length; number++) {
        const char *feed = memchr(at, '\n', (size_t)(file.bytes + file.length - at));
        const char *end = feed != NULL ? feed : file.bytes + file.length;
        judge_session(recorded, (struct text){at, (size_t)(end - at)}, number + 1);
        at = end + 1;
    }
    cr_expect(number == 25 && recorded->commits > 100 && recorded->snapshots > 50, "%zu sessions, %zu commits, %zu snapshots", number,
              recorded->commits, recorded->snapshots);
    free(recorded);
    arena_free(arena);
}
