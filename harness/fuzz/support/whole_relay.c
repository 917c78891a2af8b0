#include "harness/fuzz/support/whole_relay.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

#define OPEN_LIMIT_MS 1000

const char *const whole_rooms[WHOLE_ROOMS] = {"r", "q", "ключ"};
const char *const whole_origins[WHOLE_ORIGINS] = {"o1", "o2", "o3", "o4"};
static const char *const writers[] = {"ana", "ben", "cleo", "d\"\\"};

/* ---- the history --------------------------------------------------------------------------------- */

void whole_note(struct whole_relay *whole, enum history_kind kind, int connection, const struct json_value *message) {
    whole->events = memory_room(whole->events, whole->count, &whole->capacity, sizeof *whole->events);
    whole->events[whole->count++] = (struct history_event){kind, connection, message};
}

const struct json_value *whole_parsed(struct whole_relay *whole, struct text text) {
    struct error error = {0};
    return json_parse(whole->arena, (struct text){arena_copy(whole->arena, text.bytes, text.length), text.length}, &error);
}

static void forget_client(struct whole_relay *whole, int number) {
    for (size_t i = 0; i < WHOLE_CLIENTS_CEILING; i++)
        if (whole->clients[i].number == number)
            whole->clients[i].number = 0;
}

/* A closed connection is reported back as gone, as a transport would do it. */
static void take_event(struct whole_relay *whole, const struct target_event *event) {
    if (event->kind == TARGET_CLOSED) {
        struct error error = {0};
        whole_note(whole, HISTORY_ENDED, event->connection, NULL);
        whole->target->table->disconnect(whole->target, event->connection, true, &error);
        forget_client(whole, event->connection);
        return;
    }
    const struct json_value *message = whole_parsed(whole, event->text);
    /* frame.text-json */
    if (message == NULL || message->type != JSON_OBJECT)
        found("the relay sent what is no JSON object: %.*s", (int)event->text.length, event->text.bytes);
    if (event->kind == TARGET_MESSAGE)
        whole_note(whole, HISTORY_RECEIVED, event->connection, message);
    else if (strcmp(event->name, "commit") == 0)
        whole_note(whole, HISTORY_COMMITTED, 0, message);
    if (whole->on_event != NULL)
        whole->on_event(whole->context, event, message);
}

static bool is_late(const struct whole_relay *whole, const struct target_event *event) {
    bool late = whole->is_late_free && event->kind != TARGET_OBSERVED && event->connection != whole->looker;
    for (size_t i = 0; late && i < WHOLE_CLIENTS_CEILING; i++)
        late = whole->clients[i].number != event->connection;
    return late;
}

void whole_drain(struct whole_relay *whole) {
    struct target_event event;
    struct error error = {0};
    while (whole->target->table->next_event(whole->target, 0, &event, &error))
        if (!is_late(whole, &event))
            take_event(whole, &event);
}

/* ---- frames -------------------------------------------------------------------------------------- */

void whole_send(struct whole_relay *whole, const struct whole_client *client, struct text text) {
    struct error error = {0};
    const struct json_value *message = whole_parsed(whole, text);
    if (message != NULL && message->type == JSON_OBJECT)
        whole_note(whole, HISTORY_SENT, client->number, message);
    whole->target->table->send(whole->target, client->number, text, TARGET_FRAME_TEXT, 1, &error);
    whole_drain(whole);
}

void whole_send_frame(struct whole_relay *whole,
                      void (*put)(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out)) {
    const struct whole_client *client = &whole->clients[bytes_choose(&whole->bytes, WHOLE_CLIENTS_CEILING)];
    if (client->number == 0)
        client = &whole->clients[0];
    if (client->number == 0)
        return;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    put(whole->context, whole, client, out);
    fclose(out);
    whole_send(whole, client, (struct text){text, length});
    free(text);
}

