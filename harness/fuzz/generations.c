/*
 * A whole relay of wire version 3 in this process, driven by decisions: envelopes under fresh and stale instances, resent ones, citations, migrations, held and failed
 * commits, rooms that are unloaded and restored. Afterwards the run must be one that clients can rely on (harness/history): its registers above all.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/fuzz/support/bytes.h"
#include "harness/history/history.h"
#include "harness/target/target.h"

#define COMMANDS_CEILING 200
#define CLIENTS_CEILING 6
#define KEPT_CEILING 64 /* envelopes to send again, stamps to cite */

static const char *const rooms[] = {"r", "q"};
static const char *const writers[] = {"ana", "ben", "cleo"};
static const char *const origins[] = {"o1", "o2", "o3"};
#define ROOMS (sizeof rooms / sizeof *rooms)
#define ONE_OF(bytes, words) ((words)[bytes_choose((bytes), sizeof(words) / sizeof *(words))])

struct client {
    int number; /* 0: there is none */
    const char *writer, *origin;
    const char *instances[ROOMS]; /* from the latest welcome; NULL: none */
};

struct run {
    struct bytes bytes;
    struct arena *arena;
    struct target *target;
    const char *options;
    struct client clients[CLIENTS_CEILING];
    int numbers; /* handed out */
    unsigned stamps, versions[3][ROOMS];
    const char *envelopes[KEPT_CEILING], *cites[KEPT_CEILING];
    unsigned envelope_count, cite_count;
    const char *states[ROOMS]; /* of the latest commit: what a keeper would restore */
    bool held;
    struct history_event *events;
    size_t count, capacity;
};

/* ---- the history --------------------------------------------------------------------------------- */

static void note(struct run *run, enum history_kind kind, int connection, const struct json_value *message) {
    run->events = memory_room(run->events, run->count, &run->capacity, sizeof *run->events);
    run->events[run->count++] = (struct history_event){kind, connection, message};
}

static const struct json_value *parsed(struct run *run, struct text text) {
    struct error error = {0};
    return json_parse(run->arena, (struct text){arena_copy(run->arena, text.bytes, text.length), text.length}, &error);
}

static const char *printed(struct run *run, const struct json_value *value) {
    struct buffer text = {0};
    json_print(&text, value);
    const char *kept = arena_copy(run->arena, text.bytes, text.length);
    buffer_free(&text);
    return kept;
}

/* The place of the room that a message names among `rooms`. */
static size_t room_in(const struct json_value *message) {
    return json_is_string(json_get(message, "room"), rooms[1]) ? 1 : 0;
}

static struct client *client_of(struct run *run, int number) {
    for (size_t i = 0; i < CLIENTS_CEILING; i++)
        if (run->clients[i].number == number)
            return &run->clients[i];
    return NULL;
}

static void take_message(struct run *run, int number, const struct json_value *message) {
    const struct json_value *instance = json_get(message, "instance");
    struct client *client = client_of(run, number);
    note(run, HISTORY_RECEIVED, number, message);
    if (client != NULL && json_is_string(json_get(message, "t"), "welcome") && instance != NULL)
        client->instances[room_in(message)] = arena_copy(run->arena, instance->text.bytes, instance->text.length);
}

/* Keeps what may be cited, and what a keeper would have of the room. */
static void take_commit(struct run *run, const struct json_value *commit) {
    const struct json_value *envelope = json_get(commit, "env");
    note(run, HISTORY_COMMITTED, 0, commit);
    run->states[room_in(commit)] = printed(run, json_get(commit, "state"));
    if (run->cite_count < KEPT_CEILING)
        run->cites[run->cite_count++] = arena_format(run->arena, "{\"origin\":%s,\"hlc\":%s}", printed(run, json_get(envelope, "origin")),
                                                     printed(run, json_get(envelope, "hlc")));
}

