#include "relay-ref/core/wellformed.h"

#include <math.h>

#include "relay-ref/json/number.h"

static bool is_version(const struct json_value *value, double *version) {
    return relay_number_read(value, version) && isfinite(*version) && *version > 0 && *version == floor(*version);
}

static bool is_epoch(const struct json_value *value, double *epoch) {
    return relay_number_read(value, epoch) && isfinite(*epoch) && *epoch >= 0;
}

/* ---- the envelope -------------------------------------------------------------------------------- */

static enum check_answer malformed(struct violation *violation, const char *detail) {
    *violation = (struct violation){.reason = "malformed", .detail = detail};
    return CHECK_VIOLATION;
}

/* The rows of one op. */
static enum check_answer check_op(const struct relay *relay, struct reading *reading, size_t number,
                                  struct violation *violation) {
    struct read_op *op = &reading->ops[number];
    *op = (struct read_op){.op = &relay->ops.items[number]};
    if (!op->op->container)
        return malformed(violation, "op");
    if (op->op->kind == OP_UNKNOWN)
        return malformed(violation, "kind");
    if (op->op->path.kind != JSON_ARRAY)
        return malformed(violation, "path");
    op->key_at = reading->keys.length;
    struct path_reading path = relay_read_path(op->op->path, &reading->keys);
    op->key_length = reading->keys.length - op->key_at;
    if (!path.joined)
        return CHECK_NO_MEMORY;
    if (path.fault != NULL)
        return malformed(violation, path.fault);
    if (path.empty && op->op->kind != OP_SET)
        return malformed(violation, "root-op");
    if (!is_epoch(&op->op->epoch, &op->epoch))
        return malformed(violation, "epoch");
    enum reading_answer cites = relay_read_cites(reading, op);
    if (cites != READING_FINE)
        return cites == READING_BAD ? malformed(violation, "cites") : CHECK_NO_MEMORY;
    bool first = relay->ops.kept == 1 || relay_reading_is_first(reading, &relay->seed, number);
    return first ? CHECK_FINE : malformed(violation, "dup-path");
}

static enum check_answer check_ops(struct relay *relay, struct violation *violation) {
    struct reading *reading = &relay->reading;
    if (!relay_reading_start(reading, relay->ops.kept)) {
        relay_reading_free(reading);
        return CHECK_NO_MEMORY;
    }
    for (; reading->op_count < relay->ops.kept; reading->op_count++) {
        enum check_answer answer = check_op(relay, reading, reading->op_count, violation);
        if (answer == CHECK_NO_MEMORY)
            relay_reading_free(reading);
        if (answer != CHECK_FINE)
            return answer;
    }
    return CHECK_FINE;
}

/* valid.details */
enum check_answer relay_wellformed(struct relay *relay, const struct message_envelope *envelope,
                                   struct violation *violation) {
    struct reading *reading = &relay->reading;
    if (envelope->instance.kind != JSON_STRING || relay_has_control(&envelope->instance))
        return malformed(violation, "instance");
    if (!relay_is_clean_id(&envelope->origin))
        return malformed(violation, "origin");
    if (!relay_is_clean_id(&envelope->writer))
        return malformed(violation, "writer");
    if (!relay_hlc_read(envelope->hlc, &reading->hlc))
        return malformed(violation, "hlc");
    if (!is_version(&envelope->version, &reading->version))
        return malformed(violation, "version");
    if (!envelope->has_ops)
        return malformed(violation, "ops");
    return check_ops(relay, violation);
}