void whole_put_string(FILE *out, const char *characters) {
    struct buffer quoted = {0};
    json_print_string(&quoted, text_of(characters));
    fputs(quoted.bytes, out);
    buffer_free(&quoted);
}

void whole_put_presence(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    (void)context;
    (void)client;
    fputs("{\"t\":\"presence\",\"room\":", out);
    whole_put_string(out, whole_rooms[bytes_choose(&whole->bytes, WHOLE_ROOMS)]);
    fputs(",\"data\":", out);
    bytes_json(&whole->bytes, out);
    fputc('}', out);
}

void whole_put_signal(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    (void)context;
    (void)client;
    fputs("{\"t\":\"signal\",\"room\":", out);
    whole_put_string(out, whole_rooms[bytes_choose(&whole->bytes, WHOLE_ROOMS)]);
    fprintf(out, ",\"to\":\"%s\",\"data\":", whole_origins[bytes_choose(&whole->bytes, WHOLE_ORIGINS)]);
    bytes_json(&whole->bytes, out);
    fputc('}', out);
}

/* ---- everything but frames ----------------------------------------------------------------------- */

void whole_connect(struct whole_relay *whole) {
    struct whole_client *client = whole->clients;
    while (client < whole->clients + WHOLE_CLIENTS_CEILING && client->number != 0)
        client++;
    if (client == whole->clients + WHOLE_CLIENTS_CEILING)
        return;
    struct error error = {0};
    client->number = ++whole->numbers;
    client->writer = writers[bytes_choose(&whole->bytes, sizeof writers / sizeof *writers)];
    client->origin = whole_origins[bytes_choose(&whole->bytes, WHOLE_ORIGINS)];
    struct target_principal who = {.writer = text_of(client->writer)};
    if (bytes_choose(&whole->bytes, 2) == 1)
        who.kind = TEXT("agent");
    if (whole->target->table->connect(whole->target, client->number, &who, &error) != TARGET_OK)
        found("a client could not connect: %s", error.text);
}

void whole_disconnect(struct whole_relay *whole) {
    struct whole_client *client = &whole->clients[bytes_choose(&whole->bytes, WHOLE_CLIENTS_CEILING)];
    struct error error = {0};
    if (client->number == 0)
        return;
    whole_note(whole, HISTORY_ENDED, client->number, NULL);
    whole->target->table->disconnect(whole->target, client->number, false, &error);
    client->number = 0;
    whole_drain(whole);
}

void whole_advance(struct whole_relay *whole) {
    struct error error = {0};
    whole->now += (int64_t)bytes_choose(&whole->bytes, 256) * 10;
    whole->target->table->clock(whole->target, whole->now, &error);
}

void whole_open(struct whole_relay *whole) {
    struct error error = {0};
    if (whole->target->table->open(whole->target, whole->profile, text_of(whole->options), OPEN_LIMIT_MS, &error) != TARGET_OK)
        found("no relay: %s", error.text);
}

void whole_restart(struct whole_relay *whole) {
    whole_note(whole, HISTORY_RESTARTED, 0, NULL);
    memset(whole->clients, 0, sizeof whole->clients);
    whole_open(whole);
}

/* ---- rooms --------------------------------------------------------------------------------------- */

const struct json_value *whole_room(struct whole_relay *whole, const char *room) {
    struct buffer text = {0};
    struct error error = {0};
    if (whole->target->table->room(whole->target, text_of(room), &text, &error) != TARGET_OK)
        found("no info of a room: %s", error.text);
    const struct json_value *info = whole_parsed(whole, (struct text){text.bytes, text.length});
    buffer_free(&text);
    if (info == NULL)
        found("the info of a room is no JSON");
    return info;
}

bool whole_is_fresh(struct whole_relay *whole, const char *room) {
    static const char *const counts[] = {"seq", "members", "journal"};
    const struct json_value *info = whole_room(whole, room);
    for (size_t i = 0; info->type == JSON_OBJECT && i < sizeof counts / sizeof *counts; i++) {
        const struct json_value *count = json_get(info, counts[i]);
        if (count == NULL || count->type != JSON_NUMBER)
            found("the info of a room has no number %s", counts[i]);
        if (count->number != 0)
            return false;
    }
    return true;
}