/* A closed connection is reported back as gone, as a transport would do it. */
static void take_event(struct run *run, const struct target_event *event) {
    struct error error = {0};
    if (event->kind == TARGET_CLOSED) {
        struct client *client = client_of(run, event->connection);
        note(run, HISTORY_ENDED, event->connection, NULL);
        run->target->table->disconnect(run->target, event->connection, true, &error);
        if (client != NULL)
            client->number = 0;
        return;
    }
    const struct json_value *message = parsed(run, event->text);
    if (message == NULL || message->type != JSON_OBJECT)
        found("the relay gave what is no JSON object: %.*s", (int)event->text.length, event->text.bytes);
    if (event->kind == TARGET_MESSAGE)
        take_message(run, event->connection, message);
    else if (strcmp(event->name, "commit") == 0)
        take_commit(run, message);
}

/* Behind its close nothing reaches a client. */
static void drain(struct run *run) {
    struct target_event event;
    struct error error = {0};
    while (run->target->table->next_event(run->target, 0, &event, &error))
        if (event.kind == TARGET_OBSERVED || client_of(run, event.connection) != NULL)
            take_event(run, &event);
}

/* ---- frames -------------------------------------------------------------------------------------- */

static void send_text(struct run *run, int number, const char *text) {
    struct error error = {0};
    note(run, HISTORY_SENT, number, parsed(run, text_of(text)));
    run->target->table->send(run->target, number, text_of(text), TARGET_FRAME_TEXT, 1, &error);
    drain(run);
}

static void send_hello(struct run *run, const struct client *client) {
    static const char *const more[] = {"", "", ",\"seq\":0", ",\"seq\":1", ",\"seq\":4", ",\"schemaVersion\":0"};
    const char *room = ONE_OF(&run->bytes, rooms);
    send_text(run, client->number,
              arena_format(run->arena, "{\"t\":\"hello\",\"room\":\"%s\",\"origin\":\"%s\",\"proto\":3,\"policyVersion\":0%s}", room,
                           client->origin, ONE_OF(&run->bytes, more)));
}

/* An op of its own path, so that no path is doubled. */
static const char *make_op(struct run *run, unsigned path) {
    static const char *const paths[] = {"[]", "[\"a\"]", "[\"a\",1]", "[\"b\",\"1\"]", "[\"ключ\"]"};
    static const char *const kinds[] = {"\"set\",\"next\":1,\"prev\":null", "\"set\",\"next\":{\"v\":[]}", "\"delete\",\"prev\":1", "\"clear\""};
    unsigned kind = bytes_choose(&run->bytes, path == 0 ? 2 : 4), cites = bytes_choose(&run->bytes, 3);
    const char *first = "", *second = "";
    if (cites > 0 && run->cite_count > 0)
        first = run->cites[bytes_choose(&run->bytes, run->cite_count)];
    if (cites > 1 && run->cite_count > 0)
        second = run->cites[bytes_choose(&run->bytes, run->cite_count)];
    return arena_format(run->arena, "{\"kind\":%s,\"path\":%s,\"cites\":[%s%s%s],\"epoch\":%u}", kinds[kind], paths[path], first,
                        second[0] == '\0' ? "" : ",", second, bytes_choose(&run->bytes, 8) == 7 ? bytes_choose(&run->bytes, 4) : 0);
}

static void send_envelope(struct run *run, const struct client *client) {
    static const char *const more[] = {"", "", "", "", "", ",\"x\":{\"\":null}", ",\"schemaVersion\":1", ",\"schemaVersion\":3"};
    unsigned room = bytes_choose(&run->bytes, ROOMS), odd = bytes_choose(&run->bytes, 32), path = bytes_choose(&run->bytes, 4);
    unsigned origin = (unsigned)(client->origin[1] - '1');
    unsigned *version = &run->versions[origin][room];
    *version += odd == 1 ? 2 : 1;
    const char *instance = client->instances[room] != NULL && odd != 2 ? client->instances[room] : "stale";
    bool two = bytes_choose(&run->bytes, 2) == 1;
    const char *text = arena_format(
        run->arena,
        "{\"t\":\"env\",\"room\":\"%s\",\"env\":{\"proto\":%u,\"instance\":\"%s\",\"origin\":\"%s\",\"writer\":\"%s\",\"version\":%u,"
        "\"hlc\":{\"p\":1,\"l\":%u},\"policyVersion\":0,\"ops\":[%s%s%s]%s}}",
        rooms[room], odd == 3 ? 1 : 3, instance, client->origin, odd == 4 ? "someone" : client->writer, odd == 5 ? 0 : *version, ++run->stamps,
        make_op(run, path), two ? "," : "", two ? make_op(run, path + 1) : "", ONE_OF(&run->bytes, more));
    if (run->envelope_count < KEPT_CEILING)
        run->envelopes[run->envelope_count++] = text;
    send_text(run, client->number, text);
}

