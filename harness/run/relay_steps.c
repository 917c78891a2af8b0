/* The steps of the relay and of the clock. */
#include "harness/match/template.h"
#include "harness/run/play.h"

static struct json_value *hydrated_room(struct play *play, const struct step *step, struct json_value *snapshot) {
    struct json_value *value = json_object(play->arena);
    json_set(value, TEXT("room"), json_string(play->arena, step->room));
    json_set(value, TEXT("snapshot"), snapshot);
    return value;
}

static void trace_control(struct play *play, const struct step *step, const char *what, struct text detail, const char *answer) {
    struct text text = text_of(arena_format(play->arena, "%s %.*s%s%s", what, (int)detail.length, detail.bytes,
                                            answer[0] == '\0' ? "" : " → ", answer));
    play_trace(play, TRACE_CONTROL, step->actor, -1, text, NULL, step->line);
}

int64_t play_settled_by(const struct play *play) {
    struct run_clock clock = play->settings->clock;
    int left = play_time_left(play);
    bool waits = play->departed && !play->barrier;
    return clock.now_us(clock.context) + (waits ? (int64_t)(left < PLAY_FENCE_LIMIT_MS ? left : PLAY_FENCE_LIMIT_MS) * 1000 : 0);
}

bool play_goes_on(struct play *play, int64_t until, enum play_status *status) {
    struct run_clock clock = play->settings->clock;
    if (clock.now_us(clock.context) >= until) {
        return false;
    }
    *status = play_take_in(play, PLAY_AGAIN_MS);
    return true;
}

static enum play_status hydrate(struct play *play, const struct step *step) {
    struct error error = {0};
    struct json_value *snapshot = template_fill(step->argument, &play->bindings, &error);
    if (snapshot == NULL) {
        return play_outcome(play, TARGET_BROKEN, &error);
    }
    wire_snapshot(play, snapshot);
    struct text text = play_print(play, snapshot), name = names_room(&play->names, step->room);
    bool answer = false;
    /* What was sent before must be there before. */
    enum play_status status = play->racing ? PLAY_OK : play_fence(play);
    int64_t until = play_settled_by(play);
    do {
        if (status == PLAY_OK) {
            status = play_outcome(play, play->target->table->hydrate(play->target, name, text, &answer, &error), &error);
        }
    } while (status == PLAY_OK && !answer && step->answers && play_goes_on(play, until, &status));
    if (status != PLAY_OK) {
        return status;
    }
    struct text detail = text_of(arena_format(play->arena, "%.*s from %.*s", (int)step->room.length, step->room.bytes,
                                              (int)text.length, text.bytes));
    if (answer) {
        play_trace(play, TRACE_HYDRATED, step->actor, -1, detail, hydrated_room(play, step, snapshot), step->line);
    } else {
        trace_control(play, step, "hydrate", detail, "false");
    }
    /* In a race either answer may be right: what follows tells (hydrate.race). */
    const struct json_value *wanted = json_get(step->node->first, "answers");
    if (answer != step->answers && !(play->raced && wanted == NULL)) {
        return play_fail(play, step, "hydrate should have answered %s, it answered %s", step->answers ? "true" : "false",
                         answer ? "true" : "false");
    }
    return PLAY_OK;
}

static enum play_status differs(struct play *play, const struct step *step, const char *what, const struct json_value *pattern,
                                const struct json_value *value, struct difference *differences) {
    play_fail(play, step, "%s is not as the step says", what);
    play->failure.wanted = play_print(play, pattern);
    if (value != NULL) {
        play->failure.came = play_print(play, value);
    }
    play->failure.differences = differences;
    return PLAY_FAILED;
}

/* Asks for the room's info; `*info` is NULL when there is none. */
static enum play_status ask_room(struct play *play, struct text name, struct json_value **info) {
    struct error error = {0};
    struct buffer text = {0};
    enum play_status status = play_outcome(play, play->target->table->room(play->target, name, &text, &error), &error);
    *info = NULL;
    if (status == PLAY_OK) {
        *info = json_parse(play->arena, (struct text){text.bytes, text.length}, &error);
        status = *info == NULL ? play_outcome(play, TARGET_BROKEN, &error) : PLAY_OK;
    }
    buffer_free(&text);
    if (*info != NULL && (*info)->type == JSON_NULL) {
        *info = NULL;
    }
    return status;
}

static enum play_status room(struct play *play, const struct step *step) {
    const struct json_value *pattern = wire_pattern(play, step->argument, WIRE_AT_TOP);
    struct text name = names_room(&play->names, step->room);
    struct json_value *info = NULL;
    struct match_result result = {0};
    enum play_status status = play_fence(play);
    int64_t until = play_settled_by(play);
    do {
        if (status == PLAY_OK) {
            status = ask_room(play, name, &info);
        }
        if (status == PLAY_OK) {
            result = match(pattern, info, &play->bindings);
        }
    } while (status == PLAY_OK && !result.matched && play_goes_on(play, until, &status));
    if (status != PLAY_OK) {
        return status;
    }
    trace_control(play, step, "room", step->room, info == NULL ? "none" : play_print(play, info).bytes);
    return result.matched ? PLAY_OK : differs(play, step, "the room's state", pattern, info, result.first);
}

