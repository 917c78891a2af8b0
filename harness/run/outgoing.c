/* What clients send: messages built from steps, with the fields that the protocol asks for filled in. */
#include "harness/match/template.h"
#include "harness/run/play.h"

#include <string.h>

/* The map behind the actor's name: {verb: argument, …modifiers}; NULL for a bare verb. */
static const struct json_value *step_map(const struct step *step) {
    const struct json_value *map = step->node == NULL ? NULL : step->node->first;
    return map != NULL && map->type == JSON_OBJECT ? map : NULL;
}

static double policy_version(const struct play *play) {
    const struct json_value *version = json_get(play->scenario->options, "policyVersion");
    return version == NULL ? 0 : version->number;
}

static bool takes_away(const struct json_value *value) {
    return value->type == JSON_OBJECT && value->count == 1 && text_equal(value->first->key, TEXT("$absent"));
}

/* Adds or overrides the message's members with those of `fields`, filled in. */
static enum play_status merge(struct play *play, struct json_value *message, const struct json_value *fields) {
    for (const struct json_value *field = fields == NULL ? NULL : fields->first; field != NULL; field = field->next) {
        if (takes_away(field)) {
            json_remove(message, field->key);
            continue;
        }
        struct error error = {0};
        struct json_value *value = template_fill(field, &play->bindings, &error);
        if (value == NULL) {
            return play_outcome(play, TARGET_BROKEN, &error);
        }
        json_set(message, field->key, value);
    }
    return PLAY_OK;
}

static struct json_value *message_of(struct play *play, struct text type, struct text room) {
    struct json_value *message = json_object(play->arena);
    json_set(message, TEXT("t"), json_string(play->arena, type));
    json_set(message, TEXT("room"), json_string(play->arena, room));
    return message;
}

static enum play_status build_hello(struct play *play, struct actor *actor, const struct step *step, struct json_value **out) {
    struct json_value *hello = message_of(play, TEXT("hello"), step->room);
    json_set(hello, TEXT("origin"), json_string(play->arena, actor->origin));
    json_set(hello, TEXT("proto"), json_number(play->arena, play->wire));
    json_set(hello, TEXT("policyVersion"), json_number(play->arena, policy_version(play)));
    *out = hello;
    return merge(play, hello, step->argument);
}

/* The short form that the op is written in, and its path; NULL: none. */
static const struct json_value *short_form(const struct json_value *op) {
    static const char *const kinds[] = {"set", "delete", "clear"};
    const struct json_value *path = NULL;
    for (size_t i = 0; path == NULL && i < sizeof kinds / sizeof *kinds; i++) {
        path = json_get(op, kinds[i]);
    }
    return path;
}

/* What an op of wire version 3 has beside its path and its value. */
static void add_citing(struct play *play, const struct json_value *op, struct json_value *fields) {
    const struct json_value *cites = json_get(op, "cites"), *epoch = json_get(op, "epoch");
    if (cites != NULL || play->wire >= 3) {
        json_set(fields, TEXT("cites"), cites != NULL ? json_copy(play->arena, cites) : json_array(play->arena));
    }
    if (epoch != NULL || play->wire >= 3) {
        json_set(fields, TEXT("epoch"), epoch != NULL ? json_copy(play->arena, epoch) : json_number(play->arena, 0));
    }
}

/* {set: PATH, to: V, was: P}, {delete: PATH, was: P} and {clear: PATH} in the protocol's form; any other op as it is. */
static enum play_status build_op(struct play *play, const struct json_value *op, struct json_value **out) {
    const struct json_value *path = short_form(op);
    struct error error = {0};
    if (path == NULL) {
        *out = template_fill(op, &play->bindings, &error);
        return *out == NULL ? play_outcome(play, TARGET_BROKEN, &error) : PLAY_OK;
    }
    struct json_value *fields = json_object(play->arena);
    json_set(fields, TEXT("path"), json_copy(play->arena, path));
    if (json_get(op, "to") != NULL) {
        json_set(fields, TEXT("next"), json_copy(play->arena, json_get(op, "to")));
    }
    if (json_get(op, "was") != NULL) {
        json_set(fields, TEXT("prev"), json_copy(play->arena, json_get(op, "was")));
    } else if (text_equal(path->key, TEXT("delete"))) {
        json_set(fields, TEXT("prev"), json_null(play->arena));
    }
    add_citing(play, op, fields);
    *out = json_object(play->arena);
    json_set(*out, TEXT("kind"), json_string(play->arena, path->key));
    return merge(play, *out, fields);
}

