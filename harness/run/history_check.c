/* The transcript as a history. */
#include "harness/history/history.h"

#include "harness/run/play.h"

static size_t trace_length(const struct play *play) {
    size_t length = 0;
    for (const struct trace_entry *entry = play->trace; entry != NULL; entry = entry->next) {
        length++;
    }
    return length;
}

/* False for what is no event of a history. On a socket a commit has no place among what others got. */
static bool event_of(const struct trace_entry *entry, bool barrier, struct history_event *event) {
    *event = (struct history_event){.connection = entry->connection, .message = entry->value};
    switch (entry->kind) {
    case TRACE_SENT:
        event->kind = HISTORY_SENT;
        return entry->value != NULL && entry->value->type == JSON_OBJECT;
    case TRACE_RECEIVED:
        event->kind = HISTORY_RECEIVED;
        return entry->value != NULL && entry->value->type == JSON_OBJECT;
    case TRACE_CLOSED:
    case TRACE_LEFT:
        event->kind = HISTORY_ENDED;
        return true;
    case TRACE_HYDRATED:
        event->kind = HISTORY_HYDRATED;
        return true;
    case TRACE_RESTARTED:
        event->kind = HISTORY_RESTARTED;
        return true;
    case TRACE_OBSERVED:
        event->kind = HISTORY_COMMITTED;
        return barrier && json_get(entry->value, "env") != NULL;
    case TRACE_CONTROL:
        event->kind = HISTORY_UNLOADED;
        return json_get(entry->value, "unloaded") != NULL;
    default:
        return false;
    }
}

enum play_status play_check_history(struct play *play) {
    size_t length = trace_length(play);
    struct history_event *events = arena_alloc(play->arena, (length + 1) * sizeof *events);
    struct trace_entry **entries = arena_alloc(play->arena, (length + 1) * sizeof *entries);
    size_t count = 0;
    for (struct trace_entry *entry = play->trace; entry != NULL; entry = entry->next) {
        if (event_of(entry, play->barrier, &events[count])) {
            entries[count++] = entry;
        }
    }
    /* What waits for a held commit may rightly never come. */
    struct history_settings settings = {.settled = (play->barrier || !play->departed) && !play->held,
                                        .held = play->held,
                                        .ejects_connections = json_is_string(json_get(play->scenario->options, "ejection"), "connection"),
                                        .wire = play->wire,
                                        .has_free_outcomes = play->scenario->free_outcome};
    struct history_breach breach = history_check(play->arena, events, count, &settings);
    if (breach.rule == NULL) {
        return PLAY_OK;
    }
    play_fail(play, NULL, "the whole run breaks %s: %s", breach.rule, breach.text);
    play->failure.rule = breach.rule;
    if (breach.event < count) {
        entries[breach.event]->unexpected = true;
        play->failure.line = entries[breach.event]->line;
        play->failure.column = play->failure.line > 0 ? 1 : 0;
        play->failure.actor = entries[breach.event]->actor;
    }
    return PLAY_FAILED;
}
