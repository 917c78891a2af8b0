/* Clients that come and go, and what they say besides writes. */
#include "harness/compare/spelling.h"
#include "harness/compare/traffic_maker.h"

/* Mostly the two rooms that everybody is in. */
unsigned maker_any_room(struct maker *maker) {
    return maker_chance(maker, 90) ? maker_below(maker, 2) : maker_below(maker, MAKER_ROOMS);
}

void maker_say(struct maker *maker, const struct maker_client *client, const char *message) {
    unsigned spelling = maker->features->spelling && maker_chance(maker, 12) ? 1 + maker_below(maker, SPELLINGS - 1) : 0;
    if (spelling > 0)
        maker_step(maker, "{\"do\":\"receive\",\"conn\":\"c%u\",\"msg\":%s,\"spelling\":%u}", client->name, message, spelling);
    else
        maker_step(maker, "{\"do\":\"receive\",\"conn\":\"c%u\",\"msg\":%s}", client->name, message);
}

/* ---- coming and going ---- */

static void write_watermark(struct maker *maker, struct buffer *out, unsigned room) {
    unsigned seq = maker->seq[room];
    if (maker_chance(maker, 30))
        return;
    unsigned back = maker_below(maker, 6);
    unsigned known = maker_chance(maker, 10) ? 0 : maker_chance(maker, 6) ? seq + 1 : seq > back ? seq - back : 0;
    if (maker_chance(maker, 3))
        buffer_format(out, ",\"seq\":%s", maker_chance(maker, 50) ? "-1" : "1.5");
    else
        buffer_format(out, ",\"seq\":%u", known);
}

void maker_hello(struct maker *maker, struct maker_client *client, unsigned room, bool right) {
    int proto = maker->features->wire_3 ? 3 : 1;
    unsigned policy = maker->policy_version;
    struct buffer further = {0};
    write_watermark(maker, &further, room);
    if (!right && maker_chance(maker, 50))
        proto = maker_chance(maker, 50) ? proto + 1 : 0;
    if (!right && maker_chance(maker, 50))
        policy += 3;
    if (!right && maker->schema[room] > 0)
        buffer_format(&further, ",\"schemaVersion\":%g", maker->schema[room] - 0.5);
    else if (maker_chance(maker, 30))
        buffer_format(&further, ",\"schemaVersion\":%g", maker->schema[room] + maker_below(maker, 2));
    if (maker_chance(maker, 8))
        buffer_string(&further, ",\"extra\":{\"note\":1}");
    struct buffer message = {0};
    buffer_format(&message, "{\"t\":\"hello\",\"room\":\"%s\",\"origin\":\"o%u\",\"proto\":%d,\"policyVersion\":%u%s}", maker_room_name(room),
                  client->origin + 1, proto, policy, further.bytes != NULL ? further.bytes : "");
    maker_say(maker, client, message.bytes);
    buffer_free(&message);
    buffer_free(&further);
    if (!right || maker->banned[client->writer][room])
        return;
    for (unsigned i = 0; i < MAKER_CLIENTS; i++) {
        struct maker_client *other = &maker->clients[i];
        if (other != client && other->origin == client->origin && other->joined[room])
            other->alive = false; /* taken over */
    }
    client->joined[room] = true;
}

void maker_connect(struct maker *maker) {
    static const char *const kinds[] = {"", ",\"kind\":\"agent\"", ",\"kind\":\"agent\"", ",\"kind\":\"human\"",
                                        ",\"kind\":\"agent\",\"claims\":{\"role\":\"editor\",\"n\":[1]}"};
    struct maker_client *client = maker->clients;
    while (client < maker->clients + MAKER_CLIENTS && client->alive)
        client++;
    if (client == maker->clients + MAKER_CLIENTS)
        return;
    *client = (struct maker_client){.alive = true,
                                    .name = ++maker->names,
                                    .writer = maker_below(maker, MAKER_WRITERS),
                                    .origin = maker_below(maker, MAKER_ORIGINS)};
    maker_step(maker, "{\"do\":\"connect\",\"conn\":\"c%u\",\"principal\":{\"writer\":\"w%u\"%s}}", client->name, client->writer + 1,
               MAKER_ONE_OF(maker, kinds));
    if (maker_chance(maker, 85))
        maker_hello(maker, client, maker_any_room(maker), true);
}

void maker_leave(struct maker *maker, struct maker_client *client) {
    maker_step(maker, "{\"do\":\"disconnect\",\"conn\":\"c%u\"}", client->name);
    client->alive = false;
}

/* ---- what members say besides writes ---- */

void maker_presence(struct maker *maker, const struct maker_client *client, unsigned room) {
    struct buffer message = {0};
    buffer_format(&message, "{\"t\":\"presence\",\"room\":\"%s\"", maker_room_name(room));
    if (maker_chance(maker, 85)) {
        buffer_string(&message, ",\"data\":");
        maker_value(maker, &message, PLACE_LEAF);
    }
    buffer_string(&message, "}");
    maker_say(maker, client, message.bytes);
    buffer_free(&message);
}

void maker_signal(struct maker *maker, const struct maker_client *client, unsigned room) {
    struct buffer message = {0};
    buffer_format(&message, "{\"t\":\"signal\",\"room\":\"%s\",\"to\":\"o%u\",\"data\":", maker_room_name(room), 1 + maker_below(maker, MAKER_ORIGINS + 1));
    maker_value(maker, &message, PLACE_LEAF);
    buffer_string(&message, "}");
    maker_say(maker, client, message.bytes);
    buffer_free(&message);
}
