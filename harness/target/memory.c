/*
 * The reference relay in this process. Every connection is an in-memory socket pair: bytes in, bytes out; nothing of
 * the relay's own parsing reaches the harness.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/json/value.h"
#include "harness/target/events.h"
#include "harness/target/further.h"
#include "harness/target/memory_observe.h"
#include "harness/target/outcome.h"
#include "relay-ref/adapters/options.h"
#include "relay-ref/adapters/pair.h"
#include "relay-ref/core/relay.h"

struct memory_connection {
    int number;
    bool ended; /* by the client's side: what it received before may still be taken, a close no more */
    struct pair *pair;
};

struct memory_target {
    struct target target;
    struct relay *relay; /* NULL: no case is open */
    struct relay_settings *settings;
    struct memory_observer observer; /* its protocol is that of the open case; the newest while none is open */
    int64_t now;
    uint64_t epochs; /* minted in this case */
    struct memory_connection *connections;
    size_t count, capacity;
    size_t cursor;                  /* the connection whose queue is looked at next */
    struct target_events events;    /* what observers saw, and what a life of the relay that has ended left unread */
    struct relay_frame *handed_out; /* the message that next_event gave last */
};

static struct memory_target *memory_of(struct target *target) {
    return (struct memory_target *)target;
}

static struct relay_text relay_text_of(struct text text) {
    return (struct relay_text){text.bytes, text.length};
}

/* ---- connections --------------------------------------------------------------------------------- */

static struct memory_connection *find(struct memory_target *memory, int number) {
    for (size_t i = 0; i < memory->count; i++)
        if (memory->connections[i].number == number)
            return &memory->connections[i];
    return NULL;
}

static void forget(struct memory_target *memory, size_t index) {
    pair_free(memory->connections[index].pair);
    memmove(&memory->connections[index], &memory->connections[index + 1],
            (memory->count - index - 1) * sizeof *memory->connections);
    memory->count--;
}

/* The next event of a connection's own queue; a frame in it is the target's to give back. */
static bool take_from(struct memory_target *memory, const struct memory_connection *connection,
                      struct target_event *event) {
    struct pair_event taken = pair_take(connection->pair);
    *event = (struct target_event){.kind = TARGET_CLOSED, .connection = connection->number};
    if (taken.kind == PAIR_MESSAGE) {
        event->kind = TARGET_MESSAGE;
        event->text = (struct text){taken.frame->text, taken.frame->length};
        memory->handed_out = taken.frame;
    }
    return taken.kind == PAIR_MESSAGE || (taken.kind == PAIR_CLOSED && !connection->ended);
}

static void give_back(struct memory_target *memory) {
    if (memory->handed_out != NULL)
        relay_frame_release(memory->handed_out);
    memory->handed_out = NULL;
}

/* Looks at every connection once, beginning where the last event was found: a broadcast is taken in one round. */
static bool take_from_any(struct memory_target *memory, struct target_event *event) {
    for (size_t left = memory->count; left > 0; left--) {
        if (memory->cursor >= memory->count)
            memory->cursor = 0;
        struct memory_connection *connection = &memory->connections[memory->cursor];
        if (take_from(memory, connection, event))
            return true;
        if (connection->ended)
            forget(memory, memory->cursor);
        else
            memory->cursor++;
    }
    return false;
}

/* Moves what the connections have received into the one queue, where it keeps its place among the observers' events. */
static void collect(struct memory_target *memory) {
    struct relay_frame *handed_out = memory->handed_out;
    struct target_event event;
    memory->handed_out = NULL;
    while (take_from_any(memory, &event)) {
        events_add(&memory->events, &event);
        give_back(memory);
    }
    memory->handed_out = handed_out;
}

/* ---- the relay's door to the world --------------------------------------------------------------- */

static struct memory_target *observed(void *context) {
    return ((struct memory_observer *)context)->owner;
}

static int64_t read_clock(void *context) {
    return observed(context)->now;
}

/* Counts on through every life of the relay within a case: a restarted relay has new epochs (epoch.unique). */
static size_t mint_epoch(void *context, char *out, size_t capacity) {
    struct memory_target *memory = observed(context);
    char epoch[32];
    int length = snprintf(epoch, sizeof epoch, "epoch-%" PRIu64, ++memory->epochs);
    size_t size = (size_t)length < capacity ? (size_t)length : capacity;
    memcpy(out, epoch, size);
    return size;
}

static void before_observation(void *owner) {
    collect(owner);
}

/* Ends this life of the relay. What its connections had received and nobody took yet stays to be taken. */
static void end_life(struct memory_target *memory) {
    give_back(memory);
    collect(memory);
    while (memory->count > 0)
        forget(memory, memory->count - 1);
    relay_free(memory->relay);
    relay_settings_free(memory->settings);
    memory->relay = NULL;
    memory->settings = NULL;
}

