#include "relay-ref/tests/generation_world.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

void joins(struct pair *client, const char *room, const char *origin, const char *more) {
    says(client, "{\"t\":\"hello\",\"room\":\"%s\",\"origin\":\"%s\",\"proto\":3,\"policyVersion\":0%s}", room, origin,
         more);
}

void open_room_of_two(struct world *world, const char *options, struct pair **ana, struct pair **ben) {
    world_open(world, RELAY_PROTOCOL_0_9, options);
    *ana = world_client(world, "wa");
    *ben = world_client(world, "wb");
    joins(*ana, "r", "ana", "");
    joins(*ben, "r", "ben", "");
    drain(*ana);
    drain(*ben);
}

void close_room_of_two(struct world *world, struct pair *ana, struct pair *ben) {
    pair_free(ben);
    pair_free(ana);
    world_close(world);
}

void submits(struct pair *client, const struct submission *submission) {
    says(client,
         "{\"t\":\"env\",\"room\":\"%s\",\"env\":{\"proto\":3,\"instance\":\"%s\",\"origin\":\"%s\",\"writer\":\"%s\","
         "\"version\":%u,\"hlc\":{\"p\":1,\"l\":%u},\"policyVersion\":0,\"ops\":%s%s}}",
         submission->room, submission->instance, submission->origin, submission->writer, submission->version,
         submission->stamp, submission->ops, submission->more != NULL ? submission->more : "");
}

static char *place(void) {
    static char places[16][512];
    static size_t turn;
    return places[turn++ % 16];
}

const char *sets(const char *path, const char *next_value, const char *cited, unsigned epoch) {
    char *text = place();
    int length = snprintf(text, 512, "[{\"kind\":\"set\",\"path\":%s,\"next\":%s,\"cites\":[%s],\"epoch\":%u}]", path,
                          next_value, cited, epoch);
    cr_assert(length > 0 && length < 512);
    return text;
}

const char *cites(const char *origin, unsigned stamp) {
    char *text = place();
    snprintf(text, 512, "{\"origin\":\"%s\",\"hlc\":{\"p\":1,\"l\":%u}}", origin, stamp);
    return text;
}

const char *snapshot_of(struct world *world, const char *room) {
    struct pair *reader = world_client(world, "reader");
    joins(reader, room, "reader", "");
    const char *welcome = next(world, reader);
    pair_free(reader);
    return welcome;
}

const char *next_of(struct world *world, struct pair *client, const char *t) {
    char start[64];
    snprintf(start, sizeof start, "{\"t\":\"%s\"", t);
    for (;;) {
        const char *text = next(world, client);
        if (text[0] == '(' || strncmp(text, start, strlen(start)) == 0)
            return text;
    }
}
