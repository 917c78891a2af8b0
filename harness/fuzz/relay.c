/*
 * A whole relay of this process, driven by decisions: clients that come and go, hellos, envelopes, presences, signals,
 * any other frames, the clock, hydrates and restarts. Afterwards the run must be one that clients can rely on
 * (harness/history), and each commit must show the fold of what was committed (commit.fold).
 */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/fuzz/support/bytes.h"
#include "harness/fuzz/support/commits.h"
#include "harness/history/history.h"
#include "harness/target/target.h"

#define COMMANDS_CEILING 150
#define CLIENTS_CEILING 8
#define RAW_CEILING 200
#define OPS_CEILING 6

static const char *const rooms[] = {"r", "q", "ключ"};
static const char *const writers[] = {"ana", "ben", "cleo", "d\"\\"};
static const char *const origins[] = {"o1", "o2", "o3", "o4"};
#define ONE_OF(bytes, words) ((words)[bytes_choose((bytes), sizeof(words) / sizeof *(words))])

struct client {
    int number; /* 0: there is none */
    const char *writer, *origin;
};

struct run {
    struct bytes bytes;
    struct arena *arena;
    struct target *target;
    const char *profile, *options;
    unsigned policy_version;
    struct client clients[CLIENTS_CEILING];
    int numbers; /* handed out */
    int64_t now;
    bool is_free; /* a frame was sent whose outcome may be left open */
    struct history_event *events;
    size_t count, capacity;
    struct commits commits;
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

static void forget_client(struct run *run, int number) {
    for (size_t i = 0; i < CLIENTS_CEILING; i++)
        if (run->clients[i].number == number)
            run->clients[i].number = 0;
}

/* A closed connection is reported back as gone, as a transport would do it. */
static void take_event(struct run *run, const struct target_event *event) {
    if (event->kind == TARGET_CLOSED) {
        struct error error = {0};
        note(run, HISTORY_ENDED, event->connection, NULL);
        run->target->table->disconnect(run->target, event->connection, true, &error);
        forget_client(run, event->connection);
        return;
    }
    const struct json_value *message = parsed(run, event->text);
    /* frame.text-json */
    if (message == NULL || message->type != JSON_OBJECT)
        found("the relay sent what is no JSON object: %.*s", (int)event->text.length, event->text.bytes);
    if (event->kind == TARGET_MESSAGE) {
        note(run, HISTORY_RECEIVED, event->connection, message);
    } else if (strcmp(event->name, "commit") == 0) {
        note(run, HISTORY_COMMITTED, 0, message);
        commits_take(&run->commits, message);
    }
}

static void drain(struct run *run) {
    struct target_event event;
    struct error error = {0};
    while (run->target->table->next_event(run->target, 0, &event, &error))
        take_event(run, &event);
}

/* ---- frames -------------------------------------------------------------------------------------- */

static void send_text(struct run *run, const struct client *client, struct text text) {
    struct error error = {0};
    const struct json_value *message = parsed(run, text);
    if (message != NULL && message->type == JSON_OBJECT)
        note(run, HISTORY_SENT, client->number, message);
    run->target->table->send(run->target, client->number, text, TARGET_FRAME_TEXT, 1, &error);
    drain(run);
}

static void put_string(FILE *out, const char *characters) {
    struct buffer quoted = {0};
    json_print_string(&quoted, text_of(characters));
    fputs(quoted.bytes, out);
    buffer_free(&quoted);
}

static void put_hello(struct run *run, const struct client *client, FILE *out) {
    static const char *const seqs[] = {"",           "",           ",\"seq\":0", ",\"seq\":1",
                                       ",\"seq\":2", ",\"seq\":3", ",\"seq\":5", ",\"seq\":9"};
    static const char *const protos[] = {",\"proto\":1", ",\"proto\":1", ",\"proto\":1.0", ",\"proto\":2", ""};
    static const char *const schemas[] = {"", "", ",\"schemaVersion\":0", ",\"schemaVersion\":2",
                                          ",\"schemaVersion\":5"};
    fputs("{\"t\":\"hello\",\"room\":", out);
    put_string(out, ONE_OF(&run->bytes, rooms));
    fprintf(out, ",\"origin\":\"%s\"%s", client->origin, ONE_OF(&run->bytes, seqs));
    unsigned odd = bytes_choose(&run->bytes, 8);
    fputs(odd == 7 ? ONE_OF(&run->bytes, protos) : protos[0], out);
    fprintf(out, ",\"policyVersion\":%u", odd == 6 ? 7 : run->policy_version);
    fputs(odd == 5 ? ONE_OF(&run->bytes, schemas) : "", out);
    fputc('}', out);
}

static void put_envelope(struct run *run, const struct client *client, FILE *out) {
    static const char *const more[] = {
        "", ",\"seq\":99", ",\"x\":{\"\":null}", ",\"schemaVersion\":1", ",\"schemaVersion\":3", ",\"seq\":null"};
    unsigned odd = bytes_choose(&run->bytes, 24);
    fputs("{\"t\":\"env\",\"room\":", out);
    put_string(out, ONE_OF(&run->bytes, rooms));
    fprintf(out, ",\"env\":{\"proto\":%u,\"origin\":\"%s\",\"writer\":", odd == 23 ? 2 : 1, client->origin);
    put_string(out, odd == 22 ? "someone" : client->writer);
    /* The version tells envelopes apart, as it does for a real client. */
    fprintf(out, ",\"version\":%zu,\"hlc\":{\"p\":1,\"l\":0},\"policyVersion\":%u%s,\"ops\":", run->count,
            odd == 21 ? 7 : run->policy_version, ONE_OF(&run->bytes, more));
    bytes_ops(&run->bytes, OPS_CEILING, out);
    fputs("}}", out);
}

static void put_presence(struct run *run, const struct client *client, FILE *out) {
    (void)client;
    fputs("{\"t\":\"presence\",\"room\":", out);
    put_string(out, ONE_OF(&run->bytes, rooms));
    fputs(",\"data\":", out);
    bytes_json(&run->bytes, out);
    fputc('}', out);
}

static void put_signal(struct run *run, const struct client *client, FILE *out) {
    (void)client;
    fputs("{\"t\":\"signal\",\"room\":", out);
    put_string(out, ONE_OF(&run->bytes, rooms));
    fprintf(out, ",\"to\":\"%s\",\"data\":", ONE_OF(&run->bytes, origins));
    bytes_json(&run->bytes, out);
    fputc('}', out);
}

/* A frame that is anything, or has anything as a value or behind its last member. */
static void put_raw(struct run *run, const struct client *client, FILE *out) {
    static const char *const heads[] = {
        "",
        ("{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":1,\"writer\":\"ana\",\"policyVersion\":0,"
         "\"ops\":[{\"kind\":\"set\",\"path\":[],\"next\":"),
        "{\"t\":\"hello\",\"room\":\"r\",\"proto\":1,\"policyVersion\":0,\"origin\":\"o1\"",
        "{\"t\":\"presence\",\"room\":\"r\",\"data\":",
        "{\"t\":\"signal\",\"room\":\"r\",\"to\":",
    };
    static const char *const tails[] = {"", "}]}}", "}", "}", "}"};
    (void)client;
    size_t length;
    unsigned kind = bytes_choose(&run->bytes, sizeof heads / sizeof *heads);
    const char *raw = bytes_raw(&run->bytes, RAW_CEILING, &length);
    fputs(heads[kind], out);
    fwrite(raw, 1, length, out);
    fputs(tails[kind], out);
    run->is_free = true;
}

typedef void frame_writer(struct run *run, const struct client *client, FILE *out);

static void send_frame(struct run *run, frame_writer *put) {
    const struct client *client = &run->clients[bytes_choose(&run->bytes, CLIENTS_CEILING)];
    if (client->number == 0)
        client = &run->clients[0];
    if (client->number == 0)
        return;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    put(run, client, out);
    fclose(out);
    send_text(run, client, (struct text){text, length});
    free(text);
}

/* ---- everything but frames ----------------------------------------------------------------------- */

static void connect_client(struct run *run) {
    struct client *client = run->clients;
    while (client < run->clients + CLIENTS_CEILING && client->number != 0)
        client++;
    if (client == run->clients + CLIENTS_CEILING)
        return;
    struct error error = {0};
    *client = (struct client){++run->numbers, ONE_OF(&run->bytes, writers), ONE_OF(&run->bytes, origins)};
    struct target_principal who = {.writer = text_of(client->writer)};
    if (bytes_choose(&run->bytes, 2) == 1)
        who.kind = TEXT("agent");
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

static void advance(struct run *run) {
    struct error error = {0};
    run->now += (int64_t)bytes_choose(&run->bytes, 256) * 10;
    run->target->table->clock(run->target, run->now, &error);
}

/* hydrate.fresh: a room that nobody has joined or written to. */
static bool is_fresh(struct run *run, const char *room) {
    struct buffer info = {0};
    struct error error = {0};
    run->target->table->room(run->target, text_of(room), &info, &error);
    bool fresh = strcmp(info.bytes, "null") == 0 || strcmp(info.bytes, "{\"seq\":0,\"members\":0,\"journal\":0}") == 0;
    buffer_free(&info);
    return fresh;
}

/* A journal without gaps, up to one entry past the snapshot's seq, which the relay must drop (hydrate.journal). */
static void put_snapshot(struct run *run, FILE *out) {
    unsigned seq = 1 + bytes_choose(&run->bytes, 6), length = bytes_choose(&run->bytes, 4);
    static const char *const more[] = {"", ",\"epoch\":\"kept\"", ",\"schemaVersion\":2"};
    fprintf(out, "{\"seq\":%u%s", seq, ONE_OF(&run->bytes, more));
    if (bytes_choose(&run->bytes, 4) != 3) {
        fputs(",\"root\":", out);
        bytes_json(&run->bytes, out);
    }
    unsigned past = bytes_choose(&run->bytes, 2), first = length > seq ? 1 : seq - length + 1;
    fputs(",\"journal\":[", out);
    for (unsigned at = first; at <= seq + past; at++) {
        fprintf(
            out,
            "%s{\"proto\":1,\"origin\":\"before\",\"writer\":\"before\",\"version\":%u,\"policyVersion\":%u,\"ops\":",
            at > first ? "," : "", at, run->policy_version);
        bytes_ops(&run->bytes, 2, out);
        fprintf(out, ",\"seq\":%u}", at);
    }
    fputs("]}", out);
}

static void hydrate(struct run *run) {
    const char *room = ONE_OF(&run->bytes, rooms);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    put_snapshot(run, out);
    fclose(out);
    bool fresh = is_fresh(run, room), answer = false;
    struct error error = {0};
    enum target_outcome outcome =
        run->target->table->hydrate(run->target, text_of(room), (struct text){text, length}, &answer, &error);
    if (outcome == TARGET_OK && answer != fresh)
        found("a room that is %s was %s: %s", fresh ? "fresh" : "not fresh", answer ? "hydrated" : "not hydrated",
              text);
    if (answer) {
        struct json_value *message = json_object(run->arena);
        struct json_value *snapshot = json_copy(run->arena, parsed(run, (struct text){text, length}));
        json_set(message, TEXT("room"), json_string(run->arena, text_of(room)));
        json_set(message, TEXT("snapshot"), snapshot);
        note(run, HISTORY_HYDRATED, 0, message);
        commits_hydrated(&run->commits, text_of(room), snapshot);
    }
    free(text);
}

/* A snapshot that is anything, for a room that nobody enters. */
static void hydrate_raw(struct run *run) {
    static const char *const heads[] = {"", "{\"seq\":2,\"root\":", "{\"seq\":2,\"journal\":[{\"seq\":1},"};
    static const char *const tails[] = {"", "}", "]}"};
    size_t length;
    unsigned kind = bytes_choose(&run->bytes, sizeof heads / sizeof *heads);
    const char *raw = bytes_raw(&run->bytes, RAW_CEILING, &length);
    struct buffer snapshot = {0};
    struct error error = {0};
    bool answer;
    buffer_string(&snapshot, heads[kind]);
    buffer_append(&snapshot, raw, length);
    buffer_string(&snapshot, tails[kind]);
    run->target->table->hydrate(run->target, TEXT("nobody's"), (struct text){snapshot.bytes, snapshot.length}, &answer,
                                &error);
    buffer_free(&snapshot);
}

static void open_relay(struct run *run) {
    struct error error = {0};
    if (run->target->table->open(run->target, run->profile, text_of(run->options), 1000, &error) != TARGET_OK)
        found("no relay: %s", error.text);
}

static void restart(struct run *run) {
    note(run, HISTORY_RESTARTED, 0, NULL);
    memset(run->clients, 0, sizeof run->clients);
    commits_restarted(&run->commits);
    open_relay(run);
}

/* ---- a run --------------------------------------------------------------------------------------- */

static void choose_relay(struct run *run) {
    static const char *const profiles[] = {"0.2.0", "0.1.1", "0.1.0"};
    static const char *const options[] = {
        "{}",
        "{\"journalLimit\":0}",
        "{\"journalLimit\":1}",
        "{\"journalLimit\":3,\"limits\":{\"maxOpsPerEnvelope\":3}}",
        "{\"limits\":{\"maxEnvelopesPerSecond\":2}}",
        "{\"policy\":{\"acl\":[{\"prefix\":[\"a\"],\"allow\":true}]}}",
        "{\"policy\":{\"acl\":[{\"prefix\":[\"*\",\"b\"],\"allow\":{\"kind\":\"agent\"}}]}}",
        "{\"policy\":{\"acl\":[{\"prefix\":[],\"allow\":{\"writer\":\"ana\"}}]}}",
        "{\"policy\":{\"validate\":[{\"prefix\":[\"a\"],\"deny\":{\"next\":null}}]}}",
        "{\"policyVersion\":3,\"journalLimit\":2}",
    };
    run->profile = ONE_OF(&run->bytes, profiles);
    run->options = ONE_OF(&run->bytes, options);
    run->policy_version = strstr(run->options, "policyVersion") != NULL ? 3 : 0;
}

static void command(struct run *run) {
    unsigned choice = bytes_choose(&run->bytes, 64);
    if (choice < 8)
        connect_client(run);
    else if (choice < 20)
        send_frame(run, put_hello);
    else if (choice < 38)
        send_frame(run, put_envelope);
    else if (choice < 44)
        send_frame(run, put_presence);
    else if (choice < 48)
        send_frame(run, put_signal);
    else if (choice < 52)
        disconnect_client(run);
    else if (choice < 54)
        advance(run);
    else if (choice < 58)
        hydrate(run);
    else if (choice < 59)
        restart(run);
    else if (choice < 61)
        send_frame(run, put_raw);
    else if (choice < 62)
        hydrate_raw(run);
}

/* Somebody new looks at every room, so that its snapshot is held against the history. */
static void look_at_rooms(struct run *run) {
    struct client last = {++run->numbers, "zoe", "last"};
    struct target_principal who = {.writer = text_of(last.writer)};
    struct error error = {0};
    run->target->table->connect(run->target, last.number, &who, &error);
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        const char *hello = arena_format(run->arena,
                                         "{\"t\":\"hello\",\"room\":\"%s\",\"origin\":\"last\",\"proto\":1,"
                                         "\"policyVersion\":%u,\"schemaVersion\":9}",
                                         rooms[i], run->policy_version);
        send_text(run, &last, text_of(hello));
    }
}

static void show_history(const struct run *run) {
    static const char *const kinds[] = {
        [HISTORY_SENT] = "sent",         [HISTORY_RECEIVED] = "received",   [HISTORY_ENDED] = "ended",
        [HISTORY_HYDRATED] = "hydrated", [HISTORY_COMMITTED] = "committed", [HISTORY_RESTARTED] = "restarted"};
    for (size_t i = 0; i < run->count; i++) {
        struct buffer text = {0};
        if (run->events[i].message != NULL)
            json_print(&text, run->events[i].message);
        fprintf(stderr, "%3zu  %d %s %s\n", i, run->events[i].connection, kinds[run->events[i].kind],
                text.length > 0 ? text.bytes : "");
        buffer_free(&text);
    }
}

static void check_history(struct run *run) {
    struct history_settings settings = {.settled = true, .has_free_outcomes = run->is_free};
    struct history_breach breach = history_check(run->arena, run->events, run->count, &settings);
    if (breach.rule == NULL)
        return;
    show_history(run);
    found("%s with %s breaks %s at %zu: %s", run->profile, run->options, breach.rule, breach.event, breach.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct run run = {
        .bytes = {data, size}, .arena = arena_new(), .target = target_memory_new(), .now = TARGET_CLOCK_START};
    run.commits.arena = run.arena;
    choose_relay(&run);
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
