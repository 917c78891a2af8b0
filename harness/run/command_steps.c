/* The steps of the relay that put a further command to the target: holding and deciding commits, unloading a room. */
#include <stdio.h>
#include <string.h>

#include "harness/match/template.h"
#include "harness/run/play.h"

static void trace_command(struct play *play, const struct step *step, const char *name, struct text fields, struct text answer,
                          const struct json_value *value) {
    struct text text = text_of(arena_format(play->arena, "%s %.*s → %.*s", name, (int)fields.length, fields.bytes, (int)answer.length,
                                            answer.bytes));
    play_trace(play, TRACE_CONTROL, step->actor, -1, text, value, step->line);
}

/* Puts the command, with what was sent before having been worked through. `*answer` is what the reply's `ok` holds. */
static enum play_status put(struct play *play, const char *name, const struct json_value *fields, struct json_value **answer) {
    struct error error = {0};
    struct buffer text = {0};
    enum play_status status =
        play_outcome(play, play->target->table->command(play->target, name, play_print(play, fields), &text, &error), &error);
    if (status == PLAY_OK) {
        *answer = json_parse(play->arena, (struct text){text.bytes, text.length}, &error);
        status = *answer == NULL ? play_outcome(play, TARGET_BROKEN, &error) : PLAY_OK;
    }
    buffer_free(&text);
    return status;
}

static struct json_value *room_fields(struct play *play, const struct step *step) {
    struct json_value *fields = json_object(play->arena);
    json_set(fields, TEXT("room"), json_string(play->arena, names_room(&play->names, step->room)));
    return fields;
}

/* ---- commits ------------------------------------------------------------------------------------- */

static enum play_status hold(struct play *play, const struct step *step, const char *name) {
    struct json_value *answer;
    enum play_status status = play_fence(play);
    status = status == PLAY_OK ? put(play, name, json_object(play->arena), &answer) : status;
    if (status == PLAY_OK) {
        play->held = true;
        trace_command(play, step, name, TEXT("commits"), play_print(play, answer), NULL);
    }
    return status;
}

/* A relay that can hold commits and has none of that seq to decide has not held it. */
static enum play_status decide(struct play *play, const struct step *step, const char *name) {
    struct error error = {0};
    struct json_value *fields = room_fields(play, step), *seq = template_fill(step->argument, &play->bindings, &error), *answer = NULL;
    if (seq == NULL) {
        return play_outcome(play, TARGET_BROKEN, &error);
    }
    json_set(fields, TEXT("seq"), seq);
    enum play_status status = play_fence(play);
    status = status == PLAY_OK ? put(play, name, fields, &answer) : status;
    bool holds = play->target->table->can(play->target, "hold");
    bool refused = status == PLAY_OK && answer->type == JSON_BOOLEAN && !answer->boolean;
    struct text shown = play_print(play, fields);
    if (refused || (status == PLAY_SKIPPED && holds)) {
        return play_fail(play, step, "the relay does not hold the commit that the step decides: %s %.*s%s%.*s", name, (int)shown.length,
                         shown.bytes, refused ? "" : ": ", refused ? 0 : (int)play->reason.length, refused ? "" : play->reason.bytes);
    }
    if (status == PLAY_OK) {
        trace_command(play, step, name, shown, play_print(play, answer), NULL);
    }
    return status;
}

/* ---- rooms --------------------------------------------------------------------------------------- */

/* What a history has to know: the room's next life is another one. */
static struct json_value *unloaded_room(struct play *play, const struct step *step) {
    struct json_value *value = json_object(play->arena);
    json_set(value, TEXT("unloaded"), json_string(play->arena, step->room));
    return value;
}

static enum play_status unload(struct play *play, const struct step *step) {
    const struct json_value *discard = json_get(step->argument, "discard");
    struct json_value *fields = room_fields(play, step), *answer = NULL;
    json_set(fields, TEXT("discard"), json_boolean(play->arena, discard != NULL && discard->boolean));
    enum play_status status = play_fence(play);
    int64_t until = play_settled_by(play);
    bool unloaded = false;
    do {
        status = status == PLAY_OK ? put(play, "unload", fields, &answer) : status;
        unloaded = status == PLAY_OK && answer->type == JSON_BOOLEAN && answer->boolean;
    } while (status == PLAY_OK && !unloaded && step->answers && play_goes_on(play, until, &status));
    if (status != PLAY_OK) {
        return status;
    }
    struct text shown = play_print(play, answer);
    trace_command(play, step, "unload", play_print(play, fields), shown, unloaded ? unloaded_room(play, step) : NULL);
    if (answer->type != JSON_BOOLEAN || unloaded != step->answers) {
        return play_fail(play, step, "unload should have answered %s, it answered %.*s", step->answers ? "true" : "false", (int)shown.length,
                         shown.bytes);
    }
    return PLAY_OK;
}

enum play_status play_command_step(struct play *play, const struct step *step) {
    switch (step->verb) {
    case VERB_HOLDS_COMMITS:
        return hold(play, step, "hold");
    case VERB_DECIDES_COMMITS:
        return hold(play, step, "unhold");
    case VERB_RELEASE:
        return decide(play, step, "release");
    case VERB_FAIL:
        return decide(play, step, "fail");
    default:
        return unload(play, step);
    }
}