static struct message *next_of(const struct observations *observations) {
    return observations->taken == NULL ? observations->first : observations->taken->next;
}

static bool has_next(const struct play *play, void *context) {
    (void)play;
    return next_of(context) != NULL;
}

static enum play_status observed(struct play *play, const struct step *step, enum observer observer) {
    struct observations *observations = &play->observations[observer];
    const struct json_value *pattern = wire_pattern(play, step->argument, WIRE_IN_STATE);
    observations->used = true;
    bool absent = step->argument->type == JSON_OBJECT && json_get(step->argument, "$absent") != NULL;
    bool fetched = play->target->table->observe != NULL;
    enum play_status status = absent || (fetched && next_of(observations) == NULL)
                                  ? play_observe(play)
                                  : play_wait(play, has_next, observations);
    if (status != PLAY_OK) {
        return status;
    }
    struct message *message = next_of(observations);
    const struct json_value *value = message == NULL ? NULL : message->value;
    struct match_result result = match(pattern, value, &play->bindings);
    if (!result.matched) {
        if (message != NULL) {
            message->entry->unexpected = true;
        }
        const char *what = arena_format(play->arena, "the %s", play_observers[observer].what);
        return differs(play, step, what, pattern, value, result.first);
    }
    if (message != NULL) {
        observations->taken = message;
    }
    return PLAY_OK;
}

static enum play_status open_again(struct play *play, const struct step *step) {
    struct text options = play->scenario->options == NULL ? TEXT("{}") : play_print(play, play->scenario->options);
    struct error error = {0};
    enum play_status status = play_fence(play);
    if (status != PLAY_OK) {
        return status;
    }
    for (struct connection *connection = play->connections; connection != NULL; connection = connection->next) {
        connection->ended = true;
        connection->fences_out = 0;
    }
    play->instances = NULL;
    play_trace(play, TRACE_RESTARTED, step->actor, -1, TEXT(""), NULL, step->line);
    status =
        play_outcome(play, play->target->table->open(play->target, play->settings->profile, options, play_time_left(play), &error), &error);
    if (status != PLAY_OK || play->clock_ms == TARGET_CLOCK_START) {
        return status;
    }
    return play_outcome(play, play->target->table->clock(play->target, play->clock_ms, &error), &error);
}

/* On a target without a clock of its own the time must really pass; what comes meanwhile is taken in. */
static enum play_status let_time_pass(struct play *play, const struct step *step) {
    int64_t milliseconds = step->milliseconds;
    if (json_get(step->node->first, "at-most") != NULL) {
        play->reason = text_of(arena_format(play->arena, "needs a clock that it can set: real time cannot promise that no more than %lld ms pass",
                                            (long long)milliseconds));
        return PLAY_SKIPPED;
    }
    if (milliseconds > CASE_REAL_TIME_CEILING_MS) {
        play->reason = text_of(arena_format(play->arena, "needs %lld ms of real time; at most %d ms are waited for",
                                            (long long)milliseconds, CASE_REAL_TIME_CEILING_MS));
        return PLAY_SKIPPED;
    }
    struct run_clock clock = play->settings->clock;
    int64_t until = clock.now_us(clock.context) + milliseconds * 1000;
    for (int64_t left = milliseconds * 1000; left > 0; left = until - clock.now_us(clock.context)) {
        enum play_status status = play_take_in(play, (int)(left / 1000) + 1);
        if (status != PLAY_OK) {
            return status;
        }
    }
    return PLAY_OK;
}

static enum play_status advance(struct play *play, const struct step *step) {
    struct error error = {0};
    /* What was sent before must not be reckoned at the new time. */
    enum play_status status = play_fence(play);
    if (status != PLAY_OK) {
        return status;
    }
    play->clock_ms += step->milliseconds;
    trace_control(play, step, arena_format(play->arena, "advance %lld ms", (long long)step->milliseconds), TEXT(""), "");
    if (!play->target->table->can(play->target, "clock")) {
        return let_time_pass(play, step);
    }
    return play_outcome(play, play->target->table->clock(play->target, play->clock_ms, &error), &error);
}

static enum observer observer_of(enum verb verb) {
    enum observer observer = OBSERVER_COMMIT;
    while (play_observers[observer].verb != verb) {
        observer++;
    }
    return observer;
}

enum play_status play_relay_step(struct play *play, const struct step *step) {
    enum play_status status;
    switch (step->verb) {
    case VERB_HYDRATE:
        status = hydrate(play, step);
        break;
    case VERB_ROOM:
        status = room(play, step);
        break;
    case VERB_COMMITTED:
    case VERB_VIOLATED:
    case VERB_DROPPED:
    case VERB_REJECTED:
    case VERB_JOINED:
    case VERB_STALLED:
        status = observed(play, step, observer_of(step->verb));
        break;
    case VERB_HOLDS_COMMITS:
    case VERB_DECIDES_COMMITS:
    case VERB_RELEASE:
    case VERB_FAIL:
    case VERB_UNLOAD:
        status = play_command_step(play, step);
        break;
    case VERB_RESTART:
        status = open_again(play, step);
        break;
    default:
        status = advance(play, step);
        break;
    }
    return status == PLAY_OK && play->barrier ? play_take_in(play, 0) : status;
}
