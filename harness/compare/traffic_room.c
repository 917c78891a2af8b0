/* What happens to a relay besides its clients' messages: rooms that are restored, and junk. */
#include "harness/compare/traffic_maker.h"

/* The journal of a snapshot: without holes up to `seq` and, at times, beyond; in no order. */
static void journal(struct maker *maker, struct buffer *out, unsigned room, unsigned seq) {
    unsigned length = 1 + maker_below(maker, seq < 6 ? seq : 6), beyond = maker_chance(maker, 20) ? 1 : 0;
    bool backwards = maker_chance(maker, 50);
    buffer_string(out, ",\"journal\":[");
    for (unsigned i = 0; i < length + beyond; i++) {
        unsigned place = backwards ? length + beyond - 1 - i : i;
        buffer_string(out, i > 0 ? "," : "");
        maker_journalled(maker, out, room, seq - length + 1 + place);
    }
    buffer_string(out, "]");
}

static void registers(struct maker *maker, struct buffer *out) {
    static const char *const paths[] = {"[]", "[\"a\"]", "[\"list\",\"1\"]", "[\"n\",2]"};
    static const char *const evidence[] = {"", ",\"wm\":{\"o1\":2,\"o2\":1}", ",\"wm\":{\"o1\":2},\"ranges\":{\"o1\":[[1,2],[4,5]],\"o3\":[[2,2]]}",
                                           ",\"ranges\":{\"o2\":[[1,3]]},\"settled\":{\"o2\":{\"p\":1700000000000,\"l\":3}}"};
    buffer_string(out, ",\"registers\":[");
    unsigned written = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (maker_chance(maker, 50))
            continue;
        unsigned epoch = maker_chance(maker, 70) ? 0 : 1 + maker_below(maker, 3);
        buffer_format(out, "%s{\"path\":%s,\"siblings\":[", written++ > 0 ? "," : "", paths[i]);
        if (maker_chance(maker, 80))
            buffer_format(out, "{\"kind\":\"set\",\"writer\":\"w1\",\"origin\":\"o1\",\"hlc\":{\"p\":1700000000000,\"l\":%u},\"epoch\":%u,\"value\":%u}",
                          maker_below(maker, 5), epoch, i);
        if (maker_chance(maker, 50)) {
            const struct maker_dot watered = {.origin = 1, .p = 1700000000000, .l = 2};
            buffer_string(out, "],\"water\":{\"o2\":{\"p\":1700000000000,\"l\":2}}");
            maker_remember_dot(maker, paths[i], &watered);
        } else {
            buffer_string(out, "],\"water\":{}");
        }
        if (epoch > 0 && maker_chance(maker, 60))
            buffer_format(out, ",\"epoch\":%u", epoch);
        buffer_string(out, "}");
    }
    buffer_format(out, "]%s", MAKER_ONE_OF(maker, evidence));
}

static void literal(struct maker *maker, unsigned room) {
    unsigned seq = 1 + maker_below(maker, 12);
    bool wire_3 = maker->features->wire_3;
    struct buffer out = {0};
    buffer_format(&out, "{\"seq\":%u", seq);
    if (wire_3) {
        registers(maker, &out);
    } else if (maker_chance(maker, 90)) {
        buffer_string(&out, ",\"root\":");
        maker_value(maker, &out, maker_root(room));
    }
    if (maker_chance(maker, 60))
        buffer_format(&out, ",\"%s\":\"%s\"", wire_3 ? "instance" : "epoch", maker_chance(maker, 80) ? "stored" : "@before:r");
    if (maker->features->schema && maker_chance(maker, 40)) {
        maker->schema[room] = maker_below(maker, 5) / 2.0;
        buffer_format(&out, ",\"schemaVersion\":%g", maker->schema[room]);
    }
    /* With no journal kept, whether a given one is kept is a matter of taste (hydrate.journal-zero). */
    if (maker->journal_limit > 0 && maker_chance(maker, 60))
        journal(maker, &out, room, seq);
    buffer_string(&out, "}");
    maker_step(maker, "{\"do\":\"hydrate\",\"room\":\"%s\",\"snapshot\":%s}", maker_room_name(room), out.bytes);
    buffer_free(&out);
    maker->seq[room] = seq > maker->seq[room] ? seq : maker->seq[room];
}

void maker_hydrate(struct maker *maker) {
    static const char *const without[] = {"", "", "", "epoch", "instance", "ranges", "wm", "settled"};
    unsigned room = maker_below(maker, MAKER_ROOMS);
    if (!maker->features->commits || maker_chance(maker, 35)) {
        literal(maker, room);
        return;
    }
    /* The room itself, which was lost, or a copy of it. */
    unsigned tail = maker->journal_limit > 0 ? maker_below(maker, 5) : 0;
    maker_step(maker, "{\"do\":\"hydrate\",\"room\":\"%s\",\"of\":\"%s\",\"tail\":%u,\"without\":\"%s\"}", maker_room_name(room),
               maker_room_name(room % 2), tail, MAKER_ONE_OF(maker, without));
    maker->seq[room] = maker->seq[room % 2];
    maker->schema[room] = maker->schema[room % 2];
}

/* From a connection of its own, which may be closed for it or not. */
void maker_junk(struct maker *maker) {
    static const char *const junk[] = {"",
                                       "junk",
                                       "[1]",
                                       "null",
                                       "\\\"x\\\"",
                                       "{\\\"t\\\":\\\"nope\\\",\\\"room\\\":\\\"r\\\"}",
                                       "{\\\"room\\\":\\\"r\\\"}",
                                       "{\\\"t\\\":\\\"env\\\",\\\"room\\\":\\\"r\\\"",
                                       "{\\\"t\\\":\\\"signal\\\",\\\"room\\\":\\\"r\\\"}",
                                       "{\\\"t\\\":7,\\\"room\\\":\\\"r\\\"}",
                                       "{\\\"t\\\":\\\"hello\\\",\\\"room\\\":\\\"r\\\"}{}"};
    unsigned name = ++maker->names;
    maker_step(maker, "{\"do\":\"connect\",\"conn\":\"g%u\",\"principal\":{\"writer\":\"w%u\"}}", name, 1 + maker_below(maker, MAKER_WRITERS));
    if (maker_chance(maker, 50))
        maker_step(maker, "{\"do\":\"receive\",\"conn\":\"g%u\",\"msg\":{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"g\",\"proto\":%d,\"policyVersion\":%u}}", name,
                   maker->features->wire_3 ? 3 : 1, maker->policy_version);
    maker_step(maker, "{\"do\":\"receive\",\"conn\":\"g%u\",\"text\":\"%s\"}", name, MAKER_ONE_OF(maker, junk));
}
