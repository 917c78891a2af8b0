#include "harness/run/wire.h"

#include "harness/run/play.h"

/* ---- epoch and instance -------------------------------------------------------------------------- */

static void rename_epoch(struct json_value *object) {
    struct json_value *epoch = json_get(object, "epoch");
    if (epoch != NULL && json_get(object, "instance") == NULL) {
        epoch->key = TEXT("instance");
    }
}

/* Nodes of a pattern that are still to be looked at, each with the number of `state` levels above the epoch. */
struct to_rename {
    struct json_value *node;
    unsigned levels;
    struct to_rename *next;
};

static struct to_rename *push(struct play *play, struct to_rename *rest, struct json_value *node, unsigned levels) {
    struct to_rename *pushed = arena_alloc(play->arena, sizeof *pushed);
    *pushed = (struct to_rename){node, levels, rest};
    return pushed;
}

/* Operators that hold their arguments against the same value. */
static struct to_rename *push_arguments(struct play *play, struct to_rename *rest, struct json_value *operator, unsigned levels) {
    struct json_value *argument = operator->first;
    if (text_equal(argument->key, TEXT("$exactly")) || text_equal(argument->key, TEXT("$not"))) {
        return push(play, rest, argument, levels);
    }
    if (text_equal(argument->key, TEXT("$all")) || text_equal(argument->key, TEXT("$one-of"))) {
        for (struct json_value *one = argument->first; one != NULL; one = one->next) {
            rest = push(play, rest, one, levels);
        }
    }
    return rest;
}

static bool is_operator(const struct json_value *node) {
    return node->count == 1 && text_starts_with(node->first->key, TEXT("$"));
}

const struct json_value *wire_pattern(struct play *play, const struct json_value *pattern, enum wire_place place) {
    if (play->wire < 3) {
        return pattern;
    }
    struct json_value *copy = json_copy(play->arena, pattern);
    struct to_rename *pending = push(play, NULL, copy, place == WIRE_IN_STATE ? 1 : 0);
    while (pending != NULL) {
        struct json_value *node = pending->node;
        unsigned levels = pending->levels;
        pending = pending->next;
        if (node->type != JSON_OBJECT) {
            continue;
        }
        struct json_value *state = json_get(node, "state");
        if (is_operator(node)) {
            pending = push_arguments(play, pending, node, levels);
        } else if (levels == 0) {
            rename_epoch(node);
        } else if (state != NULL) {
            pending = push(play, pending, state, levels - 1);
        }
    }
    return copy;
}

void wire_snapshot(const struct play *play, struct json_value *snapshot) {
    if (play->wire >= 3 && snapshot->type == JSON_OBJECT) {
        rename_epoch(snapshot);
        json_remove(snapshot, TEXT("root"));
    }
}

/* ---- what clients know --------------------------------------------------------------------------- */

void wire_note_welcome(struct play *play, const struct actor *actor, const struct json_value *message) {
    const struct json_value *room = json_get(message, "room"), *value = json_get(message, "instance");
    if (!json_is_string(json_get(message, "t"), "welcome") || room == NULL || room->type != JSON_STRING || value == NULL ||
        value->type != JSON_STRING) {
        return;
    }
    struct instance *instance = arena_alloc(play->arena, sizeof *instance);
    *instance = (struct instance){actor, room->text, value->text, play->instances};
    play->instances = instance;
}

struct text wire_instance(const struct play *play, const struct actor *actor, struct text room) {
    struct text of_anybody = TEXT("");
    bool found = false;
    for (const struct instance *instance = play->instances; instance != NULL; instance = instance->next) {
        if (!text_equal(instance->room, room)) {
            continue;
        }
        if (instance->actor == actor) {
            return instance->value;
        }
        of_anybody = found ? of_anybody : instance->value;
        found = true;
    }
    return of_anybody;
}

uint64_t wire_next_version(struct play *play, struct text origin, struct text room) {
    for (struct origin_log *log = play->logs; log != NULL; log = log->next) {
        if (text_equal(log->origin, origin) && text_equal(log->room, room)) {
            return ++log->version;
        }
    }
    struct origin_log *log = arena_alloc(play->arena, sizeof *log);
    *log = (struct origin_log){origin, room, 1, play->logs};
    play->logs = log;
    return log->version;
}
