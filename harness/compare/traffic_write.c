/* What members write: envelopes, good ones and others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/compare/traffic_maker.h"

enum { PART = 4096 }; /* bytes of one part of an envelope; what would be longer is left out */

static void remember_sent(struct maker *maker, const char *message) {
    char **place = &maker->sent[maker->sent_count++ % MAKER_MEMORY];
    size_t size = strlen(message) + 1;
    free(*place);
    *place = memcpy(memory_new(size), message, size);
}

static void member(struct buffer *out, const char *key, const char *text) {
    if (text == NULL)
        return;
    if (out->bytes[out->length - 1] != '{')
        buffer_string(out, ",");
    buffer_format(out, "\"%s\":%s", key, text);
}

static void print_envelope(struct buffer *out, const struct maker_envelope *envelope, const char *seq, const char *further) {
    buffer_string(out, "{");
    member(out, "proto", envelope->proto);
    member(out, "instance", envelope->instance);
    member(out, "origin", envelope->origin);
    member(out, "writer", envelope->writer);
    member(out, "version", envelope->version);
    member(out, "hlc", envelope->hlc);
    member(out, "policyVersion", envelope->policy_version);
    member(out, "ops", envelope->ops);
    member(out, "schemaVersion", envelope->schema_version);
    member(out, "meta", further);
    member(out, "seq", seq);
    buffer_string(out, "}");
}

/* The parts of one good envelope, and where they are printed. */
struct draft {
    struct maker_envelope envelope;
    char proto[8], instance[40], origin[8], writer[8], version[16], hlc[64], policy_version[16], schema_version[16], seq[16];
    struct buffer ops;
};

static unsigned op_count(struct maker *maker) {
    unsigned count = maker_below(maker, 4);
    return count < maker->max_ops ? count : maker->max_ops;
}

static void draft(struct maker *maker, struct draft *draft, unsigned room, unsigned origin, unsigned writer, unsigned ops) {
    unsigned version = ++maker->version[origin], stamp = ++maker->stamp;
    double p = maker->clock - (maker_chance(maker, 20) ? maker_below(maker, 300) : 0);
    if (maker_chance(maker, 6))
        maker->version[origin] = version += 1 + maker_below(maker, 2); /* a gap */
    snprintf(draft->proto, sizeof draft->proto, "%d", maker->features->wire_3 ? 3 : 1);
    snprintf(draft->instance, sizeof draft->instance, "\"@now:%s\"", maker_room_name(room));
    snprintf(draft->origin, sizeof draft->origin, "\"o%u\"", origin + 1);
    snprintf(draft->writer, sizeof draft->writer, "\"w%u\"", writer + 1);
    snprintf(draft->version, sizeof draft->version, "%u", version);
    const struct maker_dot *again = maker->features->wire_3 && maker_chance(maker, 8) ? maker_known_dot(maker) : NULL;
    if (again != NULL && again->origin == origin) {
        snprintf(draft->hlc, sizeof draft->hlc, "{\"p\":%.0f,\"l\":%u}", p = again->p, stamp = again->l);
    } else if (maker->features->wire_3 && maker_chance(maker, 3)) {
        static const char *const stamps[] = {"{\"p\":0.5,\"l\":-1}", "{\"p\":1e300,\"l\":0}", "{\"l\":1,\"p\":-5}", "{\"p\":1700000000000,\"l\":1e3}"};
        snprintf(draft->hlc, sizeof draft->hlc, "%s", MAKER_ONE_OF(maker, stamps));
    } else {
        snprintf(draft->hlc, sizeof draft->hlc, "{\"p\":%.0f,\"l\":%u}", p, stamp);
    }
    snprintf(draft->policy_version, sizeof draft->policy_version, "%u", maker->policy_version);
    draft->ops = (struct buffer){.ceiling = PART};
    maker_ops(maker, &draft->ops, room, origin, p, stamp, ops);
    draft->envelope = (struct maker_envelope){.proto = draft->proto,
                                              .instance = maker->features->wire_3 ? draft->instance : NULL,
                                              .origin = draft->origin,
                                              .writer = draft->writer,
                                              .version = draft->version,
                                              .hlc = draft->hlc,
                                              .policy_version = draft->policy_version,
                                              .ops = draft->ops.overflowed ? "[]" : draft->ops.bytes};
}

