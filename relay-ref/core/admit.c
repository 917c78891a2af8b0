#include "relay-ref/core/admit.h"

#include "relay-ref/core/characters.h"
#include "relay-ref/core/connection.h"
#include "relay-ref/core/evidence.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/policy.h"
#include "relay-ref/core/register.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

static enum check_answer drop(struct violation *violation, const char *reason) {
    *violation = (struct violation){.reason = reason};
    return CHECK_DROP;
}

/* False when memory is out; the origin is NULL when nothing is known of it. */
static bool find_origin(const struct generation *generation, const struct json_value *name,
                        struct register_origin **origin) {
    struct characters characters;
    bool read = relay_characters_read(&characters, name);
    *origin = read ? relay_generation_origin(generation, characters.text) : NULL;
    relay_characters_end(&characters);
    return read;
}

/* admit.bump */
static enum check_answer check_bump(const struct member *member, const struct path_register *path_register,
                                    const struct read_op *op, struct violation *violation) {
    const struct relay *relay = member->room->relay;
    if (op->epoch <= (path_register == NULL ? 0 : path_register->baseline))
        return CHECK_FINE;
    enum policy_answer answer = relay_policy_can_bump(relay->options.policy, &member->connection->principal);
    if (answer == POLICY_NO_MEMORY)
        return CHECK_NO_MEMORY;
    if (answer == POLICY_YES)
        return CHECK_FINE;
    *violation =
        (struct violation){"epoch-bump", op->op->path, "the epoch is above the highest ever kept at this path"};
    return CHECK_VIOLATION;
}

static bool is_recorded(const struct generation *generation, struct path_register *path_register,
                        struct register_origin *origin, const struct hlc *hlc) {
    const struct register_cell *cell =
        path_register == NULL || origin == NULL ? NULL : relay_register_cell(generation, path_register, origin);
    return cell != NULL && ((cell->sibling != NULL && relay_hlc_compare(hlc, &cell->sibling->hlc) <= 0) ||
                            (cell->has_water && relay_hlc_compare(hlc, &cell->water) <= 0));
}

/* Who writes the envelope. */
struct author {
    struct relay_text name;         /* decoded */
    struct register_origin *origin; /* NULL when nothing is known of it */
};

/* False when memory is out. */
static bool is_known_cite(const struct room *room, const struct read_cite *cite, const struct author *author,
                          struct path_register *path_register, bool *known) {
    const struct hlc *stamp = &room->relay->reading.hlc;
    struct register_origin *origin = author->origin;
    bool own = relay_string_equals(&cite->origin, author->name.bytes, author->name.length);
    if (!own && !find_origin(room->generation, &cite->origin, &origin))
        return false;
    *known = (origin != NULL && origin->is_settled && relay_hlc_compare(&cite->hlc, &origin->settled) <= 0) ||
             (own && relay_hlc_compare(&cite->hlc, stamp) == 0) ||
             is_recorded(room->generation, path_register, origin, &cite->hlc);
    return true;
}

/* admit.citations */
static enum check_answer check_citations(const struct room *room, const struct author *author,
                                         struct path_register *path_register, const struct read_op *op,
                                         struct violation *violation) {
    const struct reading *reading = &room->relay->reading;
    for (size_t i = op->first_cite; i < op->first_cite + op->cite_count; i++) {
        bool known;
        if (!is_known_cite(room, &reading->cites[i], author, path_register, &known))
            return CHECK_NO_MEMORY;
        if (known)
            continue;
        *violation = (struct violation){"unknown-citation", op->op->path, "the path has no record of a cited write"};
        return CHECK_VIOLATION;
    }
    return CHECK_FINE;
}

/* admit.whole: op by op, the bump first. */
static enum check_answer check_ops(const struct member *member, const struct author *author,
                                   struct violation *violation) {
    const struct room *room = member->room;
    const struct relay_policy *policy = room->relay->options.policy;
    const struct reading *reading = &room->relay->reading;
    if (!relay_policy_guards_bumps(policy) && !relay_policy_verifies_citations(policy))
        return CHECK_FINE;
    for (size_t i = 0; i < reading->op_count; i++) {
        const struct read_op *op = &reading->ops[i];
        struct path_register *path_register = relay_register_find(room->generation, relay_reading_key(reading, op));
        enum check_answer answer = CHECK_FINE;
        if (relay_policy_guards_bumps(policy))
            answer = check_bump(member, path_register, op, violation);
        if (answer == CHECK_FINE && relay_policy_verifies_citations(policy))
            answer = check_citations(room, author, path_register, op, violation);
        if (answer != CHECK_FINE)
            return answer;
    }
    return CHECK_FINE;
}

static enum check_answer admit_version(const struct member *member, const struct author *author,
                                       struct violation *violation) {
    double version = member->room->relay->reading.version;
    if (author->origin != NULL && relay_evidence_holds(author->origin, version))
        return drop(violation, "duplicate");
    if (author->origin != NULL && version < relay_evidence_highest(author->origin))
        return drop(violation, "order");
    return check_ops(member, author, violation);
}

/* admit.precedence: generation, schema, duplicate, order, then the evidence that the ops claim. */
enum check_answer relay_admit(const struct member *member, const struct message_envelope *envelope,
                              struct violation *violation) {
    const struct room *room = member->room;
    struct characters name;
    double schema_version;
    if (!relay_string_equals(&envelope->instance, room->epoch.bytes, room->epoch.length))
        return drop(violation, "generation");
    if (relay_number_read(&envelope->schema_version, &schema_version) && schema_version < room->schema_version)
        return drop(violation, "schema");
    enum check_answer answer = CHECK_NO_MEMORY;
    if (relay_characters_read(&name, &envelope->origin)) {
        struct author author = {name.text, relay_generation_origin(room->generation, name.text)};
        answer = admit_version(member, &author, violation);
    }
    relay_characters_end(&name);
    return answer;
}

/* ---- drops --------------------------------------------------------------------------------------- */

static struct relay_frame *drop_frame(const struct room *room, const struct message_envelope *envelope,
                                      const char *reason) {
    struct relay_buffer text;
    relay_frame_start(&text, room->item.key.length + envelope->origin.length + 128);
    relay_buffer_add_words(&text, "{\"t\":\"drop\",\"room\":");
    relay_buffer_add_string(&text, room->item.key);
    relay_buffer_add_words(&text, ",\"origin\":");
    relay_buffer_add(&text, envelope->origin.bytes, envelope->origin.length);
    relay_buffer_add_words(&text, ",\"version\":");
    relay_buffer_add(&text, envelope->version.bytes, envelope->version.length);
    relay_buffer_add_words(&text, ",\"reason\":\"");
    relay_buffer_add_words(&text, reason);
    relay_buffer_add_words(&text, "\"}");
    return relay_frame_finish(&text);
}

bool relay_drop(const struct member *member, const struct message_envelope *envelope, const char *reason) {
    const struct relay_env *env = &member->room->relay->env;
    struct relay_frame *frame = drop_frame(member->room, envelope, reason);
    struct characters origin;
    if (frame == NULL)
        return false;
    bool read = relay_characters_read(&origin, &envelope->origin);
    if (read && env->on_drop != NULL) {
        struct relay_dropped dropped = {origin.text, {envelope->version.bytes, envelope->version.length}, reason};
        env->on_drop(env->context, member->room->item.key, &dropped);
    }
    relay_characters_end(&origin);
    if (read)
        relay_connection_send(member->connection, frame);
    relay_frame_release(frame);
    return read;
}
