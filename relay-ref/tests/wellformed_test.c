/* valid.details: each row of the table, and which one counts when several fail. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/generation_world.h"

static struct world world;

#define GOOD_OP "{\"kind\":\"set\",\"path\":[\"a\"],\"next\":1,\"cites\":[],\"epoch\":0}"

struct envelope {
    const char *instance, *origin, *writer, *hlc, *version, *ops;
};

static const struct envelope good = {"\"e1\"", "\"o\"", "\"w\"", "{\"p\":1,\"l\":1}", "1", "[" GOOD_OP "]"};

static void says_envelope(struct pair *client, const struct envelope *envelope) {
    says(client,
         "{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":3,\"policyVersion\":0,\"instance\":%s,\"origin\":%s,"
         "\"writer\":%s,\"hlc\":%s,\"version\":%s,\"ops\":%s}}",
         envelope->instance, envelope->origin, envelope->writer, envelope->hlc, envelope->version, envelope->ops);
}

/* What the observer of a fresh room says of the envelope. */
static const char *verdict(const struct envelope *envelope) {
    world_open(&world, RELAY_PROTOCOL_0_9, NULL);
    struct pair *client = world_client(&world, "w");
    joins(client, "r", "o", "");
    says_envelope(client, envelope);
    pair_free(client);
    world_close(&world);
    return world.observed;
}

static void expect_detail(const struct envelope *envelope, const char *detail) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "violation r w malformed - %s\n", detail);
    cr_expect_str_eq(verdict(envelope), wanted);
}

Test(wellformed, a_good_envelope_is_ordered) {
    cr_expect_eq(strncmp(verdict(&good), "commit r seq 1 ", 15), 0, "%s", world.observed);
    struct envelope without_instance = good;
    without_instance.instance = "\"\"";
    cr_expect_str_eq(verdict(&without_instance), "drop r o 1 generation\n", "empty is well formed");
}