bool whole_hydrate(struct whole_relay *whole, const char *room, struct text snapshot) {
    bool fresh = whole_is_fresh(whole, room), answer = false;
    struct error error = {0};
    enum target_outcome outcome = whole->target->table->hydrate(whole->target, text_of(room), snapshot, &answer, &error);
    if (outcome == TARGET_OK && answer != fresh)
        found("a room that is %s was %s: %.*s", fresh ? "fresh" : "not fresh", answer ? "hydrated" : "not hydrated",
              (int)snapshot.length, snapshot.bytes);
    if (answer) {
        struct json_value *message = json_object(whole->arena);
        json_set(message, TEXT("room"), json_string(whole->arena, text_of(room)));
        json_set(message, TEXT("snapshot"), json_copy(whole->arena, whole_parsed(whole, snapshot)));
        whole_note(whole, HISTORY_HYDRATED, 0, message);
    }
    return answer;
}

void whole_hydrate_raw(struct whole_relay *whole, const char *const *heads, const char *const *tails, unsigned count) {
    size_t length;
    unsigned kind = bytes_choose(&whole->bytes, count);
    const char *raw = bytes_raw(&whole->bytes, WHOLE_RAW_CEILING, &length);
    struct buffer snapshot = {0};
    struct error error = {0};
    bool answer;
    buffer_string(&snapshot, heads[kind]);
    buffer_append(&snapshot, raw, length);
    buffer_string(&snapshot, tails[kind]);
    whole->target->table->hydrate(whole->target, TEXT("nobody's"), (struct text){snapshot.bytes, snapshot.length}, &answer, &error);
    buffer_free(&snapshot);
}

void whole_look_at_rooms(struct whole_relay *whole, const char *more) {
    struct whole_client last = {++whole->numbers, "zoe", "last"};
    whole->looker = last.number;
    struct target_principal who = {.writer = text_of(last.writer)};
    struct error error = {0};
    whole->target->table->connect(whole->target, last.number, &who, &error);
    for (size_t i = 0; i < WHOLE_ROOMS; i++)
        whole_send(whole, &last,
                   text_of(arena_format(whole->arena, "{\"t\":\"hello\",\"room\":\"%s\",\"origin\":\"last\"%s}", whole_rooms[i], more)));
}

/* ---- the verdict --------------------------------------------------------------------------------- */

static void show_history(const struct whole_relay *whole) {
    static const char *const kinds[] = {
        [HISTORY_SENT] = "sent",         [HISTORY_RECEIVED] = "received",   [HISTORY_ENDED] = "ended",
        [HISTORY_HYDRATED] = "hydrated", [HISTORY_COMMITTED] = "committed", [HISTORY_UNLOADED] = "unloaded",
        [HISTORY_RESTARTED] = "restarted"};
    for (size_t i = 0; i < whole->count; i++) {
        struct buffer text = {0};
        if (whole->events[i].message != NULL)
            json_print(&text, whole->events[i].message);
        fprintf(stderr, "%3zu  %d %s %s\n", i, whole->events[i].connection, kinds[whole->events[i].kind],
                text.length > 0 ? text.bytes : "");
        buffer_free(&text);
    }
}

void whole_check(const struct whole_relay *whole, const struct history_settings *settings) {
    struct history_breach breach = history_check(whole->arena, whole->events, whole->count, settings);
    if (breach.rule == NULL)
        return;
    show_history(whole);
    found("%s with %s breaks %s at %zu: %s", whole->profile, whole->options, breach.rule, breach.event, breach.text);
}

void whole_end(struct whole_relay *whole) {
    whole->target->table->close(whole->target);
    whole->target->table->free(whole->target);
    free(whole->events);
}
