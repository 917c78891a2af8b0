/* What happens next, and what the maker believes of it. */
#include "harness/compare/traffic_maker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/target/target.h"

const char *maker_room_name(unsigned room) {
    static const char *const names[MAKER_ROOMS] = {"r", "q", "r-again", "q-again"};
    return names[room];
}

void maker_step(struct maker *maker, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    buffer_string(&maker->steps, maker->count++ > 0 ? "," : "");
    buffer_append(&maker->steps, length < 0 ? "{}" : text, length < 0 ? 2 : (size_t)length);
    free(length < 0 ? NULL : text);
}

static struct maker_client *any_client(struct maker *maker) {
    struct maker_client *first = &maker->clients[maker_below(maker, MAKER_CLIENTS)];
    for (unsigned i = 0; i < MAKER_CLIENTS; i++) {
        struct maker_client *client = &maker->clients[((size_t)(first - maker->clients) + i) % MAKER_CLIENTS];
        if (client->alive)
            return client;
    }
    return NULL;
}

static unsigned joined_room(struct maker *maker, const struct maker_client *client) {
    unsigned first = maker_below(maker, MAKER_ROOMS);
    for (unsigned i = 0; i < MAKER_ROOMS; i++)
        if (client->joined[(first + i) % MAKER_ROOMS])
            return (first + i) % MAKER_ROOMS;
    return first;
}

/* ---- the relay's life ---- */

static void restart(struct maker *maker) {
    maker_step(maker, "{\"do\":\"restart\"}");
    for (unsigned room = 0; room < MAKER_ROOMS; room++) {
        maker->seq[room] = 0;
        maker->schema[room] = 0;
        for (unsigned writer = 0; writer < MAKER_WRITERS; writer++)
            maker->banned[writer][room] = false;
    }
    for (unsigned i = 0; i < MAKER_CLIENTS; i++)
        maker->clients[i].alive = false;
    maker->holds = false;
    for (unsigned i = 0; maker->features->hydrate && i < 3; i++)
        maker_hydrate(maker);
}

static void go_on(struct maker *maker) {
    double milliseconds = 125.0 * (1 + maker_below(maker, 16));
    maker->clock += milliseconds;
    maker_step(maker, "{\"do\":\"clock\",\"ms\":%.0f}", milliseconds);
}

static void unload(struct maker *maker, unsigned room, bool discard) {
    maker_step(maker, "{\"do\":\"unload\",\"room\":\"%s\",\"discard\":%s}", maker_room_name(room), discard ? "true" : "false");
}

/* Everybody leaves, and rooms that may be stalled are unloaded. */
static void clear_away(struct maker *maker) {
    for (unsigned i = 0; i < MAKER_CLIENTS; i++)
        if (maker->clients[i].alive)
            maker_leave(maker, &maker->clients[i]);
    for (unsigned room = 0; room < 2; room++)
        for (int discard = 0; discard < 2; discard++)
            unload(maker, room, discard != 0);
}

static void decide_commits(struct maker *maker) {
    if (maker->holds && maker_chance(maker, 75)) {
        bool fails = maker_chance(maker, 10);
        maker_step(maker, "{\"do\":\"%s\",\"pick\":%u}", fails ? "fail" : "release", maker_chance(maker, 70) ? 0 : maker_below(maker, 4));
        if (fails && maker->features->unload && maker_chance(maker, 50))
            clear_away(maker);
        return;
    }
    maker->holds = !maker->holds;
    maker_step(maker, "{\"do\":\"%s\"}", maker->holds ? "hold" : "unhold");
}

static void act_on_relay(struct maker *maker) {
    const struct traffic_features *features = maker->features;
    unsigned choice = maker_below(maker, 100);
    if (choice < 25 && features->room)
        maker_step(maker, "{\"do\":\"room\",\"room\":\"%s\"}", maker_room_name(maker_any_room(maker)));
    else if (choice < 45 && features->hydrate)
        maker_hydrate(maker);
    else if (choice < 60 && features->clock)
        go_on(maker);
    else if (choice < 70 && features->junk)
        maker_junk(maker);
    else if (choice < 74 && features->restart)
        restart(maker);
    else if (choice < 82 && features->unload)
        unload(maker, maker_any_room(maker), maker_chance(maker, 50));
    else if (features->hold && (maker->holds || choice < 90))
        decide_commits(maker);
}

static void act_as_member(struct maker *maker, struct maker_client *client, unsigned choice) {
    unsigned room = maker_chance(maker, 95) ? joined_room(maker, client) : maker_any_room(maker);
    if (choice < 47)
        maker_write(maker, client, room);
    else if (choice < 54)
        maker_presence(maker, client, room);
    else if (choice < 60)
        maker_signal(maker, client, room);
    else if (choice < 64)
        maker_resend(maker, client);
    else if (choice < 67 && maker->features->schema)
        maker_migrate(maker, client, room);
    else if (choice < 69)
        maker_sin(maker, client, room);
    else if (choice < 72)
        maker_leave(maker, client);
    else
        maker_hello(maker, client, maker_any_room(maker), choice < 80);
}

static void act(struct maker *maker) {
    unsigned choice = maker_below(maker, 100), alive = 0;
    for (unsigned i = 0; i < MAKER_CLIENTS; i++)
        alive += maker->clients[i].alive;
    struct maker_client *client = any_client(maker);
    if (maker->holds && maker_chance(maker, 12))
        decide_commits(maker);
    else if (client == NULL || (alive < 3 && choice < 40))
        maker_connect(maker);
    else if (choice < 84)
        act_as_member(maker, client, choice);
    else if (choice < 88)
        maker_connect(maker);
    else
        act_on_relay(maker);
}

/* One of the origins gets a name that is a word to some language, or looks odd. */
static void rename_origin(struct maker *maker) {
    static const char *const names[] = {"\"constructor\"", "\"toString\"", "\"ключ \"", "\"1\"", "\"$\"", "\"a/b\\\\\\\"\"", "\"😀\""};
    const char *name = MAKER_ONE_OF(maker, names), *at = maker->steps.bytes, *found;
    struct buffer renamed = {0};
    while ((found = strstr(at, "\"o4\"")) != NULL) {
        buffer_append(&renamed, at, (size_t)(found - at));
        buffer_string(&renamed, name);
        at = found + sizeof "\"o4\"" - 1;
    }
    buffer_string(&renamed, at);
    buffer_free(&maker->steps);
    maker->steps = renamed;
}

struct traffic traffic_make(struct arena *arena, uint64_t seed, const struct traffic_features *features, size_t count) {
    struct maker maker = {.random = schedule_seeded(seed), .features = features, .clock = (double)TARGET_CLOCK_START};
    struct buffer options = {0};
    struct error error = {0};
    maker_options(&maker, &options);
    buffer_string(&maker.steps, "[");
    while (maker.count < count)
        act(&maker);
    buffer_string(&maker.steps, "]");
    if (maker_chance(&maker, 20))
        rename_origin(&maker);
    struct traffic traffic = {.options = json_parse(arena, (struct text){options.bytes, options.length}, &error),
                              .steps = json_parse(arena, (struct text){maker.steps.bytes, maker.steps.length}, &error)};
    for (unsigned i = 0; i < MAKER_MEMORY; i++)
        free(maker.sent[i]);
    buffer_free(&maker.steps);
    buffer_free(&options);
    return traffic;
}
