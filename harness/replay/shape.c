#include "harness/replay/shape.h"

#include <math.h>

/* What each command needs besides `out`. */
struct command_shape {
    const char *verb;
    const char *members[3];
    enum json_type types[3];
};

static const struct command_shape shapes[] = {
    {"open", {"profile", "options"}, {JSON_STRING, JSON_OBJECT}},
    {"connect", {"conn", "principal"}, {JSON_STRING, JSON_OBJECT}},
    {"receive", {"conn", "msg"}, {JSON_STRING, JSON_OBJECT}},
    {"disconnect", {"conn"}, {JSON_STRING}},
    {"hydrate", {"room", "snapshot"}, {JSON_STRING, JSON_OBJECT}},
    {"room", {"room"}, {JSON_STRING}},
    {"clock", {"ms"}, {JSON_NUMBER}},
    {"hold", {NULL}, {JSON_NULL}},
    {"unhold", {NULL}, {JSON_NULL}},
    {"release", {"room", "seq"}, {JSON_STRING, JSON_NUMBER}},
    {"fail", {"room", "seq"}, {JSON_STRING, JSON_NUMBER}},
    {"unload", {"room", "discard"}, {JSON_STRING, JSON_BOOLEAN}},
};

static const struct command_shape *shape_of(const struct json_value *step) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (json_is_string(json_get(step, "do"), shapes[i].verb))
            return &shapes[i];
    return NULL;
}

/* Numbers are times and seqs: whole, and small enough that a double has them exactly. */
static bool is_whole(double number) {
    return number >= 0 && number <= 9007199254740992.0 && number == floor(number);
}

static bool has(const struct json_value *object, const char *key, enum json_type type) {
    const struct json_value *value = json_get(object, key);
    return value != NULL && value->type == type && (type != JSON_NUMBER || is_whole(value->number));
}

static bool step_check(const struct json_value *step, size_t number, struct error *error) {
    if (!has(step, "do", JSON_STRING) || !has(step, "out", JSON_ARRAY))
        return error_set(error, ERROR_USAGE, "step %zu has no `do` or no list `out`", number);
    const struct command_shape *shape = shape_of(step);
    for (size_t i = 0; shape != NULL && i < 3 && shape->members[i] != NULL; i++)
        if (!has(step, shape->members[i], shape->types[i]))
            return error_set(error, ERROR_USAGE, "step %zu, `%s`, needs `%s`, %s %s%s", number, shape->verb,
                             shape->members[i], shape->types[i] == JSON_OBJECT ? "an" : "a",
                             json_type_name(shape->types[i]),
                             shape->types[i] == JSON_NUMBER ? " that is whole and from 0 to 2^53" : "");
    for (const struct json_value *event = json_get(step, "out")->first; event != NULL; event = event->next) {
        bool send = json_is_string(json_get(event, "on"), "send");
        bool of_connection = send || json_is_string(json_get(event, "on"), "close");
        if (!has(event, "on", JSON_STRING) || (of_connection && !has(event, "conn", JSON_STRING)) ||
            (send && json_get(event, "msg") == NULL))
            return error_set(error, ERROR_USAGE, "step %zu has an event without `on`, `conn` or `msg`", number);
    }
    return true;
}

bool session_check(const struct json_value *session, struct error *error) {
    if (!has(session, "profile", JSON_STRING) || !has(session, "steps", JSON_ARRAY))
        return error_set(error, ERROR_USAGE, "a session needs `profile`, a string, and `steps`, an array");
    size_t number = 0;
    for (const struct json_value *step = json_get(session, "steps")->first; step != NULL; step = step->next)
        if (!step_check(step, ++number, error))
            return false;
    return true;
}

bool shape_knows(const struct json_value *step) {
    return shape_of(step) != NULL;
}
