/* A recorded session from any bytes: it is refused with a reason, or played against the relay of this process to some outcome. */
#include <stdlib.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/replay/session.h"
#include "harness/replay/shape.h"

#define LIMIT_MS 1000

static void play(struct arena *arena, struct json_value *session) {
    struct target *target = target_memory_new();
    size_t steps = json_get(session, "steps")->count;
    struct session_result result = session_play(target, arena, session, LIMIT_MS);
    if (result.step > steps || (result.outcome == SESSION_ALIKE && result.step != steps))
        found("it ended at step %zu of %zu", result.step, steps);
    if ((result.text == NULL || result.text[0] == '\0') != (result.outcome == SESSION_ALIKE))
        found("outcome %d with the text %s", (int)result.outcome, result.text == NULL ? "none" : result.text);
    target->table->free(target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_new();
    struct error error = {0};
    struct json_value *session = json_parse(arena, (struct text){(const char *)data, size}, &error);
    if (session != NULL && session_check(session, &error))
        play(arena, session);
    else if (error.code != ERROR_USAGE || error.text[0] == '\0')
        found("a session is refused without a reason");
    arena_free(arena);
    return 0;
}