/* The same bytes again, by whoever it may be: only who wrote it is not ejected for it. */
static void send_again(struct run *run, const struct client *client) {
    if (run->envelope_count == 0)
        return;
    const char *text = run->envelopes[bytes_choose(&run->bytes, run->envelope_count)];
    if (strstr(text, arena_format(run->arena, "\"writer\":\"%s\"", client->writer)) != NULL)
        send_text(run, client->number, text);
}

static void send_presence(struct run *run, const struct client *client) {
    send_text(run, client->number, arena_format(run->arena, "{\"t\":\"presence\",\"room\":\"%s\",\"data\":%u}", ONE_OF(&run->bytes, rooms),
                                                bytes_choose(&run->bytes, 4)));
}

static void as_somebody(struct run *run, void (*send)(struct run *run, const struct client *client)) {
    const struct client *client = &run->clients[bytes_choose(&run->bytes, CLIENTS_CEILING)];
    if (client->number != 0)
        send(run, client);
}

/* ---- everything but frames ----------------------------------------------------------------------- */

static void connect_client(struct run *run) {
    struct client *client = client_of(run, 0);
    struct error error = {0};
    if (client == NULL)
        return;
    *client = (struct client){.number = ++run->numbers, .writer = ONE_OF(&run->bytes, writers), .origin = ONE_OF(&run->bytes, origins)};
    struct target_principal who = {.writer = text_of(client->writer)};
    if (run->target->table->connect(run->target, client->number, &who, &error) != TARGET_OK)
        found("a client could not connect: %s", error.text);
}

static void disconnect_client(struct run *run) {
    struct client *client = &run->clients[bytes_choose(&run->bytes, CLIENTS_CEILING)];
    struct error error = {0};
    if (client->number == 0)
        return;
    note(run, HISTORY_ENDED, client->number, NULL);
    run->target->table->disconnect(run->target, client->number, false, &error);
    client->number = 0;
    drain(run);
}

/* True when the relay says so. */
static bool obey(struct run *run, const char *name, const char *fields) {
    struct buffer answer = {0};
    struct error error = {0};
    if (run->target->table->command(run->target, name, text_of(fields), &answer, &error) != TARGET_OK)
        found("%s %s: %s", name, fields, error.text);
    bool yes = strcmp(answer.bytes, "true") == 0;
    buffer_free(&answer);
    drain(run);
    return yes;
}

static void hold(struct run *run) {
    bool on = bytes_choose(&run->bytes, 2) == 0;
    run->held = true;
    obey(run, on ? "hold" : "unhold", "{}");
}

static void decide(struct run *run) {
    const char *room = ONE_OF(&run->bytes, rooms);
    obey(run, bytes_choose(&run->bytes, 8) == 7 ? "fail" : "release",
         arena_format(run->arena, "{\"room\":\"%s\",\"seq\":%u}", room, 1 + bytes_choose(&run->bytes, 16)));
}

static void unload(struct run *run) {
    const char *room = ONE_OF(&run->bytes, rooms);
    const char *discard = bytes_choose(&run->bytes, 2) == 0 ? "false" : "true";
    if (!obey(run, "unload", arena_format(run->arena, "{\"room\":\"%s\",\"discard\":%s}", room, discard)))
        return;
    note(run, HISTORY_UNLOADED, 0, parsed(run, text_of(arena_format(run->arena, "{\"unloaded\":\"%s\"}", room))));
}

static void hydrate(struct run *run) {
    unsigned room = bytes_choose(&run->bytes, ROOMS);
    const char *state = run->states[room];
    struct error error = {0};
    bool answer = false;
    if (state == NULL)
        return;
    run->target->table->hydrate(run->target, text_of(rooms[room]), text_of(state), &answer, &error);
    if (answer)
        note(run, HISTORY_HYDRATED, 0,
             parsed(run, text_of(arena_format(run->arena, "{\"room\":\"%s\",\"snapshot\":%s}", rooms[room], state))));
}