static enum play_status build_ops(struct play *play, const struct json_value *ops, struct json_value **out) {
    *out = json_array(play->arena);
    for (const struct json_value *op = ops->first; op != NULL; op = op->next) {
        struct json_value *built;
        enum play_status status = build_op(play, op, &built);
        if (status != PLAY_OK) {
            return status;
        }
        json_append(*out, built);
    }
    return PLAY_OK;
}

struct hello_wait {
    const struct connection *connection;
    struct text room; /* on the wire */
};

static bool is_answered(const struct play *play, void *context) {
    const struct hello_wait *wait = context;
    (void)play;
    for (const struct membership *hello = wait->connection->hellos; hello != NULL; hello = hello->next) {
        if (text_equal(hello->room, wait->room)) {
            return false;
        }
    }
    return true;
}

/* An envelope of wire version 3 names the room's instance, so a welcome that is on its way is waited for. One that is held does not come. */
static enum play_status find_instance(struct play *play, struct actor *actor, const struct step *step, struct text *instance) {
    struct hello_wait wait = {actor->connection, names_room(&play->names, step->room)};
    enum play_status status = play_wait_fenced(play, is_answered, &wait);
    *instance = wire_instance(play, actor, step->room);
    return status;
}

static enum play_status build_env(struct play *play, struct actor *actor, const struct step *step, struct json_value **out) {
    struct json_value *ops;
    enum play_status status = build_ops(play, step->argument, &ops);
    if (status != PLAY_OK) {
        return status;
    }
    double version = (double)wire_next_version(play, actor->origin, step->room);
    struct json_value *hlc = json_object(play->arena);
    json_set(hlc, TEXT("p"), json_number(play->arena, (double)play->clock_ms));
    json_set(hlc, TEXT("l"), json_number(play->arena, version));
    struct json_value *env = json_object(play->arena);
    json_set(env, TEXT("proto"), json_number(play->arena, play->wire));
    if (play->wire >= 3) {
        struct text instance;
        status = find_instance(play, actor, step, &instance);
        json_set(env, TEXT("instance"), json_string(play->arena, instance));
    }
    json_set(env, TEXT("origin"), json_string(play->arena, actor->origin));
    json_set(env, TEXT("writer"), json_string(play->arena, actor->client->writer));
    json_set(env, TEXT("version"), json_number(play->arena, version));
    json_set(env, TEXT("hlc"), hlc);
    json_set(env, TEXT("policyVersion"), json_number(play->arena, policy_version(play)));
    json_set(env, TEXT("ops"), ops);
    *out = message_of(play, TEXT("env"), step->room);
    json_set(*out, TEXT("env"), env);
    return status == PLAY_OK ? merge(play, env, step->as) : status;
}

static enum play_status build_presence(struct play *play, const struct step *step, struct json_value **out) {
    *out = message_of(play, TEXT("presence"), step->room);
    if (step->argument == NULL) {
        return PLAY_OK;
    }
    struct error error = {0};
    struct json_value *data = template_fill(step->argument, &play->bindings, &error);
    if (data == NULL) {
        return play_outcome(play, TARGET_BROKEN, &error);
    }
    json_set(*out, TEXT("data"), data);
    return PLAY_OK;
}

static enum play_status build_signal(struct play *play, const struct step *step, struct json_value **out) {
    *out = message_of(play, TEXT("signal"), step->room);
    return merge(play, *out, step->argument);
}

static enum play_status build_any(struct play *play, const struct step *step, struct json_value **out) {
    struct error error = {0};
    *out = template_fill(step->argument, &play->bindings, &error);
    return *out == NULL ? play_outcome(play, TARGET_BROKEN, &error) : PLAY_OK;
}

/* Remembers a hello, so that its welcome tells where the connection can be fenced. */
static void note_hello(struct play *play, struct connection *connection, const struct json_value *message) {
    const struct json_value *room = json_get(message, "room");
    const struct json_value *origin = json_get(message, "origin");
    if (!json_is_string(json_get(message, "t"), "hello") || room == NULL || room->type != JSON_STRING || origin == NULL ||
        origin->type != JSON_STRING) {
        return;
    }
    struct membership *hello = arena_alloc(play->arena, sizeof *hello);
    *hello = (struct membership){.room = room->text, .origin = origin->text};
    struct membership **end = &connection->hellos;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = hello;
}

