#include "harness/run/play.h"

#include <stdarg.h>
#include <stdio.h>

int play_time_left(const struct play *play) {
    struct run_clock clock = play->settings->clock;
    int64_t left = (play->deadline_us - clock.now_us(clock.context)) / 1000;
    return left > 0 ? (int)left : 0;
}

struct trace_entry *play_trace(struct play *play, enum trace_kind kind, struct text actor, int connection, struct text text,
                               const struct json_value *value, uint32_t line) {
    struct run_clock clock = play->settings->clock;
    struct trace_entry *entry = arena_alloc(play->arena, sizeof *entry);
    *entry = (struct trace_entry){.kind = kind,
                                  .elapsed_us = clock.now_us(clock.context) - play->began_us,
                                  .actor = actor,
                                  .connection = connection,
                                  .text = text,
                                  .value = value,
                                  .line = line};
    if (play->trace_last == NULL) {
        play->trace = entry;
    } else {
        play->trace_last->next = entry;
    }
    play->trace_last = entry;
    return entry;
}

struct actor *play_actor(struct play *play, struct text name) {
    for (struct actor *actor = play->actors; actor != NULL; actor = actor->next) {
        if (text_equal(actor->name, name)) {
            return actor;
        }
    }
    return NULL;
}

struct actor *play_add_actor(struct play *play, struct text name, const struct client *client, struct text origin) {
    struct actor *actor = arena_alloc(play->arena, sizeof *actor);
    *actor = (struct actor){.name = name, .client = client, .origin = origin, .next = play->actors};
    play->actors = actor;
    return actor;
}

struct connection *play_connect(struct play *play, struct actor *actor, uint32_t line, enum play_status *status) {
    *status = PLAY_OK;
    if (actor->connection != NULL && !actor->connection->ended) {
        return actor->connection;
    }
    /* No step can account for it any more: without the old connection, the steps that follow would only wait for what cannot come. */
    if (actor->connection != NULL && actor->connection->closed && !actor->connection->close_taken) {
        *status = play_fail(play, NULL, "the relay closed %.*s's connection, which no step expected", (int)actor->name.length, actor->name.bytes);
        return NULL;
    }
    struct connection *connection = arena_alloc(play->arena, sizeof *connection);
    *connection = (struct connection){.number = play->next_number++, .actor = actor, .next = play->connections};
    const struct client *client = actor->client;
    struct target_principal principal = {names_writer(&play->names, client->writer), client->kind, client->claims};
    play_trace(play, TRACE_CONNECTED, actor->name, connection->number, client->writer, NULL, line);
    struct error error = {0};
    *status = play_outcome(
        play, play->target->table->connect(play->target, connection->number, &principal, &error), &error);
    if (*status != PLAY_OK) {
        return NULL;
    }
    play->connections = connection;
    actor->connection = connection;
    return connection;
}

enum play_status play_fail(struct play *play, const struct step *step, const char *format, ...) {
    char message[ERROR_TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    play->failure = (struct failure){.message = text_of(arena_format(play->arena, "%s", message))};
    step = step != NULL ? step : play->step;
    if (step != NULL) {
        play->failure.line = step->line;
        play->failure.column = step->column;
        play->failure.actor = step->actor;
    }
    return PLAY_FAILED;
}

enum play_status play_outcome(struct play *play, enum target_outcome outcome, const struct error *error) {
    if (outcome == TARGET_OK) {
        return PLAY_OK;
    }
    play->reason = text_of(arena_format(play->arena, "%s", error->text));
    play->broke = outcome == TARGET_BROKEN && play->opened && error->code != ERROR_INTERNAL;
    return outcome == TARGET_NO ? PLAY_SKIPPED : PLAY_BROKEN;
}

enum play_status play_observe(struct play *play) {
    enum play_status status = play_fence(play);
    const struct target_table *table = play->target->table;
    if (status != PLAY_OK || table->observe == NULL) {
        return status;
    }
    struct error error = {0};
    status = play_outcome(play, table->observe(play->target, &error), &error);
    return status == PLAY_OK ? play_take_in(play, 0) : status;
}

struct text play_print(struct play *play, const struct json_value *value) {
    struct buffer buffer = {0};
    json_print(&buffer, value);
    struct text text = {arena_copy(play->arena, buffer.bytes, buffer.length), buffer.length};
    buffer_free(&buffer);
    return text;
}
