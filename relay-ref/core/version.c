#include "relay-ref/core/version.h"

#include <string.h>

static const struct relay_version versions[] = {
    [RELAY_PROTOCOL_0_1_0] = {"0.1.0", 1, "epoch", .commits = false, .hydrates = false, .schema = false},
    [RELAY_PROTOCOL_0_1_1] = {"0.1.1", 1, "epoch", .commits = true, .hydrates = true, .schema = false},
    [RELAY_PROTOCOL_0_2_0] = {"0.2.0", 1, "epoch", .commits = true, .hydrates = true, .schema = true},
};

const struct relay_version *relay_version_of(enum relay_protocol protocol) {
    return &versions[protocol];
}

bool relay_version_find(const char *name, enum relay_protocol *out) {
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (strcmp(versions[i].name, name) == 0) {
            *out = (enum relay_protocol)i;
            return true;
        }
    }
    return false;
}