static void open_relay(struct run *run) {
    struct error error = {0};
    if (run->target->table->open(run->target, "0.9", text_of(run->options), 1000, &error) != TARGET_OK)
        found("no relay: %s", error.text);
}

static void restart(struct run *run) {
    note(run, HISTORY_RESTARTED, 0, NULL);
    memset(run->clients, 0, sizeof run->clients);
    open_relay(run);
}

/* ---- a run --------------------------------------------------------------------------------------- */

static void command(struct run *run) {
    unsigned choice = bytes_choose(&run->bytes, 64);
    if (choice < 6)
        connect_client(run);
    else if (choice < 16)
        as_somebody(run, send_hello);
    else if (choice < 40)
        as_somebody(run, send_envelope);
    else if (choice < 45)
        as_somebody(run, send_again);
    else if (choice < 47)
        as_somebody(run, send_presence);
    else if (choice < 50)
        disconnect_client(run);
    else if (choice < 51)
        hold(run);
    else if (choice < 56)
        decide(run);
    else if (choice < 59)
        unload(run);
    else if (choice < 62)
        hydrate(run);
    else if (choice < 63)
        restart(run);
}

/* Somebody new looks at every room, so that its registers are held against the history. */
static void look_at_rooms(struct run *run) {
    struct target_principal who = {.writer = TEXT("zoe")};
    struct error error = {0};
    int number = ++run->numbers;
    struct client *client = client_of(run, 0);
    if (client == NULL)
        return;
    *client = (struct client){.number = number, .writer = "zoe", .origin = "o9"};
    run->target->table->connect(run->target, number, &who, &error);
    for (size_t i = 0; i < ROOMS; i++)
        send_text(run, number,
                  arena_format(run->arena, "{\"t\":\"hello\",\"room\":\"%s\",\"origin\":\"o9\",\"proto\":3,\"policyVersion\":0}", rooms[i]));
}

static void show_history(const struct run *run) {
    static const char *const kinds[] = {[HISTORY_SENT] = "sent",         [HISTORY_RECEIVED] = "received",   [HISTORY_ENDED] = "ended",
                                        [HISTORY_HYDRATED] = "hydrated", [HISTORY_COMMITTED] = "committed", [HISTORY_UNLOADED] = "unloaded",
                                        [HISTORY_RESTARTED] = "restarted"};
    for (size_t i = 0; i < run->count; i++) {
        struct buffer text = {0};
        if (run->events[i].message != NULL)
            json_print(&text, run->events[i].message);
        fprintf(stderr, "%3zu  %d %s %s\n", i, run->events[i].connection, kinds[run->events[i].kind], text.length > 0 ? text.bytes : "");
        buffer_free(&text);
    }
}

static void check_history(struct run *run) {
    struct history_settings settings = {.settled = !run->held,
                                        .held = run->held,
                                        .wire = 3,
                                        .ejects_connections = strstr(run->options, "connection") != NULL};
    struct history_breach breach = history_check(run->arena, run->events, run->count, &settings);
    if (breach.rule == NULL)
        return;
    show_history(run);
    found("0.9 with %s breaks %s at %zu: %s", run->options, breach.rule, breach.event, breach.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const options[] = {
        "{}",
        "{\"journalLimit\":0}",
        "{\"journalLimit\":1}",
        "{\"journalLimit\":3,\"ejection\":\"connection\"}",
        "{\"journalLimit\":2,\"policy\":{\"verifyCitations\":true}}",
        "{\"ejection\":\"connection\",\"policy\":{\"canBump\":{\"allow\":{\"writer\":\"ana\"}}}}",
    };
    struct run run = {.bytes = {data, size}, .arena = arena_new(), .target = target_memory_new()};
    run.options = ONE_OF(&run.bytes, options);
    open_relay(&run);
    for (int i = 0; i < COMMANDS_CEILING && run.bytes.left > 0; i++)
        command(&run);
    look_at_rooms(&run);
    check_history(&run);
    run.target->table->close(run.target);
    run.target->table->free(run.target);
    free(run.events);
    arena_free(run.arena);
    return 0;
}