static enum play_status transmit(struct play *play, struct connection *connection, struct text text, enum target_frame frame,
                                 int fragments) {
    struct error error = {0};
    enum play_status status = play_outcome(
        play, play->target->table->send(play->target, connection->number, text, frame, fragments, &error), &error);
    return status == PLAY_OK && play->barrier ? play_take_in(play, 0) : status;
}

static enum play_status send_message(struct play *play, struct connection *connection, const struct step *step,
                                     struct json_value *message) {
    play_trace(play, TRACE_SENT, connection->actor->name, connection->number, play_print(play, message),
               json_copy(play->arena, message), step->line);
    names_dress(&play->names, play->scenario, message);
    note_hello(play, connection, message);
    return transmit(play, connection, play_print(play, message), TARGET_FRAME_TEXT, 1);
}

/* The text of a `sends-text` with its placeholders filled in. */
static enum play_status build_text(struct play *play, struct connection *connection, const struct step *step, struct text *text) {
    struct error error = {0};
    struct json_value *filled = template_fill(step->argument, &play->bindings, &error);
    if (filled == NULL) {
        return play_outcome(play, TARGET_BROKEN, &error);
    }
    struct placeholders values = {.room = step->room, .wire = play->wire, .instance = TEXT("")};
    enum play_status status = PLAY_OK;
    if (play->wire >= 3 && memmem(filled->text.bytes, filled->text.length, "{{instance}}", strlen("{{instance}}")) != NULL) {
        status = find_instance(play, connection->actor, step, &values.instance);
    }
    *text = names_expand(&play->names, filled->text, &values);
    return status;
}

static enum play_status send_raw_text(struct play *play, struct connection *connection, const struct step *step) {
    struct text text;
    enum play_status status = build_text(play, connection, step, &text);
    if (status != PLAY_OK) {
        return status;
    }
    struct error error = {0};
    const struct json_value *fragments = json_get(step_map(step), "fragments");
    struct json_value *value = json_parse(play->arena, text, &error);
    if (value != NULL) {
        note_hello(play, connection, value);
        value = json_copy(play->arena, value);
        names_strip(&play->names, value);
    }
    play_trace(play, TRACE_SENT, connection->actor->name, connection->number, text, value, step->line);
    return transmit(play, connection, text, TARGET_FRAME_TEXT, fragments == NULL ? 1 : (int)fragments->number);
}

static int hex_digit(char character) {
    const char *digits = "0123456789abcdef";
    const char *at = character == '\0' ? NULL : strchr(digits, character | 0x20);
    return at == NULL ? -1 : (int)(at - digits);
}

static enum play_status send_raw_bytes(struct play *play, struct connection *connection, const struct step *step) {
    struct text hex = step->argument->text;
    char *bytes = arena_alloc(play->arena, hex.length / 2 + 1);
    size_t digits = 0;
    for (size_t i = 0; i < hex.length; i++) {
        int digit = hex_digit(hex.bytes[i]);
        if (digit >= 0) {
            bytes[digits / 2] = (char)((unsigned char)bytes[digits / 2] << 4 | digit);
            digits++;
        }
    }
    bool binary = json_is_string(json_get(step_map(step), "frame"), "binary");
    struct text shown = text_of(arena_format(play->arena, "%s frame of the bytes %.*s", binary ? "binary" : "text",
                                             (int)hex.length, hex.bytes));
    play_trace(play, TRACE_SENT, connection->actor->name, connection->number, shown, NULL, step->line);
    return transmit(play, connection, (struct text){bytes, digits / 2}, binary ? TARGET_FRAME_BINARY : TARGET_FRAME_TEXT, 1);
}

static enum play_status build(struct play *play, struct actor *actor, const struct step *step, struct json_value **out) {
    switch (step->verb) {
    case VERB_HELLO:
        return build_hello(play, actor, step, out);
    case VERB_WRITES:
        return build_env(play, actor, step, out);
    case VERB_PRESENCE:
        return build_presence(play, step, out);
    case VERB_SIGNAL:
        return build_signal(play, step, out);
    default:
        return build_any(play, step, out);
    }
}

enum play_status play_send_step(struct play *play, struct actor *actor, const struct step *step) {
    enum play_status status;
    struct connection *connection = play_connect(play, actor, step->line, &status);
    if (connection == NULL) {
        return status;
    }
    if (step->verb == VERB_SENDS_TEXT) {
        return send_raw_text(play, connection, step);
    }
    if (step->verb == VERB_SENDS_BYTES) {
        return send_raw_bytes(play, connection, step);
    }
    struct json_value *message;
    status = build(play, actor, step, &message);
    return status == PLAY_OK ? send_message(play, connection, step, message) : status;
}
