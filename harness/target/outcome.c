#include "harness/target/outcome.h"

#include <stdarg.h>
#include <stdio.h>

static void say(struct error *error, enum error_code code, const char *format, va_list arguments) {
    char text[ERROR_TEXT_CAPACITY];
    vsnprintf(text, sizeof text, format, arguments);
    error_set(error, code, "%s", text);
}

enum target_outcome target_lacks(struct error *error, const char *reason, ...) {
    va_list arguments;
    va_start(arguments, reason);
    say(error, ERROR_TARGET, reason, arguments);
    va_end(arguments);
    return TARGET_NO;
}

enum target_outcome target_broke(struct error *error, const char *what, ...) {
    va_list arguments;
    va_start(arguments, what);
    say(error, ERROR_TARGET, what, arguments);
    va_end(arguments);
    return TARGET_BROKEN;
}

enum target_outcome target_misused(struct error *error, const char *what, ...) {
    va_list arguments;
    va_start(arguments, what);
    say(error, ERROR_INTERNAL, what, arguments);
    va_end(arguments);
    return TARGET_BROKEN;
}

enum target_outcome target_has_no_stall(struct target *target, int connection, bool stalled, struct error *error) {
    (void)connection, (void)stalled;
    return target_lacks(error, "%s has no socket that could stop reading", target->name);
}

enum target_outcome target_has_no_hydrate(struct target *target, struct text room, struct text snapshot, bool *answer,
                                          struct error *error) {
    (void)room, (void)snapshot, (void)answer;
    return target_lacks(error, "%s cannot be handed a persisted room", target->name);
}

enum target_outcome target_has_no_room(struct target *target, struct text room, struct buffer *info,
                                       struct error *error) {
    (void)room, (void)info;
    return target_lacks(error, "%s does not show its rooms", target->name);
}

enum target_outcome target_has_no_clock(struct target *target, int64_t ms, struct error *error) {
    (void)ms;
    return target_lacks(error, "%s has no clock that can be set", target->name);
}

bool target_plain_message(struct error *error, enum target_frame frame, int fragments) {
    if (frame == TARGET_FRAME_BINARY)
        return error_set(error, ERROR_TARGET, "a binary message needs a socket");
    if (fragments > 1)
        return error_set(error, ERROR_TARGET, "a message in %d fragments needs a socket", fragments);
    return true;
}
