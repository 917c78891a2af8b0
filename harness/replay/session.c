#include "harness/replay/session.h"

#include <math.h>
#include <string.h>

#include "harness/replay/difference.h"
#include "harness/replay/shape.h"
#include "harness/replay/step.h"

struct connection_name {
    struct text name;
    int number;
    struct connection_name *next;
};

struct play {
    struct target *target;
    struct arena *arena;
    int limit_ms;
    struct comparison comparison;
    struct connection_name *connections; /* the newest first */
    int last_number;
    struct error error;
};

/* The number of a connection's latest life under that name; 0 when there is none. */
static int number_of(const struct play *play, const struct json_value *name) {
    const struct connection_name *connection = play->connections;
    while (connection != NULL && !text_equal(connection->name, name->text))
        connection = connection->next;
    return connection != NULL ? connection->number : 0;
}

static struct text name_of(const struct play *play, int number) {
    const struct connection_name *connection = play->connections;
    while (connection != NULL && connection->number != number)
        connection = connection->next;
    return connection != NULL ? connection->name : TEXT("an unknown connection");
}

static struct text printed(struct arena *arena, const struct json_value *value) {
    struct buffer text = {0};
    json_print(&text, value);
    struct text kept = {arena_copy(arena, text.bytes, text.length), text.length};
    buffer_free(&text);
    return kept;
}

static enum target_outcome play_connect(struct play *play, const struct json_value *step) {
    const struct json_value *who = json_get(step, "principal"), *writer = json_get(who, "writer"),
                            *kind = json_get(who, "kind"), *claims = json_get(who, "claims");
    struct target_principal principal = {0};
    if (writer != NULL)
        principal.writer = writer->text;
    if (kind != NULL)
        principal.kind = kind->text;
    if (claims != NULL)
        principal.claims = printed(play->arena, claims);
    struct connection_name *connection = arena_alloc(play->arena, sizeof *connection);
    *connection = (struct connection_name){json_get(step, "conn")->text, ++play->last_number, play->connections};
    play->connections = connection;
    step_connect(&play->comparison, connection->name);
    return play->target->table->connect(play->target, connection->number, &principal, &play->error);
}

static enum target_outcome play_hydrate(struct play *play, const struct json_value *step, struct json_value **answer) {
    struct json_value *snapshot = json_get(step, "snapshot");
    names_fill_snapshot(&play->comparison.names, snapshot);
    bool hydrated = false;
    enum target_outcome outcome = play->target->table->hydrate(play->target, json_get(step, "room")->text,
                                                               printed(play->arena, snapshot), &hydrated, &play->error);
    *answer = json_boolean(play->arena, hydrated);
    return outcome;
}

/* The answer's JSON, which the target has put into `text`; frees that. */
static struct json_value *read_answer(struct play *play, struct buffer *text) {
    struct text kept = {arena_copy(play->arena, text->bytes, text->length), text->length};
    buffer_free(text);
    return json_parse(play->arena, kept, &play->error);
}

static enum target_outcome play_room(struct play *play, const struct json_value *step, struct json_value **answer) {
    struct buffer info = {0};
    enum target_outcome outcome =
        play->target->table->room(play->target, json_get(step, "room")->text, &info, &play->error);
    if (outcome == TARGET_OK)
        *answer = read_answer(play, &info);
    buffer_free(&info);
    return outcome;
}

static enum target_outcome play_receive(struct play *play, const struct json_value *step) {
    struct json_value *message = json_get(step, "msg");
    names_fill_message(&play->comparison.names, message);
    return play->target->table->send(play->target, number_of(play, json_get(step, "conn")),
                                     printed(play->arena, message), TARGET_FRAME_TEXT, 1, &play->error);
}

/* A command that came after wire version 1: its members go to the target as they are. */
static enum target_outcome play_further(struct play *play, const struct json_value *step, struct json_value **answer) {
    static const char *const of_the_recording[] = {"do", "relay", "out", "ok"};
    const struct json_value *verb = json_get(step, "do");
    struct json_value *fields = json_copy(play->arena, step);
    for (size_t i = 0; i < sizeof of_the_recording / sizeof *of_the_recording; i++)
        json_remove(fields, text_of(of_the_recording[i]));
    struct buffer text = {0};
    enum target_outcome outcome = play->target->table->command(
        play->target, arena_format(play->arena, "%.*s", (int)verb->text.length, verb->text.bytes),
        printed(play->arena, fields), &text, &play->error);
    if (outcome == TARGET_OK)
        *answer = read_answer(play, &text);
    buffer_free(&text);
    return outcome;
}

static enum target_outcome unknown_connection(struct play *play, const struct json_value *step) {
    struct text name = json_get(step, "conn")->text;
    error_set(&play->error, ERROR_USAGE, "the recording has no connection \"%.*s\" here", (int)name.length, name.bytes);
    return TARGET_BROKEN;
}

