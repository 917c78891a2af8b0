#include "relay-ref/adapters/control_observe.h"

const char *relay_observe_snapshot_fault(const struct relay_version *version) {
    return version->generations
               ? "The snapshot is not {seq, registers?, wm?, ranges?, settled?, instance?, schemaVersion?, journal?}."
               : "The snapshot is not {seq, root?, epoch?, schemaVersion?, journal?}.";
}

static void add_part(struct control_line *line, const char *name, struct relay_commit *commit,
                     enum relay_commit_part part) {
    struct relay_text text = relay_commit_part(commit, part);
    if (text.bytes != NULL)
        relay_control_line_json(line, name, text);
    else
        line->text.failed = true; /* memory is out: no event is better than half a state */
}

static void add_state(struct control_line *line, const struct relay_version *version, struct relay_commit *commit) {
    if (version->generations) {
        add_part(line, "registers", commit, RELAY_COMMIT_REGISTERS);
        add_part(line, "wm", commit, RELAY_COMMIT_WM);
        add_part(line, "ranges", commit, RELAY_COMMIT_RANGES);
        add_part(line, "settled", commit, RELAY_COMMIT_SETTLED);
        return;
    }
    struct relay_text root = relay_commit_root(commit);
    if (root.bytes != NULL)
        relay_control_line_json(line, "root", root);
    else if (relay_commit_root_failed(commit))
        line->text.failed = true; /* likewise: no root means that there is none */
}

void relay_observe_commit(struct control_line *line, const struct relay_version *version, struct relay_text envelope,
                          const struct relay_commit_state *state, struct relay_commit *commit) {
    relay_control_line_json(line, "env", envelope);
    relay_control_line_open(line, "state");
    relay_control_line_count(line, "seq", state->seq);
    relay_control_line_string(line, version->life, state->epoch);
    add_state(line, version, commit);
    if (version->schema)
        relay_control_line_number(line, "schemaVersion", state->schema_version);
    relay_control_line_close(line);
}

void relay_observe_violation(struct control_line *line, const struct relay_violation *violation) {
    relay_control_line_open(line, "violation");
    relay_control_line_string(line, "writer", violation->writer);
    relay_control_line_words(line, "reason", violation->reason);
    if (violation->path.bytes != NULL)
        relay_control_line_json(line, "path", violation->path);
    if (violation->detail != NULL)
        relay_control_line_words(line, "detail", violation->detail);
    relay_control_line_close(line);
}

void relay_observe_join(struct control_line *line, struct relay_text writer, struct relay_text origin) {
    relay_control_line_string(line, "writer", writer);
    relay_control_line_string(line, "origin", origin);
}

void relay_observe_reject(struct control_line *line, const struct relay_rejection *rejection) {
    relay_control_line_string(line, "writer", rejection->writer);
    relay_control_line_words(line, "reason", rejection->reason);
    if (rejection->has_expected)
        relay_control_line_number(line, "expected", rejection->expected);
}

void relay_observe_drop(struct control_line *line, const struct relay_dropped *dropped) {
    relay_control_line_string(line, "origin", dropped->origin);
    relay_control_line_json(line, "version", dropped->version);
    relay_control_line_words(line, "reason", dropped->reason);
}

void relay_observe_room(struct control_line *line, const struct relay_version *version,
                        const struct relay_room_info *info) {
    relay_control_line_open(line, "ok");
    relay_control_line_count(line, "seq", info->seq);
    if (version->generations)
        relay_control_line_string(line, version->life, info->epoch);
    relay_control_line_count(line, "members", info->members);
    relay_control_line_count(line, "journal", info->journal);
    if (version->generations)
        relay_control_line_json(line, "stalled",
                                info->stalled ? (struct relay_text){"true", 4} : (struct relay_text){"false", 5});
    relay_control_line_close(line);
}
