#include "harness/target/events.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

struct queued_event {
    struct target_event event;
    char *text;
    char *name;
    struct queued_event *next;
};

static void event_free(struct queued_event *queued) {
    if (queued == NULL)
        return;
    free(queued->text);
    free(queued->name);
    free(queued);
}

static char *copy(const char *bytes, size_t length) {
    char *result = memory_new(length + 1);
    if (length > 0)
        memcpy(result, bytes, length);
    result[length] = '\0';
    return result;
}

void events_add_owned(struct target_events *events, const struct target_event *event) {
    struct queued_event *queued = memory_zeroed(1, sizeof *queued);
    queued->event = *event;
    /* The text was handed over with its address only. */
    queued->text = (char *)event->text.bytes;
    if (event->name != NULL)
        queued->event.name = queued->name = copy(event->name, strlen(event->name));
    if (events->last != NULL)
        events->last->next = queued;
    else
        events->first = queued;
    events->last = queued;
    events->count++;
    events->bytes += event->text.length;
}

void events_add(struct target_events *events, const struct target_event *event) {
    struct target_event owned = *event;
    owned.text.bytes = copy(event->text.bytes, event->text.length);
    events_add_owned(events, &owned);
}

/* Unlinks what `*link` points at, whose predecessor is `before` (NULL: it is the first). */
static struct queued_event *unlink_event(struct target_events *events, struct queued_event **link,
                                         struct queued_event *before) {
    struct queued_event *queued = *link;
    *link = queued->next;
    if (events->last == queued)
        events->last = before;
    events->count--;
    events->bytes -= queued->event.text.length;
    return queued;
}

bool events_take(struct target_events *events, struct target_event *event) {
    event_free(events->taken);
    events->taken = NULL;
    if (events->first == NULL)
        return false;
    events->taken = unlink_event(events, &events->first, NULL);
    *event = events->taken->event;
    return true;
}

void events_drop_closed(struct target_events *events, int connection) {
    struct queued_event *before = NULL;
    for (struct queued_event **link = &events->first; *link != NULL; link = &(*link)->next) {
        const struct target_event *event = &(*link)->event;
        if (event->kind == TARGET_CLOSED && event->connection == connection) {
            event_free(unlink_event(events, link, before));
            return;
        }
        before = *link;
    }
}

bool events_full(const struct target_events *events) {
    return events->count >= TARGET_EVENTS_COUNT_CEILING || events->bytes >= TARGET_EVENTS_BYTES_CEILING;
}

void events_clear(struct target_events *events) {
    event_free(events->taken);
    for (struct queued_event *queued = events->first; queued != NULL;) {
        struct queued_event *next = queued->next;
        event_free(queued);
        queued = next;
    }
    *events = (struct target_events){0};
}
