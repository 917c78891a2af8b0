/* The steps of a client that do not send: receiving, waiting, ending a connection. */
#include "harness/run/play.h"

/* ---- gets ---- */

struct awaited {
    const struct connection *connection;
    size_t count; /* messages */
    const struct json_value *pattern; /* one that may mean an ignored message; NULL: none */
    struct bindings *bindings;
};

static size_t messages_there(const struct play *play, const struct awaited *awaited) {
    struct connection look = *awaited->connection;
    size_t count = 0;
    struct message *message;
    while (count < awaited->count && (message = inbox_next(play, &look)) != NULL) {
        look.taken = message;
        count++;
    }
    return count;
}

/* The messages that `ignore` names are still got by a step that asks for them. */
static struct message *wanted_among_ignored(const struct play *play, const struct connection *connection,
                                            const struct json_value *pattern, struct bindings *bindings) {
    struct message *end = inbox_next(play, connection);
    struct message *message = connection->taken == NULL ? connection->first : connection->taken->next;
    for (; message != end; message = message->next) {
        if (message->value != NULL && match(pattern, message->value, bindings).matched) {
            return message;
        }
    }
    return NULL;
}

static bool messages_are_there(const struct play *play, void *context) {
    const struct awaited *awaited = context;
    return awaited->connection->ended || messages_there(play, awaited) >= awaited->count ||
           (awaited->pattern != NULL &&
            wanted_among_ignored(play, awaited->connection, awaited->pattern, awaited->bindings) != NULL);
}

static enum play_status nothing_came(struct play *play, const struct step *step, const struct connection *connection,
                                     const struct json_value *pattern) {
    struct text name = step->actor;
    if (connection->closed) {
        play_fail(play, step, "%.*s got nothing more: the relay closed the connection", (int)name.length, name.bytes);
    } else {
        play_fail(play, step, "%.*s got nothing", (int)name.length, name.bytes);
    }
    play->failure.wanted = play_print(play, pattern);
    return PLAY_FAILED;
}

static enum play_status wrong_message(struct play *play, const struct step *step, struct message *message,
                                      const struct json_value *pattern, struct difference *differences) {
    struct text name = step->actor;
    play_fail(play, step, "%.*s got another message than the step says", (int)name.length, name.bytes);
    play->failure.wanted = play_print(play, pattern);
    play->failure.came = message->entry->text;
    play->failure.differences = differences;
    message->entry->unexpected = true;
    return PLAY_FAILED;
}

static enum play_status not_json(struct play *play, const struct step *step, struct message *message) {
    struct text name = step->actor;
    play_fail(play, step, "%.*s got %s", (int)name.length, name.bytes,
              message->binary ? "a binary message; every message must be text (frame.text-json)" : "a message that is not JSON");
    play->failure.wanted = play_print(play, step->argument);
    play->failure.came = message->entry->text;
    message->entry->unexpected = true;
    return PLAY_FAILED;
}

static enum play_status gets(struct play *play, struct connection *connection, const struct step *step) {
    const struct json_value *pattern = wire_pattern(play, step->argument, WIRE_AT_TOP);
    struct awaited awaited = {connection, 1, pattern, &play->bindings};
    enum play_status status = play_wait(play, messages_are_there, &awaited);
    if (status != PLAY_OK) {
        return status;
    }
    struct message *wanted = wanted_among_ignored(play, connection, pattern, &play->bindings);
    if (wanted != NULL) {
        connection->taken = wanted;
        return PLAY_OK;
    }
    struct message *message = inbox_next(play, connection);
    if (message == NULL) {
        return nothing_came(play, step, connection, pattern);
    }
    if (message->value == NULL) {
        return not_json(play, step, message);
    }
    struct match_result result = match(pattern, message->value, &play->bindings);
    if (!result.matched) {
        return wrong_message(play, step, message, pattern, result.first);
    }
    connection->taken = message;
    return PLAY_OK;
}

static enum play_status gets_in_any_order(struct play *play, struct connection *connection, const struct step *step) {
    struct awaited awaited = {.connection = connection, .count = step->argument->count};
    enum play_status status = play_wait(play, messages_are_there, &awaited);
    if (status != PLAY_OK) {
        return status;
    }
    if (messages_there(play, &awaited) < awaited.count) {
        return nothing_came(play, step, connection, step->argument);
    }
    struct json_value *came = json_array(play->arena);
    struct connection look = *connection;
    for (size_t i = 0; i < awaited.count; i++) {
        look.taken = inbox_next(play, &look);
        if (look.taken->value == NULL) {
            return not_json(play, step, look.taken);
        }
        json_append(came, json_copy(play->arena, look.taken->value));
    }
    struct json_value *pattern = json_object(play->arena);
    struct json_value *patterns = json_array(play->arena);
    for (const struct json_value *one = step->argument->first; one != NULL; one = one->next) {
        json_append(patterns, json_copy(play->arena, wire_pattern(play, one, WIRE_AT_TOP)));
    }
    json_set(pattern, TEXT("$unordered"), patterns);
    pattern->line = step->argument->line;
    pattern->column = step->argument->column;
    struct match_result result = match(pattern, came, &play->bindings);
    if (!result.matched) {
        enum play_status failed = wrong_message(play, step, look.taken, step->argument, result.first);
        play->failure.came = play_print(play, came);
        return failed;
    }
    connection->taken = look.taken;
    return PLAY_OK;
}

