/* The options of the relays. */
#include "harness/compare/traffic_maker.h"

static const char *const allowed[] = {"true", "true", "{\"kind\":\"agent\"}", "{\"kind\":\"human\"}", "{\"writer\":\"w1\"}", "{\"claims\":{\"role\":\"editor\"}}"};

static void acl(struct maker *maker, struct buffer *out) {
    static const char *const prefixes[] = {"[]", "[\"a\"]", "[\"list\"]", "[\"*\",\"a\"]", "[\"b\",\"*\"]", "[0]", "[\"n\",\"1\"]", "[\"\"]"};
    unsigned rules = 1 + maker_below(maker, 3);
    buffer_string(out, "\"acl\":[");
    for (unsigned i = 0; i < rules; i++)
        buffer_format(out, "%s{\"prefix\":%s,\"allow\":%s}", i > 0 ? "," : "", MAKER_ONE_OF(maker, prefixes), MAKER_ONE_OF(maker, allowed));
    /* Most of what is written should still be admitted. */
    buffer_format(out, ",{\"prefix\":[],\"allow\":%s}]", maker_chance(maker, 60) ? "{\"kind\":\"agent\"}" : "{\"writer\":\"w2\"}");
}

static void validate(struct maker *maker, struct buffer *out) {
    static const char *const prefixes[] = {"[\"list\"]", "[\"a\"]", "[\"*\"]", "[1]", "[]"};
    static const char *const denied[] = {"{\"$type\":\"string\"}", "{\"$type\":\"null\"}", "{\"$lt\":0}", "{\"$type\":\"array\"}"};
    buffer_format(out, "\"validate\":[{\"prefix\":%s,\"deny\":%s}]", MAKER_ONE_OF(maker, prefixes), MAKER_ONE_OF(maker, denied));
}

/* A comma, unless the object has just begun. */
static void comma(struct buffer *out) {
    if (out->length > 0 && out->bytes[out->length - 1] != '{')
        buffer_string(out, ",");
}

static void policy(struct maker *maker, struct buffer *out) {
    const struct traffic_features *features = maker->features;
    comma(out);
    buffer_string(out, "\"policy\":{");
    if (features->acl && maker_chance(maker, 35))
        acl(maker, out);
    if (features->validate && maker_chance(maker, 30)) {
        comma(out);
        validate(maker, out);
    }
    if (features->bump && maker_chance(maker, 30)) {
        comma(out);
        maker->bumps = true;
        buffer_format(out, "\"canBump\":{\"allow\":%s}", MAKER_ONE_OF(maker, allowed));
    }
    if (features->citations && maker_chance(maker, 30)) {
        comma(out);
        buffer_string(out, "\"verifyCitations\":true");
    }
    buffer_string(out, "}");
}

static void limits(struct maker *maker, struct buffer *out) {
    comma(out);
    buffer_string(out, "\"limits\":{");
    if (maker_chance(maker, 60)) {
        maker->max_ops = 1 + maker_below(maker, 4);
        buffer_format(out, "\"maxOpsPerEnvelope\":%u", maker->max_ops);
    }
    if (maker->features->clock && maker_chance(maker, 40)) {
        comma(out);
        buffer_format(out, "\"maxEnvelopesPerSecond\":%u", 1U << maker_below(maker, 4));
    }
    buffer_string(out, "}");
}

void maker_options(struct maker *maker, struct buffer *out) {
    static const unsigned journals[] = {0, 1, 2, 3, 5, 8};
    maker->journal_limit = 1000;
    maker->max_ops = 1024;
    buffer_string(out, "{");
    if (maker->features->options) {
        if (maker_chance(maker, 70)) {
            maker->journal_limit = journals[maker_below(maker, 6)];
            buffer_format(out, "\"journalLimit\":%u", maker->journal_limit);
        }
        if (maker_chance(maker, 30)) {
            comma(out);
            maker->policy_version = 1 + maker_below(maker, 2);
            buffer_format(out, "\"policyVersion\":%u", maker->policy_version);
        }
        if (maker_chance(maker, 40))
            limits(maker, out);
        if (maker_chance(maker, 50))
            policy(maker, out);
        if (maker->features->wire_3 && maker_chance(maker, 40)) {
            comma(out);
            maker->by_connection = maker_chance(maker, 70);
            buffer_format(out, "\"ejection\":\"%s\"", maker->by_connection ? "connection" : "writer");
        }
    }
    buffer_string(out, "}");
}

bool traffic_leave_out(struct traffic_features *features, struct text sort) {
    bool *const policies[] = {&features->acl, &features->validate, &features->bump, &features->citations};
    const struct {
        const char *name;
        bool *feature;
    } sorts[] = {{"clock", &features->clock},     {"hold", &features->hold},       {"hydrate", &features->hydrate},
                 {"junk", &features->junk},       {"restart", &features->restart}, {"spelling", &features->spelling},
                 {"unload", &features->unload}};
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (text_equal(sort, text_of(sorts[i].name))) {
            *sorts[i].feature = false;
            return true;
        }
    for (size_t i = 0; text_equal(sort, TEXT("policies")) && i < sizeof policies / sizeof *policies; i++)
        *policies[i] = false;
    return text_equal(sort, TEXT("policies"));
}