/* Puts one step's command; `*answer` is what it answered, where a recording can say that. */
static enum target_outcome put(struct play *play, const struct json_value *step, struct json_value **answer) {
    const struct json_value *verb = json_get(step, "do"), *conn = json_get(step, "conn");
    struct target *target = play->target;
    if (json_is_string(verb, "open"))
        return target->table->open(target,
                                   arena_format(play->arena, "%.*s", (int)json_get(step, "profile")->text.length,
                                                json_get(step, "profile")->text.bytes),
                                   printed(play->arena, json_get(step, "options")), play->limit_ms, &play->error);
    if (json_is_string(verb, "connect"))
        return play_connect(play, step);
    if (json_is_string(verb, "hydrate"))
        return play_hydrate(play, step, answer);
    if (json_is_string(verb, "room"))
        return play_room(play, step, answer);
    if (json_is_string(verb, "clock"))
        return target->table->clock(target, llround(json_get(step, "ms")->number), &play->error);
    if (!json_is_string(verb, "receive") && !json_is_string(verb, "disconnect"))
        return play_further(play, step, answer);
    if (number_of(play, conn) == 0)
        return unknown_connection(play, step);
    if (json_is_string(verb, "receive"))
        return play_receive(play, step);
    return target->table->disconnect(target, number_of(play, conn), false, &play->error);
}

/* Takes every event that the step caused. False when the target broke. */
static bool collect(struct play *play, struct came_event **first) {
    struct target_event event;
    struct came_event **end = first;
    while (play->target->table->next_event(play->target, 0, &event, &play->error)) {
        struct came_event *came = arena_alloc(play->arena, sizeof *came);
        struct error ignored;
        struct text text = {arena_copy(play->arena, event.text.bytes, event.text.length), event.text.length};
        *came = (struct came_event){.kind = event.kind, .text = text};
        if (event.kind == TARGET_OBSERVED)
            came->stream = text_of(arena_format(play->arena, "%s", event.name));
        else
            came->stream = name_of(play, event.connection);
        if (event.kind != TARGET_CLOSED)
            came->value = json_parse(play->arena, text, &ignored);
        *end = came;
        end = &came->next;
    }
    return play->error.code == ERROR_NONE;
}

static bool shows(void *context, const struct json_value *observer) {
    struct target *target = context;
    char name[64];
    if (observer->text.length >= sizeof name)
        return false;
    memcpy(name, observer->text.bytes, observer->text.length);
    name[observer->text.length] = '\0';
    return target->table->can(target, name);
}

static bool answer_is_alike(struct play *play, const struct json_value *step, const struct json_value *answer) {
    struct json_value *wanted = json_get(step, "ok");
    if (wanted == NULL || answer == NULL)
        return true;
    names_settle(&play->comparison.names, wanted, answer);
    return !difference_find(&play->comparison.difference, "the answer", wanted, answer);
}

static enum session_outcome play_step(struct play *play, const struct json_value *step) {
    if (!shape_knows(step)) {
        const struct text verb = json_get(step, "do")->text;
        error_set(&play->error, ERROR_TARGET, "`%.*s` is no command that can be replayed", (int)verb.length, verb.bytes);
        return SESSION_SKIPPED;
    }
    struct json_value *answer = NULL;
    struct came_event *came = NULL;
    enum target_outcome outcome = put(play, step, &answer);
    if (outcome != TARGET_OK)
        return outcome == TARGET_NO ? SESSION_SKIPPED : SESSION_BROKEN;
    if (!collect(play, &came))
        return SESSION_BROKEN;
    bool alike = step_compare(&play->comparison, json_get(step, "out"), came) && answer_is_alike(play, step, answer);
    return alike ? SESSION_ALIKE : SESSION_DIFFERENT;
}

struct session_result session_play(struct target *target, struct arena *arena, struct json_value *session,
                                   int limit_ms) {
    struct play play = {.target = target, .arena = arena, .limit_ms = limit_ms};
    play.comparison = (struct comparison){.names = {.arena = arena}, .shows = shows, .context = target};
    struct session_result result = {.outcome = SESSION_ALIKE};
    const struct json_value *step = json_get(session, "steps")->first;
    for (; step != NULL && result.outcome == SESSION_ALIKE; step = step->next) {
        result.step++;
        result.outcome = play_step(&play, step);
    }
    result.compared = play.comparison.compared;
    if (result.outcome == SESSION_DIFFERENT)
        result.text = arena_copy(arena, play.comparison.difference.bytes, play.comparison.difference.length);
    else if (result.outcome != SESSION_ALIKE)
        result.text = arena_format(arena, "%s", play.error.text);
    target->table->close(target);
    buffer_free(&play.comparison.difference);
    return result;
}