/* ---- quiet, closed ---- */

static enum play_status quiet(struct play *play, struct connection *connection, const struct step *step) {
    enum play_status status = play_fence(play);
    struct message *message = inbox_next(play, connection);
    if (status != PLAY_OK || message == NULL) {
        return status;
    }
    play_fail(play, step, "%.*s should have got nothing more", (int)step->actor.length, step->actor.bytes);
    play->failure.came = message->entry->text;
    message->entry->unexpected = true;
    return PLAY_FAILED;
}

static bool has_ended(const struct play *play, void *context) {
    (void)play;
    return ((const struct connection *)context)->ended;
}

static enum play_status closed(struct play *play, struct connection *connection, const struct step *step) {
    enum play_status status = play_wait(play, has_ended, connection);
    if (status != PLAY_OK) {
        return status;
    }
    struct text name = step->actor;
    struct message *message = inbox_next(play, connection);
    if (message != NULL) {
        play_fail(play, step, "%.*s's connection should have been closed, and nothing sent before that", (int)name.length, name.bytes);
        play->failure.came = message->entry->text;
        message->entry->unexpected = true;
        return PLAY_FAILED;
    }
    if (!connection->closed) {
        return play_fail(play, step, "the relay should have closed %.*s's connection; it is open", (int)name.length, name.bytes);
    }
    connection->close_taken = true;
    const struct json_value *code = json_get(step->argument, "code");
    /* Adapters and the memory target have no close code: there is nothing to compare there. */
    if (code == NULL || connection->close_code == 0) {
        return PLAY_OK;
    }
    struct match_result result = match(code, json_number(play->arena, connection->close_code), &play->bindings);
    if (!result.matched) {
        play_fail(play, step, "the relay closed %.*s's connection with another code", (int)name.length, name.bytes);
        play->failure.differences = result.first;
        return PLAY_FAILED;
    }
    return PLAY_OK;
}

/* ---- leaves, drops, stalls ---- */

static enum play_status ends(struct play *play, struct connection *connection, const struct step *step, bool abrupt) {
    /* What the connection got before it left must be accounted for, so it must be there. */
    enum play_status status = connection->stalled ? PLAY_OK : play_fence(play);
    if (status != PLAY_OK || connection->ended) {
        return status;
    }
    play_trace(play, TRACE_LEFT, connection->actor->name, connection->number, abrupt ? TEXT("without a closing handshake") : TEXT(""),
               NULL, step->line);
    connection->ended = true;
    connection->fences_out = 0;
    play->departed = true;
    struct error error = {0};
    status = play_outcome(play, play->target->table->disconnect(play->target, connection->number, abrupt, &error), &error);
    return status == PLAY_OK && play->barrier ? play_take_in(play, 0) : status;
}

static enum play_status stalls(struct play *play, struct connection *connection, bool stalled) {
    struct error error = {0};
    connection->stalled = stalled;
    return play_outcome(play, play->target->table->stall(play->target, connection->number, stalled, &error), &error);
}

/* ---- which is which ---- */

static enum play_status joins_as(struct play *play, const struct step *step) {
    const struct actor *model = play_actor(play, step->argument->text);
    const struct json_value *map = step->node->first;
    const struct json_value *origin = json_get(map, "origin");
    struct actor *actor = play_actor(play, step->actor);
    if (actor == NULL) {
        actor = play_add_actor(play, step->actor, model->client, origin != NULL ? origin->text : model->origin);
    }
    enum play_status status;
    play_connect(play, actor, step->line, &status);
    return status;
}

static enum play_status with_connection(struct play *play, struct connection *connection, const struct step *step) {
    switch (step->verb) {
    case VERB_GETS:
        return gets(play, connection, step);
    case VERB_GETS_IN_ANY_ORDER:
        return gets_in_any_order(play, connection, step);
    case VERB_QUIET:
        return quiet(play, connection, step);
    case VERB_CLOSED:
        return closed(play, connection, step);
    case VERB_LEAVES:
    case VERB_DROPS:
        return ends(play, connection, step, step->verb == VERB_DROPS);
    default:
        return stalls(play, connection, step->verb == VERB_STALLS);
    }
}

enum play_status play_client_step(struct play *play, const struct step *step) {
    if (step->verb == VERB_JOINS_AS) {
        return joins_as(play, step);
    }
    struct actor *actor = play_actor(play, step->actor);
    if (actor == NULL) {
        return play_fail(play, step, "%.*s has not joined yet", (int)step->actor.length, step->actor.bytes);
    }
    enum play_status status;
    switch (step->verb) {
    case VERB_CONNECTS:
        play_connect(play, actor, step->line, &status);
        return status;
    case VERB_HELLO:
    case VERB_WRITES:
    case VERB_PRESENCE:
    case VERB_SIGNAL:
    case VERB_SENDS:
    case VERB_SENDS_TEXT:
    case VERB_SENDS_BYTES:
        return play_send_step(play, actor, step);
    default:
        break;
    }
    if (actor->connection == NULL && play_connect(play, actor, step->line, &status) == NULL) {
        return status;
    }
    return with_connection(play, actor->connection, step);
}
