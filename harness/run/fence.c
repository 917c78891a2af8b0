/*
 * Fences. A member signals its own origin (signal.self): a connection is first-in first-out, so what the relay sent it before is there when the
 * signal is. Where a signal may overtake, every fence is a hello to a room of its own. One round makes sure that the relay has worked through all that the clients sent; a second one that all it
 * caused at others has arrived. A connection that is a member nowhere says hello to a room of its own.
 */
#include "harness/run/play.h"

#include <stdio.h>

#define FENCE_KEY "meshspec-fence"
#define FENCE_ROOM "meshspec-fence-"

static struct text fence_room(const struct play *play, const struct connection *connection) {
    return text_of(arena_format(play->arena, FENCE_ROOM "%d%.*s", connection->number, (int)play->names.suffix.length,
                                play->names.suffix.bytes));
}

/* The room of one fence, where every fence is a hello. */
static struct text hello_room(const struct play *play, const struct connection *connection) {
    return text_of(arena_format(play->arena, "%s-%llu", fence_room(play, connection).bytes, (unsigned long long)play->fence));
}

static enum play_status send_text(struct play *play, struct connection *connection, const struct json_value *message) {
    struct error error = {0};
    struct text text = play_print(play, message);
    connection->fences_out++;
    return play_outcome(
        play, play->target->table->send(play->target, connection->number, text, TARGET_FRAME_TEXT, 1, &error), &error);
}

static enum play_status send_signal(struct play *play, struct connection *connection, struct text room, struct text origin) {
    struct json_value *data = json_object(play->arena);
    json_set(data, TEXT(FENCE_KEY), json_number(play->arena, (double)play->fence));
    struct json_value *signal = json_object(play->arena);
    json_set(signal, TEXT("t"), json_string(play->arena, TEXT("signal")));
    json_set(signal, TEXT("room"), json_string(play->arena, room));
    json_set(signal, TEXT("to"), json_string(play->arena, origin));
    json_set(signal, TEXT("data"), data);
    return send_text(play, connection, signal);
}

static enum play_status send_hello(struct play *play, struct connection *connection, struct text room) {
    const struct json_value *version = json_get(play->scenario->options, "policyVersion");
    struct json_value *hello = json_object(play->arena);
    json_set(hello, TEXT("t"), json_string(play->arena, TEXT("hello")));
    json_set(hello, TEXT("room"), json_string(play->arena, room));
    json_set(hello, TEXT("origin"), json_string(play->arena, TEXT("fence")));
    json_set(hello, TEXT("proto"), json_number(play->arena, play->wire));
    json_set(hello, TEXT("policyVersion"), json_number(play->arena, version == NULL ? 0 : version->number));
    return send_text(play, connection, hello);
}

static enum play_status send_fence(struct play *play, struct connection *connection) {
    if (play->hello_fences) {
        return send_hello(play, connection, hello_room(play, connection));
    }
    if (connection->in_fence_room) {
        enum play_status status = send_signal(play, connection, fence_room(play, connection), TEXT("fence"));
        if (status != PLAY_OK) {
            return status;
        }
    } else if (connection->members == NULL) {
        return send_hello(play, connection, fence_room(play, connection));
    }
    for (struct membership *member = connection->members; member != NULL; member = member->next) {
        enum play_status status = send_signal(play, connection, member->room, member->origin);
        if (status != PLAY_OK) {
            return status;
        }
    }
    return PLAY_OK;
}

/* Where every fence is a hello: whether `room` is that of one of them. */
static bool takes_hello(const struct play *play, struct connection *connection, struct text room) {
    struct text start = text_of(arena_format(play->arena, "%s-", fence_room(play, connection).bytes));
    if (connection->fences_out > 0 && text_equal(room, hello_room(play, connection))) {
        connection->fences_out--;
    }
    return text_starts_with(room, start);
}

bool fence_is_of(const struct json_value *observed) {
    const struct json_value *room = json_get(observed, "room");
    return room != NULL && room->type == JSON_STRING && text_starts_with(room->text, TEXT(FENCE_ROOM));
}

bool fence_takes(struct play *play, struct connection *connection, const struct json_value *value) {
    const struct json_value *type = json_get(value, "t");
    const struct json_value *number = json_get(json_get(value, "data"), FENCE_KEY);
    if (json_is_string(type, "signal") && number != NULL) {
        /* The answer to an earlier fence, given up already, counts for nothing. */
        if (number->type == JSON_NUMBER && number->number >= (double)play->fence && connection->fences_out > 0) {
            connection->fences_out--;
        }
        return true;
    }
    const struct json_value *room = json_get(value, "room");
    if (room == NULL || room->type != JSON_STRING) {
        return false;
    }
    if (play->hello_fences) {
        return takes_hello(play, connection, room->text);
    }
    if (!text_equal(room->text, fence_room(play, connection))) {
        return false;
    }
    connection->in_fence_room = connection->in_fence_room || json_is_string(type, "welcome");
    if (connection->fences_out > 0) {
        connection->fences_out--;
    }
    return true;
}

static struct connection *waited_for(const struct play *play) {
    for (struct connection *connection = play->connections; connection != NULL; connection = connection->next) {
        if (!connection->ended && connection->fences_out > 0) {
            return connection;
        }
    }
    return NULL;
}

static enum play_status wait_for_fences(struct play *play) {
    int limit = play_time_left(play);
    limit = limit < PLAY_FENCE_LIMIT_MS ? limit : PLAY_FENCE_LIMIT_MS;
    struct run_clock clock = play->settings->clock;
    int64_t until = clock.now_us(clock.context) + (int64_t)limit * 1000;
    struct connection *missing;
    while ((missing = waited_for(play)) != NULL) {
        int64_t left = until - clock.now_us(clock.context);
        if (left <= 0) {
            struct text name = missing->actor->name;
            return play_fail(play, NULL,
                             "%.*s's connection is open and deaf: a fence (%s) was not answered within %d ms",
                             (int)name.length, name.bytes,
                             missing->members != NULL ? "a signal to its own origin" : "a hello to a room of its own", limit);
        }
        enum play_status status = play_take_in(play, (int)(left / 1000) + 1);
        if (status != PLAY_OK) {
            return status;
        }
    }
    return PLAY_OK;
}

static enum play_status fence_round(struct play *play) {
    play->fence++;
    for (struct connection *connection = play->connections; connection != NULL; connection = connection->next) {
        connection->fences_out = 0;
        if (!connection->ended && !connection->stalled) {
            enum play_status status = send_fence(play, connection);
            if (status != PLAY_OK) {
                return status;
            }
        }
    }
    return wait_for_fences(play);
}

enum play_status play_fence(struct play *play) {
    if (play->barrier) {
        return play_take_in(play, 0);
    }
    enum play_status status = fence_round(play);
    return status == PLAY_OK ? fence_round(play) : status;
}
