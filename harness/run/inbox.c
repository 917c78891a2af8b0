/* What comes from the target, and waiting for it. */
#include <string.h>

#include "harness/run/play.h"

static struct connection *connection_of(const struct play *play, int number) {
    for (struct connection *connection = play->connections; connection != NULL; connection = connection->next) {
        if (connection->number == number) {
            return connection;
        }
    }
    return NULL;
}

/*
 * Takes the unanswered hello for `room` that a welcome or a rejection answers off the list: the oldest. Where commits are held it is the newest: a rejection passes the welcome
 * that is held for an earlier hello, and a welcome answers the hello that has taken the place of all earlier ones, which are answered with it.
 */
static struct membership *answered_hello(struct connection *connection, struct text room, bool held, bool welcome) {
    struct membership *answered = NULL;
    for (struct membership *hello = connection->hellos; hello != NULL; hello = hello->next) {
        if (text_equal(hello->room, room) && (answered == NULL || held)) {
            answered = hello;
        }
    }
    for (struct membership **at = &connection->hellos; *at != NULL;) {
        if (*at == answered || (held && welcome && text_equal((*at)->room, room))) {
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    }
    return answered;
}

/* Keeps track of where the connection is a member: that is where it can be fenced. */
static void note_membership(struct connection *connection, const struct json_value *message, bool held) {
    bool welcome = json_is_string(json_get(message, "t"), "welcome");
    const struct json_value *room = json_get(message, "room");
    if ((!welcome && !json_is_string(json_get(message, "t"), "reject")) || room == NULL || room->type != JSON_STRING) {
        return;
    }
    struct membership *hello = answered_hello(connection, room->text, held, welcome);
    if (hello == NULL || !welcome) {
        return;
    }
    for (struct membership *member = connection->members; member != NULL; member = member->next) {
        if (text_equal(member->room, hello->room)) {
            member->origin = hello->origin;
            return;
        }
    }
    hello->next = connection->members;
    connection->members = hello;
}

static void append(struct message **first, struct message **last, struct message *message) {
    if (*last == NULL) {
        *first = message;
    } else {
        (*last)->next = message;
    }
    *last = message;
}

static struct message *new_message(struct play *play, enum trace_kind kind, struct text actor, int connection,
                                   struct text raw, struct json_value *value, bool binary) {
    names_strip(&play->names, value);
    struct text text = value != NULL ? play_print(play, value)
                                     : (struct text){arena_copy(play->arena, raw.bytes, raw.length), raw.length};
    struct message *message = arena_alloc(play->arena, sizeof *message);
    *message = (struct message){.value = value, .binary = binary};
    message->entry = play_trace(play, kind, actor, connection, text, value, 0);
    return message;
}

static void take_message(struct play *play, struct connection *connection, const struct target_event *event) {
    struct error error = {0};
    struct json_value *value = event->binary ? NULL : json_parse(play->arena, event->text, &error);
    if (value != NULL) {
        if (fence_takes(play, connection, value)) {
            return;
        }
        note_membership(connection, value, play->held);
    }
    append(&connection->first, &connection->last,
           new_message(play, TRACE_RECEIVED, connection->actor->name, connection->number, event->text, value, event->binary));
    wire_note_welcome(play, connection->actor, value);
}

static enum play_status take_close(struct play *play, struct connection *connection, const struct target_event *event) {
    if (connection->ended) {
        return PLAY_OK;
    }
    connection->ended = connection->closed = true;
    connection->fences_out = 0;
    connection->close_code = event->close_code;
    connection->close_reason = (struct text){arena_copy(play->arena, event->text.bytes, event->text.length), event->text.length};
    play->departed = true;
    struct text text = text_of(connection->close_code == 0
                                   ? ""
                                   : arena_format(play->arena, "%u %.*s", connection->close_code,
                                                  (int)connection->close_reason.length, connection->close_reason.bytes));
    play_trace(play, TRACE_CLOSED, connection->actor->name, connection->number, text, NULL, 0);
    /* As a transport reports the end of a connection that the relay has closed. */
    struct error error = {0};
    return play_outcome(play, play->target->table->disconnect(play->target, connection->number, false, &error), &error);
}

const struct observer_name play_observers[OBSERVER_COUNT] = {
    [OBSERVER_COMMIT] = {"commit", "commit", VERB_COMMITTED},       [OBSERVER_VIOLATION] = {"violation", "violation", VERB_VIOLATED},
    [OBSERVER_DROP] = {"drop", "drop", VERB_DROPPED},               [OBSERVER_REJECT] = {"reject", "rejected hello", VERB_REJECTED},
    [OBSERVER_JOIN] = {"join", "join", VERB_JOINED},                [OBSERVER_STALLED] = {"stalled", "stalled room", VERB_STALLED},
};

static bool scenario_waits_for(struct play *play, const char *observer) {
    for (const char *const *need = scenario_needs(play->scenario); *need != NULL; need++) {
        if (strcmp(*need, observer) == 0) {
            return true;
        }
    }
    return false;
}

/* Steps speak of one flat object: {room, writer, reason, path}. */
static struct json_value *flat_violation(struct play *play, struct json_value *value) {
    struct json_value *violation = json_get(value, "violation");
    struct json_value *room = json_get(value, "room");
    if (violation == NULL || violation->type != JSON_OBJECT || room == NULL) {
        return value;
    }
    violation = json_copy(play->arena, violation);
    json_set(violation, TEXT("room"), json_copy(play->arena, room));
    return violation;
}

/* A commit carries the whole state, so it is read only where a step asks for commits. */
static void take_observation(struct play *play, const struct target_event *event) {
    enum observer observer = OBSERVER_COMMIT;
    while (observer < OBSERVER_COUNT && strcmp(play_observers[observer].event, event->name) != 0) {
        observer++;
    }
    if (observer == OBSERVER_COUNT || !scenario_waits_for(play, event->name)) {
        return;
    }
    struct error error = {0};
    struct json_value *value = json_parse(play->arena, event->text, &error);
    if (fence_is_of(value)) {
        return;
    }
    if (observer == OBSERVER_VIOLATION) {
        value = flat_violation(play, value);
    }
    struct message *message = new_message(play, TRACE_OBSERVED, TEXT("relay"), -1, event->text, value, false);
    message->entry->text = text_of(arena_format(play->arena, "%s %s", event->name, message->entry->text.bytes));
    append(&play->observations[observer].first, &play->observations[observer].last, message);
}

static enum play_status take_event(struct play *play, const struct target_event *event) {
    play->message_count++;
    play->message_bytes += event->text.length;
    if (play->message_count > PLAY_MESSAGES_CEILING || play->message_bytes > PLAY_BYTES_CEILING) {
        return play_fail(play, NULL, "the relay sent more than a case takes in: %zu messages, %zu bytes",
                         play->message_count, play->message_bytes);
    }
    if (event->kind == TARGET_OBSERVED) {
        take_observation(play, event);
        return PLAY_OK;
    }
    struct connection *connection = connection_of(play, event->connection);
    /* Behind its close nothing reaches a client: an adapter may still hand such messages over. */
    if (connection == NULL || connection->closed) {
        return PLAY_OK;
    }
    if (event->kind == TARGET_CLOSED) {
        return take_close(play, connection, event);
    }
    take_message(play, connection, event);
    return PLAY_OK;
}

enum play_status play_take_in(struct play *play, int wait_ms) {
    struct target_event event;
    struct error error = {0};
    while (play->target->table->next_event(play->target, wait_ms, &event, &error)) {
        enum play_status status = take_event(play, &event);
        if (status != PLAY_OK) {
            return status;
        }
        wait_ms = 0;
    }
    return error.code == ERROR_NONE ? PLAY_OK : play_outcome(play, TARGET_BROKEN, &error);
}

static bool is_ignored(const struct scenario *scenario, const struct message *message) {
    const struct json_value *type = json_get(message->value, "t");
    return (scenario->ignore_presence && json_is_string(type, "presence")) ||
           (scenario->ignore_member && json_is_string(type, "member")) || (scenario->ignore_settled && json_is_string(type, "settled"));
}

struct message *inbox_next(const struct play *play, const struct connection *connection) {
    struct message *message = connection->taken == NULL ? connection->first : connection->taken->next;
    while (message != NULL && is_ignored(play->scenario, message)) {
        message = message->next;
    }
    return message;
}

/* Takes events in until the condition holds or `limit_ms` has passed. */
static enum play_status wait_up_to(struct play *play, int limit_ms, bool (*there)(const struct play *play, void *context),
                                   void *context) {
    struct run_clock clock = play->settings->clock;
    int64_t until = clock.now_us(clock.context) + (int64_t)limit_ms * 1000;
    while (!there(play, context)) {
        int64_t left = until - clock.now_us(clock.context);
        if (left <= 0) {
            return PLAY_OK;
        }
        enum play_status status = play_take_in(play, (int)(left / 1000) + 1);
        if (status != PLAY_OK) {
            return status;
        }
    }
    return PLAY_OK;
}

enum play_status play_wait_fenced(struct play *play, bool (*there)(const struct play *play, void *context), void *context) {
    enum play_status status = play_take_in(play, 0);
    if (status != PLAY_OK || there(play, context) || play->barrier) {
        return status;
    }
    int patience = play_time_left(play);
    status = wait_up_to(play, patience < PLAY_PATIENCE_MS ? patience : PLAY_PATIENCE_MS, there, context);
    if (status != PLAY_OK || there(play, context)) {
        return status;
    }
    /* It is late. A fence tells at once whether it can still come. */
    return play_fence(play);
}

enum play_status play_wait(struct play *play, bool (*there)(const struct play *play, void *context), void *context) {
    enum play_status status = play_wait_fenced(play, there, context);
    /* Only what the end of a connection causes has no fence, so that is waited for to the limit. */
    if (status != PLAY_OK || there(play, context) || !play->departed || play->barrier) {
        return status;
    }
    if (play->hasty) {
        play->hurried = true;
        return PLAY_OK;
    }
    return wait_up_to(play, play_time_left(play), there, context);
}
