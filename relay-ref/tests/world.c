#include "relay-ref/tests/world.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t world_now(void *context) {
    const struct world *world = context;
    return world->now;
}

static size_t world_mint(void *context, char *out, size_t capacity) {
    struct world *world = context;
    return (size_t)snprintf(out, capacity, "e%u", ++world->minted);
}

__attribute__((format(printf, 2, 3))) static void observe(struct world *world, const char *format, ...) {
    va_list arguments;
    size_t length = strlen(world->observed);
    va_start(arguments, format);
    vsnprintf(world->observed + length, sizeof world->observed - length, format, arguments);
    va_end(arguments);
}

static enum relay_committed world_commit(void *context, struct relay_text room, struct relay_text envelope,
                                         const struct relay_commit_state *state, struct relay_commit *commit) {
    struct relay_text root = relay_commit_root(commit);
    cr_assert(envelope.length > 0);
    observe(context, "commit %.*s seq %llu epoch %.*s schema %g root %.*s\n", (int)room.length, room.bytes,
            (unsigned long long)state->seq, (int)state->epoch.length, state->epoch.bytes,
            state->schema_version, root.bytes == NULL ? 4 : (int)root.length,
            root.bytes == NULL ? "none" : root.bytes);
    return ((struct world *)context)->holds ? RELAY_COMMIT_HELD : RELAY_COMMIT_DECIDED;
}

static void world_violation(void *context, struct relay_text room, const struct relay_violation *violation) {
    bool malformed = strcmp(violation->reason, "malformed") == 0;
    observe(context, "violation %.*s %.*s %s %.*s%s%s\n", (int)room.length, room.bytes, (int)violation->writer.length,
            violation->writer.bytes, violation->reason, violation->path.bytes == NULL ? 1 : (int)violation->path.length,
            violation->path.bytes == NULL ? "-" : violation->path.bytes, malformed ? " " : "",
            malformed ? violation->detail : "");
}

static void world_reject(void *context, struct relay_text room, const struct relay_rejection *rejection) {
    observe(context, "reject %.*s %.*s %s\n", (int)room.length, room.bytes, (int)rejection->writer.length,
            rejection->writer.bytes, rejection->reason);
}

static void world_drop(void *context, struct relay_text room, const struct relay_dropped *dropped) {
    observe(context, "drop %.*s %.*s %.*s %s\n", (int)room.length, room.bytes, (int)dropped->origin.length,
            dropped->origin.bytes, (int)dropped->version.length, dropped->version.bytes, dropped->reason);
}

static void world_stalled(void *context, struct relay_text room, uint64_t seq) {
    observe(context, "stalled %.*s %llu\n", (int)room.length, room.bytes, (unsigned long long)seq);
}

static void world_limit(void *context, enum relay_limit limit) {
    static const char *const names[RELAY_LIMITS] = {"rooms", "rooms-per-connection", "members", "root-bytes", "depth",
                                                    "array", "name-bytes", "presence-bytes", "kept-bytes"};
    observe(context, "limit %s\n", names[limit]);
}

static void start(struct world *world, const struct relay_options *options) {
    struct relay_env env = {.context = world,
                            .now = world_now,
                            .mint = world_mint,
                            .on_commit = world_commit,
                            .on_violation = world_violation,
                            .on_limit = world_limit};
    if (options->protocol == RELAY_PROTOCOL_0_9) {
        env.on_reject = world_reject;
        env.on_drop = world_drop;
    }
    env.on_durability_failed = world_stalled;
    world->relay = relay_new(&env, options);
    cr_assert_not_null(world->relay);
    world->minted = 0;
}

void world_open(struct world *world, enum relay_protocol protocol, const char *options) {
    char reason[200] = "";
    struct relay_text json = {options, options == NULL ? 0 : strlen(options)};
    memset(world, 0, sizeof *world);
    world->settings = relay_settings_read(protocol, json, reason, sizeof reason);
    cr_assert_not_null(world->settings, "%s", reason);
    start(world, relay_settings_options(world->settings));
}

void world_open_with(struct world *world, const struct relay_options *options) {
    memset(world, 0, sizeof *world);
    start(world, options);
}

void world_close(struct world *world) {
    relay_free(world->relay);
    relay_settings_free(world->settings);
    free(world->taken);
}

struct pair *world_client(struct world *world, const char *writer) {
    struct relay_principal principal = {.writer = {writer, strlen(writer)}};
    struct pair *client = pair_open(world->relay, &principal);
    cr_assert_not_null(client);
    return client;
}

void says(struct pair *client, const char *format, ...) {
    char text[8192];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cr_assert(length >= 0 && (size_t)length < sizeof text);
    pair_send(client, text, (size_t)length);
}

void hello(struct pair *client, const char *room, const char *origin, const char *more) {
    says(client, "{\"t\":\"hello\",\"room\":\"%s\",\"origin\":\"%s\",\"proto\":1,\"policyVersion\":0%s}", room, origin,
         more);
}

void writes(struct pair *client, const char *room, const char *writer, const char *ops, const char *more) {
    says(client,
         "{\"t\":\"env\",\"room\":\"%s\",\"env\":{\"proto\":1,\"origin\":\"o\",\"writer\":\"%s\",\"policyVersion\":0,"
         "\"ops\":%s%s}}",
         room, writer, ops, more);
}

static char *copied(const char *bytes, size_t length) {
    char *copy = malloc(length + 1);
    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

const char *next(struct world *world, struct pair *client) {
    struct pair_event event = pair_take(client);
    free(world->taken);
    if (event.kind != PAIR_MESSAGE)
        return world->taken =
                   copied(event.kind == PAIR_CLOSED ? "(closed)" : "(nothing)", event.kind == PAIR_CLOSED ? 8 : 9);
    world->taken = copied(event.frame->text, event.frame->length);
    relay_frame_release(event.frame);
    return world->taken;
}

size_t drain(struct pair *client) {
    size_t count = 0;
    for (struct pair_event event; (event = pair_take(client)).kind != PAIR_NOTHING;) {
        if (event.kind == PAIR_MESSAGE) {
            relay_frame_release(event.frame);
            count++;
        }
    }
    return count;
}

struct relay_room_info room_info(const struct world *world, const char *room) {
    struct relay_room_info info = {.seq = 0};
    relay_room(world->relay, (struct relay_text){room, strlen(room)}, &info);
    return info;
}

enum relay_hydrated hydrates(struct world *world, const char *room, const char *snapshot) {
    return relay_hydrate(world->relay, (struct relay_text){room, strlen(room)},
                         (struct relay_text){snapshot, strlen(snapshot)});
}

char *repeated(const char *text, size_t times) {
    size_t length = strlen(text);
    char *all = malloc(length * times + 1);
    cr_assert_not_null(all);
    for (size_t i = 0; i < times; i++)
        memcpy(all + i * length, text, length);
    all[length * times] = '\0';
    return all;
}
