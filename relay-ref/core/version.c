#include "relay-ref/core/version.h"

#include <string.h>

#include "relay-ref/core/rules.h"

static const struct relay_version versions[] = {
    [RELAY_PROTOCOL_0_1_0] = {.name = "0.1.0", .wire = 1, .life = "epoch", .rules = &relay_rules_fold},
    [RELAY_PROTOCOL_0_1_1] =
        {.name = "0.1.1", .wire = 1, .life = "epoch", .commits = true, .hydrates = true, .rules = &relay_rules_fold},
    [RELAY_PROTOCOL_0_2_0] = {.name = "0.2.0",
                              .wire = 1,
                              .life = "epoch",
                              .commits = true,
                              .hydrates = true,
                              .schema = true,
                              .rules = &relay_rules_fold},
    [RELAY_PROTOCOL_0_9] = {.name = "0.9",
                            .wire = 3,
                            .life = "instance",
                            .commits = true,
                            .hydrates = true,
                            .schema = true,
                            .generations = true,
                            .commit_first = true,
                            .evicts = true,
                            .lingers = true,
                            .rules = &relay_rules_registers},
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
