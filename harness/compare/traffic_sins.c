/* Envelopes that are malformed in one place (valid.details), for each detail. */
#include "harness/compare/traffic_maker.h"

enum part { PART_INSTANCE, PART_ORIGIN, PART_WRITER, PART_HLC, PART_VERSION, PART_OPS, PART_OP };

static const struct {
    enum part part;
    const char *text; /* NULL: the member is left out */
} faults[] = {
    {PART_INSTANCE, NULL},
    {PART_INSTANCE, "5"},
    {PART_INSTANCE, "\"a\\u0001\""},
    {PART_ORIGIN, NULL},
    {PART_ORIGIN, "\"\""},
    {PART_ORIGIN, "7"},
    {PART_ORIGIN, "\"o\\u001f\""},
    {PART_WRITER, NULL},
    {PART_WRITER, "\"\""},
    {PART_WRITER, "null"},
    {PART_HLC, NULL},
    {PART_HLC, "{}"},
    {PART_HLC, "{\"p\":1}"},
    {PART_HLC, "{\"p\":\"1\",\"l\":0}"},
    {PART_HLC, "{\"p\":1e400,\"l\":0}"},
    {PART_HLC, "5"},
    {PART_VERSION, NULL},
    {PART_VERSION, "0"},
    {PART_VERSION, "-1"},
    {PART_VERSION, "1.5"},
    {PART_VERSION, "\"1\""},
    {PART_OPS, NULL},
    {PART_OPS, "null"},
    {PART_OPS, "{}"},
    {PART_OPS, "\"ops\""},
    {PART_OP, "5"},
    {PART_OP, "null"},
    {PART_OP, "{}"},
    {PART_OP, "{\"kind\":\"move\",\"path\":[\"m\"],\"epoch\":0,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"set\",\"next\":1,\"epoch\":0,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"set\",\"path\":\"m\",\"next\":1,\"epoch\":0,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"set\",\"path\":[\"m\\n\"],\"next\":1,\"epoch\":0,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"set\",\"path\":[\"m\",\"__proto__\"],\"next\":1,\"epoch\":0,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"delete\",\"path\":[],\"prev\":1,\"epoch\":0,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[],\"epoch\":0,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":-1,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":1e400,\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":\"0\",\"cites\":[]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":0}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":0,\"cites\":{}}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":0,\"cites\":[5]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":0,\"cites\":[{\"origin\":\"o1\"}]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":0,\"cites\":[{\"origin\":\"\",\"hlc\":{\"p\":1,\"l\":1}}]}"},
    {PART_OP, "{\"kind\":\"clear\",\"path\":[\"m\"],\"epoch\":0,\"cites\":[{\"origin\":\"o1\",\"hlc\":{\"p\":1,\"l\":\"1\"}}]}"},
    {PART_OP, "{\"kind\":\"set\",\"path\":[\"m\",1],\"next\":1,\"epoch\":0,\"cites\":[]},"
              "{\"kind\":\"clear\",\"path\":[\"m\",\"1\"],\"epoch\":0,\"cites\":[]}"},
};

void maker_malform(struct maker *maker, struct maker_envelope *envelope, const char **op) {
    unsigned fault = maker_below(maker, sizeof faults / sizeof *faults);
    const char *text = faults[fault].text;
    switch (faults[fault].part) {
    case PART_INSTANCE:
        envelope->instance = text;
        break;
    case PART_ORIGIN:
        envelope->origin = text;
        break;
    case PART_WRITER:
        envelope->writer = text;
        break;
    case PART_HLC:
        envelope->hlc = text;
        break;
    case PART_VERSION:
        envelope->version = text;
        break;
    case PART_OPS:
        envelope->ops = text;
        break;
    case PART_OP:
        *op = text;
        break;
    }
}
