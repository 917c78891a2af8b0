#include "relay-ref/core/check.h"

#include "relay-ref/core/policy.h"
#include "relay-ref/core/rate.h"
#include "relay-ref/core/rules.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

static enum check_answer violate(struct violation *violation, const char *reason) {
    *violation = (struct violation){.reason = reason};
    return CHECK_VIOLATION;
}

/* eject.proto, eject.policy-version: both with the reason `proto`. */
static bool versions_match(const struct relay *relay, const struct message_envelope *envelope) {
    return relay_number_equals(&envelope->proto, relay->version->wire) &&
           relay_number_equals(&envelope->policy_version, relay->options.policy_version);
}

static enum check_answer op_answer(enum policy_answer answer, const char *reason, const struct message_op *op,
                                   struct violation *violation) {
    if (answer == POLICY_NO_MEMORY)
        return CHECK_NO_MEMORY;
    if (answer == POLICY_YES)
        return CHECK_FINE;
    *violation = (struct violation){.reason = reason, .path = op->path};
    return CHECK_VIOLATION;
}

/* eject.can-write, eject.validate: op by op, so that the first op that fails names the reason. */
static enum check_answer check_ops(const struct relay *relay, const struct relay_principal *principal,
                                   struct violation *violation) {
    const struct relay_policy *policy = relay->options.policy;
    for (size_t i = 0; policy != NULL && i < relay->ops.count; i++) {
        const struct message_op *op = &relay->ops.items[i];
        enum check_answer answer =
            op_answer(relay_policy_can_write(policy, principal, op->path), "can-write", op, violation);
        if (answer == CHECK_FINE)
            answer = op_answer(relay_policy_validate(policy, op->path, op->next), "validate", op, violation);
        if (answer != CHECK_FINE)
            return answer;
    }
    return CHECK_FINE;
}

/*
 * eject.order, valid.order: the versions, well-formedness, the number of ops, the rate, the writer, then the ops. Under
 * forgiving rules an op that is malformed is ignored as soon as a check would have to look at it, but not before: a
 * stream of malformed envelopes still meets the rate limit.
 */
enum check_answer relay_check_envelope(const struct member *member, const struct message_envelope *envelope,
                                       struct violation *violation) {
    struct relay *relay = member->room->relay;
    const struct relay_principal *principal = &member->connection->principal;
    const struct relay_rules *rules = relay->version->rules;
    if (!versions_match(relay, envelope))
        return violate(violation, "proto");
    enum check_answer form = rules->check(relay, envelope, violation);
    if (form != CHECK_FINE)
        return form;
    if (relay->ops.count > relay->options.max_ops_per_envelope)
        return violate(violation, "ops-limit");
    enum rate_answer rate = relay_rate_take(member->room, principal->writer);
    if (rate != RATE_ALLOWED)
        return rate == RATE_EXCEEDED ? violate(violation, "rate") : CHECK_NO_MEMORY;
    if (!relay_string_equals(&envelope->writer, principal->writer.bytes, principal->writer.length))
        return violate(violation, "writer-mismatch");
    return rules->forgiving && envelope->bad_op ? CHECK_MALFORMED : check_ops(relay, principal, violation);
}
