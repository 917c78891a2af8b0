/*
 * What a client relies on, checked over a whole recorded run rather than step by step. Pure: events in, the first breach out.
 */
#ifndef MESHSPEC_HISTORY_H
#define MESHSPEC_HISTORY_H

#include "harness/json/value.h"

enum history_kind {
    HISTORY_SENT,      /* a connection sent `message` */
    HISTORY_RECEIVED,  /* a connection received `message` */
    HISTORY_ENDED,     /* a connection ended, by whatever side */
    HISTORY_HYDRATED,  /* the relay accepted `message`, {room, snapshot} */
    HISTORY_COMMITTED, /* an observer saw the commit `message`, {room, env}, and all that was sent before it is among the events before it */
    HISTORY_UNLOADED,  /* the relay has unloaded the room of `message`, {unloaded: room}: its next life is another one */
    HISTORY_RESTARTED  /* the relay began a new life: connections and rooms are gone */
};

struct history_event {
    enum history_kind kind;
    int connection;
    const struct json_value *message;
};

struct history_settings {
    /* Every connection was fenced at the end and nothing that the end of a connection causes is still on its way. Needed for the checks of absence:
       history.echo's completeness and history.presence-truth. */
    bool settled;
    /* The run put a question whose outcome the protocol leaves open: echoes, memberships and folds are then not judged. */
    bool has_free_outcomes;
    /* Commits were held: echoes, welcomes and settled notices may come late or never, while ejections pass them; registers are not judged. */
    bool held;
    /* An ejection hits one connection: its writer may go on elsewhere. */
    bool ejects_connections;
    int wire; /* the number in `proto`; below 3 (0 too) rooms have a root, which is folded */
};

struct history_breach {
    const char *rule; /* "history.dense", …, "commit.each"; NULL: all of it holds */
    const char *text; /* one sentence, in the arena */
    size_t event;     /* index of the event that shows it; the count of events: it shows only at the end */
};

/*
 * Checks history.dense, history.same-order, history.no-loss, history.echo, history.fold, history.per-origin-order, history.isolation and
 * history.presence-truth, and that a commit comes after its broadcast (commit.each). In wire version 3 history.registers takes the place of history.fold, and a commit comes
 * before its broadcast; what was admitted is reckoned, too, and held against later writes (admit.duplicate, admit.order), the marks of snapshots (register.snapshot) and the
 * settled stamps (settle.notice). Costs about the number of events, times the members of a room at its end.
 */
struct history_breach history_check(struct arena *arena, const struct history_event *events, size_t count,
                                    const struct history_settings *settings);

#endif