/* ---- the table ----------------------------------------------------------------------------------- */

static bool is_one_of(const char *capability, const char *const *all, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i], capability) == 0)
            return true;
    return false;
}

static bool can(struct target *target, const char *capability) {
    static const char *const always[] = {"barrier",   "options", "policy.acl", "policy.validate", "clock", "room",
                                         "violation", "restart", "fresh"};
    static const char *const since_0_1_1[] = {"hydrate", "commit"};
    static const char *const since_0_9[] = {"hold",   "unload",  "drop",           "reject",
                                            "join",   "stalled", "policy.canBump", "policy.verifyCitations"};
    enum relay_protocol protocol = memory_of(target)->observer.protocol;
    return is_one_of(capability, always, sizeof always / sizeof *always) ||
           (protocol >= RELAY_PROTOCOL_0_1_1 &&
            is_one_of(capability, since_0_1_1, sizeof since_0_1_1 / sizeof *since_0_1_1)) ||
           (protocol >= RELAY_PROTOCOL_0_9 && is_one_of(capability, since_0_9, sizeof since_0_9 / sizeof *since_0_9));
}

static enum target_outcome open(struct target *target, const char *profile, struct text options, int limit_ms,
                                struct error *error) {
    (void)limit_ms; /* nothing here waits */
    struct memory_target *memory = memory_of(target);
    end_life(memory);
    enum relay_protocol protocol;
    if (!relay_protocol_from_name(profile, &protocol))
        return target_lacks(error, "memory speaks 0.1.0, 0.1.1, 0.2.0 and 0.9, not %s", profile);
    char reason[256];
    struct relay_settings *settings = relay_settings_read(protocol, relay_text_of(options), reason, sizeof reason);
    if (settings == NULL)
        return target_lacks(error, "memory cannot honour the options: %s", reason);
    memory->observer.protocol = protocol;
    memory->observer.holds = false;
    struct relay_env env = {.context = &memory->observer, .now = read_clock, .mint = mint_epoch};
    memory_observe_with(&env, &memory->observer);
    memory->relay = relay_new(&env, relay_settings_options(settings));
    if (memory->relay == NULL) {
        relay_settings_free(settings);
        return target_misused(error, "memory is out");
    }
    memory->settings = settings;
    return TARGET_OK;
}

static enum target_outcome open_first(struct error *error) {
    return target_misused(error, "the memory target was used before a case was opened");
}

static enum target_outcome connect(struct target *target, int number, const struct target_principal *principal,
                                   struct error *error) {
    struct memory_target *memory = memory_of(target);
    if (memory->relay == NULL)
        return open_first(error);
    if (find(memory, number) != NULL)
        return target_misused(error, "connection %d was connected twice in one case", number);
    if (principal->writer.length == 0)
        return target_lacks(error, "a principal's writer is never empty");
    struct relay_principal who = {.writer = relay_text_of(principal->writer),
                                  .kind = relay_text_of(principal->kind),
                                  .claims = relay_text_of(principal->claims)};
    struct pair *pair = pair_open(memory->relay, &who);
    if (pair == NULL)
        return target_misused(error, "memory is out");
    memory->connections =
        memory_room(memory->connections, memory->count, &memory->capacity, sizeof *memory->connections);
    memory->connections[memory->count++] = (struct memory_connection){.number = number, .pair = pair};
    return TARGET_OK;
}

static enum target_outcome send(struct target *target, int number, struct text message, enum target_frame frame,
                                int fragments, struct error *error) {
    if (!target_plain_message(error, frame, fragments))
        return TARGET_NO;
    struct memory_connection *connection = find(memory_of(target), number);
    if (connection != NULL && !connection->ended)
        pair_send(connection->pair, message.bytes, message.length);
    return TARGET_OK;
}

/* There is no handshake to leave out: the relay's core sees a disconnect in both cases. */
static enum target_outcome disconnect(struct target *target, int number, bool abrupt, struct error *error) {
    (void)abrupt, (void)error;
    struct memory_connection *connection = find(memory_of(target), number);
    if (connection != NULL) {
        connection->ended = true;
        pair_disconnect(connection->pair);
    }
    return TARGET_OK;
}

static enum target_outcome hydrate(struct target *target, struct text room, struct text snapshot, bool *answer,
                                   struct error *error) {
    struct memory_target *memory = memory_of(target);
    if (memory->relay == NULL)
        return open_first(error);
    if (memory->observer.protocol == RELAY_PROTOCOL_0_1_0)
        return target_lacks(error, "0.1.0 has no hydrate");
    *answer = relay_hydrate(memory->relay, relay_text_of(room), relay_text_of(snapshot)) == RELAY_HYDRATED;
    return TARGET_OK;
}

