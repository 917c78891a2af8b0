#include "harness/replay/step.h"

#include "harness/replay/difference.h"
#include "harness/replay/freedom.h"

/* ---- events -------------------------------------------------------------------------------------- */

/* What a recorded event is, in the terms of what comes. */
struct wanted_event {
    enum target_event_kind kind;
    struct text stream;
    struct json_value *value; /* NULL for a close */
    const char *path;         /* of `value` in the recorded event */
};

static struct wanted_event read_wanted(struct json_value *event) {
    const struct json_value *on = json_get(event, "on"), *connection = json_get(event, "conn");
    if (json_is_string(on, "send"))
        return (struct wanted_event){TARGET_MESSAGE, connection->text, json_get(event, "msg"), "msg"};
    if (json_is_string(on, "close"))
        return (struct wanted_event){TARGET_CLOSED, connection->text, NULL, "close"};
    return (struct wanted_event){TARGET_OBSERVED, on->text, event, "event"};
}

static const char *kind_name(enum target_event_kind kind) {
    return kind == TARGET_MESSAGE ? "a message" : kind == TARGET_CLOSED ? "a close" : "an observation";
}

static void show_came(struct buffer *out, const struct came_event *came) {
    if (came == NULL)
        buffer_string(out, "nothing");
    else if (came->kind == TARGET_CLOSED)
        buffer_string(out, "a close");
    else if (came->value != NULL)
        difference_show(out, came->value);
    else
        buffer_format(out, "a text that is not JSON, of %zu bytes", came->text.length);
}

static void show_wanted(struct buffer *out, const struct wanted_event *wanted) {
    if (wanted->kind == TARGET_CLOSED)
        buffer_string(out, "a close");
    else
        difference_show(out, wanted->value);
}

static struct came_event *next_of(struct came_event *came, enum target_event_kind kind, struct text stream) {
    while (came != NULL && (came->taken || (came->kind == TARGET_OBSERVED) != (kind == TARGET_OBSERVED) ||
                            !text_equal(came->stream, stream)))
        came = came->next;
    return came;
}

static void name_stream(struct buffer *out, struct text stream) {
    buffer_text(out, stream);
    buffer_string(out, ": ");
}

static bool compare_one(struct comparison *comparison, const struct wanted_event *wanted, struct came_event *came) {
    struct buffer *difference = &comparison->difference;
    if (came == NULL || came->kind != wanted->kind || (came->value == NULL && came->kind != TARGET_CLOSED)) {
        name_stream(difference, wanted->stream);
        buffer_format(difference, "%s: wanted ", kind_name(wanted->kind));
        show_wanted(difference, wanted);
        buffer_string(difference, ", came ");
        show_came(difference, came);
        return false;
    }
    came->taken = true;
    if (wanted->kind == TARGET_CLOSED)
        return true;
    names_settle(&comparison->names, wanted->value, came->value);
    freedom_grant(wanted->value, came->value);
    if (json_equal(wanted->value, came->value))
        return true;
    name_stream(difference, wanted->stream);
    difference_find(difference, wanted->path, wanted->value, came->value);
    return false;
}

/* ---- connections that the relay has closed ------------------------------------------------------- */

static bool is_over(const struct comparison *comparison, enum target_event_kind kind, struct text stream) {
    const struct ended_stream *ended = comparison->ended;
    while (ended != NULL && !text_equal(ended->name, stream))
        ended = ended->next;
    return kind != TARGET_OBSERVED && ended != NULL;
}

static void end_stream(struct comparison *comparison, struct text name) {
    struct ended_stream *ended = arena_alloc(comparison->names.arena, sizeof *ended);
    *ended = (struct ended_stream){name, comparison->ended};
    comparison->ended = ended;
}

void step_connect(struct comparison *comparison, struct text name) {
    struct ended_stream **link = &comparison->ended;
    while (*link != NULL && !text_equal((*link)->name, name))
        link = &(*link)->next;
    if (*link != NULL)
        *link = (*link)->next;
}

/* ---- a step -------------------------------------------------------------------------------------- */

static bool compare_wanted(struct comparison *comparison, struct json_value *event, struct came_event *came) {
    struct wanted_event wanted = read_wanted(event);
    if (is_over(comparison, wanted.kind, wanted.stream))
        return true;
    if (wanted.kind == TARGET_OBSERVED) {
        if (!comparison->shows(comparison->context, json_get(event, "on")))
            return true;
        json_remove(event, TEXT("on"));
    }
    comparison->compared++;
    bool alike = compare_one(comparison, &wanted, next_of(came, wanted.kind, wanted.stream));
    if (alike && wanted.kind == TARGET_CLOSED)
        end_stream(comparison, wanted.stream);
    return alike;
}

bool step_compare(struct comparison *comparison, const struct json_value *out, struct came_event *came) {
    for (struct json_value *event = out->first; event != NULL; event = event->next)
        if (!compare_wanted(comparison, event, came))
            return false;
    for (const struct came_event *event = came; event != NULL; event = event->next)
        if (!event->taken && !is_over(comparison, event->kind, event->stream)) {
            name_stream(&comparison->difference, event->stream);
            buffer_format(&comparison->difference, "%s: wanted nothing, came ", kind_name(event->kind));
            show_came(&comparison->difference, event);
            return false;
        }
    return true;
}