static void send(struct maker *maker, const struct maker_client *client, unsigned room, const struct maker_envelope *envelope, const char *seq) {
    struct buffer text = {0};
    const char *further = maker_chance(maker, 10) ? "{\"note\":[true,null]}" : NULL;
    buffer_format(&text, "{\"t\":\"env\",\"room\":\"%s\",\"env\":", maker_room_name(room));
    print_envelope(&text, envelope, seq, further);
    buffer_string(&text, "}");
    remember_sent(maker, text.bytes);
    maker_say(maker, client, text.bytes);
    buffer_free(&text);
}

void maker_write(struct maker *maker, struct maker_client *client, unsigned room) {
    struct draft good;
    unsigned origin = maker_chance(maker, 90) ? client->origin : maker_below(maker, MAKER_STRANGERS);
    draft(maker, &good, room, origin, client->writer, op_count(maker));
    if (maker->features->wire_3 && maker_chance(maker, 3)) {
        static const char *const versions[] = {"9007199254740991", "1e3", "2.0", "1"};
        good.envelope.version = MAKER_ONE_OF(maker, versions);
    }
    if (maker_chance(maker, 4))
        good.envelope.instance = maker->features->wire_3 ? (maker_chance(maker, 50) ? "\"never\"" : "\"\"") : NULL;
    if (maker->features->schema && maker_chance(maker, 10)) {
        snprintf(good.schema_version, sizeof good.schema_version, "%u", maker_below(maker, (unsigned)maker->schema[room] + 1));
        good.envelope.schema_version = good.schema_version;
    }
    send(maker, client, room, &good.envelope, maker_chance(maker, 3) ? "77" : NULL);
    maker->seq[room]++;
    buffer_free(&good.ops);
}

void maker_migrate(struct maker *maker, struct maker_client *client, unsigned room) {
    struct draft good;
    draft(maker, &good, room, client->origin, client->writer, op_count(maker));
    maker->schema[room] += maker_chance(maker, 20) ? 0.5 : 1;
    snprintf(good.schema_version, sizeof good.schema_version, "%g", maker->schema[room]);
    good.envelope.schema_version = good.schema_version;
    send(maker, client, room, &good.envelope, NULL);
    maker->seq[room]++;
    buffer_free(&good.ops);
}

/* The sins that a relay of this wire version ejects for; sometimes two at once, and the order of the checks tells. */
static void commit_sin(struct maker *maker, struct maker_envelope *envelope, const char **op) {
    static const char *const protos[] = {"0", "2", "4", "\"1\"", NULL}, *const policies[] = {"9", "\"0\"", "null", NULL};
    switch (maker_below(maker, maker->features->wire_3 ? 6 : 3)) {
    case 0:
        envelope->proto = MAKER_ONE_OF(maker, protos);
        break;
    case 1:
        envelope->policy_version = MAKER_ONE_OF(maker, policies);
        break;
    case 2:
        envelope->writer = "\"mallory\"";
        break;
    default:
        maker_malform(maker, envelope, op);
    }
}

void maker_sin(struct maker *maker, struct maker_client *client, unsigned room) {
    struct draft bad;
    bool many = maker->max_ops < 5 && maker_chance(maker, 60);
    draft(maker, &bad, room, client->origin, client->writer, many ? 6 : op_count(maker));
    struct maker_envelope *envelope = &bad.envelope;
    const char *op = NULL;
    if (!many || maker_chance(maker, 30))
        commit_sin(maker, envelope, &op);
    if (maker_chance(maker, 20))
        commit_sin(maker, envelope, &op);
    struct buffer ops = {.ceiling = PART};
    if (op != NULL && envelope->ops == bad.ops.bytes) {
        buffer_append(&ops, envelope->ops, bad.ops.length - 1);
        buffer_format(&ops, "%s%s]", bad.ops.length > 2 ? "," : "", op);
        envelope->ops = ops.overflowed ? envelope->ops : ops.bytes;
    }
    send(maker, client, room, envelope, NULL);
    buffer_free(&ops);
    buffer_free(&bad.ops);
    client->alive = false;
    maker->banned[client->writer][room] = !maker->by_connection;
}

void maker_resend(struct maker *maker, struct maker_client *client) {
    unsigned known = maker->sent_count < MAKER_MEMORY ? maker->sent_count : MAKER_MEMORY;
    if (known > 0)
        maker_say(maker, client, maker->sent[maker_below(maker, known)]);
}

void maker_journalled(struct maker *maker, struct buffer *out, unsigned room, unsigned seq) {
    struct draft good;
    char at[16];
    snprintf(at, sizeof at, "%u", seq);
    draft(maker, &good, room, maker_below(maker, MAKER_ORIGINS), maker_below(maker, MAKER_WRITERS), 2);
    print_envelope(out, &good.envelope, at, NULL);
    buffer_free(&good.ops);
}