static enum target_outcome room(struct target *target, struct text name, struct buffer *info, struct error *error) {
    struct memory_target *memory = memory_of(target);
    if (memory->relay == NULL)
        return open_first(error);
    struct relay_room_info found;
    if (relay_room(memory->relay, relay_text_of(name), &found))
        memory_room_info(memory->observer.protocol, &found, info);
    else
        buffer_string(info, "null");
    return TARGET_OK;
}

static enum target_outcome set_clock(struct target *target, int64_t ms, struct error *error) {
    struct memory_target *memory = memory_of(target);
    if (ms < memory->now)
        return target_lacks(error, "the virtual clock never goes back: it shows %" PRId64 ", asked for was %" PRId64,
                            memory->now, ms);
    memory->now = ms;
    return TARGET_OK;
}

/* Commits that are held, and rooms that are unloaded; the answer is false where the relay has no such thing. */
static bool obey(struct memory_target *memory, const char *name, const struct json_value *fields) {
    const struct json_value *room = json_get(fields, "room"), *seq = json_get(fields, "seq"),
                            *discard = json_get(fields, "discard");
    if (strcmp(name, "hold") == 0 || strcmp(name, "unhold") == 0) {
        memory->observer.holds = strcmp(name, "hold") == 0;
        return true;
    }
    if (room == NULL || room->type != JSON_STRING)
        return false;
    if (strcmp(name, "unload") == 0)
        return relay_unload(memory->relay, relay_text_of(room->text), discard != NULL && discard->boolean);
    bool is_seq = seq != NULL && seq->type == JSON_NUMBER && seq->number >= 1 && seq->number < 9007199254740992.0;
    if (!is_seq || seq->number != (double)(uint64_t)seq->number)
        return false;
    return strcmp(name, "fail") == 0
               ? relay_fail(memory->relay, relay_text_of(room->text), (uint64_t)seq->number)
               : relay_release(memory->relay, relay_text_of(room->text), (uint64_t)seq->number);
}

static enum target_outcome further_command(struct target *target, const char *name, struct text fields,
                                           struct buffer *answer, struct error *error) {
    static const char *const known[] = {"hold", "unhold", "release", "fail", "unload"};
    struct memory_target *memory = memory_of(target);
    if (memory->relay == NULL)
        return open_first(error);
    if (!is_one_of(name, known, sizeof known / sizeof *known) || !can(target, further_capability(name)))
        return further_missing(target, name, error);
    struct arena *arena = arena_new();
    struct error ignored = {0};
    const struct json_value *members = json_parse(arena, fields, &ignored);
    bool good = members != NULL && members->type == JSON_OBJECT;
    if (good)
        buffer_string(answer, obey(memory, name, members) ? "true" : "false");
    arena_free(arena);
    return good ? TARGET_OK : target_misused(error, "the members of `%s` are no JSON object", name);
}

static bool next_event(struct target *target, int timeout_ms, struct target_event *event, struct error *error) {
    (void)timeout_ms, (void)error;
    struct memory_target *memory = memory_of(target);
    give_back(memory);
    return events_take(&memory->events, event) || take_from_any(memory, event);
}

static void close_case(struct target *target) {
    struct memory_target *memory = memory_of(target);
    end_life(memory);
    events_clear(&memory->events);
    memory->observer.protocol = RELAY_PROTOCOL_0_9;
    memory->now = TARGET_CLOCK_START;
    memory->epochs = 0;
}

static void free_target(struct target *target) {
    close_case(target);
    free(memory_of(target)->connections);
    free(target);
}

struct target *target_memory_new(void) {
    static const struct target_table table = {.can = can,
                                              .open = open,
                                              .connect = connect,
                                              .send = send,
                                              .disconnect = disconnect,
                                              .stall = target_has_no_stall,
                                              .hydrate = hydrate,
                                              .room = room,
                                              .clock = set_clock,
                                              .command = further_command,
                                              .next_event = next_event,
                                              .close = close_case,
                                              .free = free_target};
    struct memory_target *memory = memory_zeroed(1, sizeof *memory);
    memory->target = (struct target){.table = &table, .name = "memory"};
    memory->observer = (struct memory_observer){.owner = memory, .events = &memory->events, .before = before_observation, .protocol = RELAY_PROTOCOL_0_9};
    memory->observer.protocol = RELAY_PROTOCOL_0_9;
    memory->now = TARGET_CLOCK_START;
    return &memory->target;
}
