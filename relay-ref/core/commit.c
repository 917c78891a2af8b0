#include "relay-ref/core/commit.h"

#include "relay-ref/core/checkpoint.h"

struct relay_commit {
    struct room *room;
    bool failed;
    struct relay_buffer ranges, settled; /* owned */
};

struct relay_text relay_commit_root(struct relay_commit *commit) {
    struct relay_text root = {NULL, 0};
    commit->failed = commit->room->generation == NULL && !relay_fold_text(&commit->room->fold, &root);
    return root;
}

bool relay_commit_root_failed(const struct relay_commit *commit) {
    return commit->failed;
}

/* Writes a part into its buffer, anew each time. */
static struct relay_text written(const struct generation *generation, struct relay_buffer *buffer,
                                 void (*add)(const struct generation *, struct relay_buffer *)) {
    relay_buffer_free(buffer);
    relay_buffer_start(buffer, 0, 128);
    add(generation, buffer);
    return buffer->failed ? (struct relay_text){NULL, 0} : (struct relay_text){buffer->memory, buffer->length};
}

struct relay_text relay_commit_part(struct relay_commit *commit, enum relay_commit_part part) {
    struct generation *generation = commit->room->generation;
    struct relay_text registers, wm;
    if (generation == NULL)
        return (struct relay_text){NULL, 0};
    if (part == RELAY_COMMIT_RANGES)
        return written(generation, &commit->ranges, relay_checkpoint_add_ranges);
    if (part == RELAY_COMMIT_SETTLED)
        return written(generation, &commit->settled, relay_checkpoint_add_settled);
    if (!relay_checkpoint(generation, &registers, &wm))
        return (struct relay_text){NULL, 0};
    return part == RELAY_COMMIT_REGISTERS ? registers : wm;
}

bool relay_commit_comes_first(const struct relay *relay) {
    return relay->version->commit_first || relay->options.hold_commits;
}

bool relay_commit_ready(const struct room *room) {
    struct relay *relay = room->relay;
    bool may_wait = room->durability.first != NULL || (relay_commit_comes_first(relay) && relay->env.on_commit != NULL);
    return !may_wait || relay_durability_ready(relay, room);
}

/* commit.each: with the room as it is after this envelope. */
enum relay_committed relay_commit_report(struct room *room, const struct journal_entry *entry) {
    const struct relay *relay = room->relay;
    const struct relay_env *env = &relay->env;
    if (env->on_commit == NULL || !(relay->version->commits || relay->options.hold_commits))
        return RELAY_COMMIT_DECIDED;
    struct relay_commit commit = {.room = room};
    struct relay_commit_state state = {room->seq, room->epoch, room->schema_version};
    struct relay_text envelope = {entry->frame->text + entry->at, entry->length};
    enum relay_committed answer = env->on_commit(env->context, room->item.key, envelope, &state, &commit);
    relay_buffer_free(&commit.ranges);
    relay_buffer_free(&commit.settled);
    return answer;
}
