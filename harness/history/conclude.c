/* What can be said of a history only when it is over. */
#include "harness/history/state.h"

/* ---- history.fold ---- */

static void check_snapshots(struct history *history, const struct room *room) {
    for (const struct snapshot *snapshot = room->snapshots; snapshot != NULL; snapshot = snapshot->next) {
        struct fold fold = {.arena = history->arena};
        fold.root = room->base_root == NULL ? NULL : json_copy(history->arena, room->base_root);
        bool known = snapshot->seq >= room->base && snapshot->seq <= HISTORY_SEQ_CEILING;
        for (uint64_t seq = room->base + 1; known && seq <= snapshot->seq; seq++) {
            known = seq < room->capacity && room->envelopes[seq] != NULL;
            if (known) {
                fold_envelope(&fold, room->envelopes[seq]);
            }
        }
        if (!known || fold.is_free) {
            continue;
        }
        bool equal = fold.root == NULL || snapshot->root == NULL ? fold.root == snapshot->root : json_equal(fold.root, snapshot->root);
        if (!equal) {
            struct buffer wanted = {.ceiling = 300};
            if (fold.root != NULL) {
                json_print(&wanted, fold.root);
            }
            history_breaks(history, "history.fold", snapshot->event, "the snapshot at seq %llu is not the fold of the history, which is %s",
                           (unsigned long long)snapshot->seq, wanted.length == 0 ? "no value" : wanted.bytes);
            buffer_free(&wanted);
        }
    }
}

/* ---- history.per-origin-order ---- */

static void check_send_order(struct history *history, const struct room *room) {
    for (const struct sent *later = room->sent; later != NULL; later = later->next) {
        const struct sent *before = NULL;
        for (const struct sent *sent = room->sent; sent != later; sent = sent->next) {
            if (sent->connection == later->connection && sent->seq > 0) {
                before = sent;
            }
        }
        if (later->seq > 0 && before != NULL && before->seq > later->seq && !history_same_envelope(before->envelope, later->envelope)) {
            history_breaks(history, "history.per-origin-order", later->event, "it was sent after the envelope that has seq %llu, and has seq %llu",
                           (unsigned long long)before->seq, (unsigned long long)later->seq);
        }
    }
}

/* ---- history.echo, history.no-loss ---- */

/* What is not well formed may be ignored; in wire version 3 it ejects, so that its sender is no member any more. */
static bool is_well_formed(const struct history *history, const struct json_value *envelope) {
    const struct json_value *proto = json_get(envelope, "proto");
    struct fold trial = {.arena = history->arena};
    if (history->settings->wire < 3) {
        fold_envelope(&trial, envelope);
    }
    return !trial.is_free && proto != NULL && proto->type == JSON_NUMBER && history_string(envelope, "origin").bytes != NULL &&
           history_string(envelope, "writer").bytes != NULL;
}

static const struct view *view_of_sender(const struct history *history, const struct room *room, int connection) {
    for (const struct view *view = history->views; view != NULL; view = view->next) {
        if (!view->ended && view->room == room && view->connection == connection) {
            return view;
        }
    }
    return NULL;
}

static void check_echoes(struct history *history, struct room *room) {
    history_match_drops(room);
    for (const struct sent *sent = room->sent; sent != NULL; sent = sent->next) {
        if (sent->seq == 0 && sent->member && !sent->dropped && room->highest <= HISTORY_SEQ_CEILING &&
            view_of_sender(history, room, sent->connection) != NULL && is_well_formed(history, sent->envelope)) {
            history_breaks(history, "history.echo", sent->event, "this envelope of a member never came back to its sender");
        }
    }
}

static void check_reach(struct history *history, const struct view *view, size_t count) {
    if (view->expected != view->room->highest + 1 && view->room->highest > 0) {
        history_breaks(history, "history.no-loss", count, "%.*s has seen the envelopes up to seq %llu, others up to %llu",
                       (int)view->origin.length, view->origin.bytes, (unsigned long long)view->expected - 1,
                       (unsigned long long)view->room->highest);
    }
}

/* ---- history.presence-truth ---- */

static const struct names_seen *find(const struct names_seen *list, struct text origin) {
    while (list != NULL && !text_equal(list->origin, origin)) {
        list = list->next;
    }
    return list;
}

static const struct view *live_origin(const struct history *history, const struct view *view, struct text origin) {
    for (const struct view *other = history->views; other != NULL; other = other->next) {
        if (!other->ended && other->room == view->room && other != view && text_equal(other->origin, origin)) {
            return other;
        }
    }
    return NULL;
}

static bool same_data(const struct json_value *announced, const struct json_value *peer) {
    const struct json_value *said = json_get(announced, "data");
    const struct json_value *seen = json_get(peer, "data");
    return said == NULL || seen == NULL ? said == seen : json_equal(said, seen);
}

static void check_others(struct history *history, const struct view *view, size_t count) {
    for (const struct view *other = history->views; other != NULL; other = other->next) {
        if (other->ended || other->room != view->room || other == view) {
            continue;
        }
        const struct names_seen *peer = find(view->peers, other->origin);
        if (find(view->members, other->origin) == NULL) {
            history_breaks(history, "history.presence-truth", count, "%.*s does not know of the member %.*s", (int)view->origin.length,
                           view->origin.bytes, (int)other->origin.length, other->origin.bytes);
        } else if ((other->presence != NULL) != (peer != NULL) || (peer != NULL && !same_data(other->presence, peer->peer))) {
            history_breaks(history, "history.presence-truth", count, "%.*s does not have %.*s's presence as it was last announced",
                           (int)view->origin.length, view->origin.bytes, (int)other->origin.length, other->origin.bytes);
        }
    }
}

static void check_ghosts(struct history *history, const struct view *view, const struct names_seen *list, const char *what, size_t count) {
    for (; list != NULL; list = list->next) {
        if (live_origin(history, view, list->origin) == NULL) {
            history_breaks(history, "history.presence-truth", count, "%.*s still sees the %s %.*s, who is not there", (int)view->origin.length,
                           view->origin.bytes, what, (int)list->origin.length, list->origin.bytes);
        }
    }
}

void history_conclude(struct history *history, size_t count, const struct history_settings *settings) {
    for (struct room *room = history->rooms; room != NULL; room = room->next) {
        check_send_order(history, room);
        /* Who was to be told what is settled may have gone before a held commit let the notice out, and then nobody knows of it. */
        if (!settings->has_free_outcomes && settings->wire >= 3 && !settings->held) {
            history_check_registers(history, room);
            history_check_evidence(history, room);
        }
        if (!settings->has_free_outcomes && settings->wire < 3) {
            check_snapshots(history, room);
        }
        if (settings->settled && !settings->has_free_outcomes) {
            check_echoes(history, room);
            history_check_drops(history, room);
        }
    }
    if (!settings->settled || settings->has_free_outcomes) {
        return;
    }
    for (const struct view *view = history->views; view != NULL; view = view->next) {
        if (!view->ended) {
            check_reach(history, view, count);
            check_others(history, view, count);
            check_ghosts(history, view, view->members, "member", count);
            check_ghosts(history, view, view->peers, "presence of", count);
        }
    }
}

struct history_breach history_check(struct arena *arena, const struct history_event *events, size_t count,
                                    const struct history_settings *settings) {
    struct history history = {.arena = arena, .settings = settings};
    for (size_t i = 0; i < count; i++) {
        history_take(&history, &events[i], i);
    }
    history_conclude(&history, count, settings);
    return history.breach;
}
