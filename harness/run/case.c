#include "harness/run/case.h"

#include <string.h>

#include "harness/run/play.h"
#include "harness/run/probe.h"

const char *verdict_name(enum verdict verdict) {
    static const char *const names[] = {"pass", "fail", "skip", "error", "xfail", "xpass"};
    return names[verdict];
}

const char *trace_kind_name(enum trace_kind kind) {
    static const char *const names[] = {"connects", "sends", "gets", "closed", "leaves", "control", "observed", "hydrated", "restarted"};
    return names[kind];
}

void case_result_free(struct case_result *result) {
    arena_free(result->arena);
    *result = (struct case_result){0};
}

/* The capability that the scenario needs and the target lacks; NULL: none. Real time makes up for a clock. */
static const char *lacking(const struct play *play) {
    const char *const *needs = scenario_needs(play->scenario);
    for (; *needs != NULL; needs++) {
        bool waits = play->settings->real_time && strcmp(*needs, "clock") == 0;
        if (!waits && !play->target->table->can(play->target, *needs)) {
            return *needs;
        }
    }
    return NULL;
}

static enum play_status open_target(struct play *play) {
    struct text options = play->scenario->options == NULL ? TEXT("{}") : play_print(play, play->scenario->options);
    struct error error = {0};
    return play_outcome(play, play->target->table->open(play->target, play->settings->profile, options, play_time_left(play), &error),
                        &error);
}

static struct play new_play(struct scenario *scenario, struct target *target, const struct case_settings *settings,
                            struct schedule *schedule, struct arena *arena, unsigned round) {
    struct play play = {.scenario = scenario,
                        .target = target,
                        .settings = settings,
                        .arena = arena,
                        .bindings = {.arena = arena},
                        .names = {.arena = arena},
                        .schedule = schedule,
                        .clock_ms = TARGET_CLOCK_START,
                        .wire = profile_wire(settings->profile),
                        .next_number = 1,
                        .barrier = target->table->can(target, "barrier"),
                        .exact_race = !target->table->can(target, "barrier") && round % CASE_RACE_CYCLE != CASE_RACE_CYCLE - 1,
                        .hello_fences = target->table->can(target, "fence.hello")};
    play.names.writers_stay = target->table->can(target, "fixed-writers");
    if (!target->table->can(target, "fresh")) {
        play.names.suffix = text_of(arena_format(arena, "-%s-%u", settings->suffix, round));
    }
    bindings_set(&play.bindings, TEXT(WIRE_NAME), json_number(arena, play.wire));
    for (size_t i = 0; i < scenario->client_count; i++) {
        play_add_actor(&play, scenario->clients[i].name, &scenario->clients[i], scenario->clients[i].origin);
    }
    return play;
}

static enum play_status play_all(struct play *play) {
    enum play_status status = open_target(play);
    if (status != PLAY_OK) {
        return status;
    }
    play->opened = true;
    const char *need = lacking(play);
    if (need != NULL) {
        play->reason = text_of(arena_format(play->arena, "needs \"%s\", which the target does not offer", need));
        return PLAY_SKIPPED;
    }
    status = play_steps(play, &play->scenario->steps);
    return status == PLAY_OK ? play_finish(play) : status;
}

/* A connection that broke may mean a wrong relay or a dead one; a new connection tells. */
static enum play_status still_alive(struct play *play, enum play_status status) {
    if (status != PLAY_FAILED || play->barrier || !play->departed) {
        return status;
    }
    struct error error = {0};
    if (target_probe(play->target, play->next_number, &error) == TARGET_OK) {
        return status;
    }
    error_context(&error, "the relay has gone in the middle of the case");
    return play_outcome(play, TARGET_BROKEN, &error);
}

static enum play_status run_play(struct play *play) {
    enum play_status status = still_alive(play, play_all(play));
    play->target->table->close(play->target);
    return status;
}

static enum verdict verdict_of(enum play_status status) {
    static const enum verdict verdicts[] = {VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP, VERDICT_ERROR};
    return verdicts[status];
}

struct case_result case_run(struct scenario *scenario, struct target *target, const struct case_settings *settings) {
    struct case_result result = {.scenario = scenario,
                                 .profile = settings->profile,
                                 .target = target->name,
                                 .seed = settings->seed,
                                 .arena = arena_new()};
    struct run_clock clock = settings->clock;
    int64_t began = clock.now_us(clock.context);
    bool exhaustive = target->table->can(target, "barrier");
    struct schedule schedule = exhaustive ? schedule_exhaustive() : schedule_seeded(settings->seed);
    bool again = true;
    while (again) {
        arena_free(result.arena);
        result.arena = arena_new();
        struct play play = new_play(scenario, target, settings, &schedule, result.arena, result.plays);
        play.began_us = began;
        play.deadline_us = clock.now_us(clock.context) + (int64_t)scenario->limit_ms * 1000;
        enum play_status status = run_play(&play);
        result.plays++;
        result.verdict = verdict_of(status);
        result.reason = play.reason;
        result.broke = play.broke;
        result.failure = play.failure;
        result.trace = play.trace;
        result.seeded = play.raced && !exhaustive;
        again = status == PLAY_OK && play.raced && schedule_next(&schedule) &&
                result.plays < (exhaustive ? SCENARIO_INTERLEAVINGS_CEILING : settings->race_rounds);
    }
    result.duration_us = clock.now_us(clock.context) - began;
    return result;
}
