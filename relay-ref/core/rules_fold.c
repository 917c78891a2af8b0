/* Wire version 1: ops fold into one root (fold.*). */
#include "relay-ref/core/connection.h"
#include "relay-ref/core/hydrate.h"
#include "relay-ref/core/rules.h"

static bool start(struct room *room) {
    relay_fold_start(&room->fold, &room->relay->seed, room->relay->options.max_array_length);
    room->fold.max_bytes = room->relay->options.max_root_bytes;
    return true;
}

static void end(struct room *room) {
    relay_fold_free(&room->fold);
}

/* frame.garbage-isolated */
static enum check_answer check(struct relay *relay, const struct message_envelope *envelope,
                               struct violation *violation) {
    (void)relay, (void)violation;
    return envelope->has_ops ? CHECK_FINE : CHECK_MALFORMED;
}

/* seq.no-dedup: what is well formed and allowed is ordered. */
static enum check_answer admit(const struct member *member, const struct message_envelope *envelope,
                               struct violation *violation) {
    (void)member, (void)envelope, (void)violation;
    return CHECK_FINE;
}

/* The fold undoes itself when memory is out, so that nothing is left for `apply`. fold.huge-index: what an array's
   ceiling leaves out is no reason to refuse the envelope; a full root is. */
static bool prepare(struct room *room, const struct message_envelope *envelope, struct ordering *ordering) {
    (void)envelope, (void)ordering;
    size_t left_out = room->fold.left_out;
    bool applied = relay_fold_apply(&room->fold, room->relay->ops.items, room->relay->ops.count);
    if (room->fold.full)
        return relay_limit_hit(room->relay, RELAY_LIMIT_ROOT_BYTES);
    if (applied && room->fold.left_out > left_out)
        relay_limit_hit(room->relay, RELAY_LIMIT_ARRAY);
    return applied;
}

static void apply(struct room *room, struct ordering *ordering) {
    (void)room, (void)ordering;
}

/* join.snapshot, join.snapshot-rootless */
static bool print_snapshot(struct room *room, struct relay_buffer *text, bool whole) {
    (void)whole;
    struct relay_text root;
    if (!relay_fold_text(&room->fold, &root))
        return false;
    if (root.bytes != NULL) {
        relay_buffer_add_words(text, ",\"root\":");
        relay_buffer_add_text(text, root);
    }
    return true;
}

static enum relay_hydrated restore(struct room *room, const struct snapshot *snapshot) {
    struct fold fold;
    relay_fold_start(&fold, room->fold.seed, room->fold.max_array_length);
    fold.max_bytes = room->fold.max_bytes;
    if (snapshot->root.kind != JSON_ABSENT && !relay_fold_replace(&fold, snapshot->root)) {
        relay_fold_free(&fold);
        return RELAY_HYDRATE_REFUSED;
    }
    relay_fold_free(&room->fold);
    room->fold = fold;
    return RELAY_HYDRATED;
}

const struct relay_rules relay_rules_fold = {
    .ops_limit = 0,
    .forgiving = true,
    .start = start,
    .end = end,
    .check = check,
    .admit = admit,
    .prepare = prepare,
    .apply = apply,
    .cancel = apply,
    .print_snapshot = print_snapshot,
    .restore = restore,
};
