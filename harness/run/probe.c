#include "harness/run/probe.h"

enum target_outcome target_probe(struct target *target, int number, struct error *error) {
    const struct target_principal principal = {.writer = TEXT(TARGET_PROBE_WRITER)};
    enum target_outcome outcome = target->table->connect(target, number, &principal, error);
    return outcome == TARGET_OK ? target->table->disconnect(target, number, false, error) : outcome;
}

enum target_outcome target_preflight(struct target *target, const char *profile, int limit_ms, struct error *error) {
    struct text options = text_of(target->options != NULL ? target->options : "{}");
    enum target_outcome outcome = target->table->open(target, profile, options, limit_ms, error);
    if (outcome == TARGET_OK) {
        outcome = target_probe(target, 1, error);
    }
    target->table->close(target);
    return outcome;
}