Test(wellformed, each_part_of_an_envelope) {
    static const struct {
        size_t part;
        const char *bad, *detail;
    } cases[] = {
        {offsetof(struct envelope, instance), "7", "instance"},
        {offsetof(struct envelope, instance), "\"a\\u001f\"", "instance"},
        {offsetof(struct envelope, instance), "\"a\\n\"", "instance"},
        {offsetof(struct envelope, origin), "\"\"", "origin"},
        {offsetof(struct envelope, origin), "\"\\u0000\"", "origin"},
        {offsetof(struct envelope, origin), "null", "origin"},
        {offsetof(struct envelope, writer), "\"\\t\"", "writer"},
        {offsetof(struct envelope, hlc), "[1,1]", "hlc"},
        {offsetof(struct envelope, hlc), "{\"p\":1}", "hlc"},
        {offsetof(struct envelope, hlc), "{\"p\":1,\"l\":\"1\"}", "hlc"},
        {offsetof(struct envelope, hlc), "{\"p\":1,\"l\":1e400}", "hlc"},
        {offsetof(struct envelope, version), "0", "version"},
        {offsetof(struct envelope, version), "1.5", "version"},
        {offsetof(struct envelope, version), "-1", "version"},
        {offsetof(struct envelope, version), "\"1\"", "version"},
        {offsetof(struct envelope, ops), "{}", "ops"},
        {offsetof(struct envelope, ops), "null", "ops"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct envelope envelope = good;
        memcpy((char *)&envelope + cases[i].part, &cases[i].bad, sizeof cases[i].bad);
        expect_detail(&envelope, cases[i].detail);
    }
}

Test(wellformed, each_part_of_an_op) {
    static const char *const cases[][2] = {
        {"7", "op"},
        {"null", "op"},
        {"{\"kind\":\"grow\",\"path\":[\"a\"],\"cites\":[],\"epoch\":0}", "kind"},
        {"{\"kind\":\"set\",\"path\":\"a\",\"cites\":[],\"epoch\":0}", "path"},
        {"{\"kind\":\"set\",\"path\":[\"a\\u0001\"],\"cites\":[],\"epoch\":0}", "path-control"},
        {"{\"kind\":\"set\",\"path\":[\"__proto__\",\"\\u0001\"],\"cites\":[],\"epoch\":0}", "path-proto"},
        {"{\"kind\":\"set\",\"path\":[\"\\u005f_proto__\"],\"cites\":[],\"epoch\":0}", "path-proto"},
        {"{\"kind\":\"delete\",\"path\":[],\"cites\":[],\"epoch\":0}", "root-op"},
        {"{\"kind\":\"clear\",\"path\":[],\"cites\":[],\"epoch\":0}", "root-op"},
        {"{\"kind\":\"set\",\"path\":[\"a\"],\"cites\":[]}", "epoch"},
        {"{\"kind\":\"set\",\"path\":[\"a\"],\"cites\":[],\"epoch\":-1}", "epoch"},
        {"{\"kind\":\"set\",\"path\":[\"a\"],\"cites\":[],\"epoch\":1e999}", "epoch"},
        {"{\"kind\":\"set\",\"path\":[\"a\"],\"epoch\":0}", "cites"},
        {"{\"kind\":\"set\",\"path\":[\"a\"],\"cites\":[7],\"epoch\":0}", "cites"},
        {"{\"kind\":\"set\",\"path\":[\"a\"],\"cites\":[{\"origin\":\"\",\"hlc\":{\"p\":1,\"l\":1}}],\"epoch\":0}",
         "cites"},
        {"{\"kind\":\"set\",\"path\":[\"a\"],\"cites\":[{\"origin\":\"o\",\"hlc\":{\"p\":1}}],\"epoch\":0}", "cites"},
        {GOOD_OP "," GOOD_OP, "dup-path"},
        {"{\"kind\":\"set\",\"path\":[1,\"x\"],\"cites\":[],\"epoch\":0},"
         "{\"kind\":\"clear\",\"path\":[\"1\",\"\\u0078\"],\"cites\":[],\"epoch\":0}",
         "dup-path"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char ops[512];
        struct envelope envelope = good;
        snprintf(ops, sizeof ops, "[%s]", cases[i][0]);
        envelope.ops = ops;
        expect_detail(&envelope, cases[i][1]);
        snprintf(ops, sizeof ops, "[{\"kind\":\"clear\",\"path\":[\"first\"],\"cites\":[],\"epoch\":2},%s,{}]",
                 cases[i][0]);
        expect_detail(&envelope, cases[i][1]);
    }
}

/* valid.order, valid.details: the first row that fails counts, and an op's rows come before the next op's. */
Test(wellformed, the_first_fault_counts) {
    struct envelope envelope = {"7", "\"\"", "\"\"", "{}", "0", "{}"};
    expect_detail(&envelope, "instance");
    envelope.instance = good.instance;
    expect_detail(&envelope, "origin");
    envelope.origin = good.origin;
    expect_detail(&envelope, "writer");
    envelope.writer = good.writer;
    expect_detail(&envelope, "hlc");
    envelope.hlc = good.hlc;
    expect_detail(&envelope, "version");
    envelope.version = good.version;
    expect_detail(&envelope, "ops");
    envelope.ops = "[" GOOD_OP "," GOOD_OP ",{\"kind\":\"set\",\"path\":[\"b\"],\"cites\":7,\"epoch\":0}]";
    expect_detail(&envelope, "dup-path");
}

/* Well-formedness comes before the number of ops, and looks at every one of them. */
Test(wellformed, faults_behind_the_limit_of_ops_count) {
    char *many = repeated("{\"kind\":\"grow\"},", 20);
    static char ops[4096];
    world_open(&world, RELAY_PROTOCOL_0_9, "{\"limits\":{\"maxOpsPerEnvelope\":2}}");
    struct pair *client = world_client(&world, "w"), *other = world_client(&world, "v");
    joins(client, "r", "o", "");
    joins(other, "r", "p", "");
    snprintf(ops, sizeof ops,
             "[{\"kind\":\"clear\",\"path\":[\"x\"],\"cites\":[],\"epoch\":0},{\"kind\":\"clear\",\"path\":[\"y\"],"
             "\"cites\":[],\"epoch\":0},{\"kind\":\"clear\",\"path\":[\"z\"],\"cites\":[],\"epoch\":0},%s{}]",
             many);
    struct envelope envelope = good;
    envelope.ops = ops;
    says_envelope(client, &envelope);
    cr_expect_str_eq(world.observed, "violation r w malformed - kind\n");
    world.observed[0] = '\0';
    envelope.writer = "\"v\"";
    envelope.ops =
        "[{\"kind\":\"clear\",\"path\":[\"x\"],\"cites\":[],\"epoch\":0},{\"kind\":\"clear\",\"path\":[\"y\"],"
        "\"cites\":[],\"epoch\":0},{\"kind\":\"clear\",\"path\":[\"z\"],\"cites\":[],\"epoch\":0}]";
    says_envelope(other, &envelope);
    cr_expect_str_eq(world.observed, "violation r v ops-limit -\n");
    free(many);
    pair_free(other);
    pair_free(client);
    world_close(&world);
}
